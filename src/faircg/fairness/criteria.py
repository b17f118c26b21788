"""Fairness criteria: which rates are bounded, and how."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 (a field that is read at run time)
from dataclasses import dataclass
from fractions import Fraction  # noqa: TC003 (a field that is read at run time)
from typing import ClassVar, Final

from faircg.fairness.bounds import Bound, Cap, Difference, Floor, Ratio, check_epsilon
from faircg.fairness.criterion import Combinable
from faircg.fairness.exact_numbers import exact, typed
from faircg.fairness.rates import Linear, Rate

_EVERYBODY: Final = ("positives", "negatives")
RATES: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "true_positive_rate": (("true_positives",), ("positives",)),
    "false_negative_rate": (("false_negatives",), ("positives",)),
    "false_positive_rate": (("false_positives",), ("negatives",)),
    "true_negative_rate": (("true_negatives",), ("negatives",)),
    "selection_rate": (("true_positives", "false_positives"), _EVERYBODY),
    "accuracy": (("true_positives", "true_negatives"), _EVERYBODY),
    "error_rate": (("false_negatives", "false_positives"), _EVERYBODY),
    "precision": (("true_positives",), ("true_positives", "false_positives")),
    "negative_predictive_value": (
        ("true_negatives",),
        ("true_negatives", "false_negatives"),
    ),
}
"""The rates that have a name: whom they count, and among whom."""


def rate_by_name(name: str, bound: Bound) -> Rate:
    """Return a rate of :data:`RATES` with a bound; an unknown one is an error."""
    if name not in RATES:
        raise ValueError(f"there is no rate {name!r}; use one of {sorted(RATES)}")
    counted, among = RATES[name]
    return Rate(name.replace("_", " "), counted, among, bound)


@dataclass(frozen=True, slots=True)
class _OneGap(Combinable):
    """A criterion with one epsilon, which is checked when it is made."""

    epsilon: float | Fraction

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
        return (rate_by_name("false_negative_rate", Difference(self.epsilon)),)


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
        return (rate_by_name("false_positive_rate", Difference(self.epsilon)),)


@dataclass(frozen=True, slots=True)
class EqualizedOdds(Combinable):
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
    >>> odds.name
    'equality_of_opportunity & predictive_equality=0.1'
    """

    epsilon: float | Fraction
    epsilon_negatives: float | Fraction | None = None

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        if self.epsilon_negatives is not None:
            check_epsilon(self.epsilon_negatives, "epsilon_negatives")

    @property
    def name(self) -> str:
        """The name; its two parts if they have different epsilons."""
        second = self.epsilon_negatives
        if second is None or exact(second) == exact(self.epsilon):
            return "equalized_odds"
        return f"equality_of_opportunity & predictive_equality={typed(second)}"

    def rates(self) -> tuple[Rate, ...]:
        """Return both error rates."""
        second = self.epsilon_negatives
        return (
            rate_by_name("false_negative_rate", Difference(self.epsilon)),
            rate_by_name(
                "false_positive_rate",
                Difference(self.epsilon if second is None else second),
            ),
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
        """Return the share of everybody that is selected."""
        return (rate_by_name("selection_rate", Difference(self.epsilon)),)


@dataclass(frozen=True, slots=True)
class AccuracyParity(_OneGap):
    """Shares of wrong predictions differ by at most ``epsilon``.

    Examples
    --------
    >>> [rate.name for rate in AccuracyParity(0.05).rates()]
    ['error rate']
    """

    name = "accuracy_parity"

    def rates(self) -> tuple[Rate, ...]:
        """Return the share of everybody whose prediction is wrong."""
        return (rate_by_name("error_rate", Difference(self.epsilon)),)


@dataclass(frozen=True, slots=True)
class FourFifths(Combinable):
    """No group is selected at less than ``limit`` times the rate of another: 0.8.

    Examples
    --------
    >>> (rate,) = FourFifths().rates()
    >>> rate.name, rate.bound
    ('selection rate', Ratio(limit=0.8))
    """

    limit: float | Fraction = 0.8
    epsilon = None

    def __post_init__(self) -> None:
        Ratio(self.limit)

    @property
    def name(self) -> str:
        """The name; with its limit if that is another than four fifths."""
        is_usual = exact(self.limit) == exact(0.8)
        return "four_fifths" if is_usual else f"four_fifths={typed(self.limit)}"

    def rates(self) -> tuple[Rate, ...]:
        """Return the share of everybody that is selected."""
        return (rate_by_name("selection_rate", Ratio(self.limit)),)


@dataclass(frozen=True, slots=True)
class BoundedGroupLoss(Combinable):
    """At most this share of every group is predicted wrongly.

    Examples
    --------
    >>> BoundedGroupLoss(0.3).rates()[0].bound
    Cap(limit=0.3)
    """

    limit: float | Fraction
    epsilon = None

    def __post_init__(self) -> None:
        Cap(self.limit)

    @property
    def name(self) -> str:
        """The name with its limit."""
        return f"bounded_group_loss={typed(self.limit)}"

    def rates(self) -> tuple[Rate, ...]:
        """Return the share of everybody whose prediction is wrong."""
        return (rate_by_name("error_rate", Cap(self.limit)),)


@dataclass(frozen=True, slots=True)
class _OneRate(Combinable):
    """A named rate with a limit of its own, which is no gap."""

    rate: str
    limit: float | Fraction
    asks: ClassVar[type[Bound]]
    epsilon = None

    def __post_init__(self) -> None:
        self.rates()

    @property
    def name(self) -> str:
        """The rate, what is asked of it, and the limit."""
        return f"{self.rate}_{self.asks.kind}={typed(self.limit)}"

    def rates(self) -> tuple[Rate, ...]:
        """Return the rate."""
        return (rate_by_name(self.rate, self.asks(self.limit)),)


@dataclass(frozen=True, slots=True)
class RateFloor(_OneRate):
    """A rate of :data:`RATES` is at least ``limit`` in every group.

    Examples
    --------
    >>> RateFloor("true_positive_rate", 0.6).name
    'true_positive_rate_floor=0.6'
    """

    asks = Floor


@dataclass(frozen=True, slots=True)
class RateCap(_OneRate):
    """A rate of :data:`RATES` is at most ``limit`` in every group.

    Examples
    --------
    >>> RateCap("false_positive_rate", 0.2).name
    'false_positive_rate_cap=0.2'
    """

    asks = Cap


@dataclass(frozen=True, slots=True)
class RateRatio(_OneRate):
    """A rate of :data:`RATES` is nowhere below ``limit`` times that of another group.

    Examples
    --------
    >>> RateRatio("true_positive_rate", 0.8).name
    'true_positive_rate_ratio=0.8'
    """

    asks = Ratio


@dataclass(frozen=True, slots=True)
class PrecisionFloor(RateFloor):
    """In every group at least this share of the selected is positive.

    A group of which nobody is selected has no precision, and violates nothing.

    Examples
    --------
    >>> PrecisionFloor(0.7).name
    'precision_floor=0.7'
    """

    def __init__(self, limit: float | Fraction) -> None:
        object.__setattr__(self, "rate", "precision")
        object.__setattr__(self, "limit", limit)
        self.__post_init__()


@dataclass(frozen=True, slots=True)
class LinearConstraint(Combinable):
    """A sum of the people of each group, weighed by kind, has a limit.

    Parameters
    ----------
    name
        What you call it.
    weights
        What a person counts who is one of the ``"true_positives"``,
        ``"false_negatives"``, ``"false_positives"`` or ``"true_negatives"``; nothing by
        default.
    at_least, at_most
        The least or the most that the sum may be in every group: one of them.

    Examples
    --------
    At most two false alarms for each person who is found, in every group:

    >>> LinearConstraint(
    ...     "alarms", {"false_positives": 1, "true_positives": -2}, at_most=0
    ... ).rates()
    (Linear(name='alarms', weights={'false_positives': -1, 'true_positives': 2},
     at_least=0),)
    """

    name: str
    weights: Mapping[str, float | Fraction]
    at_least: float | Fraction | None = None
    at_most: float | Fraction | None = None
    epsilon = None

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError(f"{self.name}: give at_least or at_most, one of them")
        self.rates()

    def rates(self) -> tuple[Linear, ...]:
        """Return the condition as a sum that is at least something."""
        if self.at_most is None:
            return (Linear(self.name, self.weights, self.at_least or 0),)
        turned = {kind: -weight for kind, weight in self.weights.items()}
        return (Linear(self.name, turned, -self.at_most),)
