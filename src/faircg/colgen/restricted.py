"""The restricted master: the linear master over the few rules that matter now.

The pool may hold thousands of rules; an optimal basis holds a few dozen. So only
*active* rules are in the linear program. The rest of the pool is priced by one product
with its packed coverage; violators are activated and the program is solved again until
the pool has none. Rules are never dropped from the active set, which therefore cannot
cycle.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.duals import Prices, prices
from faircg.colgen.master import Master
from faircg.colgen.pricing.base import TOLERANCE
from faircg.solver.highs import LpSolution, Status, solve_lp

if TYPE_CHECKING:
    from faircg.colgen.pool import Pool
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatVector, IntVector

logger = logging.getLogger(__name__)

ACTIVATE = 200
"""How many violated rules of the pool are activated at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class MasterValue:
    """The solved restricted master: optimal over the whole pool."""

    value: float
    prices: Prices
    weights: FloatVector
    """``w`` of each rule of the pool."""


class RestrictedMaster:
    """Solves the linear master over a pool that grows.

    Parameters
    ----------
    problem, pool
        The data, and the rules.
    """

    def __init__(self, problem: Problem, pool: Pool) -> None:
        self.problem = problem
        self.pool = pool
        self._active = np.zeros(0, dtype=np.int64)

    def solve(self, deadline: Deadline) -> MasterValue | None:
        """Solve to optimality over the pool; None if the deadline came first."""
        while True:
            master = Master(self.problem, self.pool, self._active)
            solution = solve_lp(master.model, deadline)
            if solution.status is not Status.OPTIMAL:
                return None
            duals = prices(master, solution.row_dual, solution.objective)
            violated = self._violated(duals)
            logger.debug(
                "restricted master: %d active rules, %d cells, value %.4f, %d violated",
                len(self._active),
                len(master.positives),
                solution.objective,
                len(violated),
            )
            if not len(violated):
                return MasterValue(
                    solution.objective, duals, self._weights(master, solution)
                )
            self._active = np.sort(np.concatenate([self._active, violated]))

    def _violated(self, duals: Prices) -> IntVector:
        """Return the inactive rules that price out, the most negative few."""
        is_active = np.zeros(len(self.pool), dtype=bool)
        is_active[self._active] = True
        costs = duals.reduced_costs(self.pool.covers, self.pool.complexities)
        candidates = np.flatnonzero(~is_active & (costs < -TOLERANCE))
        order = np.argsort(costs[candidates], kind="stable")
        return candidates[order[:ACTIVATE]]

    def _weights(self, master: Master, solution: LpSolution) -> FloatVector:
        weights = np.zeros(len(self.pool))
        weights[master.numbers] = solution.values[master.layout.rule]
        return weights
