"""Rows that are alike: most rules cover both of two such rows, or neither.

On a large table nearly every row is unlike all others, and the rules of a restricted
master tell few of them apart. What its multipliers say of other rules depends on which
rows pay for which: a payment counts for a rule that covers both rows and is lost on a
rule that tells them apart. So rows pay for rows that meet the same conditions, above
all those that good rules test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatVector, IntVector

NEAREST = 30
"""Good rows that each bad row may pay for."""
USED = 20.0
"""How much more the condition counts that good rules test most often."""
_BLOCK = 500
"""Bad rows that are looked at in one go."""


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Good rows ``first``, bad rows ``second`` like them, and their distance."""

    first: IntVector
    second: IntVector
    distance: FloatVector

    @classmethod
    def find(cls, problem: Problem, tested: FloatVector, deadline: Deadline) -> Near:
        """Find the nearest good rows of each bad row.

        ``tested`` says how often rules test each condition. A deadline ends it by an
        error.
        """
        costs = problem.coverage_costs
        good, bad = np.flatnonzero(costs < 0), np.flatnonzero(costs > 0)
        weights = 1.0 + USED * tested / max(1.0, float(tested.max(initial=0.0)))
        scale = np.sqrt(weights).astype(np.float32)
        targets = problem.rows_at(good) * scale
        length = (targets * targets).sum(axis=1)
        count = min(NEAREST, len(good))
        found, distances = [], []
        for start in range(0, len(bad) if count else 0, _BLOCK):
            deadline.check()
            deadline.spend(_BLOCK * len(good) * (NEAREST + len(tested) // 8))
            rows = problem.rows_at(bad[start : start + _BLOCK]) * scale
            apart = (rows * rows).sum(axis=1, keepdims=True) - 2.0 * rows @ targets.T
            apart += length
            nearest = np.argpartition(apart, count - 1, axis=1)[:, :count]
            found.append(good[nearest].ravel())
            distances.append(np.take_along_axis(apart, nearest, axis=1).ravel())
        if not found:
            nothing = np.zeros(0, dtype=np.int64)
            return cls(nothing, nothing, np.zeros(0))
        return cls(
            np.concatenate(found),
            np.repeat(bad, count),
            np.concatenate(distances).astype(float),
        )
