"""Rows that are alike, and pairs of rows for cuts on large tables.

On a large table nearly every row is unlike all others. A pair of a good row and a bad
one says something about a rule as far as the rule covers both or neither; so of many
pairs that would do, the two rows that meet the same conditions are taken, above all
those that good rules test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.signatures import rows_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatVector, IntVector, PackedMatrix

NEAREST = 5
"""Good rows that each bad row is paired with from the start."""
PARTNERS = 2
"""Good rows that a bad row is paired with where cuts are violated."""
USED = 20.0
"""How much more the condition counts that good rules test most often."""
FAR = 0.002
"""Violation that outweighs one condition in which two rows differ."""
VIOLATED = 0.002
"""Smallest violation that is worth a cut."""
OPEN = 0.004
"""Rows covered less than this, or so nearly as often as can be, need no cut."""
MOST_WORK = 4e11
"""Products that one search for violated pairs may take; others wait for the next."""
_BLOCK = 500
"""Bad rows that are looked at in one go."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Rows as points, such that their distances say how unlike they are."""

    points: NDArray[np.float32]
    length: NDArray[np.float32]

    def apart(self, others: Places) -> NDArray[np.float32]:
        """Return the squared distances of all these rows from all others."""
        found = self.length[:, np.newaxis] - 2.0 * self.points @ others.points.T
        found += others.length
        return np.asarray(found, dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How much it counts that two rows differ in a condition."""

    weights: FloatVector

    @classmethod
    def of(cls, tested: FloatVector) -> Likeness:
        """Let conditions count that rules test; ``tested`` says how often."""
        return cls(1.0 + USED * tested / max(1.0, float(tested.max(initial=0.0))))

    def placed(self, problem: Problem, rows: IntVector) -> Places:
        """Return some rows as points."""
        scale = np.sqrt(self.weights).astype(np.float32)
        points = (problem.rows_at(rows) * scale).view(np.float32)
        length = np.asarray((points * points).sum(axis=1), dtype=np.float32)
        return Places(points, length)

    def apart(
        self, problem: Problem, good: IntVector, bad: IntVector, deadline: Deadline
    ) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Give, block by block of the bad rows, their distances from the good ones.

        A deadline ends it by an error.
        """
        targets = self.placed(problem, good)
        for start in range(0, len(bad) if len(good) else 0, _BLOCK):
            deadline.check()
            deadline.spend(_BLOCK * len(good) * (1 + len(self.weights) // 8))
            block = slice(start, start + _BLOCK)
            yield block, self.placed(problem, bad[block]).apart(targets)

    def nearest(
        self, problem: Problem, deadline: Deadline
    ) -> tuple[IntVector, IntVector]:
        """Return the good rows that are most like each bad row, and the bad rows."""
        costs = problem.coverage_costs
        good, bad = np.flatnonzero(costs < 0), np.flatnonzero(costs > 0)
        count = min(NEAREST, len(good))
        found = [
            good[np.argpartition(apart, count - 1, axis=1)[:, :count]].ravel()
            for _, apart in self.apart(problem, good, bad, deadline)
        ]
        if not found:
            nothing = np.zeros(0, dtype=np.int64)
            return nothing, nothing
        return np.concatenate(found), np.repeat(bad, count)


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Rules in use with their weights, how far rows are covered, and at what cost."""

    covers: PackedMatrix
    weights: FloatVector
    u: FloatVector
    costs: FloatVector


def violated_rows(
    problem: Problem,
    likeness: Likeness,
    at: Coverage,
    deadline: Deadline,
    turn: int = 0,
) -> tuple[IntVector, IntVector, float]:
    """Return good and bad rows whose cuts are violated most, and what that costs.

    A cut says ``u_j >= u_i - sum_{k covers i, not j} w_k``. The cost is that of raising
    every bad row as far as its worst cut asks. Where there are too many rows, each
    ``turn`` looks at other bad ones.
    """
    weights = at.weights.astype(np.float32)
    met = rows_at(at.covers, np.arange(problem.n_rows))
    often = met @ weights
    good = np.flatnonzero((at.costs < 0) & (at.u > OPEN))
    bad = np.flatnonzero((at.costs > 0) & (often - at.u > OPEN))
    work = len(good) * len(bad) * (len(weights) + problem.bits.n_conditions)
    share = max(1, int(np.ceil(work / MOST_WORK)))
    bad = bad[turn % share :: share]
    targets = met[good] * weights
    spare = (at.u[good] - often[good]).astype(np.float32)
    first, second, total = [], [], 0.0
    for block, apart in likeness.apart(problem, good, bad, deadline):
        rows = bad[block]
        deadline.spend(len(rows) * targets.size // 8)
        short = met[rows].astype(np.float32) @ targets.T + spare
        short -= at.u[rows, np.newaxis].astype(np.float32)
        total += float(np.maximum(short.max(axis=1), 0.0) @ at.costs[rows])
        score = np.where(short > VIOLATED, short - FAR * apart, -np.inf)
        for _ in range(min(PARTNERS, len(good))):
            best = score.argmax(axis=1)
            found = np.flatnonzero(np.isfinite(score[np.arange(len(rows)), best]))
            first.append(good[best[found]])
            second.append(rows[found])
            score[np.arange(len(rows)), best] = -np.inf
    if not first:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, 0.0
    return np.concatenate(first), np.concatenate(second), share * total
