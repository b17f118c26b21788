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

from faircg._kernel import RuleSetProblem
from faircg.colgen.signatures import by_rule, merge_packed, signatures

if TYPE_CHECKING:
    from faircg.colgen.duals import Duals
    from faircg.colgen.pool import Pool
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatVector, IntVector


def excess_problem(
    pool: Pool, numbers: IntVector, duals: Duals, deadline: Deadline
) -> RuleSetProblem:
    """Return what sets of these rules pay above the value of a dual solution.

    Thousands of rules take a while; a deadline ends that by an error.
    """
    problem = pool.problem
    covers, complexities = pool.covers[numbers], pool.complexities[numbers]
    again, missed = np.maximum(duals.again, 0.0), np.maximum(duals.missed, 0.0)
    alone = np.flatnonzero((again > 0) | (missed > 0))
    alone = alone if len(alone) else np.zeros(1, np.int64)  # no price: a row of zeros
    at_all, pairs = np.flatnonzero(duals.touched > 0), duals.pairs
    by_row, touching, second, first = (
        signatures(covers, problem.n_rows, rows, deadline)
        for rows in (alone, at_all, pairs.second, pairs.first)
    )
    nobody = np.zeros_like
    covered = np.vstack([by_row, nobody(touching), first & ~second])
    touched = np.vstack([nobody(by_row), touching, second])
    marked = np.repeat([False, True, False], [len(alone), len(at_all), len(pairs)])
    prices = np.concatenate([again[alone], duals.touched[at_all], pairs.prices])
    waits = np.concatenate([missed[alone], np.zeros(len(at_all) + len(pairs))])
    sides = np.hstack([covered, touched, marked[:, np.newaxis]])
    cell_first, cell = merge_packed(sides)
    deadline.check()
    return RuleSetProblem(
        covers=by_rule(covered[cell_first], len(covers)),
        touches=by_rule(touched[cell_first], len(covers)),
        marked=by_rule(np.packbits(marked[cell_first, np.newaxis], axis=1), 1)[0],
        costs=np.maximum(duals.reduced_costs(covers, complexities), 0.0),
        complexities=complexities,
        again=_totals(cell, prices, len(cell_first)),
        missed=_totals(cell, waits, len(cell_first)),
        max_complexity=problem.max_complexity,
        spare_price=duals.prices.condition,
    )


def _totals(cell: IntVector, values: FloatVector, n_cells: int) -> FloatVector:
    totals = np.zeros(n_cells)
    np.add.at(totals, cell, values)
    return totals
