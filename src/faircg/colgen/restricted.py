"""The restricted master: the linear master over the few rules that matter now.

The pool may hold thousands of rules; an optimal basis holds a few dozen. So only
*active* rules are in the linear program, which keeps it short too: positives merge by
their signature over the active rules. The rest of the pool is priced by one product
with its packed coverage; violators are activated and the program is solved again until
the pool has none. Rules are dropped only after the value has strictly improved, so the
active set cannot cycle.

Each program starts from the basis of the one before. A cell that splits because a new
rule covers part of it hands its basic variables to one of its parts; the other parts
get the one that keeps the old solution.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.duals import Duals, duals_of
from faircg.colgen.master import Master
from faircg.colgen.pricing.base import TOLERANCE
from faircg.solver.highs import Basis, LpSolution, Status
from faircg.solver.scaled import solve_lp

if TYPE_CHECKING:
    from faircg.colgen.pool import Pool
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatVector, IntVector

logger = logging.getLogger(__name__)

ACTIVATE = 50
"""How many violated rules of the pool are activated at a time."""
KEEP = 60
"""How many rules stay active, besides the basic ones, when the value improves."""

MANY_ITERATIONS = 2_000
"""A primal solve with more iterations than this is stuck in ties: use the dual method.

The old basis stays primal feasible, which is quickest where few pivots are needed (on
Adult twice as fast as the dual method), but slow where the program is degenerate (on
Default half as fast).
"""


@dataclass(frozen=True, slots=True, eq=False)
class MasterValue:
    """The solved restricted master: optimal over the whole pool.

    ``is_settled`` if its cuts are all there are: else it may be worth more, and pair
    cuts that are violated may add as much as is ``open``.
    """

    value: float
    duals: Duals
    is_settled: bool = True
    open: float = 0.0


class RestrictedMaster:
    """Solves the linear master over a pool that grows.

    Rules with more than ``max_conditions`` conditions stay out.
    """

    def __init__(
        self, problem: Problem, pool: Pool, max_conditions: int | None = None
    ) -> None:
        self.problem = problem
        self.pool = pool
        self._longest = np.inf if max_conditions is None else max_conditions + 1
        self._active = np.zeros(0, dtype=np.int64)
        self._excluding = (False,) * problem.n_groups
        self._last: tuple[Master, LpSolution] | None = None
        self._value: MasterValue | None = None
        self._dropped_at = np.inf
        self._primal = True

    def solve(self, deadline: Deadline) -> MasterValue | None:
        """Solve to optimality over the pool; None if the deadline came first."""
        if self._last is not None and self._value is not None:
            self._activate(self._last[1], self._value.duals)
        while True:
            master = Master(
                self.problem, self.pool, self._active, excluding=self._excluding
            )
            start = None if self._last is None else inherited(*self._last, master)
            solution = solve_lp(
                master.model, deadline, start=start, primal=self._primal
            )
            if solution.status is not Status.OPTIMAL:
                return None
            self._primal = self._primal and solution.iterations <= MANY_ITERATIONS
            self._last = (master, solution)
            if self._claims_more_than_missed(master, solution):
                continue
            duals = duals_of(master, solution.row_dual)
            logger.debug(
                "restricted master: %d active rules, %d cells, value %.4f, "
                "%d iterations",
                len(self._active),
                len(master.positives),
                solution.objective,
                solution.iterations,
            )
            if not self._activate(solution, duals):
                self._value = MasterValue(solution.objective, duals)
                return self._value

    def _activate(self, solution: LpSolution, duals: Duals) -> bool:
        """Activate rules of the pool that price out; say whether there were any."""
        costs = duals.prices.reduced_costs(self.pool.covers, self.pool.complexities)
        violated = self._violated(costs)
        if not len(violated):
            return False
        if solution.objective < self._dropped_at - TOLERANCE:
            self._dropped_at = solution.objective
            self._drop(solution, costs)
        self._active = np.sort(np.concatenate([self._active, violated]))
        return True

    def _claims_more_than_missed(self, master: Master, solution: LpSolution) -> bool:
        """Add exclude rows to a group whose positives are missed beyond their row.

        ``C missed + 2 sum w <= C`` can only be violated where the fairness duals
        reward missing somebody, which is rare; so the rows wait until then.
        """
        if not self.problem.rate_rows.uses_missed or all(self._excluding):
            return False
        cells, C = master.positives, self.problem.max_complexity
        missed = solution.values[master.layout.missed]
        covered = cells.signature @ solution.values[master.layout.rule]
        beyond = C * missed + 2.0 * covered > C * (1.0 + TOLERANCE)
        groups = set(cells.group[beyond].tolist())
        excluding = tuple(e or g in groups for g, e in enumerate(self._excluding))
        changed = excluding != self._excluding
        self._excluding = excluding
        return changed

    def _violated(self, costs: FloatVector) -> IntVector:
        """Return the inactive rules that price out, the most negative few."""
        is_active = np.zeros(len(self.pool), dtype=bool)
        is_active[self._active] = True
        fits = self.pool.complexities <= self._longest
        candidates = np.flatnonzero(fits & ~is_active & (costs < -TOLERANCE))
        order = np.argsort(costs[candidates], kind="stable")
        return candidates[order[:ACTIVATE]]

    def _drop(self, solution: LpSolution, costs: FloatVector) -> None:
        """Keep the basic rules and those of least reduced cost."""
        if self._last is None or solution.basis is None:
            return
        master = self._last[0]
        is_basic = solution.basis.columns[master.layout.rule]
        order = np.lexsort((costs[self._active], ~is_basic))
        self._active = self._active[order[: int(is_basic.sum()) + KEEP]]


def inherited(old: Master, solution: LpSolution, new: Master) -> Basis | None:
    """Carry the basis of a solved master over to one with other active rules.

    The rules of the new master include every basic rule of the old one. Returns None
    where the two do not fit.
    """
    basis = solution.basis
    if basis is None or new.counts_hits or old.is_integer or new.is_integer:
        return None
    columns = np.zeros(len(new.model.cost), dtype=bool)
    rows = np.zeros(len(new.model.row_lower), dtype=bool)
    # Rules, levels and the rows that are not about people keep their place.
    old_rules = basis.columns[old.layout.rule]
    columns[new.layout.rule] = np.isin(new.numbers, old.numbers[old_rules])
    columns[new.layout.rule.stop :] = basis.columns[old.layout.rule.stop :]
    rows[new.layout.complexity :] = basis.rows[old.layout.complexity :]
    at_upper = np.zeros(len(rows), dtype=bool)
    at_upper[new.layout.complexity :] = basis.rows_at_upper[old.layout.complexity :]
    rows[new.layout.exclude] = True

    missed = np.append(basis.columns[old.layout.missed], True)  # -1: was uncovered
    cover = np.append(basis.rows[old.layout.cover], False)
    basics = missed.astype(int) + cover
    group, row = np.nonzero(new.positives.cell_of >= 0)
    child, parent = new.positives.cell_of[group, row], old.positives.cell_of[group, row]
    # Of the parents that merge in a cell, one without basic variables counts.
    order = np.lexsort((parent, basics[parent], child))
    _, first = np.unique(child[order], return_index=True)
    parent = parent[order][first]
    new_missed, new_cover = missed[parent], cover[parent]
    # Of the cells that a parent splits into, one inherits; the others stay balanced.
    _, heir = np.unique(parent, return_index=True)
    other = np.ones(len(parent), dtype=bool)
    other[heir] = False
    odd = other & (basics[parent] != 1)
    new_cover[odd & (basics[parent] == 0)] = True
    new_cover[odd & (basics[parent] == 2)] = False
    columns[new.layout.missed] = new_missed
    rows[new.layout.cover] = new_cover
    carried = Basis(columns, rows, np.zeros_like(columns), at_upper)
    return carried if carried.is_square else None
