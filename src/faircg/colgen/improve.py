"""Local search: good rule sets early, from the rules of the pool.

A step removes at most one rule and adds at most one (add, drop, swap); the pool holds
shorter and longer variants of each rule, so shortening is a swap. The best rule sets
lie at the edge of the constraint, and ways between them often lead outside, the more
so the more groups there are: outside a rule set pays a *price* for what its rates
exceed. The price falls after a search that ended inside and rises after one that ended
outside, so that the search crosses the edge again and again. When no step helps, a few
rules are taken out at random and the search goes on from there; it ends after a number
of kicks without success, never by the clock alone, so that its result can be repeated.

Only positives matter for a step, as the Hamming loss of negatives is a sum over rules.
With the 0-1 objective, and for true false positive rates, negatives are counted too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.sliced import SlicedPeople

if TYPE_CHECKING:
    from faircg.colgen.pool import Pool
    from faircg.colgen.select import Selection
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatMatrix, FloatVector, IntVector, Objective

KICKS = 60
"""Kicks in a row without success after which the search ends."""
ROUNDING = 1e-12
"""Violations of at most this are rounding."""
PRICE = 0.25
"""First price of a rate outside of its limit, as a share of all costs there are."""
STEP = 1.3
"""By how much the price rises or falls after each kick."""
LEAST_PRICE = 0.01
"""The price never falls below this part of the first one."""
STEP_WORDS = 50_000
"""Work of a step beside that of weighing all rules, in words of bits."""
HOME = 0.6
"""Share of kicks that start from the best rule set, not from the last one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ways:
    """Best rules to add: the less outside, the higher the loss.

    ``added`` has the positions of rules, one beyond the last for adding none.
    """

    loss: FloatVector
    outside: FloatVector
    added: IntVector

    @classmethod
    def best(cls, loss: FloatVector, outside: FloatVector) -> _Ways:
        """Keep what is best at some price."""
        order = np.lexsort((loss, outside))
        sorted_loss = loss[order]
        before = np.append(np.inf, np.minimum.accumulate(sorted_loss)[:-1])
        kept = order[sorted_loss < before]
        return cls(loss[kept], outside[kept], kept)


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
        self._ways: dict[bytes, _Ways] = {}
        self._complexities = pool.complexities[numbers]
        positives, negatives = problem.positives, problem.negatives
        covered = pool.covered_negatives[numbers]
        if problem.costs is not None:
            positives = np.vstack([positives, problem.miss_costs])
            negatives = np.vstack([negatives, problem.hit_costs])
            covered = np.column_stack([covered, pool.hit_costs[numbers]])
        self._negatives = covered.astype(float)
        self._positives = positives.sum(axis=1)
        self._counts_hits = self.objective == "zero_one" or problem.rate_rows.uses_hit
        counted = np.vstack([positives, negatives]) if self._counts_hits else positives
        self._people = SlicedPeople.slice(pool.covers[numbers], counted)
        everything = problem.miss_costs.sum() + problem.hit_costs.sum()
        self._first_price = PRICE * float(everything)
        self._price = self._first_price
        self._best, self._best_loss = np.zeros(0, dtype=np.int64), np.inf

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
        self._best, self._best_loss = start, self._offer(start)
        current = self._descend(start, deadline)
        failures = 0
        while (
            failures < kicks and self._best_loss > good_enough and not deadline.is_set()
        ):
            before = self._best_loss
            at_home = self._rng.random() < HOME
            kicked = self._kicked(self._best if at_home else current)
            current = self._descend(kicked, deadline)
            failures = 0 if self._best_loss < before else failures + 1

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
        """Take the best step until none lowers the loss; then change the price."""
        lowest, is_outside = np.inf, False
        while not deadline.is_set():
            best = None
            for out in deadline.in_time([-1, *range(len(chosen))]):
                rest = chosen if out < 0 else np.delete(chosen, out)
                ways = self._weighed(rest, deadline)
                if not len(ways.loss):
                    continue
                if ways.outside[0] <= 0 and ways.loss[0] < self._best_loss - 0.5:
                    self._keep(self._with(rest, ways.added[0]))
                paid = self._price * ways.outside + (ways.outside > 0)
                k = int(np.argmin(ways.loss + paid))
                if ways.loss[k] + paid[k] < lowest - 0.5:
                    lowest, is_outside = ways.loss[k] + paid[k], ways.outside[k] > 0
                    best = self._with(rest, ways.added[k])
            if best is None:
                break
            chosen = best
        cheaper = max(self._price / STEP, LEAST_PRICE * self._first_price)
        self._price = self._price * STEP if is_outside else cheaper
        return chosen

    def _with(self, rest: IntVector, added: int) -> IntVector:
        """Return a rule set with one rule more, or none."""
        return np.sort(rest if added == len(self.numbers) else np.append(rest, added))

    def _keep(self, chosen: IntVector) -> None:
        """Remember a rule set if its recount says that it is the best of this run."""
        loss = self._offer(chosen)
        if loss < self._best_loss:
            self._best, self._best_loss = chosen, loss

    def _weighed(self, rest: IntVector, deadline: Deadline) -> _Ways:
        """Return the best rules to add.

        After a kick the search mostly comes back along the ways that it went before.
        """
        key = rest.tobytes()
        if key not in self._ways:
            deadline.spend(STEP_WORDS + self._people.covers.size)
            self._ways[key] = _Ways.best(*self._losses(rest))
        return self._ways[key]

    def _losses(self, rest: IntVector) -> tuple[FloatVector, FloatVector]:
        """Loss with each rule added, then with none, and how far each is outside."""
        problem, n_counts = self.problem, len(self._positives)
        covered = self._people.covered(rest)
        now = self._people.counts(covered)
        reached = np.vstack([now + self._people.newly_covered(covered), now])
        missed = self._positives - reached[:, :n_counts]
        nothing = np.zeros((1, n_counts))
        repeated = self._negatives[rest].sum(axis=0)
        repeated = repeated + np.vstack([self._negatives, nothing])
        hit = reached[:, n_counts:] if self._counts_hits else repeated
        outside = self._outside(missed, hit)
        if self.objective == "hamming" and problem.uses_proxy:
            outside += self._outside(missed, repeated)
        losses = self._cost(missed)
        losses = losses + self._cost(repeated if self.objective == "hamming" else hit)
        used = self._complexities[rest].sum()
        losses[:-1][used + self._complexities > problem.max_complexity] = np.inf
        losses[rest] = np.inf
        return losses, outside

    def _cost(self, counted: FloatMatrix) -> FloatVector:
        """Return what the people counted cost: one each, or the last column."""
        if self.problem.costs is None:
            return np.asarray(counted.sum(axis=1))
        return counted[:, -1]

    def _outside(self, missed: FloatMatrix, hit: FloatMatrix) -> FloatVector:
        """Return how far rates exceed their limits (the selection recounts)."""
        total, n_groups = np.zeros(len(missed)), self.problem.n_groups
        for rate in self.problem.rates:
            beyond = rate.violations(missed[:, :n_groups], hit[:, :n_groups])
            total += np.where(beyond > ROUNDING, beyond, 0.0)
        return total
