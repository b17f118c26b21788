"""Local search: good rule sets early, from the rules of the pool.

A step removes at most one rule and adds at most one (add, drop, swap); the pool holds
shorter and longer variants of each rule, so shortening is a swap. A step must lower the
master's loss and keep the rates within epsilon. When no step helps, a rule or two are
taken out at random and the search goes on from there; it ends after a number of kicks
without success, never by the clock alone, so that its result can be repeated.

Only positives matter for a step, as the Hamming loss of negatives is a sum over rules:
covers are packed over the rows that hold positives. With the 0-1 objective, and for
true false positive rates, the rows of negatives are weighed as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import ConditionBits, unpack, weigh
from faircg.colgen.signatures import merge_equal, signatures

if TYPE_CHECKING:
    from faircg.colgen.pool import Pool
    from faircg.colgen.select import Selection
    from faircg.colgen.stop import Deadline
    from faircg.typing import (
        BoolVector,
        FloatMatrix,
        FloatVector,
        IntVector,
        Objective,
        PackedMatrix,
    )

KICKS = 60
"""Kicks in a row without success after which the search ends."""
ROUNDING = 1e-12
"""Violations of at most this are rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """People of one label: packed covers over their rows, and their counts.

    The last column of ``people`` is what they cost, if that is not their number.
    """

    covers: PackedMatrix
    people: FloatMatrix
    """(n_rows, n_groups) or (n_rows, n_groups + 1)"""

    def uncovered(self, chosen: IntVector) -> BoolVector:
        """Return the rows that none of these rules covers."""
        cover = unpack(self.covers[chosen], len(self.people))
        return np.asarray(~cover.any(axis=0), dtype=bool)

    def newly_covered(self, free: BoolVector) -> FloatMatrix:
        """People of each group, among the free rows, that each rule covers."""
        return weigh(self.covers, self.people * free[:, np.newaxis])


