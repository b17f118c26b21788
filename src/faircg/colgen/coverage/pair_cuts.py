"""Which pair cuts a solution of the coverage master violates.

For cells ``i`` and ``j`` the violation is ``u_i - u_j - sum_{k covers i, not j} w_k``.
Only a cell that is good to cover can push a bad one up, and the direct cut between two
cells is at least as strong as a chain of cuts between them; so cuts go from good cells
to bad ones. Each round takes the worst partner of every cell, weighted by how much the
two could move the loss: many cuts that are all different, instead of the most violated
ones, which are all alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from faircg.colgen.coverage.cells import RowCells
    from faircg.typing import BoolVector, FloatVector, IntVector

VIOLATED = 1e-6
"""Smallest violation that is worth a cut."""
_BLOCK = 1 << 23
"""Pairs of cells that are looked at in one go."""


@dataclass(frozen=True, slots=True, eq=False)
class PairCuts:
    """Pairs of rows, and for how many solutions in a row each was not needed."""

    first: IntVector
    second: IntVector
    idle: IntVector

    @classmethod
    def none(cls) -> PairCuts:
        """Return no pairs."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing)

    def __len__(self) -> int:
        return len(self.first)

    def with_pairs(self, first: IntVector, second: IntVector, n_rows: int) -> PairCuts:
        """Add pairs; those known stay as they are."""
        both = np.concatenate([self.first, first])
        other = np.concatenate([self.second, second])
        idle = np.concatenate([self.idle, np.zeros(len(first), dtype=np.int64)])
        _, where = np.unique(both * n_rows + other, return_index=True)
        where = np.sort(where)
        return PairCuts(both[where], other[where], idle[where])

    def kept(self, is_needed: BoolVector, most_idle: int) -> PairCuts:
        """Count how long pairs were not needed, and drop those that waited longest."""
        idle = np.where(is_needed, 0, self.idle + 1)
        kept = idle <= most_idle
        return PairCuts(self.first[kept], self.second[kept], idle[kept])


def violated_pairs(
    cells: RowCells, u: FloatVector, weights: FloatVector, costs: FloatVector
) -> tuple[IntVector, IntVector]:
    """Return the cells of violated cuts: each cell with its worst partner.

    ``u`` and ``costs`` are those of cells, ``weights`` those of rules. Costs are those
    of one solution of the dual, and another may call other cells good or bad: where
    good cells push no bad one, all pairs are looked at.
    """
    found = _worst_partners(cells, u, weights, -costs, costs)
    if not len(found[0]):
        alike = np.ones(len(cells))
        found = _worst_partners(cells, u, weights, alike, alike)
    return found


def _worst_partners(
    cells: RowCells,
    u: FloatVector,
    weights: FloatVector,
    gains: FloatVector,
    losses: FloatVector,
) -> tuple[IntVector, IntVector]:
    """Pair cells that gain something with those that lose, the most violated first."""
    chosen = weights > 0
    signature = cells.signature[:, chosen].astype(np.float64)
    weight = weights[chosen].astype(np.float64)
    good = np.flatnonzero((u > VIOLATED) & (gains > 0))
    bad = np.flatnonzero((u < 1 - VIOLATED) & (losses > 0))
    if not len(good) or not len(bad):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    spare = (u[good] - signature[good] @ weight).astype(np.float64)
    worst = np.zeros(len(bad), dtype=np.float64)
    partner = np.zeros(len(bad), dtype=np.int64)
    found: list[tuple[IntVector, IntVector]] = []
    step = max(1, _BLOCK // len(bad))
    for start in range(0, len(good), step):
        block = slice(start, start + step)
        shared = (signature[good[block]] * weight) @ signature[bad].T
        violation = spare[block, np.newaxis] - u[bad].astype(np.float64) + shared
        scale = np.minimum(gains[good[block], np.newaxis], losses[bad])
        score = np.where(violation > VIOLATED, violation * scale, 0.0)
        column = score.argmax(axis=1)
        hit = np.flatnonzero(score[np.arange(len(column)), column] > 0)
        found.append((good[block][hit], bad[column[hit]]))
        row = score.argmax(axis=0)
        top = score[row, np.arange(len(bad))]
        better = top > worst
        worst[better], partner[better] = top[better], good[block][row[better]]
    hit = np.flatnonzero(worst > 0)
    found.append((partner[hit], bad[hit]))
    keys = np.unique(
        np.concatenate([i * len(cells) + j for i, j in found]),
    )
    return keys // len(cells), keys % len(cells)
