"""Counting: people per group, rule and part, with exact intervals.

Counts are whole numbers and gaps are fractions; only intervals are floats, and they
come from scipy.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.fairness.base import GroupSizes
from faircg.fairness.metrics import GroupCounts, count_people, rate_values
from faircg.report.values import Gap, GroupResult, PartResult, RuleResult, Share

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from faircg.fairness import Criterion
    from faircg.groups import Groups
    from faircg.rules import RuleSet
    from faircg.table import Table
    from faircg.typing import BoolVector

CONFIDENCE: Final = 0.95
"""Confidence of all intervals."""
EVERYBODY: Final = "everybody"
"""Name of the line of totals."""
USUAL: Final = ("false negative rate", "false positive rate", "selection rate")
"""Rates whose gap is always shown, bounded or not."""


@lru_cache(maxsize=8192)
def share(count: int, size: int, confidence: float = CONFIDENCE) -> Share:
    """Return a share with its exact (Clopper-Pearson) interval.

    Examples
    --------
    >>> half = share(5, 10)
    >>> half.value, round(half.low, 3), round(half.high, 3)
    (0.5, 0.187, 0.813)
    >>> share(0, 0).value is None
    True
    """
    if not size:
        return Share(count, size, 0.0, 1.0)
    from scipy.special import betaincinv

    # Quantiles of the beta distribution: what scipy.stats.binomtest finds by search.
    tail, misses = (1 - confidence) / 2, size - count
    low = betaincinv(count, misses + 1, tail) if count else 0.0
    high = betaincinv(count + 1, misses, 1 - tail) if misses else 1.0
    return Share(count, size, float(low), float(high))


def group_counts(
    covered: BoolVector, is_positive: BoolVector, groups: Groups
) -> dict[str, GroupCounts]:
    """Count the four kinds of decisions in each group."""
    ones = np.ones(len(covered), dtype=np.int64)
    cells = [
        count_people(mask, groups.codes, ones, len(groups.names)).tolist()
        for mask in (
            covered & is_positive,
            ~covered & is_positive,
            covered & ~is_positive,
            ~covered & ~is_positive,
        )
    ]
    return {
        name: GroupCounts(*counts)
        for name, counts in zip(groups.names, zip(*cells, strict=True), strict=True)
    }


def part_result(
    name: str,
    counts: Mapping[str, GroupCounts],
    criterion: Criterion | None,
    *,
    recorded: bool = False,
    trained: Collection[str] = (),
) -> PartResult:
    """Describe one part of the data from the counts of its groups.

    Parameters
    ----------
    name
        Name of the part.
    counts
        Those of each group.
    criterion
        The one to measure gaps by.
    recorded
        Whether the counts come from the model file.
    trained
        Groups of the training data, to say which of them have nobody here.
    """
    everybody = GroupCounts(
        *(
            sum(getattr(c, field) for c in counts.values())
            for field in (
                *("true_positives", "false_negatives"),
                *("false_positives", "true_negatives"),
            )
        )
    )
    groups = tuple(GroupResult(g, c, shares_of(c)) for g, c in counts.items())
    bounded = _bounded_gaps(counts, criterion)
    names = {gap.rate for gap in bounded}
    usual = [_usual_gap(groups, rate) for rate in USUAL if rate not in names]
    gaps = (*bounded, *usual) if len(groups) > 1 else bounded
    overall = GroupResult(EVERYBODY, everybody, shares_of(everybody))
    # Other groups altogether (another column) are not compared with those of training.
    is_same_column = bool(set(counts) & set(trained))
    absent = tuple(g for g in trained if g not in counts) if is_same_column else ()
    unknown = tuple(g for g in counts if g not in trained) if is_same_column else ()
    return PartResult(name, groups, overall, gaps, recorded, absent, unknown)


def shares_of(counts: GroupCounts) -> dict[str, Share]:
    """Return the rates of a group by name."""
    c = counts
    selected = c.true_positives + c.false_positives
    return {
        "accuracy": share(c.true_positives + c.true_negatives, c.total),
        "false negative rate": share(c.false_negatives, c.positives),
        "false positive rate": share(c.false_positives, c.negatives),
        "selection rate": share(selected, c.total),
        "precision": share(c.true_positives, selected),
    }


def _bounded_gaps(
    counts: Mapping[str, GroupCounts], criterion: Criterion | None
) -> tuple[Gap, ...]:
    """Return the gaps that the criterion bounds, exactly."""
    if criterion is None:
        return ()
    spoken = criterion.name.replace("_", " ")
    if len(counts) < 2:
        reason = "there is only one group here, and nothing to compare it with"
        return (Gap(spoken, None, epsilon=criterion.epsilon, reason=reason),)
    all_counts = tuple(counts.values())
    names = tuple(counts)
    of = [
        np.array([getattr(c, field) for c in all_counts], dtype=np.int64)
        for field in ("positives", "negatives", "false_negatives", "false_positives")
    ]
    positives, negatives, missed, covered = of
    try:
        rates = criterion.rates(GroupSizes(names, positives, negatives))
    except ValueError as error:
        return (Gap(spoken, None, epsilon=criterion.epsilon, reason=str(error)),)
    gaps = []
    for rate in rates:
        values = rate_values(rate, missed, covered)
        people = rate.missed * missed + rate.covered * covered
        pairs = [(int(k), int(n)) for k, n in zip(people, rate.sizes, strict=True)]
        gaps.append(_gap(rate.name, names, values, pairs, rate.epsilon))
    return tuple(gaps)


def _usual_gap(groups: Sequence[GroupResult], rate: str) -> Gap:
    shares = [group.shares[rate] for group in groups]
    empty = [g.name for g, s in zip(groups, shares, strict=True) if not s.size]
    if empty:
        return Gap(rate, None, reason=f"group {empty[0]!r} has nobody to count")
    values = tuple(Fraction(s.count, s.size) for s in shares)
    names = tuple(group.name for group in groups)
    return _gap(rate, names, values, [(s.count, s.size) for s in shares], None)


def _gap(
    rate: str,
    names: Sequence[str],
    values: Sequence[Fraction],
    pairs: Sequence[tuple[int, int]],
    epsilon: float | None,
) -> Gap:
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
    pairs: Sequence[tuple[int, int]], confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """Return an interval for the largest difference between several shares.

    Each share gets an exact interval at a level so high that all of them hold at once
    with the wanted confidence (Bonferroni); the gap then lies between the distance of
    the intervals and their span. It is conservative: it may be wider than needed.

    Parameters
    ----------
    pairs
        For each group the number counted and the number of people.
    confidence
        That of the interval.

    Returns
    -------
    tuple or None
        None when the numbers are no counts of people out of others.

    Examples
    --------
    >>> low, high = gap_interval([(10, 1000), (300, 1000)])
    >>> round(low, 3), round(high, 3)
    (0.248, 0.329)
    """
    if len(pairs) < 2 or not all(0 <= count <= size > 0 for count, size in pairs):
        return None
    level = 1 - (1 - confidence) / len(pairs)
    shares = [share(count, size, level) for count, size in pairs]
    ordered = [
        (a, b) for i, a in enumerate(shares) for j, b in enumerate(shares) if i != j
    ]
    low = max(0.0, *(a.low - b.high for a, b in ordered))
    return low, max(a.high - b.low for a, b in ordered)


def rule_results(
    rule_set: RuleSet, table: Table, is_positive: BoolVector, groups: Groups
) -> tuple[RuleResult, ...]:
    """Count the people that each rule covers, and those that any rule covers."""
    masks = [rule.covers(table) for rule in rule_set]
    times = np.zeros(table.n_rows, dtype=np.int64)
    for mask in masks:
        times += mask
    sizes = np.bincount(groups.codes, minlength=len(groups.names))

    def result(rule: object, mask: BoolVector) -> RuleResult:
        n_covered = int(mask.sum())
        inside = np.bincount(groups.codes[mask], minlength=len(groups.names))
        return RuleResult(
            rule=rule,  # type: ignore[arg-type]
            covered=share(n_covered, table.n_rows),
            precision=share(int((mask & is_positive).sum()), n_covered),
            only_this=int((mask & (times == 1)).sum()),
            groups={
                name: share(int(k), int(n))
                for name, k, n in zip(groups.names, inside, sizes, strict=True)
            },
        )

    rules = [result(r, m) for r, m in zip(rule_set, masks, strict=True)]
    return (*rules, result(None, times > 0))


def loss_of(rule_set: RuleSet, table: Table, is_positive: BoolVector, loss: str) -> int:
    """Return the loss of a rule set: ``"hamming"`` or ``"zero_one"``.

    The Hamming loss counts each missed positive once, and each negative once for every
    rule that covers it.
    """
    masks = [rule.covers(table) for rule in rule_set]
    times = np.zeros(table.n_rows, dtype=np.int64)
    for mask in masks:
        times += mask
    missed = int((is_positive & (times == 0)).sum())
    hits = times[~is_positive]
    return missed + int(hits.sum() if loss == "hamming" else (hits > 0).sum())
