"""The integer recount: what a rule set really does to each group.

Nothing here comes from the solver. Counts are whole numbers, rates are compared as
fractions, so "within epsilon" is a fact and not a matter of tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from faircg.notebook import table_html
from faircg.printable import percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from faircg.fairness.bounds import Kind

LIMIT_WORDS: Final[Mapping[Kind, str]] = {
    "difference": "allowed",
    "ratio": "at least",
    "floor": "at least",
    "cap": "at most",
    "margin": "at least",
}
"""How a limit is told after the number that it bounds."""


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
    """Counts and rates of every group, and what the criterion bounds.

    ``gaps`` has for each rate of the criterion the number that is bounded: its largest
    difference between two groups, or, if that is what is asked, the ratio of the
    smallest to the largest, the lowest or the highest of all groups; ``allowed`` has
    its limit, and ``bounds`` says which of them it is. ``gap`` is the largest
    difference of rates that are compared between groups, zero without any.
    ``within_epsilon`` says whether every bound holds, compared as fractions.
    """

    groups: Mapping[str, GroupCounts]
    gaps: Mapping[str, float]
    allowed: Mapping[str, float]
    gap: float
    within_epsilon: bool
    bounds: Mapping[str, Kind] = field(default_factory=dict)

    def __str__(self) -> str:
        """Say the counts of each group, and each gap, in a line of its own.

        Examples
        --------
        >>> groups = {"a": GroupCounts(6, 2, 1, 9), "b": GroupCounts(3, 1, 0, 0)}
        >>> print(Fairness(groups, {"false negative rate": 0.0}, {}, 0.0, True))
        a: 2 of 8 positives missed (25.0%), 1 of 10 negatives selected (10.0%)
        b: 1 of 4 positives missed (25.0%), no negatives
        gap of the false negative rate: 0.0000
        """
        groups = [
            f"{name}: {_part(c.false_negatives, c.positives, 'positives', 'missed')}, "
            f"{_part(c.false_positives, c.negatives, 'negatives', 'selected')}"
            for name, c in self.groups.items()
        ]
        return "\n".join([*groups, *self._gap_lines()])

    def _repr_html_(self) -> str:
        rates = ("false_negative_rate", "false_positive_rate", "selection_rate")
        rows = [
            (name, f"{c.total:,}", *(percent(getattr(c, rate)) for rate in rates))
            for name, c in self.groups.items()
        ]
        spoken = (rate.replace("_", " ") for rate in rates)
        return table_html(("group", "people", *spoken), rows, self._gap_lines())

    def _gap_lines(self) -> list[str]:
        lines = []
        for name, value in self.gaps.items():
            kind, limit = self.bounds.get(name, "difference"), self.allowed.get(name)
            allowed = "" if limit is None else f", {LIMIT_WORDS[kind]} {limit:g}"
            title = f"gap of the {name}" if kind == "difference" else name
            lines.append(f"{title}: {value:.4f}{allowed}")
        return lines


def _part(part: int, whole: int, noun: str, verb: str) -> str:
    if not whole:
        return f"no {noun}"
    return f"{part:,} of {whole:,} {noun} {verb} ({part / whole:.1%})"
