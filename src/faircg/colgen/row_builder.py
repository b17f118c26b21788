"""The rows of a program, collected block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.typing import FloatMatrix, FloatVector


class RowBuilder:
    """Collects blocks of rows."""

    def __init__(self, n_columns: int) -> None:
        self._n_columns = n_columns
        self._blocks: list[sparse.csr_array] = []
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
        blocks, position = [], 0
        for at, block in [*parts, (slice(self._n_columns, None), None)]:
            if at.start > position:
                blocks.append(sparse.csr_array((n_rows, at.start - position)))
            if block is not None:
                blocks.append(sparse.csr_array(block))
                position = at.stop
        rows = sparse.hstack(blocks, format="csr")
        if scale is not None:
            rows = sparse.csr_array(sparse.diags_array(scale) @ rows)
            bounds = [b * scale for b in bounds]
        self._blocks.append(rows)
        self.lower.append(bounds[0])
        self.upper.append(bounds[1])

    def matrix(self) -> sparse.csc_array:
        """Return all rows as one matrix."""
        matrix = sparse.csc_array(sparse.vstack(self._blocks, format="csc"))
        matrix.eliminate_zeros()
        return matrix
