"""The coverage master of a large table: followed step by step, never solved.

With tens of thousands of rows and cuts, simplex takes minutes for one solution, and an
optimal solution over few rules says little about all the others. But a bound needs no
optimal solution: any multipliers prove something once they are priced against all
rules. So the master is a saddle point that is approached by first-order steps
(:mod:`faircg.colgen.coverage.saddle`), with a variable and a multiplier for each row of
the data. Each call takes in the worst rules of the last pricing, of those alike only
one; violated cuts between rows, two or three at a time; and makes some hundred steps
from where the last call ended. Rules that nobody has met yet find little to gain,
because the multipliers have moved no further than the known rules asked for.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg._kernel import count, weigh
from faircg.colgen.coverage.near import Coverage, Likeness, violated_rows
from faircg.colgen.coverage.row_costs import covering_costs, rate_value
from faircg.colgen.coverage.saddle import SaddleProgram, follow
from faircg.colgen.coverage.triples import violated_triples
from faircg.colgen.duals import Duals, Prices
from faircg.colgen.restricted import MasterValue
from faircg.colgen.row_cuts import RowCuts, keys_of, rows_of
from faircg.colgen.stop import OutOfTimeError

if TYPE_CHECKING:
    from faircg.colgen.pool import Pool
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import BoolVector, FloatVector, IntVector

logger = logging.getLogger(__name__)

ROUNDS: Final = 2
"""Rounds of one call: rules that are known are activated before new ones are sought."""
STEPS, MOST_STEPS = 200, 800
"""Steps of one round, at first and at most: once few rules are new, it is worth more to
come near to the saddle point."""
FEW: Final = 50
"""So few new rules of a call are few."""
BEGIN: Final = 150
"""Rules to begin with."""
ACTIVATE: Final = 60
"""How many rules of negative reduced cost are activated in a round."""
ALIKE: Final = 0.8
"""Rules are alike if they share this part of all the rows that either covers."""
IN_USE: Final = 1e-4
"""A rule of a smaller weight is not in use."""
NEEDED: Final = 1e-3
"""A cut with a smaller multiplier, in costs of a row, is not needed."""
GRID: Final = 2.0**-25
"""Prices of cuts are multiples of this for each cut there is, in costs of a row. Of
many cuts (1/512 for 65,000) rows of equal prices are then counted together, which is
what pricing takes most of its time for; few cuts lose nothing."""
IDLE: Final = 4
"""Rounds for which a cut may be not needed before it is dropped."""
BYTES_PER_ENTRY: Final = 60
"""Memory of a row that a rule covers, in all the forms that a program has."""


class LargeCoverage:
    """Follows the linear coverage master over a pool that grows."""

    def __init__(self, problem: Problem, pool: Pool, max_conditions: int) -> None:
        self.problem, self.pool = problem, pool
        self._longest = max_conditions + 1
        self._scale = max(1.0, float(np.abs(problem.coverage_costs).mean()))
        self._duals: Duals | None = None
        self._likeness: Likeness | None = None
        self._calls, self._balance, self._open = 0, 1.0, 0.0
        self._steps, self._fresh = STEPS, 0
        self._active = np.zeros(0, dtype=np.int64)
        self._weights = np.zeros(0)
        self._u = np.zeros(problem.n_rows)
        self._levels = np.zeros(problem.rate_rows.n_levels)
        # Multipliers of the rows' own constraints, of cuts, of fairness, complexity.
        self._own = np.zeros(problem.n_rows)
        self._cuts, self._idle = RowCuts.none(), np.zeros(0, dtype=np.int64)
        self._others = np.zeros(len(problem.rate_rows) + 1)

    def solve(self, deadline: Deadline) -> MasterValue | None:
        """Take in new rules and cuts, and go on; None if the deadline came."""
        try:
            return self._solve(deadline)
        except OutOfTimeError:
            return None

    def _solve(self, deadline: Deadline) -> MasterValue:
        if self._likeness is None or self._duals is None:
            self._begin(deadline)
        else:
            self._separate(self._likeness, deadline)
        self._fresh = 0
        for _ in range(ROUNDS):
            if self._duals is not None:
                self._activate(self._duals, deadline)
            value = self._follow(deadline)
            self._duals = duals = self._priced()
        self._calls += 1
        logger.debug(
            "coverage master: %d rules, %d cuts, value %.4f, proves %.4f",
            len(self._active),
            len(self._cuts),
            value,
            duals.prices.value,
        )
        if self._calls > 1 and self._fresh <= FEW:
            self._steps = min(2 * self._steps, MOST_STEPS)
        # The point may lack something, and be worth less than the multipliers prove.
        value = max(value, duals.prices.value)
        return MasterValue(value, duals, is_settled=False, open=self._open)

    def _begin(self, deadline: Deadline) -> None:
        """Begin with good rules that are not alike, and with pairs of rows that are."""
        problem, pool = self.problem, self.pool
        worth = (problem.miss_costs - problem.hit_costs).astype(float)
        fitting = np.flatnonzero(pool.complexities <= self._longest)
        gains = weigh(pool.covers[fitting], worth)
        order = fitting[np.argsort(-gains, kind="stable")]
        self._active = np.sort(self._unlike(order, BEGIN, deadline))
        self._weights = np.zeros(len(self._active))
        tested = np.zeros(problem.bits.n_conditions)
        for number in self._active.tolist():
            tested[list(pool[number])] += 1.0
        self._likeness = Likeness.of(tested)
        first, second = self._likeness.nearest(problem, deadline)
        costs = problem.coverage_costs / self._scale
        # Half of what each bad row costs is paid by its partners, one as the other.
        shares = 0.5 * costs[second] / np.bincount(second, minlength=1)[second]
        self._cuts = RowCuts(first, second, second, shares)
        self._idle = np.zeros(len(first), dtype=np.int64)
        self._own = 0.3 * np.maximum(-costs, 0.0)
        best = float(gains.max(initial=0.0)) / self._scale
        self._others[-1] = -max(0.0, best) / problem.max_complexity

    def _activate(self, duals: Duals, deadline: Deadline) -> None:
        """Activate the worst rules of the pool; drop those that nothing needs."""
        pool, spare = self.pool, duals.prices.condition
        costs = duals.reduced_costs(pool.covers, pool.complexities)
        costs[pool.complexities > self._longest] = np.inf
        is_kept = (self._weights > 0.1 * IN_USE) | (costs[self._active] < spare)
        kept = self._active[is_kept]
        others = np.setdiff1d(np.flatnonzero(costs < 0), kept)
        worst = others[np.argsort(costs[others] / pool.complexities[others])]
        entries = float(count(pool.covers[kept]).sum())
        if entries * BYTES_PER_ENTRY > deadline.memory.limit:
            worst = worst[:0]
        fresh = self._unlike(worst, ACTIVATE, deadline)
        self._fresh += len(fresh)
        weights = np.zeros(len(pool))
        weights[self._active] = self._weights
        self._active = np.union1d(kept, fresh)
        self._weights = weights[self._active]

    def _unlike(self, numbers: IntVector, most: int, deadline: Deadline) -> IntVector:
        """Return the first of these rules that are not like one before."""
        covers = self.pool.covers
        chosen: list[int] = []
        for number in deadline.checking(numbers.tolist()):
            known = covers[chosen]
            both = count(known & covers[number])
            either = count(known | covers[number])
            if not (both > ALIKE * either).any():
                chosen.append(number)
            if len(chosen) == most:
                break
        return np.array(chosen, dtype=np.int64)

    def _separate(self, likeness: Likeness, deadline: Deadline) -> None:
        """Add violated cuts, and drop those that were not needed for long."""
        in_use = self._weights > IN_USE
        fairness = self._scale * self._others[:-1]
        at = Coverage(
            self.pool.covers[self._active[in_use]],
            self._weights[in_use],
            self._u,
            covering_costs(self.problem, fairness),
        )
        first, second, self._open = violated_rows(
            self.problem, likeness, at, deadline, self._calls
        )
        triples = violated_triples(self.problem, likeness, at, deadline, self._calls)
        cuts, n, kept = self._cuts, self.problem.n_rows, self._idle <= IDLE
        known = keys_of(cuts.first, cuts.second, cuts.third, n)[kept]
        fresh = np.concatenate(
            [keys_of(first, second, second, n), keys_of(*triples, n)]
        )
        prices = np.concatenate([cuts.prices[kept], np.zeros(len(fresh))])
        idle = np.concatenate([self._idle[kept], np.zeros(len(fresh), dtype=np.int64)])
        keys, where = np.unique(np.concatenate([known, fresh]), return_index=True)
        self._cuts = RowCuts(*rows_of(keys, n), prices[where])
        self._idle = idle[where]

    def _follow(self, deadline: Deadline) -> float:
        """Make some steps from where the last ones ended; return the value there."""
        pool, cuts = self.pool, self._cuts
        program = SaddleProgram(
            self.problem,
            pool.covers[self._active],
            pool.complexities[self._active],
            cuts,
            self._scale,
        )
        at = program.at
        point, multipliers, self._balance = follow(
            program,
            np.concatenate([self._weights, self._u, self._levels]),
            np.concatenate([self._own, cuts.prices, self._others]),
            self._balance,
            self._steps,
            deadline,
        )
        self._weights, self._u = point[at.rule], point[at.u]
        self._levels, self._own = point[at.level], multipliers[at.own]
        self._cuts = replace(cuts, prices=multipliers[at.cut])
        self._idle = np.where(self._cuts.prices > NEEDED, 0, self._idle + 1)
        self._others = multipliers[at.cut.stop :]
        value = float(program.cost @ point) * self._scale
        return value + float(self.problem.miss_costs.sum())

    def _priced(self) -> Duals:
        """Return the multipliers as a dual solution of all rows.

        It is computed from the multipliers themselves, so it proves what it says.
        What a row has to spare lowers the reward of covering it, or goes into its link.
        """
        problem, scale = self.problem, self._scale
        most = float(problem.max_complexity)
        cuts = self._cuts.rounded(GRID * max(1, len(self._cuts))).scaled(scale)
        earned, owed = cuts.earned(problem.n_rows), cuts.owed(problem.n_rows)
        fairness, lam = scale * self._others[:-1], max(0.0, -scale * self._others[-1])
        is_good = problem.coverage_costs <= 0
        again, link = _split(scale * self._own, is_good)
        rest = covering_costs(problem, fairness) + again - most * link
        rest += earned - owed
        spare = np.minimum(again, np.maximum(rest, 0.0))
        again, rest = again - spare, rest - spare
        moved = np.maximum(rest, -most * link)
        link, rest = link + moved / most, rest - moved
        missed = np.maximum(-rest, 0.0)  # what is left is below zero
        value = float(problem.miss_costs.sum()) - lam * problem.max_complexity
        value += rate_value(problem, fairness) - float(missed.sum())
        prices = -again - earned
        units = link if link.any() else None
        return Duals(
            Prices(prices, lam, value, units),
            again=again,
            missed=missed,
            touched=np.zeros(problem.n_rows),
            cuts=cuts,
            fairness=fairness,
        )


def _split(own: FloatVector, is_good: BoolVector) -> tuple[FloatVector, FloatVector]:
    """Return the multipliers of covers and of links."""
    return np.where(is_good, own, 0.0), np.where(is_good, 0.0, own)
