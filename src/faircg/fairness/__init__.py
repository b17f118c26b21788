"""Fairness criteria, and the exact recount of what a rule set does to each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from faircg.fairness.base import Criterion as Criterion
from faircg.fairness.base import GroupSizes as GroupSizes
from faircg.fairness.base import Rate as Rate
from faircg.fairness.base import RateRows as RateRows
from faircg.fairness.metrics import Fairness as Fairness
from faircg.fairness.metrics import GroupCounts as GroupCounts
from faircg.fairness.odds import EqualityOfOpportunity as EqualityOfOpportunity
from faircg.fairness.odds import EqualizedOdds as EqualizedOdds

CRITERIA: Final[Mapping[str, Callable[[float], Criterion]]] = {
    "equality_of_opportunity": EqualityOfOpportunity,
    "equalized_odds": EqualizedOdds,
}
"""Criteria by the name that users ask for them with."""


def criterion_by_name(name: str, epsilon: float) -> Criterion:
    """Look up a criterion; an unknown name is an error that lists the known ones.

    Examples
    --------
    >>> criterion_by_name("equalized_odds", 0.1)
    EqualizedOdds(epsilon=0.1, epsilon_negatives=None)
    """
    if name not in CRITERIA:
        raise ValueError(
            f"constraint {name!r} is not known; use one of {sorted(CRITERIA)} or None"
        )
    return CRITERIA[name](epsilon)
