"""Criteria said again in plain counting, without the package: what must agree with it.

A case has a criterion of the package, and a sentence that says for the four counts of
each group whether it holds, and by how much its limits would have to be easier.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from faircg.fairness import (
    AccuracyParity,
    BoundedGroupLoss,
    DemographicParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    FourFifths,
    LinearConstraint,
    PrecisionFloor,
    PredictiveEquality,
    RateCap,
    RateFloor,
    RateRatio,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from oracle import Instance

    Shares = Callable[["People"], Fraction]

NEVER = Fraction(10**9)
"""What a limit lacks that is not made easier."""


class People(NamedTuple):
    """The four kinds of people of one group."""

    tp: int
    fn: int
    fp: int
    tn: int


def fnr(g: People) -> Fraction:
    return Fraction(g.fn, g.tp + g.fn)


def tpr(g: People) -> Fraction:
    return 1 - fnr(g)


def fpr(g: People) -> Fraction:
    return Fraction(g.fp, g.fp + g.tn)


def selected(g: People) -> Fraction:
    return Fraction(g.tp + g.fp, sum(g))


def wrong(g: People) -> Fraction:
    return Fraction(g.fn + g.fp, sum(g))


class Sentence:
    """Something that is asked of the groups of a family."""

    def lack(self, groups: list[People]) -> Fraction:
        """By how much limits would have to be easier; zero or less if it holds."""
        raise NotImplementedError

    def holds(self, groups: list[People]) -> bool:
        return self.lack(groups) <= 0


@dataclass(frozen=True)
class Close(Sentence):
    """No two groups differ by more."""

    rate: Shares
    epsilon: str

    def lack(self, groups: list[People]) -> Fraction:
        rates = [self.rate(g) for g in groups]
        return max(abs(a - b) for a in rates for b in rates) - Fraction(self.epsilon)


@dataclass(frozen=True)
class AtMost(Sentence):
    """No group has more."""

    rate: Shares
    limit: str

    def lack(self, groups: list[People]) -> Fraction:
        return max(self.rate(g) for g in groups) - Fraction(self.limit)


@dataclass(frozen=True)
class AtLeast(Sentence):
    """No group has less."""

    rate: Shares
    limit: str

    def lack(self, groups: list[People]) -> Fraction:
        return Fraction(self.limit) - min(self.rate(g) for g in groups)


@dataclass(frozen=True)
class Comparable(Sentence):
    """No group has less than so much of another's rate."""

    rate: Shares
    limit: str

    def lack(self, groups: list[People]) -> Fraction:
        rates = [self.rate(g) for g in groups]
        limit = Fraction(self.limit)
        return max(limit - a / b if b else Fraction(0) for a in rates for b in rates)

    def holds(self, groups: list[People]) -> bool:
        rates = [self.rate(g) for g in groups]
        return all(a >= Fraction(self.limit) * b for a in rates for b in rates)


@dataclass(frozen=True)
class Precise(Sentence):
    """Of whom it selects, so many are positive; who selects nobody violates nothing."""

    limit: str

    def lack(self, groups: list[People]) -> Fraction:
        some = [Fraction(g.tp, g.tp + g.fp) for g in groups if g.tp + g.fp]
        return Fraction(self.limit) - min(some, default=Fraction(1))

    def holds(self, groups: list[People]) -> bool:
        return all(g.tp >= Fraction(self.limit) * (g.tp + g.fp) for g in groups)


@dataclass(frozen=True)
class Sum(Sentence):
    """A sum of people is not negative; its limit is not made easier."""

    of: Callable[[People], int]

    def lack(self, groups: list[People]) -> Fraction:
        return Fraction(0) if all(self.of(g) >= 0 for g in groups) else NEVER


@dataclass(frozen=True)
class Both(Sentence):
    """Two sentences at once."""

    one: Sentence
    other: Sentence

    def lack(self, groups: list[People]) -> Fraction:
        return max(self.one.lack(groups), self.other.lack(groups))

    def holds(self, groups: list[People]) -> bool:
        return self.one.holds(groups) and self.other.holds(groups)


@dataclass(frozen=True)
class Case:
    """A criterion, and the same in plain counting."""

    criterion: Any
    sentence: Sentence

    @property
    def id(self) -> str:
        of = self.criterion
        return of.name if of.epsilon is None else f"{of.name} {float(of.epsilon):.2g}"

    @property
    def holds(self) -> Callable[[list[People]], bool]:
        return self.sentence.holds


def odds(epsilon: str, of_negatives: str | None = None) -> Both:
    return Both(Close(fnr, epsilon), Close(fpr, of_negatives or epsilon))


