"""Criteria on error rates: equality of opportunity and equalized odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.fairness.base import GroupSizes, Rate

if TYPE_CHECKING:
    from faircg.typing import IntVector


def _checked(epsilon: float, name: str = "epsilon") -> None:
    if not np.isfinite(epsilon) or epsilon < 0:
        raise ValueError(
            f"{name} must be a number of at least 0 (0.05 allows a gap of five "
            f"percentage points), not {epsilon!r}"
        )


def _inhabited(groups: GroupSizes, sizes: IntVector, kind: str, rate: str) -> IntVector:
    for name, size, positives, negatives in zip(
        groups.names, sizes, groups.positives, groups.negatives, strict=True
    ):
        if size == 0:
            raise ValueError(
                f"group {name!r} has no {kind} sample ({positives} positive, "
                f"{negatives} negative), so its {rate} is undefined; merge it with "
                "another group, leave its rows out, or drop the constraint"
            )
    return sizes


@dataclass(frozen=True, slots=True)
class EqualityOfOpportunity:
    """False negative rates differ by at most ``epsilon`` (paper, eo1-eo2).

    Equivalently the true positive rates do.

    Examples
    --------
    >>> sizes = GroupSizes(("a", "b"), np.array([3, 4]), np.array([5, 6]))
    >>> [rate.name for rate in EqualityOfOpportunity(0.05).rates(sizes)]
    ['false negative rate']
    """

    epsilon: float

    def __post_init__(self) -> None:
        _checked(self.epsilon)

    @property
    def name(self) -> str:
        """Name under which the criterion is asked for."""
        return "equality_of_opportunity"

    def rates(self, groups: GroupSizes) -> tuple[Rate, ...]:
        """Return the false negative rate of each group."""
        name = "false negative rate"
        sizes = _inhabited(groups, groups.positives, "positive", name)
        return (Rate(name, 1, 0, sizes, self.epsilon),)


@dataclass(frozen=True, slots=True)
class EqualizedOdds:
    """False negative and false positive rates differ by at most epsilon (eo1-eo4).

    Parameters
    ----------
    epsilon
        Largest allowed gap of the false negative rate, and of the false positive rate
        unless ``epsilon_negatives`` is given.
    epsilon_negatives
        Largest allowed gap of the false positive rate (the paper's ``epsilon_2``).

    Examples
    --------
    >>> sizes = GroupSizes(("a", "b"), np.array([3, 4]), np.array([5, 6]))
    >>> odds = EqualizedOdds(0.05, epsilon_negatives=0.1)
    >>> [(rate.name, rate.epsilon) for rate in odds.rates(sizes)]
    [('false negative rate', 0.05), ('false positive rate', 0.1)]
    """

    epsilon: float
    epsilon_negatives: float | None = None

    def __post_init__(self) -> None:
        _checked(self.epsilon)
        if self.epsilon_negatives is not None:
            _checked(self.epsilon_negatives, "epsilon_negatives")

    @property
    def name(self) -> str:
        """Name under which the criterion is asked for."""
        return "equalized_odds"

    def rates(self, groups: GroupSizes) -> tuple[Rate, ...]:
        """Return both error rates of each group."""
        name = "false positive rate"
        sizes = _inhabited(groups, groups.negatives, "negative", name)
        epsilon = (
            self.epsilon if self.epsilon_negatives is None else self.epsilon_negatives
        )
        opportunity = EqualityOfOpportunity(self.epsilon).rates(groups)
        return (*opportunity, Rate(name, 0, 1, sizes, epsilon))
