r"""The linear coverage master over rows, as a saddle point that is approached in steps.

    min over w, u   max over multipliers of   cost of u + multipliers * (rows not met)

Each step moves the weights of rules and the coverage of rows against their reduced
costs, and the multipliers along what their rows lack (the primal-dual hybrid gradient
method of Chambolle and Pock, with their diagonal step lengths). A step is two products
with the rules' covers, whatever the number of cuts, and goes on from any point: new
rules and cuts only add coordinates. So the master is never solved, only followed.

Points and multipliers are plain vectors; :class:`SaddleProgram` knows what is where.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from faircg.colgen.coverage.row_costs import rate_ends
from faircg.colgen.signatures import sparse_rows

if TYPE_CHECKING:
    from faircg.colgen.problem import Problem
    from faircg.colgen.row_cuts import RowCuts
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatVector, IntVector, PackedMatrix

LENGTH = 0.95
"""Step lengths, as a share of those that converge for sure."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the variables (first three) and the rows of each kind lie."""

    rule: slice
    u: slice
    level: slice
    own: slice
    cut: slice
    fairness: slice
    complexity: int


class SaddleProgram:
    """The rows of the coverage master for some rules and some cuts between rows.

    Of cover and link each row of the data has the one that can bind: rows that are good
    to cover need a rule, rows that are bad to cover are touched by each. ``scale`` is
    what all costs are divided by, so that steps suit any costs.
    """

    def __init__(
        self,
        problem: Problem,
        covers: PackedMatrix,
        complexities: IntVector,
        cuts: RowCuts,
        scale: float,
    ) -> None:
        n, k, p = problem.n_rows, len(covers), len(cuts)
        rates = problem.rate_rows
        ends = np.cumsum([k, n, rates.n_levels])
        rows = np.cumsum([n, p, len(rates)])
        self.at = Layout(
            rule=slice(0, int(ends[0])),
            u=slice(int(ends[0]), int(ends[1])),
            level=slice(int(ends[1]), int(ends[2])),
            own=slice(0, n),
            cut=slice(n, int(rows[1])),
            fairness=slice(int(rows[1]), int(rows[2])),
            complexity=int(rows[2]),
        )
        self.is_good = problem.coverage_costs <= 0
        self._sign = np.where(self.is_good, 1.0, -1.0)
        self._own = np.where(self.is_good, 1.0, float(problem.max_complexity))
        self.first, self.second = cuts.first, cuts.second
        self.with_third = np.flatnonzero(cuts.has_third)
        self.third = cuts.third[self.with_third]
        self._size = complexities.astype(float)
        met = sparse_rows(covers, np.arange(n))
        here, other, third = met[cuts.first], met[cuts.second], met[cuts.third]
        others = other + third - other.multiply(third)
        self._parted = sparse.csr_array(here - here.multiply(others))
        self._parted.eliminate_zeros()
        self._parts = sparse.csr_array(self._parted.T)
        is_bad = np.repeat(~self.is_good, np.diff(met.indptr))
        met.data = np.where(is_bad, self._size[met.indices], met.data)
        self._covered, self._covers = met, sparse.csr_array(met.T)
        self._rate_u = rates.hit @ problem.negatives - rates.missed @ problem.positives
        self._rate_level = np.zeros((len(rates), rates.n_levels))
        self._rate_level[np.arange(len(rates)), rates.of] = rates.weight
        self._bound(problem, scale)
        self._measure()

    def _bound(self, problem: Problem, scale: float) -> None:
        """Set costs, and the ends of variables and rows."""
        at = self.at
        self.cost = np.zeros(at.level.stop)
        self.cost[at.u] = problem.coverage_costs / scale
        self.most = np.ones(at.level.stop)
        self.most[at.rule] = np.inf
        self.lower, self.upper = (
            np.zeros(at.complexity + 1),
            np.full(at.complexity + 1, np.inf),
        )
        self.lower[at.fairness], self.upper[at.fairness] = rate_ends(problem)
        self.lower[at.complexity] = -np.inf
        self.upper[at.complexity] = float(problem.max_complexity)

    def _measure(self) -> None:
        """Set step lengths: one over the sum of a row's or column's coefficients."""
        at, n = self.at, self.at.own.stop
        columns, rows = np.zeros(at.level.stop), np.zeros(at.complexity + 1)
        per_row = self._covered.sum(axis=1)
        per_rate = np.abs(self._rate_u)
        columns[at.rule] = self._covers.sum(axis=1) + self._parts.sum(axis=1)
        columns[at.rule] += self._size
        ends = np.concatenate([self.first, self.second, self.third])
        columns[at.u] = self._own + np.bincount(ends, minlength=n)
        columns[at.u] += per_rate.sum(axis=0)
        columns[at.level] = np.abs(self._rate_level).sum(axis=0)
        rows[at.own] = per_row + self._own
        rows[at.cut] = self._parted.sum(axis=1) + 2
        rows[at.cut][self.with_third] += 1
        rows[at.fairness] = per_rate.sum(axis=1)
        rows[at.fairness] += np.abs(self._rate_level).sum(axis=1)
        rows[at.complexity] = self._size.sum()
        self.column_steps = LENGTH / np.maximum(columns, 1.0)
        self.row_steps = LENGTH / np.maximum(rows, 1.0)

    @property
    def entries(self) -> int:
        """How many numbers a step reads."""
        return int(2 * (self._covers.nnz + self._parts.nnz) + 9 * len(self.row_steps))

    def activity(self, point: FloatVector) -> FloatVector:
        """Return the left sides of all rows."""
        at = self.at
        weights, u = point[at.rule], point[at.u]
        found = np.empty(at.complexity + 1)
        often = self._covered @ weights
        found[at.own] = self._sign * (often - self._own * u)
        found[at.cut] = u[self.second] - u[self.first] + self._parted @ weights
        found[at.cut][self.with_third] += u[self.third]
        found[at.fairness] = self._rate_u @ u + self._rate_level @ point[at.level]
        found[at.complexity] = self._size @ weights
        return found

    def charges(self, multipliers: FloatVector) -> FloatVector:
        """Return what the rows give to each variable: cost less that is reduced."""
        at, n = self.at, self.at.own.stop
        own = self._sign * multipliers[at.own]
        cut, fairness = multipliers[at.cut], multipliers[at.fairness]
        found = np.empty(at.level.stop)
        found[at.rule] = self._covers @ own + self._parts @ cut
        found[at.rule] += multipliers[at.complexity] * self._size
        u = fairness @ self._rate_u - self._own * own
        u += np.bincount(self.second, weights=cut, minlength=n)
        u += np.bincount(self.third, weights=cut[self.with_third], minlength=n)
        u -= np.bincount(self.first, weights=cut, minlength=n)
        found[at.u] = u
        found[at.level] = fairness @ self._rate_level
        return found


