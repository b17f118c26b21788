"""Pool: every rule met so far, one for each distinct coverage.

Two rules that cover the same rows are the same column of the master except for their
complexity, so only the shorter one is kept (of equally long ones the first in
lexicographic order, to be deterministic).
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from faircg.colgen.problem import Problem
    from faircg.typing import (
        Conditions,
        IntMatrix,
        IntVector,
        PackedMatrix,
    )


class Pool:
    """The rules that the restricted master may use."""

    def __init__(self, problem: Problem, rules: Iterable[Conditions] = ()) -> None:
        self.problem = problem
        self._rules: list[Conditions] = []
        self._number: dict[bytes, int] = {}
        self._covers = np.zeros((64, problem.bits.n_words), np.uint64)
        self._negatives = np.zeros((64, problem.n_groups), np.int64)
        self._costs = np.zeros(64, np.int64)
        self.add(rules)

    def __len__(self) -> int:
        return len(self._rules)

    def __getitem__(self, number: int) -> Conditions:
        return self._rules[number]

    @property
    def rules(self) -> tuple[Conditions, ...]:
        """All rules, in the order they came."""
        return tuple(self._rules)

    @property
    def covers(self) -> PackedMatrix:
        """Packed coverage of each rule."""
        return self._covers[: len(self)]

    @property
    def covered_negatives(self) -> IntMatrix:
        """Negatives of each group (second axis) that each rule covers."""
        return self._negatives[: len(self)]

    @property
    def hit_costs(self) -> IntVector:
        """What covering its negatives costs each rule."""
        return self._costs[: len(self)]

    @property
    def complexities(self) -> IntVector:
        """``c_k``: one plus the number of conditions."""
        return np.array([1 + len(rule) for rule in self._rules], dtype=np.int64)

    def add(self, rules: Iterable[Conditions]) -> list[int]:
        """Add rules; return the numbers of those that are new or became shorter.

        Rules that cover nobody are left out, as they change no prediction, and rules
        that the problem does not allow.
        """
        distinct = {tuple(sorted(set(rule))) for rule in rules}
        wanted = sorted(filter(self.problem.allows, distinct), key=_shortness)
        if not wanted:
            return []
        covers = self.problem.bits.cover(wanted)
        fresh: list[int] = []
        for rule, cover in zip(wanted, covers, strict=True):
            if not cover.any():
                continue
            number = self._number.setdefault(_key(cover), len(self._rules))
            if number == len(self._rules):
                self._append(rule, cover)
                fresh.append(number)
            elif _shortness(rule) < _shortness(self._rules[number]):
                shorter = len(rule) < len(self._rules[number])
                self._rules[number] = rule
                fresh += [number] if shorter else []
        self._count(fresh)
        return fresh

    def numbers_of(self, rules: Iterable[Conditions]) -> IntVector:
        """Return the numbers of the rules that cover the same as these, in order."""
        covers = self.problem.bits.cover([*rules])
        found = {self._number.get(_key(cover), -1) for cover in covers} - {-1}
        return np.array(sorted(found), dtype=np.int64)

    @classmethod
    def in_order(cls, problem: Problem, rules: Sequence[Conditions]) -> Pool:
        """Return a pool of rules that another had, with the same numbers."""
        pool = cls(problem)
        if not all(map(problem.allows, rules)):
            raise ValueError("a rule of the pool is not allowed")
        for rule, cover in zip(rules, problem.bits.cover(rules), strict=True):
            pool._number[_key(cover)] = len(pool)
            pool._append(rule, cover)
        if len(pool._number) < len(pool):
            raise ValueError("two rules of the pool cover the same")
        pool._count(list(range(len(pool))))
        return pool

    def _count(self, numbers: list[int]) -> None:
        """Count the negatives that rules cover, and what these cost."""
        if not numbers:
            return
        chosen = self._covers[numbers]
        self._negatives[numbers] = self.problem.count_covered(chosen)[1]
        self._costs[numbers] = (
            self._negatives[numbers].sum(axis=1)
            if self.problem.costs is None
            else self.problem.cost_covered(chosen)[1]
        )

    def _append(self, rule: Conditions, cover: PackedMatrix) -> None:
        if len(self._rules) == len(self._covers):
            self._covers = np.concatenate([self._covers, np.zeros_like(self._covers)])
            self._negatives = np.concatenate(
                [self._negatives, np.zeros_like(self._negatives)]
            )
            self._costs = np.concatenate([self._costs, np.zeros_like(self._costs)])
        self._covers[len(self._rules)] = cover
        self._rules.append(rule)


def _key(cover: PackedMatrix) -> bytes:
    """Return what tells covers apart, and takes less memory than they do."""
    return blake2b(cover.tobytes(), digest_size=16).digest()


def _shortness(rule: Conditions) -> tuple[int, Conditions]:
    return len(rule), rule
