"""The excess of rule sets, as a problem for the kernel.

Each term of the excess (:class:`faircg.colgen.duals.Duals`) is a *cell* that rules
cover or touch:

* a row covered again: every rule beyond the first that covers it pays ``again``;
* a row missed pays ``missed``;
* a row covered at all pays ``touched``, once;
* a row that is linked to the limit on complexity pays, if it is covered, for each unit
  of it that rules have which do not cover the row, and for each that is left over;
* a cut rewards a rule that covers its first row and none of its others. That is earned
  once, and not at all if another rule covers one of those: every further such rule, and
  the first rule that covers one of the others beside one, pays it back.

Cells that the same rules cover and touch are merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import ConditionBits, RuleSetProblem, take
from faircg.colgen.signatures import merge_alike

if TYPE_CHECKING:
    from faircg.colgen.duals import Duals
    from faircg.colgen.pool import Pool
    from faircg.colgen.stop import Deadline
    from faircg.typing import BoolVector, FloatVector, IntVector, PackedMatrix


def excess_problem(
    pool: Pool, numbers: IntVector, duals: Duals, deadline: Deadline
) -> RuleSetProblem:
    """Return what sets of these rules pay above the value of a dual solution.

    Thousands of rules take a while; a deadline ends that by an error.
    """
    problem = pool.problem
    deadline.spend(16 * len(numbers) * problem.bits.n_words)
    covers, complexities = pool.covers[numbers], pool.complexities[numbers]
    again, missed = np.maximum(duals.again, 0.0), np.maximum(duals.missed, 0.0)
    linked = np.zeros_like(again)
    if duals.prices.units is not None:
        linked = np.maximum(duals.prices.units, 0.0)
    alone = np.flatnonzero((again > 0) | (missed > 0) | (linked > 0))
    at_all, cuts = np.flatnonzero(duals.touched > 0), duals.cuts.with_triples_first()
    # Rows that meet nothing, and cost nothing, fill the last word; no word is too few.
    n_own = len(alone) + len(at_all)
    filler = np.zeros(-n_own % 64 if n_own else 64, dtype=np.int64)
    kinds = np.repeat(np.arange(3), [len(alone), len(at_all), len(filler)])
    is_alone, is_marked = (_packed(kinds == kind) for kind in range(2))
    nothing = np.zeros(len(filler))
    prices = np.concatenate([again[alone], duals.touched[at_all], nothing, cuts.prices])
    others = np.zeros(len(prices) - len(alone))
    waits = np.concatenate([missed[alone], others])
    links = np.concatenate([linked[alone], others])
    costs = np.maximum(duals.reduced_costs(covers, complexities), 0.0)
    deadline.check()
    own = take(covers, np.concatenate([alone, at_all, filler]))
    deadline.check()
    first = take(covers, cuts.first)
    deadline.check()
    sides = _sides(own, (is_alone, is_marked), first, cuts.others(covers))
    del covers, own, first
    cell_first, cell = merge_alike(sides, len(prices), deadline)
    # One after the other: thousands of rules take gigabytes.
    sides = [
        take(sides.pop(0), cell_first) for _ in deadline.checking(range(len(sides)))
    ]
    return RuleSetProblem(
        covers=sides[0],
        touches=sides[1],
        marked=sides[2][0],
        costs=costs,
        complexities=complexities,
        again=_totals(cell, prices, len(cell_first)),
        missed=_totals(cell, waits, len(cell_first)),
        linked=_totals(cell, links, len(cell_first)),
        max_complexity=problem.max_complexity,
        spare_price=duals.prices.condition,
    )


def _sides(
    own: PackedMatrix,
    kinds: tuple[PackedMatrix, PackedMatrix],
    first: PackedMatrix,
    beside: PackedMatrix,
) -> list[PackedMatrix]:
    """Return which rules cover the cells, which touch them, and which are marked.

    Rows of their ``own`` come first, and then the cuts. Both arrays are overwritten.
    """
    is_alone, is_marked = kinds
    first &= ~beside
    covered = np.hstack([own & is_alone, first])
    own &= is_marked
    nothing = np.zeros((1, beside.shape[1]), dtype=np.uint64)
    return [covered, np.hstack([own, beside]), np.hstack([is_marked, nothing])]


def _packed(cells: BoolVector) -> PackedMatrix:
    """Pack some of the cells, as the only cover."""
    return ConditionBits.from_matrix(cells[:, np.newaxis], [0]).bits


def _totals(cell: IntVector, values: FloatVector, n_cells: int) -> FloatVector:
    totals = np.zeros(n_cells)
    np.add.at(totals, cell, values)
    return totals
