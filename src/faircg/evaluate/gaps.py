"""Gaps: how far a rate differs between groups, exactly, and with an interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.evaluate.shares import CONFIDENCE, RATES, share_of
from faircg.fairness import Fairness, GroupSizes, rates_of
from faircg.fairness.rates import all_hold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from faircg.fairness import Criterion, GroupCounts, GroupRate
    from faircg.typing import IntVector

    Pairs = Sequence[tuple[int, int]]

COMPARED: Final = ("false negative rate", "false positive rate", "selection rate")
"""Rates whose gap is always measured, bounded or not."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The largest difference of one rate between two groups, as a fraction.

    The value is exact; None, for a ``reason``, if some group has nobody to count.
    ``epsilon`` is None for a rate that the criterion does not bound, ``low`` and
    ``high`` are those of :func:`gap_interval`, and ``within`` says whether the rates
    satisfy their bound, exactly; None if nobody knows.
    """

    rate: str
    value: Fraction | None
    lowest: str = ""
    highest: str = ""
    epsilon: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    within: bool | None = None

    @property
    def is_bounded(self) -> bool:
        """Whether a limit was set: no gap is larger than 1, so that 1 is none."""
        return self.epsilon is not None and self.epsilon < 1


def gaps_of(
    counts: Mapping[str, GroupCounts], criterion: Criterion | None
) -> tuple[Gap, ...]:
    """Return the gaps that the criterion bounds, then the usual ones."""
    bounded = bounded_gaps(counts, criterion)
    if len(counts) < 2:
        return bounded
    names = {gap.rate for gap in bounded}
    usual = [gap_of(rate, counts) for rate in COMPARED if rate not in names]
    return (*bounded, *usual)


def bounded_gaps(
    counts: Mapping[str, GroupCounts], criterion: Criterion | None
) -> tuple[Gap, ...]:
    """Return the gaps that the criterion bounds; none without a criterion."""
    if criterion is None:
        return ()
    try:
        if len(counts) < 2:
            raise ValueError(
                "there is only one group here, and nothing to compare it with"
            )
        rates, missed, hit = _rates(counts, criterion)
    except ValueError as error:
        spoken = criterion.name.replace("_", " ")
        return (Gap(spoken, None, epsilon=criterion.epsilon, reason=str(error)),)
    gaps = []
    for rate in rates:
        counted = rate.counts(missed, hit).tolist()
        pairs = list(zip(counted, rate.sizes.tolist(), strict=True))
        gap = _gap(rate.name, tuple(counts), pairs, float(rate.bound.limit))
        gaps.append(replace(gap, within=rate.holds(missed, hit)))
    return tuple(gaps)


def gap_of(rate: str, counts: Mapping[str, GroupCounts]) -> Gap:
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
    return _gap(rate, tuple(counts), pairs, None)


def fairness_of(
    counts: Mapping[str, GroupCounts], criterion: Criterion | None
) -> Fairness:
    """Describe the gaps that a criterion bounds; a group of nobody is an error."""
    rates, missed, hit = _rates(counts, criterion)
    gaps = {rate.name: float(rate.gap(missed, hit)) for rate in rates}
    return Fairness(
        groups=dict(counts),
        gaps=gaps,
        allowed={rate.name: float(rate.bound.limit) for rate in rates},
        gap=max(gaps.values(), default=0.0),
        within_epsilon=all_hold(rates, missed, hit),
    )


def gap_or_nan(counts: Mapping[str, GroupCounts], criterion: Criterion | None) -> float:
    """Return the criterion's largest gap; NaN if a group has nobody to count."""
    try:
        return fairness_of(counts, criterion).gap
    except ValueError:
        return float("nan")


def _rates(
    counts: Mapping[str, GroupCounts], criterion: Criterion | None
) -> tuple[Sequence[GroupRate], IntVector, IntVector]:
    """Return the rates of the groups, their missed positives and hit negatives."""
    people = [
        (c.positives, c.negatives, c.false_negatives, c.false_positives)
        for c in counts.values()
    ]
    positives, negatives, missed, hit = (
        np.array(people, dtype=np.int64).reshape(-1, 4).T
    )
    sizes = GroupSizes(tuple(counts), positives, negatives)
    return rates_of(criterion, sizes), missed, hit


def _gap(rate: str, names: Sequence[str], pairs: Pairs, epsilon: float | None) -> Gap:
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
        epsilon=epsilon,
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
