"""Cells of the coverage master: rows of the data that the same rules cover.

Rows that no rule of the master tells apart are covered together, whoever they are, so
they share one variable ``u``. Rows that no rule covers are in no cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.signatures import merge_equal, rows_at

if TYPE_CHECKING:
    from faircg.typing import (
        BoolMatrix,
        FloatMatrix,
        FloatVector,
        IntMatrix,
        IntVector,
        PackedMatrix,
    )


@dataclass(frozen=True, eq=False)
class RowCells:
    """``of`` has the cell of each row, -1 if no rule covers it.

    ``signature`` says which rules (second axis) cover a cell.
    """

    of: IntVector
    signature: BoolMatrix

    @classmethod
    def merge(cls, covers: PackedMatrix, n_rows: int) -> RowCells:
        """Merge the rows of packed covers."""
        first, member = merge_equal(covers, n_rows)
        signature = np.ascontiguousarray(rows_at(covers, first))
        is_covered = signature.any(axis=1)
        number = np.where(is_covered, np.cumsum(is_covered) - 1, -1)
        return cls(number[member], signature[is_covered])

    def __len__(self) -> int:
        return len(self.signature)

    @cached_property
    def rows(self) -> IntVector:
        """The rows that are in some cell."""
        return np.flatnonzero(self.of >= 0)

    def totals(self, values: FloatVector) -> FloatVector:
        """Add up a value of rows in each cell."""
        where = self.of[self.rows]
        sums = np.bincount(where, weights=values[self.rows], minlength=len(self))
        return sums.astype(float)

    def people(self, counts: IntMatrix) -> FloatMatrix:
        """Count people of each group (first axis) in each cell."""
        return np.stack([self.totals(group.astype(float)) for group in counts])

    def extreme(self, values: FloatVector) -> tuple[IntVector, IntVector]:
        """Return for each cell its row of the smallest and of the largest value."""
        where = self.of[self.rows]
        order = self.rows[np.lexsort((self.rows, values[self.rows], where))]
        cells = np.arange(len(self))
        start = np.searchsorted(self.of[order], cells, side="left")
        stop = np.searchsorted(self.of[order], cells, side="right")
        return order[start], order[stop - 1]
