r"""Payments between rows that are alike, for large tables.

The master says how much the bad rows of a cell pay for the good rows of another
(``pi``); within a cell bad rows pay for good ones as far as they can. Which row pays
for which is a transport problem with these totals. Its plan is sought among rows that
are near each other, by scaling: each total, what each row has and what each row needs
in turn; the nearer, the more. What is left is paid in the order of the rows.

Whatever a bad row has to spare afterwards goes into its link: then every rule pays
``1 / H`` of it, also where no payment reaches, such as a rule that covers half of the
table. Any plan is valid: :func:`faircg.colgen.coverage.duals.coverage_duals` computes
what the multipliers are worth from the multipliers themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.coverage.spread import Spread, payments_in_order
from faircg.colgen.pairs import Pairs

if TYPE_CHECKING:
    from faircg.colgen.coverage.master import CoverageMaster
    from faircg.colgen.coverage.near import Near
    from faircg.typing import FloatVector, IntVector

ROUNDS = 15
"""Rounds of scaling."""
MOST = 4.0
"""By how much one round raises a payment at most."""
LEAST = 0.05
"""Smaller payments are left out: each is one more row for pricing."""
DUST = 1e-6
"""Amounts that do not matter."""


def spread_over_near(
    master: CoverageMaster, row_dual: FloatVector, costs: FloatVector, near: Near
) -> Spread:
    """Share the multipliers of cells out among their rows, the nearest first."""
    at, n_rows, n_cells = master.layout, master.problem.n_rows, len(master.cells)
    cell = np.where(master.cells.of >= 0, master.cells.of, n_cells)
    has, needs = np.maximum(costs, 0.0), np.maximum(-costs, 0.0)
    prices = np.maximum(row_dual[at.cut], 0.0)
    used = master.used[prices > DUST]
    ends = cell[master.first[used]], cell[master.second[used]]
    first, second, total = _totals(
        cell, has, needs, ends, prices[prices > DUST], n_cells + 1
    )
    payees, payers, payments = _scaled(
        near, cell, has, needs, (first, second, total), n_cells + 1
    )
    keys, where = first * (n_cells + 1) + second, cell[payees] * (n_cells + 1)
    block = np.searchsorted(keys, where + cell[payers])
    left = total - np.bincount(block, weights=payments, minlength=len(total))
    has = has - np.bincount(payers, weights=payments, minlength=n_rows)
    needs = needs - np.bincount(payees, weights=payments, minlength=n_rows)
    has, needs = np.maximum(has, 0.0), np.maximum(needs, 0.0)
    across = np.flatnonzero((first != second) & (left > DUST))
    more = _across(cell, has, needs, first[across], second[across], left[across])
    inside = payments_in_order(cell, has, needs, n_cells + 1)
    has = has - np.bincount(inside[0], weights=inside[1], minlength=n_rows)
    needs = needs - np.bincount(inside[2], weights=inside[1], minlength=n_rows)
    has, needs = np.maximum(has, 0.0), np.maximum(needs, 0.0)
    cover = np.append(np.maximum(row_dual[at.cover], 0.0), np.inf)
    open_cells = np.bincount(cell, weights=needs, minlength=n_cells + 1)
    covered = np.minimum(cover, open_cells)
    part = np.divide(
        covered, open_cells, out=np.ones_like(open_cells), where=open_cells > 0
    )[cell]
    pairs = Pairs.merged(
        np.concatenate([payees, more[0], inside[2]]),
        np.concatenate([payers, more[1], inside[0]]),
        np.concatenate([payments, more[2], inside[1]]),
        n_rows,
    )
    return Spread(needs * part, has / master.most_rules, needs * (1.0 - part), pairs)


def _totals(
    cell: IntVector,
    has: FloatVector,
    needs: FloatVector,
    ends: tuple[IntVector, IntVector],
    prices: FloatVector,
    n_cells: int,
) -> tuple[IntVector, IntVector, FloatVector]:
    """Return what is paid between any two cells, and within each, sorted."""
    first, second = ends
    spare = np.bincount(cell, weights=has, minlength=n_cells)
    spare -= np.bincount(second, weights=prices, minlength=n_cells)
    wanted = np.bincount(cell, weights=needs, minlength=n_cells)
    wanted -= np.bincount(first, weights=prices, minlength=n_cells)
    own = np.maximum(np.minimum(spare, wanted), 0.0)
    all_first = np.concatenate([first, np.arange(n_cells)])
    all_second = np.concatenate([second, np.arange(n_cells)])
    total = np.concatenate([prices, own])
    order = np.lexsort((all_second, all_first))
    return all_first[order], all_second[order], total[order]


def _scaled(
    near: Near,
    cell: IntVector,
    has: FloatVector,
    needs: FloatVector,
    totals: tuple[IntVector, IntVector, FloatVector],
    n_cells: int,
) -> tuple[IntVector, IntVector, FloatVector]:
    """Return payees, payers and payments between near rows, within the totals."""
    first, second, total = totals
    keys = first * n_cells + second
    asked = cell[near.first] * n_cells + cell[near.second]
    place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    fits = (keys[place] == asked) & (total[place] > DUST)
    fits &= (has[near.second] > 0) & (needs[near.first] > 0)
    payees, payers, block = near.first[fits], near.second[fits], place[fits]
    nearest = np.full(len(cell), np.inf)
    np.minimum.at(nearest, payers, near.distance[fits])
    paid = has[payers] * np.exp(nearest[payers] - near.distance[fits])

    def ratio(of: IntVector, limits: FloatVector, most: float) -> FloatVector:
        sums = np.bincount(of, weights=paid, minlength=len(limits))
        found = np.divide(limits, sums, out=np.zeros_like(limits), where=sums > 0)
        return np.minimum(found, most)[of]

    for _ in range(ROUNDS):
        paid = paid * ratio(block, total, MOST)
        paid = paid * ratio(payers, has, 1.0)
        paid = paid * ratio(payees, needs, 1.0)
    paid = paid * ratio(block, total, 1.0)
    kept = paid > LEAST
    return payees[kept], payers[kept], paid[kept]


def _across(
    cell: IntVector,
    has: FloatVector,
    needs: FloatVector,
    first: IntVector,
    second: IntVector,
    left: FloatVector,
) -> tuple[IntVector, IntVector, FloatVector]:
    """Pay what is left between cells in the order of rows; lower what rows have."""
    order = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[order], np.arange(int(cell.max(initial=0)) + 2))
    payees: list[int] = []
    payers: list[int] = []
    payments: list[float] = []
    for i, j, amount in zip(
        first.tolist(), second.tolist(), left.tolist(), strict=True
    ):
        wanting = order[starts[i] : starts[i + 1]]
        giving = order[starts[j] : starts[j + 1]]
        wanting, giving = wanting[needs[wanting] > DUST], giving[has[giving] > DUST]
        a = b = 0
        while amount > DUST and a < len(wanting) and b < len(giving):
            payee, payer = int(wanting[a]), int(giving[b])
            paid = min(amount, float(needs[payee]), float(has[payer]))
            payees.append(payee)
            payers.append(payer)
            payments.append(paid)
            amount -= paid
            needs[payee] -= paid
            has[payer] -= paid
            a += needs[payee] <= DUST
            b += has[payer] <= DUST
    return (
        np.array(payees, dtype=np.int64),
        np.array(payers, dtype=np.int64),
        np.array(payments, dtype=float),
    )
