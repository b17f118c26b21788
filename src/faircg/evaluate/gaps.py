"""Gaps: what a criterion bounds, measured exactly, and with an interval.

Mostly that is how far a rate differs between groups; it may be the ratio of its
smallest to its largest value, or the lowest or highest of all groups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nan
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.evaluate.counts import each_part, group_totals
from faircg.evaluate.shares import CONFIDENCE, RATES, share_of
from faircg.fairness import Fairness, GroupSizes, rates_of
from faircg.fairness.bounds import Bound, Cap, Difference, Floor, Kind, Margin, Ratio
from faircg.fairness.rates import all_hold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from faircg.fairness import Criterion, Family, GroupCounts, GroupRate
    from faircg.typing import IntVector

    Pairs = Sequence[tuple[int, int]]

BOUNDS: Final[Mapping[Kind, Bound]] = {
    bound.kind: bound for bound in (Difference(1), Ratio(0), Floor(0), Cap(1), Margin())
}
"""A bound of each kind, which allows all that one of its kind can."""
COMPARED: Final = ("false negative rate", "false positive rate", "selection rate")
"""Rates whose gap is always measured, bounded or not."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The largest difference of one rate between two groups, as a fraction.

    The value is exact; None, for a ``reason``, if some group has nobody to count.
    ``limit`` is None for a rate that the criterion does not bound, ``low`` and ``high``
    are those of :func:`gap_interval`, and ``within`` says whether the rates satisfy
    their bound, exactly; None if nobody knows. Where the criterion asks for something
    else than a small difference, ``kind`` says so, and the value is the ratio of the
    smallest rate to the largest, the lowest or highest rate, or the smallest margin.
    """

    rate: str
    value: Fraction | None
    lowest: str = ""
    highest: str = ""
    limit: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    within: bool | None = None
    kind: Kind = "difference"

    @property
    def is_bounded(self) -> bool:
        """Whether a limit was set: no gap is larger than 1, so that 1 is none."""
        if self.limit is None:
            return False
        if self.kind in ("difference", "cap"):
            return self.limit < 1
        return self.limit > 0 or self.kind == "margin"

    @property
    def title(self) -> str:
        """What is measured, in words."""
        if self.kind == "difference":
            return f"gap of the {self.rate}"
        return BOUNDS[self.kind].title(self.rate)

    @property
    def room(self) -> float:
        """How far the value is within its limit; negative if it is not."""
        if self.limit is None or self.value is None:
            return inf
        sign = 1 if self.kind in ("difference", "cap") else -1
        return sign * (self.limit - float(self.value))


def gaps_of(
    counts: Mapping[str, GroupCounts],
    criterion: Criterion | None,
    families: Sequence[Family] = (),
) -> tuple[Gap, ...]:
    """Return what the criterion bounds, then the usual gaps.

    Counts are by part; each of the ``families`` of groups is compared by itself.
    """
    bounded = bounded_gaps(counts, criterion, families)
    usual = []
    for family in families or each_part(counts):
        by_group = group_totals(counts, (family,))
        if len(by_group) > 1:
            usual += [gap_of(rate, by_group, family.about) for rate in COMPARED]
    names = {gap.rate for gap in bounded if gap.kind == "difference"}
    return (*bounded, *(gap for gap in usual if gap.rate not in names))


def bounded_gaps(
    counts: Mapping[str, GroupCounts],
    criterion: Criterion | None,
    families: Sequence[Family] = (),
) -> tuple[Gap, ...]:
    """Return what the criterion bounds; nothing without a criterion."""
    if criterion is None:
        return ()
    try:
        if len(counts) < 2 and criterion.epsilon is not None:
            raise ValueError(
                "there is only one group here, and nothing to compare it with"
            )
        rates, missed, hit = _rates(counts, criterion, families)
    except ValueError as error:
        spoken, epsilon = criterion.name.replace("_", " "), criterion.epsilon
        limit = 0.0 if epsilon is None else float(epsilon)
        return (Gap(spoken, None, limit=limit, reason=str(error)),)
    return tuple(_measured(rate, missed, hit) for rate in rates)


def _measured(rate: GroupRate, missed: IntVector, hit: IntVector) -> Gap:
    """Measure what a bound speaks of; the two groups are those that it is about."""
    kind, pairs = rate.rate.bound.kind, rate.shares(missed, hit)
    within = rate.holds(missed, hit)
    if kind == "difference":
        gap = _gap(rate.name, rate.names, pairs, rate.limit)
        return replace(gap, within=within)
    value = rate.measured(missed, hit)
    known = {
        group: Fraction(count, size)
        for group, (count, size) in zip(rate.names, pairs, strict=True)
        if size
    }
    if value is None:
        reason = "nobody is counted in any group"
        return Gap(
            rate.name, None, limit=rate.limit, reason=reason, within=within, kind=kind
        )
    return Gap(
        rate=rate.name,
        value=value,
        lowest=min(known, key=lambda g: known[g]),
        highest=max(known, key=lambda g: known[g]),
        limit=rate.limit,
        within=within,
        kind=kind,
    )


def gap_of(rate: str, counts: Mapping[str, GroupCounts], about: str = "") -> Gap:
    """Return the gap of a rate of :data:`~faircg.evaluate.shares.RATES`.

    Examples
    --------
    >>> from faircg.fairness import GroupCounts
    >>> counts = {"a": GroupCounts(1, 1, 0, 0), "b": GroupCounts(3, 1, 0, 0)}
    >>> gap_of("accuracy", counts).value
    Fraction(1, 4)
    >>> gap_of("false positive rate", counts).reason
    "group 'a' has nobody to count"
    """
    pairs = [RATES[rate](c) for c in counts.values()]
    return _gap(f"{rate} ({about})" if about else rate, tuple(counts), pairs, None)


def fairness_of(
    counts: Mapping[str, GroupCounts],
    criterion: Criterion | None,
    families: Sequence[Family] = (),
) -> Fairness:
    """Describe what a criterion bounds; a group of nobody is an error."""
    rates, missed, hit = _rates(counts, criterion, families)
    titles = _titles(rates)
    measured = [rate.measured(missed, hit) for rate in rates]
    return Fairness(
        groups=group_totals(counts, families),
        gaps={
            title: nan if value is None else float(value)
            for title, value in zip(titles, measured, strict=True)
        },
        allowed=dict(zip(titles, (rate.limit for rate in rates), strict=True)),
        gap=largest_gap(rates, missed, hit),
        within_epsilon=all_hold(rates, missed, hit),
        bounds=dict(zip(titles, (r.rate.bound.kind for r in rates), strict=True)),
    )


def _titles(rates: Sequence[GroupRate]) -> list[str]:
    """Name what is measured; two bounds on the same are told apart by their limits."""
    titles = [rate.title for rate in rates]
    return [
        title if titles.count(title) == 1 else f"{title}, limit {rate.limit:g}"
        for title, rate in zip(titles, rates, strict=True)
    ]


def largest_gap(rates: Sequence[GroupRate], missed: IntVector, hit: IntVector) -> float:
    """Return the largest difference of rates that are compared between groups."""
    compared = [r for r in rates if r.rate.bound.kind in ("difference", "ratio")]
    return max((float(rate.gap(missed, hit)) for rate in compared), default=0.0)


def gap_or_nan(
    counts: Mapping[str, GroupCounts],
    criterion: Criterion | None,
    families: Sequence[Family] = (),
) -> float:
    """Return the criterion's largest gap; NaN if a group has nobody to count."""
    try:
        return fairness_of(counts, criterion, families).gap
    except ValueError:
        return nan