def follow(
    program: SaddleProgram,
    point: FloatVector,
    multipliers: FloatVector,
    balance: float,
    steps: int,
    deadline: Deadline,
) -> tuple[FloatVector, FloatVector, float]:
    """Make so many steps from where the last ones ended; return the end and a balance.

    Steps alone go round in circles. So each goes twice as far, and then a part of the
    way back to where all began, which gets smaller from step to step (Halpern's
    iteration): that ends nearer to the saddle point than an average of the steps. The
    ``balance`` between steps of the point and of the multipliers follows how far each
    of them went. A deadline ends it by an error.
    """
    down, up = program.column_steps / balance, program.row_steps * balance
    x, y = point, multipliers
    charges = program.charges(y)
    for step in range(steps):
        deadline.check()
        deadline.spend(program.entries)
        ahead = np.clip(x - down * (program.cost - charges), 0.0, program.most)
        short = y / up - program.activity(2.0 * ahead - x)
        # A row that is met leaves nothing; one that lacks something raises its share.
        raised = up * (short + np.clip(-short, program.lower, program.upper))
        if step == steps - 1:
            x, y = ahead, raised
            break
        back = 1.0 / (step + 2)
        x = (1.0 - back) * (2.0 * ahead - x) + back * point
        y = (1.0 - back) * (2.0 * raised - y) + back * multipliers
        charges = program.charges(y)
    far_x = float(np.sum((x - point) ** 2 / program.column_steps))
    far_y = float(np.sum((y - multipliers) ** 2 / program.row_steps))
    if far_x > 0 and far_y > 0:
        balance = float(np.sqrt(balance * np.sqrt(far_y / far_x)))
    return x, y, balance
