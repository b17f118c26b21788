"""Distinct rows: people who are alike in all that a fit looks at, counted once.

Each column becomes a whole number for each row, its *code*: the position of the value
among the sorted ones, behind them a missing one. Rows are then one number each, of
which the codes are the digits. Sorted by it, the distinct rows and their order depend
on the people alone, and not on how their table was written or where it lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from faircg.table import Coding, Column

if TYPE_CHECKING:
    from faircg.typing import FloatVector, IntVector

Codes: TypeAlias = "tuple[IntVector, int]"
"""A number of each row, and how many numbers there may be."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumn:
    """A column whose values are sorted, and the code of each row."""

    column: Column
    codes: Codes

    @classmethod
    def of(cls, column: Column) -> CodedColumn:
        """Sort the values of a column; categories by type, then by value.

        Examples
        --------
        >>> ages, known = np.array([30.0, np.nan, 20.0, 30.0]), np.zeros(4, dtype=bool)
        >>> CodedColumn.of(Column("age", "numeric", ages, known)).codes
        (array([1, 2, 0, 1]), 3)
        """
        if column.kind != "category":
            return cls(column, _ranks(column.values))
        coding = column.coding
        if coding is None:
            coding = _coding(column)
        levels = coding.levels[:-1].tolist()
        order = sorted(range(len(levels)), key=lambda k: _by_type(levels[k]))
        rank = np.empty(len(levels) + 1, dtype=np.int64)
        rank[order], rank[-1] = np.arange(len(levels)), len(levels)
        found = coding.levels[[*order, -1]]
        codes = rank[coding.codes]
        ordered = Coding(np.where(coding.codes < 0, -1, codes), found)
        coded = Column.of_categories(column.name, ordered)
        return cls(coded, (codes, len(levels) + 1))


def _ranks(numbers: FloatVector) -> Codes:
    """Return the position of each number among the sorted ones; a missing one is last.

    Only different numbers are sorted, which are often few.
    """
    import pandas as pd

    codes, distinct = pd.factorize(numbers, use_na_sentinel=False)
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[np.argsort(distinct)] = np.arange(len(distinct))
    return rank[codes], len(distinct)


def _coding(column: Column) -> Coding:
    """Give each category of a column a number, a missing one -1."""
    import pandas as pd

    codes, distinct = pd.factorize(column.values)
    levels = np.full(len(distinct) + 1, None, dtype=object)
    levels[:-1] = distinct
    return Coding(codes.astype(np.int64), levels)


def _by_type(value: object) -> tuple[str, object]:
    return type(value).__name__, value