def _rates(
    counts: Mapping[str, GroupCounts],
    criterion: Criterion | None,
    families: Sequence[Family],
) -> tuple[Sequence[GroupRate], IntVector, IntVector]:
    """Return the rates of the groups, missed positives and hit negatives by part."""
    people = [
        (c.positives, c.negatives, c.false_negatives, c.false_positives)
        for c in counts.values()
    ]
    positives, negatives, missed, hit = (
        np.array(people, dtype=np.int64).reshape(-1, 4).T
    )
    sizes = GroupSizes(tuple(counts), positives, negatives, tuple(families))
    return rates_of(criterion, sizes), missed, hit


def _gap(rate: str, names: Sequence[str], pairs: Pairs, limit: float | None) -> Gap:
    empty = [name for name, (_, size) in zip(names, pairs, strict=True) if not size]
    if empty:
        return Gap(rate, None, reason=f"group {empty[0]!r} has nobody to count")
    values = [Fraction(count, size) for count, size in pairs]
    lowest, highest = values.index(min(values)), values.index(max(values))
    low, high = gap_interval(pairs) or (None, None)
    return Gap(
        rate=rate,
        value=values[highest] - values[lowest],
        lowest=names[lowest],
        highest=names[highest],
        limit=limit,
        low=low,
        high=high,
    )


def gap_interval(
    pairs: Pairs, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Return an interval for the largest difference between several shares.

    Each share gets an exact interval at a level so high that all of them hold at once
    with the wanted confidence (Bonferroni); the gap then lies between the distance of
    the intervals and their span. It is conservative: it may be wider than needed. None
    when the numbers are no counts of people out of others.

    Examples
    --------
    >>> low, high = gap_interval([(10, 1000), (300, 1000)])
    >>> round(low, 3), round(high, 3)
    (0.248, 0.329)
    """
    if len(pairs) < 2 or not all(0 <= count <= size > 0 for count, size in pairs):
        return None
    level = 1 - (1 - confidence) / len(pairs)
    shares = [share_of(count, size, level) for count, size in pairs]
    ordered = [
        (a, b) for i, a in enumerate(shares) for j, b in enumerate(shares) if i != j
    ]
    low = max(0.0, *(a.low - b.high for a, b in ordered))
    return low, max(a.high - b.low for a, b in ordered)
