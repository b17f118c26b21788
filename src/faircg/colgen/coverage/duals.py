r"""From the duals of the coverage master to the prices of rows and of pairs of rows.

A cell is a set of rows that the rules of the master do not tell apart; other rules do.
So the multipliers of cells are spread over their rows such that each row alone is dual
feasible. With ``e_i`` the cost of covering row ``i`` (loss and fairness), ``a``, ``b``,
``h`` and ``pi`` the multipliers of cover rows, both links and pair rows, and ``gamma``
that of ``u <= 1``, row ``i`` needs

    e_i + a_i - C b_i - H h_i + sum_j pi_ij - sum_j pi_ji + gamma_i >= 0.

Within a cell the rows that are bad to cover (``e > 0``) *pay* for those that are good:
each payment is one more pair, a cut that the master did not need because both rows are
in one cell. What remains of the good rows is shared between ``a`` and ``gamma``. Rows
that no rule of the master covers earn what they are worth.

The value of the dual solution is computed from the multipliers as they are after that,
so it is a bound whatever the solver thought of its answer, once no rule has a negative
reduced cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.coverage.row_costs import covering_costs, rate_value
from faircg.colgen.coverage.spread import spread_over_cells
from faircg.colgen.duals import Duals, Prices, signed

if TYPE_CHECKING:
    from faircg.colgen.coverage.master import CoverageMaster
    from faircg.typing import FloatVector


def coverage_duals(master: CoverageMaster, reported: FloatVector) -> Duals:
    """Turn the row duals that the solver reports into a dual solution of all rows."""
    problem, at = master.problem, master.layout
    row_dual = signed(master.model, reported)
    lam = max(-float(row_dual[at.complexity]), 0.0)
    fairness = row_dual[at.fairness]
    costs = covering_costs(problem, fairness)
    spread = spread_over_cells(master, row_dual, costs)
    earned, owed = spread.cuts.earned(problem.n_rows), spread.cuts.owed(problem.n_rows)
    touched = costs + spread.again + spread.missed
    touched -= problem.max_complexity * spread.link + master.most_rules * spread.many
    touched += earned - owed
    # What rounding left below zero is taken off the value, as ``u`` is at most one.
    lost = np.minimum(touched, 0.0)
    value = float(problem.miss_costs.sum()) - lam * problem.max_complexity
    value += rate_value(problem, fairness)
    value += float(lost.sum()) - float(spread.missed.sum())
    prices = problem.rule_row_costs + spread.many - spread.again - earned
    units = spread.link if spread.link.any() else None
    return Duals(
        Prices(prices, lam, value, units),
        again=spread.again,
        missed=spread.missed - lost,
        touched=np.maximum(touched, 0.0),
        cuts=spread.cuts,
        fairness=fairness,
    )
