r"""The master problem, as a linear or an integer program.

Variables: ``missed`` (zeta) of positives, ``w`` of rules, ``level`` of each rate, and,
where false positives must be counted once, ``hit`` of negatives. The rows are

    cover       missed_i +   sum_{k covers i} w_k >= 1                (MmisP)
    exclude   C missed_i + 2 sum_{k covers i} w_k <= C                (MmisP2)
    hit       C/2 hit_i  -   sum_{k covers i} w_k >= 0                (accZ)
    unhit         hit_i  -   sum_{k covers i} w_k <= 0
    complexity               sum_k        c_k w_k <= C                (Mcomplex)
    fairness  0 <= count_g - size_g level <= size_g epsilon           (eo1-eo4)

*Equal signatures merge.* Positives of one group that are covered by exactly the same
rules of the master share one variable and one row with a count (a *cell*); by symmetry
neither the linear nor the integer optimum changes. Positives that no rule covers are
missed for certain and leave the model as a constant.

The linear program sets no upper bound on ``w`` (paper, end of section 3): its dual
would be a term that no pricing problem can see, and column generation would cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from faircg.colgen.cells import Cells
from faircg.colgen.row_builder import RowBuilder
from faircg.colgen.signatures import merge_equal
from faircg.solver.highs import INFINITY, LinearModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.colgen.pool import Pool
    from faircg.colgen.problem import Problem
    from faircg.fairness.rate_rows import RateRows
    from faircg.typing import (
        BoolVector,
        FloatMatrix,
        FloatVector,
        IntVector,
        PackedMatrix,
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the variables and the rows of each kind lie."""

    missed: slice
    hit: slice
    rule: slice
    cover: slice
    exclude: slice
    hit_row: slice
    unhit: slice
    complexity: int
    fairness: tuple[slice, ...]


