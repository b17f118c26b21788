"""Bins: the values of one feature that no condition of a rule set tells apart.

Rules see a number only through their cut points and a category only through the values
they name. So the values of a feature fall into a few bins, and to search a change is
to search among bins; within one, the value nearest to the row's own is the cheapest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from faircg.printable import spoken_value
from faircg.table import Column

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from faircg.features import NumericRange
    from faircg.rules import Condition
    from faircg.typing import IntVector, Value

SWITCH_COST: Final = 1.0
"""Cost of another category, of the other boolean, and of a value where none was."""
_LARGEST: Final = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Option:
    """A way to change one feature: the bin to reach, the value there, its cost."""

    bin: int
    value: Value
    cost: float


@dataclass(frozen=True, slots=True)
class NumberBins:
    """Bins of a number: ``(-inf, e0], (e0, e1], ..., (em, inf)``, and missing."""

    name: str
    edges: tuple[float, ...]
    whole: bool
    scale: float
    firsts: tuple[float, ...] = field(init=False)
    """The smallest value in each bin: just beyond the cut point below."""
    lasts: tuple[float, ...] = field(init=False)
    """The largest value in each bin: the cut point itself."""

    def __post_init__(self) -> None:
        firsts, lasts = [-_LARGEST], []
        for edge in self.edges:
            beyond = math.nextafter(edge, math.inf)
            if self.whole:  # from 2**53 on, edge + 1 may be edge: take the later one
                beyond = max(float(math.floor(edge)) + 1.0, beyond)
            firsts.append(beyond)
            lasts.append(float(math.floor(edge)) if self.whole else edge)
        object.__setattr__(self, "firsts", tuple(firsts))
        object.__setattr__(self, "lasts", (*lasts, _LARGEST))

    @property
    def missing(self) -> int:
        """Number of the bin of missing values."""
        return len(self.edges) + 1

    def column(self) -> Column:
        """Return one value of each bin, for conditions to be asked about."""
        values = np.array([*self.edges, math.inf, math.nan])
        return Column(self.name, "numeric", values, np.isnan(values))

    def codes(self, column: Column) -> IntVector:
        """Return the bin of each row."""
        codes = np.searchsorted(np.array(self.edges), column.values, side="left")
        return np.where(column.missing, self.missing, codes).astype(np.int64)

    def value(self, column: Column, row: int) -> Value:
        """Return a row's own value; None where it is missing."""
        return None if column.missing[row] else self._spoken(float(column.values[row]))

    def options(self, value: Value, bin: int) -> list[Option]:
        """Return the cheapest way to each other bin that a change can reach."""
        found = []
        bounds = zip(self.firsts, self.lasts, strict=True)
        for target, (first, last) in enumerate(bounds):
            if target == bin or first > last:  # no whole number inside, or none beyond
                continue
            if value is None:
                at_most, more_than = target < len(self.edges), target > 0
                number = last if at_most else first if more_than else 0.0
                cost = SWITCH_COST
            else:
                own = float(value)
                number = min(max(own, first), last)
                cost = abs(number - own) / self.scale
            found.append(Option(target, self._spoken(number), cost))
        return found

    def run(self, bin: int, bins: Collection[int]) -> frozenset[int]:
        """Return the neighbours of ``bin`` that follow one another."""
        low = high = bin
        if bin != self.missing:
            while low - 1 in bins:
                low -= 1
            while high + 1 in bins and high + 1 != self.missing:
                high += 1
        return frozenset(range(low, high + 1))

    def words(self, bins: Collection[int]) -> str:
        """Describe the values in the bins."""
        if self.missing in bins:
            return "missing"
        low, high = min(bins), max(bins)
        if self.firsts[low] == self.lasts[high]:
            return f"exactly {spoken_value(self.lasts[high])}"
        parts = []
        if low > 0:
            parts.append(f"more than {spoken_value(self.edges[low - 1])}")
        if high < len(self.edges):
            parts.append(f"at most {spoken_value(self.edges[high])}")
        return " and ".join(parts) or "any number"

    def _spoken(self, number: float) -> int | float:
        return int(number) if self.whole and number.is_integer() else number


