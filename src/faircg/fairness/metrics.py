"""The integer recount: what a rule set really does to each group.

Nothing here comes from the solver. Counts are whole numbers, rates are compared as
fractions, so "within epsilon" is a fact and not a matter of tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """The confusion counts of one group."""

    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int

    @property
    def positives(self) -> int:
        """People whose true label is positive."""
        return self.true_positives + self.false_negatives

    @property
    def negatives(self) -> int:
        """People whose true label is negative."""
        return self.false_positives + self.true_negatives

    @property
    def total(self) -> int:
        """Everybody in the group."""
        return self.positives + self.negatives

    @property
    def true_positive_rate(self) -> float:
        """Covered share of the positives; NaN for a group without positives."""
        return _ratio(self.true_positives, self.positives)

    @property
    def false_negative_rate(self) -> float:
        """Missed share of the positives; NaN for a group without positives."""
        return _ratio(self.false_negatives, self.positives)

    @property
    def false_positive_rate(self) -> float:
        """Covered share of the negatives; NaN for a group without negatives."""
        return _ratio(self.false_positives, self.negatives)

    @property
    def selection_rate(self) -> float:
        """Covered share of everybody."""
        return _ratio(self.true_positives + self.false_positives, self.total)

    @property
    def accuracy(self) -> float:
        """Share of everybody whose prediction is the true label."""
        return _ratio(self.true_positives + self.true_negatives, self.total)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


@dataclass(frozen=True, slots=True)
class Fairness:
    """Counts and rates of every group, and the gaps that the criterion bounds.

    ``gaps`` has for each rate of the criterion its largest difference between two
    groups, ``allowed`` its limit, and ``gap`` is the largest of them, zero without a
    constraint. ``within_epsilon`` says whether every bound holds, compared as
    fractions.
    """

    groups: Mapping[str, GroupCounts]
    gaps: Mapping[str, float]
    allowed: Mapping[str, float]
    gap: float
    within_epsilon: bool

    def __str__(self) -> str:
        """Say the counts of each group, and each gap, in a line of its own.

        Examples
        --------
        >>> groups = {"a": GroupCounts(6, 2, 1, 9), "b": GroupCounts(3, 1, 0, 0)}
        >>> print(Fairness(groups, {"false negative rate": 0.0}, {}, 0.0, True))
        a: 2 of 8 positives missed (25.0%), 1 of 10 negatives covered (10.0%)
        b: 1 of 4 positives missed (25.0%), no negatives
        gap of the false negative rate: 0.0000
        """
        lines = [
            f"{name}: {_part(c.false_negatives, c.positives, 'positives', 'missed')}, "
            f"{_part(c.false_positives, c.negatives, 'negatives', 'covered')}"
            for name, c in self.groups.items()
        ]
        for rate, gap in self.gaps.items():
            limit = self.allowed.get(rate)
            allowed = "" if limit is None else f", allowed {limit:g}"
            lines.append(f"gap of the {rate}: {gap:.4f}{allowed}")
        return "\n".join(lines)


def _part(part: int, whole: int, noun: str, verb: str) -> str:
    if not whole:
        return f"no {noun}"
    return f"{part:,} of {whole:,} {noun} {verb} ({part / whole:.1%})"