@dataclass(frozen=True, eq=False)
class Master:
    """The master over some rules of the pool: those with these ``numbers``.

    With ``exact_rates`` false positives count once in *additional* fairness rows; the
    0-1 objective does so anyway, while with Hamming loss the paper's rows count them
    once per rule. ``forbidden`` rule sets may not be chosen by the integer program.
    ``excluding`` says for each group whether its positives get exclude rows; all by
    default. They are needed only where missing a positive pays; without them the
    program is a relaxation, and an integer program keeps ``missed`` continuous.
    """

    problem: Problem
    pool: Pool
    numbers: IntVector
    is_integer: bool = False
    exact_rates: bool = False
    forbidden: tuple[tuple[int, ...], ...] = ()
    excluding: tuple[bool, ...] | None = None

    @property
    def counts_hits(self) -> bool:
        """Whether negatives have variables of their own."""
        exact = self.exact_rates or not self.problem.uses_proxy
        counts = exact and self.problem.rate_rows.uses_hit
        return self.problem.objective == "zero_one" or counts

    @property
    def most_level(self) -> float:
        """The largest level of a rate: by the proxy each rule counts a negative."""
        return max(1.0, self.problem.max_complexity / 2.0)

    @cached_property
    def covers(self) -> PackedMatrix:
        """Packed coverage of each rule."""
        return self.pool.covers[self.numbers]

    @cached_property
    def _classes(self) -> IntVector:
        """Number of each row's signature."""
        return merge_equal(self.covers, self.problem.n_rows)[1]

    @cached_property
    def positives(self) -> Cells:
        """Positives, merged."""
        costs = None if self.problem.costs is None else self.problem.costs.missed
        return Cells.merge(self.problem.positives, self.covers, self._classes, costs)

    @cached_property
    def negatives(self) -> Cells:
        """Negatives, merged; only needed where hits are counted."""
        costs = None if self.problem.costs is None else self.problem.costs.hit
        return Cells.merge(self.problem.negatives, self.covers, self._classes, costs)

    @cached_property
    def excluded(self) -> IntVector:
        """Cells of positives with an exclude row."""
        if not self.problem.rate_rows.uses_missed:
            return np.zeros(0, dtype=np.int64)
        if self.excluding is None:
            return np.arange(len(self.positives))
        return np.flatnonzero(np.array(self.excluding)[self.positives.group])

    @property
    def rate_blocks(self) -> tuple[tuple[RateRows, bool], ...]:
        """Fairness rows, each with whether they count hits instead of the proxy."""
        rows = self.problem.rate_rows
        if not len(rows):
            return ()
        if self.problem.objective == "zero_one" or not self.problem.uses_proxy:
            return ((rows, self.counts_hits),)
        return ((rows, False), (rows, True)) if self.counts_hits else ((rows, False),)

    @cached_property
    def layout(self) -> Layout:
        """Positions of variables and rows."""
        n_missed = len(self.positives)
        n_hit = len(self.negatives) if self.counts_hits else 0
        n_rules = len(self.numbers)
        rows = self.problem.rate_rows
        missed, hit, rule = _consecutive([n_missed, n_hit, n_rules])
        lengths = [
            n_missed,
            len(self.excluded),
            n_hit,
            n_hit if rows.uses_hit else 0,
            1,
            *(len(block) for block, _ in self.rate_blocks),
        ]
        cover, exclude, hit_row, unhit, complexity, *fairness = _consecutive(lengths)
        return Layout(
            missed=missed,
            hit=hit,
            rule=rule,
            cover=cover,
            exclude=exclude,
            hit_row=hit_row,
            unhit=unhit,
            complexity=complexity.start,
            fairness=tuple(fairness),
        )

    @cached_property
    def model(self) -> LinearModel:
        """The program that the solver gets."""
        problem, at, missed = self.problem, self.layout, self.positives
        n_columns = at.rule.stop + sum(rows.n_levels for rows, _ in self.rate_blocks)
        cost = np.zeros(n_columns)
        cost[at.missed] = missed.cost
        if problem.objective == "hamming":
            cost[at.rule] = self.pool.hit_costs[self.numbers]
        elif self.counts_hits:
            cost[at.hit] = self.negatives.cost
        lower, upper = np.zeros(n_columns), np.full(n_columns, INFINITY)
        integer = np.zeros(n_columns, dtype=bool)
        if self.is_integer:
            upper[: at.rule.stop] = 1.0
            integer[at.rule] = True
            # Continuous zeta would let a covered positive claim to be half missed.
            integer[self.excluded] = True
            integer[at.hit] = True  # nor may a covered negative be half hit

        builder = RowBuilder(n_columns)
        self._add_people(builder)
        complexity = self.pool.complexities[self.numbers].astype(float)
        C = float(problem.max_complexity)
        builder.add([(at.rule, complexity[np.newaxis])], -INFINITY, C)
        self._add_rates(builder, lower)
        for chosen in self.forbidden:
            taken = np.isin(self.numbers, chosen)
            sign = np.where(taken, 1.0, -1.0)[np.newaxis]
            builder.add([(at.rule, sign)], -INFINITY, float(taken.sum()) - 1.0)
        return LinearModel(
            cost=cost,
            lower=lower,
            upper=upper,
            matrix=builder.matrix(),
            row_lower=np.concatenate(builder.lower),
            row_upper=np.concatenate(builder.upper),
            integer=integer,
            offset=missed.uncovered_cost,
        )

    @cached_property
    def _covered(self) -> FloatMatrix:
        """Negatives of each group (second axis) that each rule covers."""
        return self.pool.covered_negatives[self.numbers].astype(float)

    def _add_people(self, builder: RowBuilder) -> None:
        """Add cover and exclude rows of positives, hit and unhit rows of negatives."""
        at, missed = self.layout, self.positives
        identity = sparse.eye_array(len(missed), format="csr")
        builder.add([(at.missed, identity), (at.rule, missed.signature)], 1.0, INFINITY)
        if len(self.excluded):
            # At most C/2 rules fit; an integer program may count those that exist.
            most = self._most_rules(missed)[self.excluded]
            scaled = sparse.diags_array(most) @ identity[self.excluded]
            C = float(self.problem.max_complexity)
            builder.add(
                [(at.missed, scaled), (at.rule, missed.signature[self.excluded])],
                -INFINITY,
                most,
                scale=None if self.is_integer else C / most,
            )
        if self.counts_hits:
            hits = self.negatives
            most = self._most_rules(hits)
            builder.add(
                [(at.hit, sparse.diags_array(most)), (at.rule, -hits.signature)],
                0.0,
                INFINITY,
            )
            if self.problem.rate_rows.uses_hit:
                one = sparse.eye_array(len(hits), format="csr")
                builder.add([(at.hit, one), (at.rule, -hits.signature)], -INFINITY, 0.0)

    def _add_rates(self, builder: RowBuilder, lower: FloatVector) -> None:
        """Add the fairness rows, and say how low the levels may be."""
        at, missed, start = self.layout, self.positives, self.layout.rule.stop
        for rows, by_hits in self.rate_blocks:
            levels = slice(start, start + rows.n_levels)
            start = levels.stop
            lower[levels] = np.where(rows.counts_down & ~by_hits, -self.most_level, 0.0)
            columns: list[tuple[slice, FloatMatrix]] = []
            columns.append((at.missed, rows.missed[:, missed.group] * missed.count))
            if by_hits:
                hits = self.negatives
                columns.append((at.hit, rows.hit[:, hits.group] * hits.count))
            else:
                columns.append((at.rule, rows.hit @ self._covered.T))
            level = np.zeros((len(rows), rows.n_levels))
            level[np.arange(len(rows)), rows.of] = rows.weight
            columns.append((levels, level))
            certain = rows.missed @ missed.uncovered + rows.constant
            builder.add(columns, rows.lower - certain, rows.upper - certain)

    def _most_rules(self, cells: Cells) -> FloatVector:
        """How many selected rules can cover a cell at once."""
        half = self.problem.max_complexity / 2
        if not self.is_integer:
            return np.full(len(cells), half)
        covering = np.diff(cells.signature.indptr)
        most: FloatVector = np.maximum(1.0, np.minimum(covering, np.floor(half)))
        return most

    def values_of(self, chosen: Sequence[int]) -> FloatVector:
        """Values of all variables for the rule set of these pool numbers."""
        taken = np.isin(self.numbers, np.asarray(chosen, dtype=np.int64))
        values = np.zeros(len(self.model.cost))
        values[self.layout.rule] = taken
        weights = taken.astype(float)
        values[self.layout.missed] = self.positives.signature @ weights == 0
        if self.counts_hits:
            values[self.layout.hit] = self.negatives.signature @ weights > 0
        start = self.layout.rule.stop
        missed = self.positives.count_of(values[self.layout.missed])
        missed += self.positives.uncovered
        repeated = weights @ self._covered
        for rows, by_hits in self.rate_blocks:
            hit = repeated
            if by_hits:
                hit = self.negatives.count_of(values[self.layout.hit])
            values[start : start + rows.n_levels] = rows.levels(missed, hit)
            start += rows.n_levels
        return values

    def chosen(self, values: FloatVector) -> tuple[int, ...]:
        """Pool numbers of the rules that a solution takes: integers from here on."""
        taken: BoolVector = values[self.layout.rule] > 0.5
        return tuple(int(number) for number in self.numbers[taken])


def _consecutive(lengths: Sequence[int]) -> list[slice]:
    stops = np.cumsum(lengths).tolist()
    return [slice(stop - n, stop) for stop, n in zip(stops, lengths, strict=True)]
