"""Cells: the values of one feature that no condition of a rule set tells apart.

Rules see a number only through their cut points and a category only through the values
they name. So the values of a feature fall into a few cells, and to search a change is
to search among cells; within one, the value nearest to the row's own is the cheapest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from faircg.printable import spoken_value
from faircg.table import Column

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from faircg.ranges import NumericRange
    from faircg.rules import Condition
    from faircg.typing import IntVector, Value

SWITCH_COST: Final = 1.0
"""Cost of another category, of the other boolean, and of a value where none was."""
_LARGEST: Final = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Option:
    """A way to change one feature: the cell to reach, the value there, its cost."""

    cell: int
    value: Value
    cost: float


class Cells(Protocol):
    """The cells of one feature, numbered from zero; the last one is "missing"."""

    @property
    def missing(self) -> int:
        """Number of the cell of missing values."""

    def column(self) -> Column:
        """Return one value of each cell, for conditions to be asked about."""

    def codes(self, column: Column) -> IntVector:
        """Return the cell of each row."""

    def value(self, column: Column, row: int) -> Value:
        """Return a row's own value; None where it is missing."""

    def options(self, value: Value, cell: int) -> list[Option]:
        """Return the cheapest way to each other cell that a change can reach."""

    def run(self, cell: int, cells: Collection[int]) -> frozenset[int]:
        """Return those of the cells that can be described together with ``cell``."""

    def words(self, cells: Collection[int]) -> str:
        """Describe the values in the cells."""


@dataclass(frozen=True, slots=True)
class NumberCells:
    """Cells of a number: ``(-inf, e0], (e0, e1], ..., (em, inf)``, and missing."""

    name: str
    edges: tuple[float, ...]
    whole: bool
    scale: float
    firsts: tuple[float, ...] = field(init=False)
    """The smallest value in each cell: just beyond the cut point below."""
    lasts: tuple[float, ...] = field(init=False)
    """The largest value in each cell: the cut point itself."""

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
        """Number of the cell of missing values."""
        return len(self.edges) + 1

    def column(self) -> Column:
        """Return one value of each cell, for conditions to be asked about."""
        values = np.array([*self.edges, math.inf, math.nan])
        return Column(self.name, "numeric", values, np.isnan(values))

    def codes(self, column: Column) -> IntVector:
        """Return the cell of each row."""
        codes = np.searchsorted(np.array(self.edges), column.values, side="left")
        return np.where(column.missing, self.missing, codes).astype(np.int64)

    def value(self, column: Column, row: int) -> Value:
        """Return a row's own value; None where it is missing."""
        return None if column.missing[row] else self._spoken(float(column.values[row]))

    def options(self, value: Value, cell: int) -> list[Option]:
        """Return the cheapest way to each other cell that a change can reach."""
        found = []
        bounds = zip(self.firsts, self.lasts, strict=True)
        for target, (first, last) in enumerate(bounds):
            if target == cell or first > last:  # no whole number inside, or none beyond
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

    def run(self, cell: int, cells: Collection[int]) -> frozenset[int]:
        """Return the neighbours of ``cell`` that follow one another."""
        low = high = cell
        if cell != self.missing:
            while low - 1 in cells:
                low -= 1
            while high + 1 in cells and high + 1 != self.missing:
                high += 1
        return frozenset(range(low, high + 1))

    def words(self, cells: Collection[int]) -> str:
        """Describe the values in the cells."""
        if self.missing in cells:
            return "missing"
        low, high = min(cells), max(cells)
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
class ChoiceCells:
    """Cells of a category or boolean: each value that rules name, others, missing.

    Parameters
    ----------
    name
        The feature.
    choices
        The values that rules name; both booleans.
    spare
        A known category that no rule names: what a change to "others" leads to.
    kind
        Kind of the feature.
    """

    name: str
    choices: tuple[Value, ...]
    spare: Value
    kind: str

    @property
    def others(self) -> int:
        """Number of the cell of all values that rules do not name."""
        return len(self.choices)

    @property
    def missing(self) -> int:
        """Number of the cell of missing values."""
        return len(self.choices) + 1

    def column(self) -> Column:
        """Return one value of each cell, for conditions to be asked about."""
        is_missing = np.arange(len(self.choices) + 2) == self.missing
        if self.kind == "boolean":
            numbers = np.array([*map(float, map(bool, self.choices)), math.nan])
            values = np.append(numbers, math.nan)
            return Column(self.name, "boolean", values, np.isnan(values))
        values = np.empty(len(is_missing), dtype=object)
        values[:] = [*self.choices, _Unnamed(), None]
        return Column(self.name, "category", values, is_missing)

    def codes(self, column: Column) -> IntVector:
        """Return the cell of each row."""
        number: dict[Any, int] = {value: j for j, value in enumerate(self.choices)}
        codes = [number.get(value, self.others) for value in column.values.tolist()]
        found = np.array(codes, dtype=np.int64)
        return np.where(column.missing, self.missing, found)

    def value(self, column: Column, row: int) -> Value:
        """Return a row's own value; None where it is missing."""
        if column.missing[row]:
            return None
        value: Value = column.values[row]
        return bool(value) if self.kind == "boolean" else value

    def options(self, value: Value, cell: int) -> list[Option]:
        """Return the cheapest way to each other cell that a change can reach."""
        found = [
            Option(target, choice, SWITCH_COST)
            for target, choice in enumerate(self.choices)
            if target != cell
        ]
        if self.spare is not None and cell != self.others:
            found.append(Option(self.others, self.spare, SWITCH_COST))
        return found

    def run(self, cell: int, cells: Collection[int]) -> frozenset[int]:
        """Return all the cells: they have no order."""
        if cell == self.missing:
            return frozenset({cell})
        together = frozenset({cell, *cells}) - {self.missing}
        return together if self.kind == "category" else together - {self.others}

    def words(self, cells: Collection[int]) -> str:
        """Describe the values in the cells."""
        if self.missing in cells:
            return "missing"
        named = [spoken_value(v) for j, v in enumerate(self.choices) if j in cells]
        if self.others not in cells:
            return " or ".join(named)
        left_out = [
            spoken_value(v) for j, v in enumerate(self.choices) if j not in cells
        ]
        return f"other than {' or '.join(left_out)}" if left_out else "any category"


class _Unnamed:
    """A category that equals no other."""


def number_cells(
    name: str,
    conditions: Iterable[Condition],
    known: NumericRange | None,
    *,
    whole: bool,
) -> NumberCells:
    """Divide a number at the cut points of its conditions.

    Without a known range, the unit of cost is the largest cut point, without its sign.
    """
    edges = {float(c.value) for c in conditions if isinstance(c.value, int | float)}
    scale = max(map(abs, edges), default=1.0) or 1.0
    if known is not None:
        scale, whole = known.scale, known.whole
    return NumberCells(name, tuple(sorted(edges)), whole, scale)


def choice_cells(
    name: str,
    conditions: Iterable[Condition],
    kind: str,
    categories: Sequence[Value],
) -> ChoiceCells:
    """Divide a category or a boolean by the values that its conditions name."""
    if kind == "boolean":
        return ChoiceCells(name, (False, True), None, kind)
    named = {c.value for c in conditions if c.value is not None}
    spare = next((v for v in categories if v is not None and v not in named), None)
    return ChoiceCells(name, tuple(sorted(named, key=repr)), spare, kind)
