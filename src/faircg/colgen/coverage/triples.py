"""Cuts between a good row and two bad ones, on large tables.

Between two rows a cut says little where the good row is covered more often than it
needs: the rules that cover the good row alone might have covered it by themselves. A
second bad row that these cover leaves none that covers the good row and neither:

    u_j + u_l >= u_i - sum_{k covers i, neither j nor l} w_k

As with pairs each bad row looks for the best good row, then for the third one; of
many that would do, rows that are alike are taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.colgen.coverage.near import OPEN
from faircg.colgen.signatures import rows_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircg.colgen.coverage.near import Coverage, Likeness
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import BoolMatrix, IntVector

FEWEST_ROWS: Final = 2_500
"""Distinct rows up to which no triples are sought: pair cuts leave little there."""
VIOLATED: Final = 0.004
"""Smallest violation that is worth a cut."""
SPARE: Final = 0.05
"""A good row that is covered by so much more than it counts has rules to spare."""
CANDIDATES: Final = 12
"""Good rows that each bad row looks at more closely."""
FAR: Final = 0.0002
"""Violation that outweighs one condition in which two rows differ."""
NOW: Final = 0.1
"""How much it counts what a third row need not do any more."""
MOST_WORK: Final = 2e11
"""Products that one search may take; other bad rows wait for the next."""
_BLOCK = 100
"""Bad rows that are looked at in one go."""


def violated_triples(
    problem: Problem,
    likeness: Likeness,
    at: Coverage,
    deadline: Deadline,
    turn: int = 0,
) -> tuple[IntVector, IntVector, IntVector]:
    """Return a good row and a second bad one for each bad row that is in need of them.

    Where there are too many rows, each ``turn`` looks at other bad ones.
    """
    nothing = np.zeros(0, dtype=np.int64)
    if problem.n_rows <= FEWEST_ROWS:
        return nothing, nothing, nothing
    point = _Point.of(problem, at)
    good, bad = point.good, point.bad
    if not len(good) or not len(bad):
        return nothing, nothing, nothing
    each = CANDIDATES * (len(point.weights) + problem.bits.n_conditions)
    share = max(1, int(np.ceil(len(bad) * (len(good) + len(bad)) * each / MOST_WORK)))
    chosen = bad[turn % share :: share]
    to_good, to_bad = likeness.placed(problem, good), likeness.placed(problem, bad)
    found = [(nothing, nothing, nothing)]
    for start in range(0, len(chosen), _BLOCK):
        deadline.check()
        rows = chosen[start : start + _BLOCK]
        deadline.spend(len(rows) * len(bad) * each // 64)
        score = point.hopes(rows)
        score -= FAR * likeness.placed(problem, rows).apart(to_good)
        count = min(CANDIDATES, len(good))
        first = good[np.argpartition(-score, count - 1, axis=1)[:, :count]].ravel()
        second = np.repeat(rows, count)
        far = FAR * likeness.placed(problem, first).apart(to_bad)
        third, violation = point.completed(first, second, far)
        best = violation.reshape(-1, count).argmax(axis=1)
        best += count * np.arange(len(rows))
        best = best[violation[best] > VIOLATED]
        found.append((first[best], second[best], third[best]))
    one, two, three = (np.concatenate(rows) for rows in zip(*found, strict=True))
    return one, two, three


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """Which rules in use cover which row, and which rows are good or bad to cover.

    ``spare`` is how much more each row counts as covered than rules cover it: mostly
    less than nothing.
    """

    met: BoolMatrix
    weights: NDArray[np.float32]
    u: NDArray[np.float32]
    spare: NDArray[np.float32]
    good: IntVector
    bad: IntVector

    @classmethod
    def of(cls, problem: Problem, at: Coverage) -> _Point:
        """Look at all rows."""
        met = rows_at(at.covers, np.arange(problem.n_rows))
        weights, u = at.weights.astype(np.float32), at.u.astype(np.float32)
        often = met @ weights
        good = np.flatnonzero((at.costs < 0) & (often - u > SPARE))
        bad = np.flatnonzero((at.costs > 0) & (often > OPEN) & (u < 1.0 - OPEN))
        return cls(met, weights, u, u - often, good, bad)

    def hopes(self, rows: IntVector) -> NDArray[np.float32]:
        """Say for bad rows and all good ones how much a third row could find violated.

        It adds at most what rules are left, and what is covered too often.
        """
        rules, spare = self.met[self.good] * self.weights, self.spare[self.good]
        shared = self.met[rows].astype(np.float32) @ rules.T
        left = rules.sum(axis=1) - shared
        found = np.minimum(left, -spare) + (1.0 + NOW) * (spare + shared)
        return np.asarray(found, dtype=np.float32)

    def completed(
        self, first: IntVector, second: IntVector, far: NDArray[np.float32]
    ) -> tuple[IntVector, NDArray[np.float32]]:
        """Return the best third row of each two, and the violation of their cut.

        ``far`` says how much it counts that the first is unlike each bad row.
        """
        one, two = self.met[first], self.met[second]
        others = self.met[self.bad].astype(np.float32)
        adds = (self.weights * (one & ~two)) @ others.T - self.u[self.bad]
        each = np.arange(len(first))
        adds[each, np.searchsorted(self.bad, second)] = -np.inf
        best = (adds - far).argmax(axis=1)
        violation = self.spare[first] - self.u[second] + adds[each, best]
        violation += (self.weights * (one & two)).sum(axis=1)
        return self.bad[best], violation
