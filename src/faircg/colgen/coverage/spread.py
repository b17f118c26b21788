"""How the multipliers of cells are shared out among the rows of the cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.row_cuts import RowCuts

if TYPE_CHECKING:
    from faircg.colgen.coverage.master import CoverageMaster
    from faircg.typing import FloatVector, IntVector


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Multipliers of rows: ``again`` (a), ``link`` (b), ``missed`` (gamma), cuts.

    ``many`` is that of the link which counts rules.
    """

    again: FloatVector
    link: FloatVector
    many: FloatVector
    missed: FloatVector
    cuts: RowCuts


def spread_over_cells(
    master: CoverageMaster, row_dual: FloatVector, costs: FloatVector
) -> Spread:
    """Share the multipliers of cells out among their rows."""
    at, n_rows = master.layout, master.problem.n_rows
    cells, n_cells = master.cells, len(master.cells)
    cover = np.append(np.maximum(row_dual[at.cover], 0.0), np.inf)
    link, by_complexity = _links(master, row_dual)
    prices = np.maximum(row_dual[at.cut], 0.0)
    first, second = master.first[master.used], master.second[master.used]
    rest = costs.copy()
    np.add.at(rest, first, prices)
    np.subtract.at(rest, second, prices)

    cell = np.where(cells.of >= 0, cells.of, n_cells)
    surplus = np.maximum(rest, 0.0)
    has = np.bincount(cell, weights=surplus, minlength=n_cells + 1)
    linked = np.minimum(link, has)
    share = np.divide(linked, has, out=np.zeros_like(has), where=has > 0)[cell]
    link_rows = surplus * share
    surplus = surplus * (1.0 - share)
    # The rest of a link is what ``u <= 1`` pays for: without it rules become cheaper.
    beyond = (link - linked) / np.maximum(np.bincount(cell, minlength=n_cells + 1), 1)
    link_rows += beyond[cell]

    deficit = np.maximum(-rest, 0.0) + beyond[cell]
    payers, payments, payees = payments_in_order(cell, surplus, deficit, n_cells + 1)
    paid = np.bincount(payees, weights=payments, minlength=n_rows)
    open_rows = np.maximum(deficit - paid, 0.0)
    needs = np.bincount(cell, weights=open_rows, minlength=n_cells + 1)
    covered = np.minimum(cover, needs)
    part = np.divide(covered, needs, out=np.ones_like(needs), where=needs > 0)[cell]
    others = np.concatenate([second, payers])
    cuts = RowCuts.merged(
        np.concatenate([first, payees]),
        others,
        others,
        np.concatenate([prices, payments]),
        n_rows,
    )
    return Spread(
        again=open_rows * part,
        link=link_rows * by_complexity[cell] / master.problem.max_complexity,
        many=link_rows * (1.0 - by_complexity[cell]) / master.most_rules,
        missed=open_rows * (1.0 - part),
        cuts=cuts,
    )


def _links(
    master: CoverageMaster, row_dual: FloatVector
) -> tuple[FloatVector, FloatVector]:
    """Return what both links take of each cell, and the share of that of complexity.

    The last cell is that of rows which no rule covers.
    """
    at = master.layout
    link = master.problem.max_complexity * np.maximum(row_dual[at.link], 0.0)
    many = np.zeros_like(link)
    if at.many.start < at.many.stop:
        many = master.most_rules * np.maximum(row_dual[at.many], 0.0)
    total = np.append(link + many, 0.0)
    share = np.ones_like(total)
    np.divide(np.append(link, 0.0), total, out=share, where=total > 0)
    return total, share


def payments_in_order(
    cell: IntVector, surplus: FloatVector, deficit: FloatVector, n_cells: int
) -> tuple[IntVector, FloatVector, IntVector]:
    """Let rows with a surplus pay for rows with a deficit of the same cell.

    In every cell as much is paid as both sides allow, by all in proportion; the rows
    of a cell are in the order of their conditions, so that rows pay for such as are
    like them. One row pays for few others: there are fewer payments than rows.
    """
    has = np.bincount(cell, weights=surplus, minlength=n_cells)
    needs = np.bincount(cell, weights=deficit, minlength=n_cells)
    moved = np.minimum(has, needs)
    order = np.argsort(cell, kind="stable")
    ends = []
    sides = []
    for amount, total in ((surplus, has), (deficit, needs)):
        scale = np.divide(moved, total, out=np.zeros_like(moved), where=total > 0)
        rows = order[(amount * scale[cell])[order] > 0]
        sides.append(rows)
        # Both sides of each cell add up to the same, so the sums run side by side.
        where = cell[rows]
        before = np.cumsum(moved) - moved
        running = np.cumsum(amount[rows] * scale[where])
        starts = np.searchsorted(where, np.arange(n_cells))
        offset = np.append(0.0, running)[starts]
        ends.append(running - offset[where] + before[where])
    payers, payees = sides
    if not len(payers) or not len(payees):
        nobody = np.zeros(0, dtype=np.int64)
        return nobody, np.zeros(0), nobody
    marks = np.unique(np.concatenate(ends))
    amounts = np.diff(np.append(0.0, marks))
    middle = marks - amounts / 2.0
    i = np.minimum(np.searchsorted(ends[0], middle), len(payers) - 1)
    j = np.minimum(np.searchsorted(ends[1], middle), len(payees) - 1)
    real = (amounts > 1e-12) & (cell[payers[i]] == cell[payees[j]])
    return payers[i[real]], amounts[real], payees[j[real]]
