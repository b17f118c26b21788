"""The rows of a program, collected block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.typing import FloatMatrix, FloatVector, IntVector


class RowBuilder:
    """Collects blocks of rows, entry by entry.

    Stacking a sparse matrix for each block took a fifth of a fit on few rows.
    """

    def __init__(self, n_columns: int) -> None:
        self._n_columns = n_columns
        self._n_rows = 0
        self._entries: list[tuple[FloatVector, IntVector, IntVector]] = []
        self.lower: list[FloatVector] = []
        self.upper: list[FloatVector] = []

    def add(
        self,
        parts: Sequence[tuple[slice, FloatMatrix | sparse.sparray]],
        lower: float | FloatVector,
        upper: float | FloatVector,
        *,
        scale: FloatVector | None = None,
    ) -> None:
        """Add rows given as blocks of columns, in the order of the columns."""
        n_rows = parts[0][1].shape[0]
        bounds = [np.broadcast_to(b, n_rows).astype(float) for b in (lower, upper)]
        for at, block in parts:
            values, row, column = _entries(block)
            if scale is not None:
                values = values * scale[row]
            self._entries.append((values, row + self._n_rows, column + at.start))
        if scale is not None:
            bounds = [b * scale for b in bounds]
        self._n_rows += n_rows
        self.lower.append(bounds[0])
        self.upper.append(bounds[1])

    def matrix(self) -> sparse.csc_array:
        """Return all rows as one matrix."""
        values, row, column = map(np.concatenate, zip(*self._entries, strict=True))
        shape = (self._n_rows, self._n_columns)
        # The solver counts entries in 32 bits.
        places = row.astype(np.int32), column.astype(np.int32)
        return sparse.csc_array((values, places), shape=shape)


def _entries(
    block: FloatMatrix | sparse.sparray,
) -> tuple[FloatVector, IntVector, IntVector]:
    """Return the entries that are not zero, and where they stand."""
    if isinstance(block, np.ndarray):
        row, column = np.nonzero(block)
        return block[row, column].astype(float), row, column
    whole = block.tocoo()
    row, column = whole.coords
    some = whole.data != 0
    return whole.data[some].astype(float), row[some], column[some]
