"""Problem: the frozen data of one fit, with equal samples merged.

Samples that meet exactly the same conditions cannot be told apart by any rule, so they
share one *row*. A row knows how many positives and negatives of each group it stands
for; every count below is a sum over rows. Rows are sorted by their conditions, so the
problem, and with it the answer, does not depend on the order of the samples, and a
sample of weight two is the same as the sample twice.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg._kernel import ConditionBits, take, weigh
from faircg.colgen.costs import WHOLE, Costs, Units
from faircg.colgen.signatures import merge_equal, rows_at
from faircg.fairness.criterion import rates_of
from faircg.fairness.families import Family, GroupSizes
from faircg.fairness.rate_rows import RateRows
from faircg.fairness.rates import GroupRate, all_hold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from faircg.fairness.criterion import Criterion
    from faircg.typing import (
        BoolMatrix,
        BoolVector,
        Conditions,
        FloatMatrix,
        FloatVector,
        IntMatrix,
        IntVector,
        Objective,
        PackedMatrix,
    )


LARGEST_COMPLEXITY: Final = 2**31 - 1
"""Limit on complexity beyond which the solver and the kernel have no number for it."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything that the engine knows about the data and the question.

    ``bits`` says which row meets which condition; ``positives`` and ``negatives`` how
    many people of each part (first axis) each row stands for (second axis). ``groups``
    says which parts there are, and which groups of them are compared. Without
    ``costs`` each person costs one in every loss. Rates count people, never costs; with
    ``by_proxy`` false positives also count as in the paper, once for every rule.
    Where there are ``parts``, all conditions of a rule must be of one of them.
    """

    bits: ConditionBits
    positives: IntMatrix
    negatives: IntMatrix
    groups: GroupSizes
    criterion: Criterion | None
    max_complexity: int
    objective: Objective = "hamming"
    parts: tuple[Conditions, ...] = ()
    costs: Costs | None = None
    units: Units = WHOLE
    by_proxy: bool = False
    rates: tuple[GroupRate, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not 0 <= self.max_complexity <= LARGEST_COMPLEXITY:
            raise ValueError(
                f"max_complexity must be from 0 to {LARGEST_COMPLEXITY}, not "
                f"{self.max_complexity}"
            )
        object.__setattr__(self, "rates", rates_of(self.criterion, self.groups))

    @classmethod
    def merge(
        cls,
        conditions: BoolMatrix | ConditionBits,
        is_positive: BoolVector,
        *,
        families: NDArray[np.int32],
        group_codes: IntVector | None = None,
        group_names: Sequence[str] = ("everybody",),
        compared: Sequence[Family] = (),
        weights: IntVector | None = None,
        criterion: Criterion | None = None,
        max_complexity: int,
        objective: Objective = "hamming",
        parts: tuple[Conditions, ...] = (),
        costs: IntVector | None = None,
        units: Units = WHOLE,
        by_proxy: bool = False,
    ) -> Problem:
        """Merge equal samples into rows.

        ``conditions`` says which sample (first axis) meets which condition, or is
        packed; ``families`` says which are nested or exclude each other;
        ``group_codes`` are positions in ``group_names``, ``compared`` the families of
        groups, and ``weights`` says how often each sample counts. ``costs`` is what a
        wrong prediction of each sample costs, of all its people together.
        """
        n_samples = len(is_positive)
        weights = np.ones(n_samples, np.int64) if weights is None else weights
        codes = np.zeros(n_samples, np.int64) if group_codes is None else group_codes
        used = np.flatnonzero(weights)
        if not isinstance(conditions, ConditionBits):
            conditions = ConditionBits.from_matrix(conditions, families)
        covers = conditions.bits
        if len(used) < n_samples:
            covers = take(covers, used)
        first, row = merge_equal(covers, len(used))
        cell = (is_positive[used].astype(np.int64), codes[used], row)
        counts = np.zeros((2, len(group_names), len(first)), dtype=np.int64)
        np.add.at(counts, cell, weights[used])
        negatives, positives = counts
        paid = np.zeros_like(counts)
        if costs is not None:
            np.add.at(paid, cell, costs[used])
        groups = GroupSizes(
            tuple(group_names),
            positives.sum(axis=1),
            negatives.sum(axis=1),
            tuple(compared),
        )
        return cls(
            bits=ConditionBits(take(covers, first), len(first), conditions.family),
            positives=positives,
            negatives=negatives,
            groups=groups,
            criterion=criterion,
            max_complexity=max_complexity,
            objective=objective,
            parts=parts,
            costs=None if costs is None else Costs(missed=paid[1], hit=paid[0]),
            units=units,
            by_proxy=by_proxy,
        )

    @property
    def n_rows(self) -> int:
        """How many distinct rows there are."""
        return self.bits.n_rows

    @property
    def n_groups(self) -> int:
        """How many parts there are."""
        return len(self.groups.names)

    def rows_at(self, rows: IntVector) -> BoolMatrix:
        """Say which conditions some rows meet, (len(rows), n_conditions)."""
        return np.ascontiguousarray(rows_at(self.bits.bits, rows))

    def allows(self, rule: Conditions) -> bool:
        """Say whether a rule may combine its conditions."""
        return not self.parts or any(part.issuperset(rule) for part in self._parts)

    @cached_property
    def _parts(self) -> tuple[frozenset[int], ...]:
        return tuple(map(frozenset, self.parts))

    @cached_property
    def starts_feasible(self) -> bool:
        """Whether the empty rule set satisfies the constraint: it misses everybody."""
        nobody = np.zeros(self.n_groups, dtype=np.int64)
        return all_hold(self.rates, self.groups.positives, nobody)

    @cached_property
    def uses_proxy(self) -> bool:
        """Whether rates hold by the proxy too, where that was asked for.

        It belongs to the Hamming loss, and its linear master begins with the empty rule
        set; where that is not allowed, only true rates are counted.
        """
        is_paper = self.by_proxy and self.objective == "hamming"
        return is_paper and self.rate_rows.uses_hit and self.starts_feasible

    @cached_property
    def rate_rows(self) -> RateRows:
        """The fairness rows of the master."""
        return RateRows.build(self.rates, self.n_groups)

    @cached_property
    def miss_costs(self) -> IntVector:
        """What missing all positives of each row costs, (n_rows,)."""
        costs = self.positives if self.costs is None else self.costs.missed
        return np.asarray(costs.sum(axis=0))

    @cached_property
    def hit_costs(self) -> IntVector:
        """What covering all negatives of each row costs, (n_rows,)."""
        costs = self.negatives if self.costs is None else self.costs.hit
        return np.asarray(costs.sum(axis=0))

    @cached_property
    def rule_row_costs(self) -> FloatVector:
        """What each rule pays for each row that it covers, whatever others cover."""
        once = self.objective == "zero_one"
        return np.zeros(self.n_rows) if once else self.hit_costs.astype(float)

    @property
    def worst_loss(self) -> float:
        """No rule set within the limit on complexity has a higher loss."""
        most_rules = 1 if self.objective == "zero_one" else self.max_complexity // 2
        return float(self.miss_costs.sum() + most_rules * self.hit_costs.sum())

    @cached_property
    def coverage_costs(self) -> FloatVector:
        """What it costs that a row is covered: often less than nothing."""
        return self.hit_costs - self.rule_row_costs - self.miss_costs

    @cached_property
    def _people(self) -> FloatMatrix:
        """Positives, then negatives, of each group as columns (exact as floats)."""
        return np.vstack([self.positives, self.negatives]).T.astype(float)

    def count_covered(self, packed: PackedMatrix) -> tuple[IntMatrix, IntMatrix]:
        """Positives and negatives of each group that each packed cover holds."""
        counts = np.rint(weigh(packed, self._people)).astype(np.int64)
        return counts[:, : self.n_groups], counts[:, self.n_groups :]

    def cost_covered(self, packed: PackedMatrix) -> tuple[IntVector, IntVector]:
        """Return what the positives and the negatives of each packed cover cost."""
        both = np.stack([self.miss_costs, self.hit_costs], axis=1).astype(float)
        costs = np.rint(weigh(packed, both)).astype(np.int64)
        return costs[:, 0], costs[:, 1]

    def recount(self, rules: Sequence[Conditions]) -> Recount:
        """Count in integers what a rule set does; one not allowed is not feasible."""
        counted = self.recount_packed(
            self.bits.cover(rules), [1 + len(rule) for rule in rules]
        )
        if all(map(self.allows, rules)):
            return counted
        return replace(counted, is_feasible=False)

    def recount_packed(
        self, covers: PackedMatrix, complexities: Sequence[int]
    ) -> Recount:
        """Count what rules do, given their packed coverage."""
        anywhere = (
            np.bitwise_or.reduce(covers, axis=0)
            if len(covers)
            else np.zeros(self.bits.n_words, np.uint64)
        )
        all_covers = np.vstack([anywhere[np.newaxis], covers])
        positives, negatives = self.count_covered(all_covers)
        missed, hit = self.groups.positives - positives[0], negatives[0]
        repeated = negatives[1:].sum(axis=0)
        is_feasible = all_hold(self.rates, missed, hit)
        costs = int(missed.sum()), int(hit.sum()), int(repeated.sum())
        if self.costs is not None:
            saved, paid = self.cost_covered(all_covers)
            costs = (
                int(self.miss_costs.sum() - saved[0]),
                int(paid[0]),
                int(paid[1:].sum()),
            )
        return Recount(
            missed=missed,
            hit=hit,
            repeated=repeated,
            missed_cost=costs[0],
            hit_cost=costs[1],
            repeated_cost=costs[2],
            complexity=int(sum(complexities)),
            is_feasible=is_feasible and sum(complexities) <= self.max_complexity,
            meets_proxy=not self.uses_proxy or all_hold(self.rates, missed, repeated),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Recount:
    """What a rule set does, in whole people of each group.

    ``missed`` counts positives that no rule covers, ``hit`` negatives that some rule
    covers, and ``repeated`` negatives once for every rule that covers them. With the
    last instead of the second, rates are those of the proxy. The costs are those of
    all groups together: as many as the people, unless the problem has others.
    """

    missed: IntVector
    hit: IntVector
    repeated: IntVector
    missed_cost: int
    hit_cost: int
    repeated_cost: int
    complexity: int
    is_feasible: bool
    meets_proxy: bool

    @property
    def hamming_loss(self) -> int:
        """Cost of missed positives, and of negatives once per rule (paper, 3.2)."""
        return self.missed_cost + self.repeated_cost

    @property
    def zero_one_loss(self) -> int:
        """What the wrong predictions cost: one each, unless there are costs."""
        return self.missed_cost + self.hit_cost

    @property
    def errors(self) -> int:
        """People whose prediction is wrong, whatever that costs."""
        return int(self.missed.sum() + self.hit.sum())

    def loss(self, objective: Objective) -> int:
        """Return the loss that the master minimises."""
        return self.hamming_loss if objective == "hamming" else self.zero_one_loss

    def solves_master(self, objective: Objective) -> bool:
        """Whether the rule set is a solution of the integer master.

        With Hamming loss its false positive rows count by the proxy, as in the paper.
        """
        return self.is_feasible and (objective == "zero_one" or self.meets_proxy)


def fingerprint(problem: Problem) -> str:
    """Return a short hash of the merged data.

    It does not depend on the order of samples.
    """
    digest = hashlib.sha256()
    for array in (
        problem.bits.bits,
        problem.bits.family,
        problem.positives,
        problem.negatives,
        *(() if problem.costs is None else (problem.costs.missed, problem.costs.hit)),
    ):
        digest.update(repr(array.shape).encode())
        digest.update(array.tobytes())
    if problem.parts:
        digest.update(repr(problem.parts).encode())
    return digest.hexdigest()[:16]
