"""Fairness criteria: which rates are compared between groups, and how closely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from faircg.fairness.bounds import Difference, check_epsilon
from faircg.fairness.rates import Rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.fairness.rates import GroupRate, GroupSizes


class Criterion(Protocol):
    """A fairness criterion: the rates that it bounds."""

    @property
    def name(self) -> str:
        """Name under which the criterion is asked for."""
        ...

    @property
    def epsilon(self) -> float:
        """The largest allowed gap."""
        ...

    def rates(self) -> Sequence[Rate]:
        """Return the rates, each with its bound."""
        ...


def rates_of(criterion: Criterion | None, groups: GroupSizes) -> tuple[GroupRate, ...]:
    """Return what a criterion bounds, for certain groups; nothing without one."""
    rates = () if criterion is None else criterion.rates()
    return tuple(rate.of(groups) for rate in rates)


def false_negative_rate(epsilon: float) -> Rate:
    """Missed people among the positives."""
    bound = Difference(epsilon)
    return Rate("false negative rate", ("false_negatives",), ("positives",), bound)


def false_positive_rate(epsilon: float) -> Rate:
    """Covered people among the negatives."""
    bound = Difference(epsilon)
    return Rate("false positive rate", ("false_positives",), ("negatives",), bound)


@dataclass(frozen=True, slots=True)
class _OneGap:
    """A criterion with one epsilon, which is checked when it is made."""

    epsilon: float

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)


@dataclass(frozen=True, slots=True)
class EqualityOfOpportunity(_OneGap):
    """False negative rates differ by at most ``epsilon`` (paper, eo1-eo2).

    Equivalently the true positive rates do.

    Examples
    --------
    >>> [rate.name for rate in EqualityOfOpportunity(0.05).rates()]
    ['false negative rate']
    """

    name = "equality_of_opportunity"

    def rates(self) -> tuple[Rate, ...]:
        """Return the false negative rate."""
        return (false_negative_rate(self.epsilon),)


@dataclass(frozen=True, slots=True)
class PredictiveEquality(_OneGap):
    """False positive rates differ by at most ``epsilon``.

    Examples
    --------
    >>> [rate.name for rate in PredictiveEquality(0.05).rates()]
    ['false positive rate']
    """

    name = "predictive_equality"

    def rates(self) -> tuple[Rate, ...]:
        """Return the false positive rate."""
        return (false_positive_rate(self.epsilon),)


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
    >>> odds = EqualizedOdds(0.05, epsilon_negatives=0.1)
    >>> [(rate.name, rate.bound.limit) for rate in odds.rates()]
    [('false negative rate', 0.05), ('false positive rate', 0.1)]
    """

    epsilon: float
    epsilon_negatives: float | None = None

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        if self.epsilon_negatives is not None:
            check_epsilon(self.epsilon_negatives, "epsilon_negatives")

    name = "equalized_odds"

    def rates(self) -> tuple[Rate, ...]:
        """Return both error rates."""
        second = self.epsilon_negatives
        return (
            false_negative_rate(self.epsilon),
            false_positive_rate(self.epsilon if second is None else second),
        )


@dataclass(frozen=True, slots=True)
class DemographicParity(_OneGap):
    """Selection rates differ by at most ``epsilon``, whatever the true labels are.

    Examples
    --------
    >>> [rate.name for rate in DemographicParity(0.05).rates()]
    ['selection rate']
    """

    name = "demographic_parity"

    def rates(self) -> tuple[Rate, ...]:
        """Return the share of everybody that some rule covers."""
        selected = ("true_positives", "false_positives")
        everybody = ("positives", "negatives")
        return (Rate("selection rate", selected, everybody, Difference(self.epsilon)),)
