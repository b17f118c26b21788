"""Fairness criteria, and the exact recount of what a rule set does to each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from faircg.fairness.bounds import Bound as Bound
from faircg.fairness.bounds import Cap as Cap
from faircg.fairness.bounds import Difference as Difference
from faircg.fairness.bounds import Floor as Floor
from faircg.fairness.bounds import Ratio as Ratio
from faircg.fairness.bounds import exact as exact
from faircg.fairness.criteria import Criterion as Criterion
from faircg.fairness.criteria import DemographicParity as DemographicParity
from faircg.fairness.criteria import EqualityOfOpportunity as EqualityOfOpportunity
from faircg.fairness.criteria import EqualizedOdds as EqualizedOdds
from faircg.fairness.criteria import PredictiveEquality as PredictiveEquality
from faircg.fairness.criteria import rates_of as rates_of
from faircg.fairness.metrics import Fairness as Fairness
from faircg.fairness.metrics import GroupCounts as GroupCounts
from faircg.fairness.rates import GroupRate as GroupRate
from faircg.fairness.rates import GroupSizes as GroupSizes
from faircg.fairness.rates import Rate as Rate

CRITERIA: Final[Mapping[str, Callable[[float], Criterion]]] = {
    criterion.name: criterion
    for criterion in (
        DemographicParity,
        EqualityOfOpportunity,
        EqualizedOdds,
        PredictiveEquality,
    )
}
"""Criteria by the name that users ask for them with."""


def criterion_by_name(name: str, epsilon: float) -> Criterion:
    """Look up a criterion; an unknown name is an error that lists the known ones."""
    if name not in CRITERIA:
        raise ValueError(
            f"constraint {name!r} is not known; use one of {sorted(CRITERIA)} or None"
        )
    return CRITERIA[name](epsilon)