@dataclass(frozen=True, slots=True)
class ChoiceBins:
    """Bins of a category or boolean: each value that rules name, others, missing."""

    name: str
    choices: tuple[Value, ...]
    spare: Value
    """A known category that no rule names: what a change to "others" leads to."""
    kind: str

    @property
    def others(self) -> int:
        """Number of the bin of all values that rules do not name."""
        return len(self.choices)

    @property
    def missing(self) -> int:
        """Number of the bin of missing values."""
        return len(self.choices) + 1

    def column(self) -> Column:
        """Return one value of each bin, for conditions to be asked about."""
        is_missing = np.arange(len(self.choices) + 2) == self.missing
        if self.kind == "boolean":
            numbers = np.array([*map(float, map(bool, self.choices)), math.nan])
            values = np.append(numbers, math.nan)
            return Column(self.name, "boolean", values, np.isnan(values))
        values = np.empty(len(is_missing), dtype=object)
        values[:] = [*self.choices, _Unnamed(), None]
        return Column(self.name, "category", values, is_missing)

    def codes(self, column: Column) -> IntVector:
        """Return the bin of each row."""
        number: dict[Any, int] = {value: j for j, value in enumerate(self.choices)}
        codes = [number.get(value, self.others) for value in column.values.tolist()]
        return np.where(column.missing, self.missing, codes).astype(np.int64)

    def value(self, column: Column, row: int) -> Value:
        """Return a row's own value; None where it is missing."""
        if column.missing[row]:
            return None
        value: Value = column.values[row]
        return bool(value) if self.kind == "boolean" else value

    def options(self, value: Value, bin: int) -> list[Option]:
        """Return the cheapest way to each other bin that a change can reach."""
        found = [
            Option(target, choice, SWITCH_COST)
            for target, choice in enumerate(self.choices)
            if target != bin
        ]
        if self.spare is not None and bin != self.others:
            found.append(Option(self.others, self.spare, SWITCH_COST))
        return found

    def run(self, bin: int, bins: Collection[int]) -> frozenset[int]:
        """Return all the bins: they have no order."""
        if bin == self.missing:
            return frozenset({bin})
        together = frozenset({bin, *bins}) - {self.missing}
        return together if self.kind == "category" else together - {self.others}

    def words(self, bins: Collection[int]) -> str:
        """Describe the values in the bins."""
        if self.missing in bins:
            return "missing"
        is_open = self.others in bins  # then what is left out is fewer
        named = [v for j, v in enumerate(self.choices) if (j in bins) != is_open]
        words = " or ".join(map(spoken_value, named))
        if not is_open:
            return words
        return f"other than {words}" if named else "any category"


Bins: TypeAlias = NumberBins | ChoiceBins
"""The bins of one feature, numbered from zero; the last one is "missing"."""


class _Unnamed:
    """A category that equals no other."""


def number_bins(
    name: str, conditions: Iterable[Condition], known: NumericRange | None, whole: bool
) -> NumberBins:
    """Divide a number at the cut points of its conditions.

    Without a known range, the unit of cost is the largest cut point, without its sign.
    """
    edges = {float(c.value) for c in conditions if isinstance(c.value, int | float)}
    scale = max(map(abs, edges), default=1.0) or 1.0
    if known is not None:
        scale, whole = known.scale, known.whole
    return NumberBins(name, tuple(sorted(edges)), whole, scale)


def choice_bins(
    name: str, conditions: Iterable[Condition], kind: str, categories: Sequence[Value]
) -> ChoiceBins:
    """Divide a category or a boolean by the values that its conditions name."""
    if kind == "boolean":
        return ChoiceBins(name, (False, True), None, kind)
    named = {c.value for c in conditions if c.value is not None}
    spare = next((v for v in categories if v is not None and v not in named), None)
    return ChoiceBins(name, tuple(sorted(named, key=repr)), spare, kind)
