"""Start the coverage master from the basis of the one before.

A cell that splits hands its statuses to one of its parts; the other parts begin with
``u`` equal to the sum of their rules. Cuts are known by their rows; new ones are slack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg.solver.highs import Basis

if TYPE_CHECKING:
    from faircg.colgen.coverage.master import CoverageMaster
    from faircg.solver.highs import LpSolution
    from faircg.typing import IntVector


def inherited_basis(
    old: CoverageMaster, solution: LpSolution, new: CoverageMaster
) -> Basis | None:
    """Carry the basis of a solved master over to one with other rules or cuts.

    Returns None where the two do not fit.
    """
    basis = solution.basis
    if basis is None:
        return None
    here, there = new.layout, old.layout
    columns = np.zeros(len(new.model.cost), dtype=bool)
    rows = np.zeros(len(new.model.row_lower), dtype=bool)
    columns_up, rows_up = np.zeros_like(columns), np.zeros_like(rows)
    # A new cell: u is basic, its cover row is tight, its link is slack.
    columns[here.u], rows[here.link.start : here.many.stop] = True, True
    rows[here.cut] = True
    heirs, parents = _heirs(old, new)
    columns[here.u][heirs] = basis.columns[there.u][parents]
    columns_up[here.u][heirs] = basis.columns_at_upper[there.u][parents]
    rows[here.cover][heirs] = basis.rows[there.cover][parents]
    rows[here.link][heirs] = basis.rows[there.link][parents]
    if here.many.start < here.many.stop:
        rows[here.many][heirs] = basis.rows[there.many][parents]
    is_basic = old.numbers[basis.columns[there.rule]]
    columns[here.rule] = np.isin(new.numbers, is_basic)
    columns[here.level.start :] = basis.columns[there.level.start :]
    fixed, before = _between(new), _between(old)
    rows[fixed], rows_up[fixed] = basis.rows[before], basis.rows_at_upper[before]
    rows[here.cut] = ~np.isin(_keys(new), _keys(old)[~basis.rows[there.cut]])
    carried = Basis(columns, rows, columns_up, rows_up)
    return carried if carried.is_square else None


def _heirs(old: CoverageMaster, new: CoverageMaster) -> tuple[IntVector, IntVector]:
    """Return the cells that inherit, and from which cell: one heir for each."""
    one_row, _ = new.cells.extreme(np.zeros(new.problem.n_rows))
    parent = old.cells.of[one_row]
    parents, heirs = np.unique(parent, return_index=True)
    known = parents >= 0
    return heirs[known], parents[known]


def _between(master: CoverageMaster) -> slice:
    """Return the rows on complexity and fairness."""
    return slice(master.layout.complexity, master.layout.cut.start)


def _keys(master: CoverageMaster) -> IntVector:
    """Return a number for each cut that says which rows it is about."""
    used = master.used
    return master.first[used] * master.problem.n_rows + master.second[used]