KINDS = {
    "equality_of_opportunity": [
        Case(EqualityOfOpportunity(0.0), Close(fnr, "0")),
        Case(EqualityOfOpportunity(0.2), Close(fnr, "0.2")),
        Case(EqualityOfOpportunity(1 / 3), Close(fnr, "1/3")),
    ],
    "predictive_equality": [
        Case(PredictiveEquality(0.0), Close(fpr, "0")),
        Case(PredictiveEquality(0.2), Close(fpr, "0.2")),
        Case(PredictiveEquality(0.5), Close(fpr, "0.5")),
    ],
    "equalized_odds": [
        Case(EqualizedOdds(0.0), odds("0")),
        Case(EqualizedOdds(0.2), odds("0.2")),
        Case(EqualizedOdds(0.5, epsilon_negatives=0.1), odds("0.5", "0.1")),
    ],
    "demographic_parity": [
        Case(DemographicParity(0.0), Close(selected, "0")),
        Case(DemographicParity(0.1), Close(selected, "0.1")),
        Case(DemographicParity(0.3), Close(selected, "0.3")),
    ],
    "four_fifths": [
        Case(FourFifths(), Comparable(selected, "0.8")),
        Case(FourFifths(0.5), Comparable(selected, "0.5")),
    ],
    "ratio": [
        Case(RateRatio("true_positive_rate", 0.7), Comparable(tpr, "0.7")),
        Case(RateRatio("false_positive_rate", 0.5), Comparable(fpr, "0.5")),
        Case(RateRatio("error_rate", 0.25), Comparable(wrong, "0.25")),
    ],
    "accuracy_parity": [
        Case(AccuracyParity(0.0), Close(wrong, "0")),
        Case(AccuracyParity(0.1), Close(wrong, "0.1")),
        Case(AccuracyParity(0.25), Close(wrong, "0.25")),
    ],
    "bounded_group_loss": [
        Case(BoundedGroupLoss(0.25), AtMost(wrong, "0.25")),
        Case(BoundedGroupLoss(0.4), AtMost(wrong, "0.4")),
    ],
    "floor": [
        Case(RateFloor("true_positive_rate", 0.5), AtLeast(tpr, "0.5")),
        Case(RateFloor("selection_rate", 0.3), AtLeast(selected, "0.3")),
        Case(
            RateFloor("true_negative_rate", 0.6), AtLeast(lambda g: 1 - fpr(g), "0.6")
        ),
        Case(RateFloor("accuracy", 0.7), AtLeast(lambda g: 1 - wrong(g), "0.7")),
    ],
    "cap": [
        Case(RateCap("false_positive_rate", 0.3), AtMost(fpr, "0.3")),
        Case(RateCap("selection_rate", 0.4), AtMost(selected, "0.4")),
        Case(RateCap("false_negative_rate", 0.4), AtMost(fnr, "0.4")),
    ],
    "precision_floor": [
        Case(PrecisionFloor(0.6), Precise("0.6")),
        Case(PrecisionFloor(0.9), Precise("0.9")),
    ],
    "linear": [
        Case(
            LinearConstraint(
                "alarms", {"false_positives": 1, "true_positives": -1.5}, at_most=0
            ),
            Sum(lambda g: 3 * g.tp - 2 * g.fp),
        ),
        Case(
            LinearConstraint(
                "right", {"true_positives": 1, "true_negatives": 0.5}, at_least=1
            ),
            Sum(lambda g: 2 * g.tp + g.tn - 2),
        ),
    ],
    "two at once": [
        Case(
            EqualizedOdds(0.2) & PrecisionFloor(0.6), Both(odds("0.2"), Precise("0.6"))
        ),
        Case(
            DemographicParity(0.2) & FourFifths(0.5),
            Both(Close(selected, "0.2"), Comparable(selected, "0.5")),
        ),
        Case(
            EqualityOfOpportunity(0.3) & BoundedGroupLoss(0.35),
            Both(Close(fnr, "0.3"), AtMost(wrong, "0.35")),
        ),
        Case(
            AccuracyParity(0.15) & RateFloor("true_positive_rate", 0.4),
            Both(Close(wrong, "0.15"), AtLeast(tpr, "0.4")),
        ),
    ],
}
"""Criteria by what they ask, with several limits each."""
FREE = Case(None, Sum(lambda _: 0))
"""Nothing is asked."""
CASES = [case for cases in KINDS.values() for case in cases]


def people_of(instance: Instance, union: int) -> list[People]:
    """Count everybody, given whom the rules cover."""
    return [
        People(
            (p & union).bit_count(),
            (p & ~union).bit_count(),
            (n & union).bit_count(),
            (n & ~union).bit_count(),
        )
        for p, n in zip(instance.positives, instance.negatives, strict=True)
    ]
