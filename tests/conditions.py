"""Criteria said again in plain counting, without the package: what must agree with it.

A case has a criterion of the package, and a sentence that says for the four counts of
each group whether it holds.
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


class People(NamedTuple):
    """The four kinds of people of one group."""

    tp: int
    fn: int
    fp: int
    tn: int


def share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole)


def fnr(g: People) -> Fraction:
    return share(g.fn, g.tp + g.fn)


def fpr(g: People) -> Fraction:
    return share(g.fp, g.fp + g.tn)


def selected(g: People) -> Fraction:
    return share(g.tp + g.fp, sum(g))


def wrong(g: People) -> Fraction:
    return share(g.fn + g.fp, sum(g))


def close(rate: Callable[[People], Fraction], epsilon: str) -> Any:
    """No two groups differ by more."""
    limit = Fraction(epsilon)
    return lambda groups: all(
        abs(rate(a) - rate(b)) <= limit for a in groups for b in groups
    )


def each(ok: Callable[[People], bool]) -> Any:
    """Every group is so."""
    return lambda groups: all(ok(g) for g in groups)


def ratio(rate: Callable[[People], Fraction], least: str) -> Any:
    """No group has less than so much of another's rate."""
    limit = Fraction(least)
    return lambda groups: all(
        rate(a) >= limit * rate(b) for a in groups for b in groups
    )


def both(*sentences: Any) -> Any:
    return lambda groups: all(sentence(groups) for sentence in sentences)


def precise(least: str) -> Any:
    """Of whom it selects, so many are positive."""
    return each(lambda g: g.tp >= Fraction(least) * (g.tp + g.fp))


@dataclass(frozen=True)
class Case:
    """A criterion, and the same in plain counting."""

    criterion: Any
    holds: Any
    may_be_infeasible: bool = False

    @property
    def id(self) -> str:
        return self.criterion.name


ODDS = both(close(fnr, "0.2"), close(fpr, "0.2"))
CASES = [
    Case(EqualityOfOpportunity(0.2), close(fnr, "0.2")),
    Case(PredictiveEquality(0.2), close(fpr, "0.2")),
    Case(EqualizedOdds(0.2), ODDS),
    Case(DemographicParity(0.1), close(selected, "0.1")),
    Case(EqualityOfOpportunity(1 / 3), close(fnr, "1/3")),
    Case(FourFifths(), ratio(selected, "0.8")),
    Case(RateRatio("true_positive_rate", 0.7), ratio(lambda g: 1 - fnr(g), "0.7")),
    Case(PrecisionFloor(0.6), precise("0.6")),
    Case(
        RateCap("false_positive_rate", 0.3), each(lambda g: fpr(g) <= Fraction(3, 10))
    ),
    Case(RateCap("selection_rate", 0.4), each(lambda g: selected(g) <= Fraction(2, 5))),
    Case(
        LinearConstraint(
            "alarms", {"false_positives": 1, "true_positives": -1.5}, at_most=0
        ),
        each(lambda g: 2 * g.fp <= 3 * g.tp),
    ),
    Case(AccuracyParity(0.1), close(wrong, "0.1"), True),
    Case(BoundedGroupLoss(0.4), each(lambda g: wrong(g) <= Fraction(2, 5)), True),
    Case(
        RateFloor("true_positive_rate", 0.5),
        each(lambda g: 2 * g.tp >= g.tp + g.fn),
        True,
    ),
    Case(EqualizedOdds(0.2) & PrecisionFloor(0.6), both(ODDS, precise("0.6"))),
    Case(
        DemographicParity(0.2) & FourFifths(0.5),
        both(close(selected, "0.2"), ratio(selected, "0.5")),
    ),
    Case(
        EqualityOfOpportunity(0.3) & BoundedGroupLoss(0.5),
        both(close(fnr, "0.3"), each(lambda g: 2 * (g.fn + g.fp) <= sum(g))),
        True,
    ),
]


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
