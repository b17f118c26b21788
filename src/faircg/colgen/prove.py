"""Closing the gap: an integer program over *all* rules that could still matter.

At a dual solution for which no rule has a negative reduced cost, a rule set that uses
rule k has a loss of at least ``LB + reduced cost of k``. A loss is a whole number, so
a rule set better than the best known one (``UB``) can only use rules of reduced cost
at most ``UB - 1 - LB``. Those rules are enumerated; if the integer master over them is
solved to the end, the answer is optimal over every rule of at most D conditions,
without branch-and-price.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import StopFlag, enumerate_below
from faircg.colgen.integer import solve_integer
from faircg.colgen.pricing.base import TOLERANCE

if TYPE_CHECKING:
    from faircg.colgen.loop import Generation
    from faircg.colgen.pool import Pool
    from faircg.colgen.select import Selection
    from faircg.colgen.stop import Deadline
    from faircg.typing import IntVector

logger = logging.getLogger(__name__)

FIRST_RULES = 300
"""Rules of least reduced cost that the first, quick integer master uses."""
MOST_RULES = 50_000
"""More rules than this inside the gap are too many for one integer program."""


def best_numbers(pool: Pool, generation: Generation, most: int) -> IntVector:
    """Return the rules of least reduced cost at the last duals."""
    if generation.master is None or len(pool) <= most:
        return np.arange(min(len(pool), most))
    costs = generation.master.prices.reduced_costs(pool.covers, pool.complexities)
    return np.sort(np.argsort(costs, kind="stable")[:most])


def prove(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    deadline: Deadline,
) -> bool:
    """Try to prove the best rule set optimal; say whether that succeeded.

    Parameters
    ----------
    pool
        Receives the rules inside the gap.
    generation
        A proven solution of the linear master.
    selection
        Holds the best known rule set, and judges new ones.
    deadline
        When to stop.
    """
    if generation.master is None or not generation.is_proven:
        return False
    prices = generation.master.prices
    room = selection.objective - 1.0 - generation.lower_bound
    if room < -TOLERANCE:
        return True
    stop = StopFlag()
    inside = enumerate_below(
        pool.problem.bits,
        prices.rows,
        prices.condition,
        generation.max_conditions,
        cutoff=room + 1e-4,
        most=MOST_RULES,
        seconds=deadline.remaining(),
        stop=stop,
    )
    logger.info(
        "%d rules have a reduced cost of at most %.3f%s",
        *(len(inside.rules), room, "" if inside.is_complete else " (not all)"),
    )
    if not inside.is_complete:
        return False
    pool.add(inside.rules)
    costs = prices.reduced_costs(pool.covers, pool.complexities)
    numbers = np.flatnonzero(costs <= room + 1e-4)
    return solve_integer(pool, numbers, selection, deadline).is_closed
