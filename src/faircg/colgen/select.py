"""Selection: every integer solution seen is recounted; the best feasible one wins.

Two winners are kept. The *objective* winner has the lowest loss that the master
minimises; the certificate speaks of it. The *returned* winner has the lowest true 0-1
loss (paper, section 4), that is the fewest wrong predictions, or the least that they
cost where costs are given: optimising Hamming loss passes many solutions, and one of
them often classifies better. A rule set whose true rates are not within epsilon wins
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.events import Incumbent, OnEvent, ignore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faircg.colgen.problem import Problem, Recount
    from faircg.typing import Conditions


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A rule set and its recount."""

    rules: tuple[Conditions, ...]
    recount: Recount

    @property
    def tie_break(self) -> tuple[int, int, tuple[Conditions, ...]]:
        """Prefer the simpler of two equally good rule sets."""
        return self.recount.complexity, len(self.rules), self.rules


class Selection:
    """Judges rule sets as they come, and first those that are known.

    The empty rule set is always known: for criteria on gaps it is feasible.
    """

    def __init__(
        self,
        problem: Problem,
        on_event: OnEvent = ignore,
        known: Iterable[Iterable[Conditions]] = (),
    ) -> None:
        self.problem = problem
        self._on_event = on_event
        self.objective_winner: Candidate | None = None
        self.returned_winner: Candidate | None = None
        self.n_judged = 0
        self._seen: dict[tuple[Conditions, ...], Candidate] = {}
        for rules in ((), *known):
            self.offer(rules)

    @property
    def objective(self) -> float:
        """Loss of the objective winner; infinity while there is none."""
        if self.objective_winner is None:
            return np.inf
        return self.objective_winner.recount.loss(self.problem.objective)

    @property
    def errors(self) -> float:
        """Wrong predictions of the returned winner; infinity while there is none."""
        if self.returned_winner is None:
            return np.inf
        return self.returned_winner.recount.errors

    def offer(self, rules: Iterable[Conditions]) -> Candidate:
        """Recount a rule set and keep it if it wins."""
        key = tuple(sorted(set(rules)))
        if key in self._seen:
            return self._seen[key]
        candidate = Candidate(key, self.problem.recount(key))
        self._seen[key] = candidate
        self.n_judged += 1
        before = self.objective, self.errors
        recount = candidate.recount
        if recount.solves_master(self.problem.objective) and (
            self.objective_winner is None
            or self._by_objective(candidate) < self._by_objective(self.objective_winner)
        ):
            self.objective_winner = candidate
        if recount.is_feasible and (
            self.returned_winner is None
            or self._by_errors(candidate) < self._by_errors(self.returned_winner)
        ):
            self.returned_winner = candidate
        if (self.objective, self.errors) != before:
            self._on_event(Incumbent(self.objective, self.errors))
        return candidate

    def fewest_errors(self, most: int) -> list[Candidate]:
        """Return the feasible rule sets of lowest 0-1 loss seen so far."""
        feasible = [c for c in self._seen.values() if c.recount.is_feasible]
        return sorted(feasible, key=self._by_errors)[:most]

    def _by_objective(self, candidate: Candidate) -> tuple[object, ...]:
        recount = candidate.recount
        loss = recount.loss(self.problem.objective)
        return loss, recount.zero_one_loss, candidate.tie_break

    def _by_errors(self, candidate: Candidate) -> tuple[object, ...]:
        # Of those that make as few errors, people would rather read the shortest.
        recount = candidate.recount
        losses = recount.zero_one_loss, recount.errors, recount.complexity
        return *losses, recount.hamming_loss, candidate.tie_break
