"""The coverage master of a large table: rough solutions, and prices that generalise.

With thousands of cells and tens of thousands of cuts, simplex takes minutes for one
solution, and an optimal solution over few rules says little about all the others. But a
bound needs no optimal solution: any multipliers prove something once they are shared
out among rows (:mod:`faircg.colgen.coverage.transport`) and priced against all rules.
So each call solves one linear program roughly, by a first-order method; takes in the
worst rules of the last pricing, of those alike only one, because every rule splits the
cells of all others; and adds violated cuts as well as the payments that a new rule
tells apart, so that it is not rewarded for them.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from faircg._kernel import weigh
from faircg.colgen.coverage.duals import coverage_duals
from faircg.colgen.coverage.master import CoverageMaster
from faircg.colgen.coverage.near import Near
from faircg.colgen.coverage.pair_cuts import PairCuts, violated_pairs
from faircg.colgen.coverage.row_costs import covering_costs
from faircg.colgen.restricted import MasterValue
from faircg.colgen.stop import OutOfTimeError
from faircg.solver.highs import Status
from faircg.solver.scaled import solve_lp

if TYPE_CHECKING:
    from faircg.colgen.duals import Duals
    from faircg.colgen.pool import Pool
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.solver.highs import LpSolution
    from faircg.typing import FloatVector, IntVector

logger = logging.getLogger(__name__)

ERROR = 2e-3
"""Relative error of a rough solution."""
BEGIN = 60
"""Rules to begin with."""
BEGIN_ROUNDS = 4
"""Rounds of cuts among them before the first pricing."""
ACTIVATE = 30
"""How many rules of negative reduced cost are activated in a round."""
ALIKE = 0.7
"""Rules are alike if they share this part of all the rows that either covers."""
WEIGHT = 1e-3
"""A rule of a smaller weight is not in use."""
SPARE = 30.0
"""Rules out of use stay active up to this reduced cost."""
NEEDED = 1e-3
"""A cut with a smaller multiplier is not needed."""


class LargeCoverage:
    """Solves the linear coverage master roughly, over a pool that grows."""

    def __init__(self, problem: Problem, pool: Pool, max_conditions: int) -> None:
        self.problem, self.pool = problem, pool
        self._longest = max_conditions + 1
        self._active = np.zeros(0, dtype=np.int64)
        self._cuts = PairCuts.none()
        self._near: Near | None = None
        self._duals: Duals | None = None
        self._weights = np.zeros(0)
        self._penalty = 0.0
        if not problem.starts_feasible:
            everything = problem.miss_costs.sum() + problem.hit_costs.sum()
            self._penalty = float(everything + 1)

    def solve(self, deadline: Deadline) -> MasterValue | None:
        """Take in new rules and cuts, and solve once; None if the deadline came."""
        try:
            return self._solve(deadline)
        except OutOfTimeError:
            return None

    def _solve(self, deadline: Deadline) -> MasterValue | None:
        rounds = 1
        if self._duals is None:
            self._begin(deadline)
            rounds = BEGIN_ROUNDS
        else:
            self._activate(self._duals)
        answer = None
        for _ in range(rounds):
            if (answer := self._separated(deadline)) is None:
                return None
        if answer is None:
            return None
        master, solution = answer
        deadline.check()
        duals = coverage_duals(master, solution.row_dual, self._near)
        pairs, n_rows = duals.pairs, self.problem.n_rows
        self._cuts = self._cuts.with_pairs(pairs.first, pairs.second, n_rows)
        self._duals = duals
        logger.debug(
            "coverage master: %d rules, %d cells, %d cuts, value %.4f, proves %.4f, "
            "%d pairs",
            len(self._active),
            len(master.cells),
            len(master.used),
            solution.objective,
            duals.prices.value,
            len(pairs),
        )
        return MasterValue(solution.objective, duals, is_settled=False)

    def _begin(self, deadline: Deadline) -> None:
        """Begin with good rules that are not alike, and with rows that are."""
        fitting = np.flatnonzero(self.pool.complexities <= self._longest)
        worth = (self.problem.miss_costs - self.problem.hit_costs).astype(float)
        gains = weigh(self.pool.covers[fitting], worth)
        order = fitting[np.argsort(-gains, kind="stable")]
        self._active = np.sort(self._unlike(order, BEGIN))
        tested = np.zeros(self.problem.bits.n_conditions)
        for number in self._active:
            tested[list(self.pool[int(number)])] += 1.0
        self._near = Near.find(self.problem, tested, deadline)

    def _activate(self, duals: Duals) -> None:
        """Activate the worst rules of the pool; drop those that nothing needs.

        The worst may be known for long: what is priced is a mixture of duals, and rules
        that are alike wait for each other.
        """
        costs = duals.reduced_costs(
            self.pool.covers[self._active], self.pool.complexities[self._active]
        )
        kept = self._active[(self._weights > WEIGHT) | (costs < SPARE)]
        fitting = np.flatnonzero(self.pool.complexities <= self._longest)
        others = np.setdiff1d(fitting, kept)
        costs = duals.reduced_costs(
            self.pool.covers[others], self.pool.complexities[others]
        )
        order = others[np.argsort(costs, kind="stable")]
        worst = order[: int((costs < 0).sum())]
        self._active = np.union1d(kept, self._unlike(worst, ACTIVATE))

    def _unlike(self, numbers: IntVector, most: int) -> IntVector:
        """Return the first of these rules that are not like one before."""
        covers = self.pool.covers
        chosen: list[int] = []
        for number in numbers.tolist():
            known = covers[chosen]
            both = np.bitwise_count(known & covers[number]).sum(axis=1)
            either = np.bitwise_count(known | covers[number]).sum(axis=1)
            if not (both > ALIKE * either).any():
                chosen.append(number)
            if len(chosen) == most:
                break
        return np.array(chosen, dtype=np.int64)

    def _separated(
        self, deadline: Deadline
    ) -> tuple[CoverageMaster, LpSolution] | None:
        """Solve roughly; add the cuts that the solution violates for the next time."""
        master = CoverageMaster(
            self.problem, self.pool, self._active, self._cuts, self._penalty
        )
        solution = _rough(master, deadline)
        if solution.status is not Status.OPTIMAL:
            return None
        at = master.layout
        self._weights = np.maximum(solution.values[at.rule], 0.0)
        costs = covering_costs(self.problem, solution.row_dual[at.fairness])
        i, j = violated_pairs(
            master.cells,
            solution.values[at.u],
            self._weights,
            master.cells.totals(costs),
        )
        best, worst = master.cells.extreme(costs)
        is_needed = np.ones(len(self._cuts), dtype=bool)
        is_needed[master.used] = solution.row_dual[at.cut] > NEEDED
        cuts = self._cuts.kept(is_needed, 1)
        self._cuts = cuts.with_pairs(best[i], worst[j], self.problem.n_rows)
        return master, solution


def _rough(master: CoverageMaster, deadline: Deadline) -> LpSolution:
    """Solve without rows that hardly bind: good cells' links and bad cells' covers."""
    model, at = master.model, master.layout
    costs: FloatVector = master.cells.totals(master.problem.coverage_costs)
    kept = np.ones(len(model.row_lower), dtype=bool)
    kept[at.cover], kept[at.link] = costs < 0, costs > 0
    matrix = sparse.csc_array(sparse.csr_array(model.matrix)[np.flatnonzero(kept)])
    smaller = replace(
        model,
        matrix=matrix,
        row_lower=model.row_lower[kept],
        row_upper=model.row_upper[kept],
    )
    solution = solve_lp(smaller, deadline, rough=ERROR)
    if solution.status is not Status.OPTIMAL:
        return solution
    row_dual = np.zeros(len(kept))
    row_dual[kept] = solution.row_dual
    return replace(solution, row_dual=row_dual)