class LocalSearch:
    """Improves rule sets made of some rules of the pool; the selection judges them all.

    ``objective`` is the loss to lower, the master's by default. With 0-1 loss only
    true rates count, whatever the master minimises.
    """

    def __init__(
        self,
        pool: Pool,
        numbers: IntVector,
        selection: Selection,
        seed: int = 0,
        objective: Objective | None = None,
    ) -> None:
        problem = pool.problem
        self.problem, self.pool, self.selection = problem, pool, selection
        self.objective = problem.objective if objective is None else objective
        self.numbers = numbers
        self._rng = np.random.default_rng(seed)
        self._additions: dict[bytes, tuple[float, int]] = {}
        self._complexities = pool.complexities[numbers]
        negatives, positive_counts = problem.negatives, problem.positives
        covered = pool.covered_negatives[numbers]
        if problem.costs is not None:
            positive_counts = np.vstack([positive_counts, problem.miss_costs])
            negatives = np.vstack([negatives, problem.hit_costs])
            covered = np.column_stack([covered, pool.hit_costs[numbers]])
        self._negatives = covered.astype(float)
        covers = pool.covers[numbers]
        self._positive_side = _side(covers, positive_counts)
        # Where the search begins outside of the constraint it must find its way in.
        everything = problem.miss_costs.sum() + problem.hit_costs.sum()
        self._dear = 0.0 if problem.starts_feasible else 1e3 * float(everything)
        counts_hits = self.objective == "zero_one" or problem.rate_rows.uses_hit
        self._negative_side = _side(covers, negatives) if counts_hits else None

    def run(
        self,
        start: IntVector,
        deadline: Deadline,
        *,
        kicks: int = KICKS,
        good_enough: float = -np.inf,
    ) -> None:
        """Search from a rule set, given as positions in ``numbers``.

        Ends after so many kicks in a row without success, or at a loss that nothing can
        beat (``good_enough``).
        """
        best = current = self._descend(start, deadline)
        best_loss = self._offer(best)
        failures = 0
        while failures < kicks and best_loss > good_enough and not deadline.is_set():
            current = self._descend(self._kicked(best), deadline)
            loss = self._offer(current)
            if loss < best_loss:
                best, best_loss, failures = current, loss, 0
            else:
                failures += 1

    def _offer(self, chosen: IntVector) -> float:
        """Let the selection recount a rule set; return its loss if it is feasible."""
        rules = [self.pool[int(n)] for n in self.numbers[chosen]]
        recount = self.selection.offer(rules).recount
        if not recount.solves_master(self.objective):
            return np.inf
        return recount.loss(self.objective)

    def _kicked(self, chosen: IntVector) -> IntVector:
        """Take out a rule or two, and sometimes put a random one in."""
        count = min(len(chosen), int(self._rng.integers(1, 4)))
        kept = self._rng.permutation(chosen)[count:]
        if self._rng.random() < 0.5:
            room = self.problem.max_complexity - self._complexities[kept].sum()
            fitting = np.flatnonzero(self._complexities <= room)
            if len(fitting):
                # Rules come in the order of their reduced cost: favour the first.
                pick = int(len(fitting) * self._rng.random() ** 3)
                kept = np.union1d(kept, fitting[pick])
        return np.sort(kept)

    def _descend(self, chosen: IntVector, deadline: Deadline) -> IntVector:
        """Take the best step until none lowers the loss."""
        loss = np.inf
        while not deadline.is_set():
            best_loss, best = loss, None
            for out in [-1, *range(len(chosen))]:
                rest = chosen if out < 0 else np.delete(chosen, out)
                next_loss, j = self._best_addition(rest)
                if next_loss < best_loss - 0.5:
                    best_loss = next_loss
                    extra = [] if j == len(self.numbers) else [j]
                    best = np.union1d(rest, np.array(extra, dtype=np.int64))
            if best is None:
                break
            chosen, loss = best.astype(np.int64), best_loss
        return chosen

    def _best_addition(self, rest: IntVector) -> tuple[float, int]:
        """Return the lowest loss with one rule added, or none, and which one.

        After a kick the search mostly comes back along the ways that it went before.
        """
        key = rest.tobytes()
        if key not in self._additions:
            losses = self._losses(rest)
            j = int(np.argmin(losses))
            self._additions[key] = float(losses[j]), j
        return self._additions[key]

    def _losses(self, rest: IntVector) -> FloatVector:
        """Loss with each rule added, then with none; infinite where not allowed."""
        problem = self.problem
        free = self._positive_side.uncovered(rest)
        now_missed = free @ self._positive_side.people
        gain = self._positive_side.newly_covered(free)
        missed = np.vstack([now_missed - gain, now_missed])
        repeated = self._negatives[rest].sum(axis=0) + np.vstack(
            [self._negatives, np.zeros(self._negatives.shape[1])]
        )
        covered = repeated
        if self._negative_side is not None:
            unhit = self._negative_side.uncovered(rest)
            now_hit = (~unhit) @ self._negative_side.people
            more = self._negative_side.newly_covered(unhit)
            covered = np.vstack([now_hit + more, now_hit])
        losses: FloatVector = self._cost(covered) + self._price(missed, covered)
        if self.objective == "hamming":
            losses = self._cost(repeated) + self._price(missed, covered)
            if problem.uses_proxy:
                losses += self._price(missed, repeated)
        losses += self._cost(missed)
        used = self._complexities[rest].sum()
        losses[:-1][used + self._complexities > problem.max_complexity] = np.inf
        losses[rest] = np.inf
        return losses

    def _cost(self, counted: FloatMatrix) -> FloatVector:
        """Return what the people counted cost: one each, or the last column."""
        if self.problem.costs is None:
            return np.asarray(counted.sum(axis=1))
        return counted[:, -1]

    def _price(self, missed: FloatMatrix, covered: FloatMatrix) -> FloatVector:
        """Return what counts outside of the constraint pay (the selection recounts).

        Infinity, if the search began inside.
        """
        price, n_groups = np.zeros(len(missed)), self.problem.n_groups
        for rate in self.problem.rates:
            outside = rate.violations(missed[:, :n_groups], covered[:, :n_groups])
            if self._dear:
                price += self._dear * np.maximum(outside, 0.0)
            price[outside > ROUNDING] += 1.0 if self._dear else np.inf
        return price


def _side(covers: PackedMatrix, people: np.ndarray[tuple[int, int], np.dtype]) -> _Side:
    """Pack covers over the rows where people of one label are, equal rows merged."""
    present = np.flatnonzero(people.any(axis=0))
    present = present if len(present) else np.zeros(1, np.int64)  # nobody: one row of 0
    part = signatures(covers, people.shape[1], present)
    first, member = merge_equal(part)
    counts = np.zeros((len(first), len(people)))
    np.add.at(counts, member, people[:, present].T.astype(float))
    merged = ConditionBits.from_matrix(
        np.ascontiguousarray(part[first]), np.zeros(len(covers), dtype=np.int32)
    )
    return _Side(merged.bits, counts)
