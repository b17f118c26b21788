"""The restricted coverage master: few rules, few cuts, solved to the end.

As in :mod:`faircg.colgen.restricted` only *active* rules are in the linear program, and
the rest of the pool is priced beside it. Cuts are treated alike: those that a solution
violates are added, and those that no solution needs any more are dropped. Pairs of rows
that paid for each other inside one cell (:mod:`faircg.colgen.coverage.duals`) become
cuts too, which count as soon as a new rule tells the two apart; so the value does not
fall back behind the bound that the same pairs have proven.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.coverage.basis import inherited_basis
from faircg.colgen.coverage.duals import coverage_duals
from faircg.colgen.coverage.master import CoverageMaster
from faircg.colgen.coverage.pair_cuts import PairCuts, violated_pairs
from faircg.colgen.coverage.row_costs import covering_costs
from faircg.colgen.pricing.base import TOLERANCE
from faircg.colgen.restricted import MasterValue
from faircg.solver.highs import Status
from faircg.solver.scaled import solve_lp

if TYPE_CHECKING:
    from faircg.colgen.duals import Duals
    from faircg.colgen.pool import Pool
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.solver.highs import LpSolution
    from faircg.typing import FloatVector

logger = logging.getLogger(__name__)

ACTIVATE = 50
"""How many violated rules of the pool are activated at a time."""
KEEP = 200
"""How many rules stay active, besides the basic ones, when rules are activated."""
IDLE = 8
"""Solutions in a row that do not need a cut after which it is dropped."""
SEPARATIONS = 12
"""Rounds of cuts before new rules are looked for."""


class RestrictedCoverage:
    """Solves the linear coverage master over a pool that grows.

    Rules with more than ``max_conditions`` conditions stay out.
    """

    def __init__(self, problem: Problem, pool: Pool, max_conditions: int) -> None:
        self.problem = problem
        self.pool = pool
        self._longest = max_conditions + 1
        self._active = np.zeros(0, dtype=np.int64)
        self._cuts = PairCuts.none()
        self._last: tuple[CoverageMaster, LpSolution] | None = None
        self._duals: Duals | None = None
        self._penalty = 0.0
        if not problem.starts_feasible:
            everything = problem.miss_costs.sum() + problem.hit_costs.sum()
            self._penalty = float(everything + 1)

    def solve(self, deadline: Deadline) -> MasterValue | None:
        """Solve over the pool; None if the deadline came first."""
        if self._duals is not None:
            self._activate(self._duals)
        while True:
            answer = self._separated(deadline)
            if answer is None:
                return None
            master, solution, is_settled = answer
            duals = coverage_duals(master, solution.row_dual)
            self._duals = duals
            self._keep_cuts(master, solution, duals)
            logger.debug(
                "coverage master: %d rules, %d cells, %d cuts, value %.4f, proves %.4f",
                len(self._active),
                len(master.cells),
                len(master.used),
                solution.objective,
                duals.prices.value,
            )
            if not self._activate(duals):
                return MasterValue(solution.objective, duals, is_settled)

    def _separated(
        self, deadline: Deadline
    ) -> tuple[CoverageMaster, LpSolution, bool] | None:
        """Solve with more and more cuts; say whether none is violated any more."""
        for attempt in range(SEPARATIONS):
            master = CoverageMaster(
                self.problem, self.pool, self._active, self._cuts, self._penalty
            )
            start = None if self._last is None else inherited_basis(*self._last, master)
            solution = solve_lp(master.model, deadline, start=start)
            if solution.status is not Status.OPTIMAL:
                return None
            self._last = (master, solution)
            fairness = solution.row_dual[master.layout.fairness]
            costs = covering_costs(self.problem, fairness)
            i, j = violated_pairs(
                master.cells,
                solution.values[master.layout.u],
                solution.values[master.layout.rule],
                master.cells.totals(costs),
            )
            if not len(i):
                return master, solution, True
            if attempt + 1 < SEPARATIONS:
                best, worst = master.cells.extreme(costs)
                n_rows = self.problem.n_rows
                self._cuts = self._cuts.with_pairs(best[i], worst[j], n_rows)
        return master, solution, False

    def _keep_cuts(
        self, master: CoverageMaster, solution: LpSolution, duals: Duals
    ) -> None:
        """Drop cuts that were not needed for long, and keep the pairs that paid."""
        is_needed = np.ones(len(self._cuts), dtype=bool)
        if solution.basis is not None:
            is_needed[master.used] = ~solution.basis.rows[master.layout.cut]
        cuts = self._cuts.kept(is_needed, IDLE)
        pairs = duals.cuts  # all of them are between two rows
        self._cuts = cuts.with_pairs(pairs.first, pairs.second, self.problem.n_rows)

    def _activate(self, duals: Duals) -> bool:
        """Activate rules of the pool that price out; say whether there were any."""
        pool = self.pool
        costs = duals.reduced_costs(pool.covers, pool.complexities)
        is_active = np.zeros(len(pool), dtype=bool)
        is_active[self._active] = True
        fits = pool.complexities <= self._longest
        violated = np.flatnonzero(fits & ~is_active & (costs < -TOLERANCE))
        if not len(violated):
            return False
        order = np.argsort(costs[violated], kind="stable")
        self._drop(costs)
        self._active = np.sort(
            np.concatenate([self._active, violated[order[:ACTIVATE]]])
        )
        return True

    def _drop(self, costs: FloatVector) -> None:
        """Keep the basic rules and those of least reduced cost."""
        basis = None if self._last is None else self._last[1].basis
        if self._last is None or basis is None:
            return
        master = self._last[0]
        basic = master.numbers[basis.columns[master.layout.rule]]
        is_basic = np.isin(self._active, basic)
        order = np.lexsort((costs[self._active], ~is_basic))
        self._active = self._active[order[: int(is_basic.sum()) + KEEP]]
