"""The excess of rule sets, as a problem for the kernel.

Each term of the excess (:class:`faircg.colgen.duals.Duals`) is a *cell* that rules
cover or touch:

* a row covered again: every rule beyond the first that covers it pays ``again``;
* a row missed pays ``missed``;
* a row covered at all pays ``touched``, once;
* a pair of rows ``i`` and ``j`` was rewarded for a rule that covers ``i`` and not
  ``j``. That is earned once, and not at all if another rule covers ``j``: every
  further such rule, and the first rule that covers ``j`` beside one, pays it back.

Cells that the same rules cover and touch are merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import ConditionBits, RuleSetProblem
from faircg.colgen.signatures import merge_equal, signatures

if TYPE_CHECKING:
    from faircg.colgen.duals import Duals
    from faircg.colgen.pool import Pool
    from faircg.typing import BoolMatrix, FloatVector, IntVector, PackedMatrix


def excess_problem(pool: Pool, numbers: IntVector, duals: Duals) -> RuleSetProblem:
    """Return what sets of these rules pay above the value of a dual solution."""
    problem = pool.problem
    covers, complexities = pool.covers[numbers], pool.complexities[numbers]
    again, missed = np.maximum(duals.again, 0.0), np.maximum(duals.missed, 0.0)
    alone = np.flatnonzero((again > 0) | (missed > 0))
    alone = alone if len(alone) else np.zeros(1, np.int64)  # no price: a row of zeros
    at_all, pairs = np.flatnonzero(duals.touched > 0), duals.pairs
    by_row = signatures(covers, problem.n_rows, alone)
    touching = signatures(covers, problem.n_rows, at_all)
    second = signatures(covers, problem.n_rows, pairs.second)
    first = signatures(covers, problem.n_rows, pairs.first)
    nobody = np.zeros_like
    covered = np.vstack([by_row, nobody(touching), first & ~second])
    touched = np.vstack([nobody(by_row), touching, second])
    marked = np.repeat([False, True, False], [len(alone), len(at_all), len(pairs)])
    prices = np.concatenate([again[alone], duals.touched[at_all], pairs.prices])
    waits = np.concatenate([missed[alone], np.zeros(len(at_all) + len(pairs))])
    sides = np.hstack([covered, touched, marked[:, np.newaxis]])
    cell_first, cell = merge_equal(sides)
    return RuleSetProblem(
        covers=_packed(covered[cell_first]),
        touches=_packed(touched[cell_first]),
        marked=_packed(marked[cell_first, np.newaxis])[0],
        costs=np.maximum(duals.reduced_costs(covers, complexities), 0.0),
        complexities=complexities,
        again=_totals(cell, prices, len(cell_first)),
        missed=_totals(cell, waits, len(cell_first)),
        max_complexity=problem.max_complexity,
        spare_price=duals.prices.condition,
    )


def _packed(cells: BoolMatrix) -> PackedMatrix:
    """Pack which rules (second axis) are at which cell (first axis)."""
    one_family = np.zeros(cells.shape[1], dtype=np.int32)
    return ConditionBits.from_matrix(np.ascontiguousarray(cells), one_family).bits


def _totals(cell: IntVector, values: FloatVector, n_cells: int) -> FloatVector:
    totals = np.zeros(n_cells)
    np.add.at(totals, cell, values)
    return totals
