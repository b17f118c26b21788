"""A rule set from the first moment on: a search that is stopped has something to keep.

A descent among the rules that are best by themselves takes a fraction of a second, so
it looks at no clock. It is made before anything else, and once more among the rules
generated meanwhile if the search is stopped before it looked for rule sets itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from faircg._kernel import count
from faircg.colgen.improve import LocalSearch
from faircg.colgen.pool import Pool
from faircg.colgen.stop import Deadline

if TYPE_CHECKING:
    from faircg._kernel import ConditionBits
    from faircg.colgen.problem import Problem
    from faircg.colgen.select import Selection
    from faircg.typing import Conditions, IntVector

FIRST_RULES: Final = 200
"""Rules, the best by themselves, that a first rule set is made of."""
MOST_SINGLE: Final = 2 * FIRST_RULES
"""Single conditions that they are chosen from; wide tables have many thousands.

The best by the same measure: others matter only where many of these cover the same.
"""


def offer_first(pool: Pool, selection: Selection) -> None:
    """Offer nobody, everybody, and what a descent finds.

    Its rules are those of the pool, and single conditions, as the pool may have none.
    """
    problem = pool.problem
    selection.offer(everybody(problem.bits))
    wider = Pool(problem, (*pool.rules, *_single(problem)))
    offer_best(wider, _best_alone(wider), selection)


def offer_best(pool: Pool, numbers: IntVector, selection: Selection) -> None:
    """Offer what a descent by wrong predictions finds among some rules."""
    if len(numbers):
        search = LocalSearch(pool, numbers, selection, objective="zero_one")
        search.run(np.zeros(0, dtype=np.int64), Deadline(), kicks=0)


def _single(problem: Problem) -> list[Conditions]:
    """Return rules of one condition: all, or the best by themselves of very many."""
    saved, paid = problem.cost_covered(problem.bits.bits)
    best = np.argsort(paid - saved, kind="stable")[:MOST_SINGLE]
    return [(j,) for j in best.tolist()]


def _best_alone(pool: Pool) -> IntVector:
    """Return the rules that would lower the wrong predictions most without others."""
    problem = pool.problem
    fitting = np.flatnonzero(pool.complexities <= problem.max_complexity)
    saved, paid = problem.cost_covered(pool.covers[fitting])
    return fitting[np.argsort(paid - saved, kind="stable")[:FIRST_RULES]]


def everybody(bits: ConditionBits) -> tuple[Conditions, ...]:
    """Return two rules that together cover everybody; none, if there are none.

    Examples
    --------
    >>> from faircg._kernel import ConditionBits
    >>> rows = np.array([[True, True, False], [False, True, True]])
    >>> everybody(ConditionBits.from_matrix(rows, family=[0, 1, 0]))
    ((0,), (2,))
    """
    for j in range(bits.n_conditions):
        others = np.flatnonzero(count(bits.bits[j] ^ bits.bits) == bits.n_rows)
        if len(others):
            return (j,), (int(others[0]),)
    return ()
