"""Exchanges: for each rule of a rule set, the best of *all* rules in its place.

Reduced costs judge a rule beside fractions of others, so the rules of a good rule set
need not be among those of least reduced cost. But once all rules but one are chosen,
what another one adds is a sum over the rows that are not covered yet. These are prices
like any others: the kernel lists the best of all rules in a fraction of a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from faircg._kernel import PricedBits, unpack, weigh
from faircg.colgen.coverage.row_costs import covering_costs
from faircg.colgen.prove import all_below

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.colgen.pool import Pool
    from faircg.colgen.stop import Deadline
    from faircg.typing import Conditions, FloatVector, IntVector

MOST: Final = 1_500
"""Rules that are listed in the place of one."""
WORSE: Final = 0.01
"""How much an exchange may lose, as a share of the loss of the rule set."""
LESS: Final = 0.6
"""Where these are too many, those are listed that lose so much less."""
TRIES: Final = 12
"""So many times; then there are many rules that lose nothing at all."""


def add_exchanges(
    pool: Pool,
    rules: Sequence[Conditions],
    max_conditions: int,
    fairness: FloatVector,
    deadline: Deadline,
    *,
    threads: int = 1,
    most: int = MOST,
) -> IntVector:
    """Add rules that can take the place of one of a rule set, by the 0-1 loss.

    Those that lose least: once whatever the rates are then, and once with the
    multipliers of the ``fairness`` rows. Returns the numbers of what was found.
    """
    problem = pool.problem
    charges = [np.zeros_like(fairness), fairness] if fairness.any() else [fairness]
    covered = np.bitwise_or.reduce(problem.bits.cover(rules), axis=0, keepdims=True)
    loss = float(weigh(covered, problem.coverage_costs)[0] + problem.miss_costs.sum())
    found: set[Conditions] = set()
    for place in deadline.in_time(range(len(rules))):
        rest = [*rules[:place], *rules[place + 1 :]]
        room = problem.max_complexity - sum(1 + len(rule) for rule in rest)
        for charge in charges:
            costs = covering_costs(problem, charge)
            costs[unpack(problem.bits.cover(rest), problem.n_rows).any(axis=0)] = 0.0
            posed = PricedBits(
                bits=problem.bits,
                prices=costs,
                condition_price=0.0,
                max_conditions=min(max_conditions, room - 1),
            )
            now = float(weigh(problem.bits.cover([rules[place]]), costs)[0])
            for spare in WORSE * loss * LESS ** np.arange(TRIES):
                listed = all_below(posed, now + spare, most, deadline, threads)
                if listed.is_complete:
                    found.update(listed.rules)
                    break
    pool.add(found)
    return pool.numbers_of(found)
