"""Cuts between a good row and two bad ones, on large tables.

Between two rows a cut says little where the good row is covered more often than it
needs: rules that cover both are counted against rules that cover the good row alone, as
if the latter had covered it anyway. A second bad row, covered by those rules, leaves
the good row none that covers it and neither:

    u_j + u_l >= u_i - sum_{k covers i, neither j nor l} w_k

As with pairs each bad row looks for the best good row, then for the third one; of
many that would do, rows that are alike are taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.colgen.coverage.near import OPEN
from faircg.colgen.signatures import rows_at

if TYPE_CHECKING:
    from faircg.colgen.coverage.near import Coverage, Likeness
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import IntVector

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
) -> tuple[IntVector, IntVector, IntVector, float]:
    """Return a good row and a second bad one for each bad row that is in need of them.

    And what it costs to raise every such row as far as its worst cut asks. Where there
    are too many rows, each ``turn`` looks at other bad ones.
    """
    weights = at.weights.astype(np.float32)
    met = rows_at(at.covers, np.arange(problem.n_rows)).astype(np.float32)
    often, u = met @ weights, at.u.astype(np.float32)
    good = np.flatnonzero((at.costs < 0) & (often - u > SPARE))
    bad = np.flatnonzero((at.costs > 0) & (often > OPEN) & (u < 1.0 - OPEN))
    nothing = np.zeros(0, dtype=np.int64)
    if not len(good) or not len(bad):
        return nothing, nothing, nothing, 0.0
    each = len(weights) + problem.bits.n_conditions
    work = len(bad) * (len(good) + CANDIDATES * len(bad)) * each
    share = max(1, int(np.ceil(work / MOST_WORK)))
    chosen = bad[turn % share :: share]
    from_good, from_bad = likeness.placed(problem, good), likeness.placed(problem, bad)
    rules, others, lacking = (met[good] * weights).T, met[bad].T, (u - often)[good]
    found, total = [(nothing, nothing, nothing)], 0.0
    for start in range(0, len(chosen), _BLOCK):
        deadline.check()
        rows = chosen[start : start + _BLOCK]
        deadline.spend(len(rows) * len(bad) * each * CANDIDATES // 64)
        # A third row adds at most what rules are left, and what is covered too often.
        shared = met[rows] @ rules
        score = np.minimum(often[good] - shared, -lacking)
        score += (1.0 + NOW) * (lacking + shared)
        score -= FAR * likeness.placed(problem, rows).apart(from_good)
        count = min(CANDIDATES, len(good))
        first = good[np.argpartition(-score, count - 1, axis=1)[:, :count]].ravel()
        second = np.repeat(rows, count)
        left = weights * met[first] * (1.0 - met[second])
        score = left @ others - u[bad]
        score[np.arange(len(second)), np.searchsorted(bad, second)] = -np.inf
        here = likeness.placed(problem, first)
        best = (score - FAR * here.apart(from_bad)).argmax(axis=1)
        third = bad[best]
        violation = (u - often)[first] - u[second] + score[np.arange(len(best)), best]
        violation += (weights * met[first] * met[second]).sum(axis=1)
        best = violation.reshape(-1, count).argmax(axis=1)
        best += count * np.arange(len(rows))
        best = best[violation[best] > VIOLATED]
        found.append((first[best], second[best], third[best]))
        total += float(violation[best] @ at.costs[second[best]])
    one, two, three = (np.concatenate(rows) for rows in zip(*found, strict=True))
    return one, two, three, share * total
