"""A rule set from the first moment on: a search that is stopped has something to keep.

A descent among the rules that are best by themselves takes a fraction of a second, so
it has a tenth of one even when the time is over; of millions of people it then takes
fewer rules. It is made before anything else, and once more among the rules generated
meanwhile if the search is stopped before it looked for rule sets itself.
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

FOREVER: Final = Deadline()
FIRST_RULES: Final = 200
"""Rules, the best by themselves, that a first rule set is made of."""
MOST_SINGLE: Final = 2 * FIRST_RULES
"""Single conditions that they are chosen from; wide tables have many thousands.

The best by the same measure: others matter only where many of these cover the same.
"""
FEWEST_RULES: Final = 20
"""Rules that are looked at, however little time there is."""
FIRST_SECONDS: Final = 0.1
"""Time for a descent when there is none left."""
WORDS_PER_SECOND: Final = 5e6
"""Words of the rules' covers for which there is time in each second."""


def offer_first(pool: Pool, selection: Selection, deadline: Deadline = FOREVER) -> None:
    """Offer nobody, everybody, and what a descent finds.

    Its rules are those of the pool, and single conditions, as the pool may have none.
    """
    problem = pool.problem
    selection.offer(everybody(problem.bits))
    most = _affordable(problem, MOST_SINGLE, deadline)
    wider = Pool(problem, (*pool.rules, *_single(problem, most)))
    fitting = np.flatnonzero(wider.complexities <= problem.max_complexity)
    saved, paid = problem.cost_covered(wider.covers[fitting])
    best = fitting[np.argsort(paid - saved, kind="stable")[:FIRST_RULES]]
    offer_best(wider, best, selection, deadline)


def offer_best(
    pool: Pool,
    numbers: IntVector,
    selection: Selection,
    deadline: Deadline = FOREVER,
) -> None:
    """Offer what a descent by wrong predictions finds among some rules, best first."""
    numbers = numbers[: _affordable(pool.problem, FIRST_RULES, deadline)]
    if len(numbers):
        search = LocalSearch(pool, numbers, selection, objective="zero_one")
        until = deadline.by_the_clock().at_least(FIRST_SECONDS)
        search.run(np.zeros(0, dtype=np.int64), until, kicks=0)


def _affordable(problem: Problem, most: int, deadline: Deadline) -> int:
    """Say how many rules there is time for; all of them on most data."""
    until = deadline.by_the_clock().at_least(FIRST_SECONDS)
    words = min(WORDS_PER_SECOND * until.remaining(), most * problem.bits.n_words)
    return max(FEWEST_RULES, int(words / max(1, problem.bits.n_words)))


def _single(problem: Problem, most: int) -> list[Conditions]:
    """Return rules of one condition: all, or the best by themselves of very many."""
    saved, paid = problem.cost_covered(problem.bits.bits)
    best = np.argsort(paid - saved, kind="stable")[:most]
    return [(j,) for j in best.tolist()]


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
