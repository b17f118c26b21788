r"""The coverage master: one variable says whether a row is covered.

Rows that no rule tells apart share a variable ``u``. Whoever is predicted wrongly,
missed, hit or selected is then an affine function of ``u``, for any criterion and
without a proxy:

    min   sum_i miss_i (1 - u_i) + hit_i u_i              (0-1 loss)
          sum_i miss_i (1 - u_i) + sum_k hit(k) w_k       (Hamming loss)
    cover      sum_{k covers i} w_k - u_i >= 0
    link     C u_i - sum_{k covers i} c_k w_k >= 0
    many     H u_i - sum_{k covers i} w_k >= 0            H = floor(C / 2)
    pair   u_j - u_i + sum_{k covers i, not j} w_k >= 0   for some pairs of rows
    complexity  sum_k c_k w_k <= C,  fairness rows in u,  0 <= u <= 1,  w >= 0

The pair cut is valid: if row ``i`` is covered, then either a rule that covers it covers
``j`` as well, or a rule that covers ``i`` and not ``j`` was chosen. The links: rules
that cover a row have at most the complexity of all, and are at most as many as fit,
because each has a complexity of two or more; of these the first is the stronger one,
unless ``C`` is odd. The cuts are what makes the linear program strong;
:mod:`faircg.colgen.coverage.pair_cuts` finds those that are violated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from faircg._kernel import weigh
from faircg.colgen.coverage.cells import RowCells
from faircg.colgen.coverage.row_costs import rate_ends
from faircg.colgen.row_builder import RowBuilder
from faircg.solver.highs import INFINITY, LinearModel

if TYPE_CHECKING:
    from faircg.colgen.coverage.pair_cuts import PairCuts
    from faircg.colgen.pool import Pool
    from faircg.colgen.problem import Problem
    from faircg.typing import BoolMatrix, IntVector


@dataclass(frozen=True, slots=True)
class CoverageLayout:
    """Where the variables and the rows of each kind lie."""

    u: slice
    rule: slice
    level: slice
    short: slice
    cover: slice
    link: slice
    many: slice
    complexity: int
    fairness: slice
    cut: slice


@dataclass(frozen=True, eq=False)
class CoverageMaster:
    """The linear coverage master over some rules of the pool, with some pair cuts.

    A pair of rows within one cell, or with a row that no rule covers, needs no cut.
    With ``penalty`` fairness rows may be violated at that price for each person: a
    relaxation that always has a solution.
    """

    problem: Problem
    pool: Pool
    numbers: IntVector
    cuts: PairCuts
    penalty: float = 0.0

    @property
    def first(self) -> IntVector:
        """The first row of each pair."""
        return self.cuts.first

    @property
    def second(self) -> IntVector:
        """The second row of each pair."""
        return self.cuts.second

    @property
    def most_rules(self) -> float:
        """How many rules fit: each has a complexity of at least two."""
        return float(max(1, self.problem.max_complexity // 2))

    @cached_property
    def cells(self) -> RowCells:
        """Rows that no rule of this master tells apart."""
        return RowCells.merge(self.pool.covers[self.numbers], self.problem.n_rows)

    @cached_property
    def used(self) -> IntVector:
        """Numbers of the pairs that are cuts: one for each two cells."""
        i, j = self.cells.of[self.first], self.cells.of[self.second]
        cut = np.flatnonzero((i >= 0) & (j >= 0) & (i != j))
        keys = i[cut] * len(self.cells) + j[cut]
        _, once = np.unique(keys, return_index=True)
        return np.asarray(cut[np.sort(once)])

    @cached_property
    def apart(self) -> BoolMatrix:
        """Which rules cover the first cell of each cut and not the second."""
        signature, of = self.cells.signature, self.cells.of
        first, second = of[self.first[self.used]], of[self.second[self.used]]
        return signature[first] & ~signature[second]

    @cached_property
    def layout(self) -> CoverageLayout:
        """Where everything is."""
        m, n_rates = len(self.cells), len(self.problem.rate_rows)
        at = m + len(self.numbers)
        level = slice(at, at + self.problem.rate_rows.n_levels)
        n_short = 2 * n_rates if self.penalty > 0 else 0
        many = m if self.problem.max_complexity % 2 else 0
        fair = 2 * m + many + 1
        return CoverageLayout(
            u=slice(0, m),
            rule=slice(m, at),
            level=level,
            short=slice(level.stop, level.stop + n_short),
            cover=slice(0, m),
            link=slice(m, 2 * m),
            many=slice(2 * m, 2 * m + many),
            complexity=2 * m + many,
            fairness=slice(fair, fair + n_rates),
            cut=slice(fair + n_rates, fair + n_rates + len(self.used)),
        )

    @cached_property
    def model(self) -> LinearModel:
        """The program that the solver gets."""
        problem, at, cells = self.problem, self.layout, self.cells
        n_columns = at.short.stop
        cost = np.zeros(n_columns)
        cost[at.u] = cells.totals(problem.coverage_costs)
        covers = self.pool.covers[self.numbers]
        cost[at.rule] = weigh(covers, problem.rule_row_costs)
        cost[at.short] = self.penalty
        upper = np.full(n_columns, INFINITY)
        upper[at.u] = 1.0
        builder = RowBuilder(n_columns)
        one = sparse.eye_array(len(cells), format="csr")
        covering = sparse.csr_array(cells.signature.astype(float))
        builder.add([(at.u, -one), (at.rule, covering)], 0.0, INFINITY)
        complexity = self.pool.complexities[self.numbers].astype(float)
        limit = float(problem.max_complexity)
        taken = sparse.csr_array(covering * complexity[np.newaxis])
        builder.add([(at.u, limit * one), (at.rule, -taken)], 0.0, INFINITY)
        if at.many.start < at.many.stop:
            parts = [(at.u, self.most_rules * one), (at.rule, -covering)]
            builder.add(parts, 0.0, INFINITY)
        builder.add([(at.rule, complexity[np.newaxis])], -INFINITY, limit)
        self._add_rates(builder)
        self._add_cuts(builder)
        return LinearModel(
            cost=cost,
            lower=np.zeros(n_columns),
            upper=upper,
            matrix=builder.matrix(),
            row_lower=np.concatenate(builder.lower),
            row_upper=np.concatenate(builder.upper),
            integer=np.zeros(n_columns, dtype=bool),
            offset=float(problem.miss_costs.sum()),
        )

    def _add_rates(self, builder: RowBuilder) -> None:
        """Add the fairness rows: who is covered is not missed, or is hit."""
        rows, at = self.problem.rate_rows, self.layout
        if not len(rows):
            return
        covered = rows.hit @ self.cells.people(self.problem.negatives)
        covered -= rows.missed @ self.cells.people(self.problem.positives)
        level = np.zeros((len(rows), rows.n_levels))
        level[np.arange(len(rows)), rows.of] = rows.weight
        parts: list[tuple[slice, np.ndarray]] = [(at.u, covered), (at.level, level)]
        if self.penalty > 0:
            one = np.eye(len(rows))
            parts.append((at.short, np.hstack([one, -one])))
        builder.add(parts, *rate_ends(self.problem))

    def _add_cuts(self, builder: RowBuilder) -> None:
        """Add the pair cuts."""
        at, n_cuts, of = self.layout, len(self.used), self.cells.of
        if not n_cuts:
            return
        number = np.arange(n_cuts)
        ends = np.concatenate([of[self.second[self.used]], of[self.first[self.used]]])
        signs = np.concatenate([np.ones(n_cuts), -np.ones(n_cuts)])
        shape = (n_cuts, len(self.cells))
        u = sparse.csr_array((signs, (np.tile(number, 2), ends)), shape=shape)
        builder.add(
            [(at.u, u), (at.rule, sparse.csr_array(self.apart.astype(float)))],
            0.0,
            INFINITY,
        )
