"""Closing the gap of a step: by enumeration, or else by an integer program.

A search that goes only as deep as it pays also closes the gap only where that is little
work: an answer within seconds is worth more there than a proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.events import IntegerDone
from faircg.colgen.improving import best_numbers
from faircg.colgen.integer import solve_integer
from faircg.colgen.loop import rounds_up
from faircg.colgen.prove import MOST_RULES, prove, rules_inside

if TYPE_CHECKING:
    from faircg.colgen.loop import Generation
    from faircg.colgen.options import SearchOptions
    from faircg.colgen.pool import Pool
    from faircg.colgen.select import Selection
    from faircg.colgen.stop import Deadline

INTEGER_RULES = 2_000
"""Rules of least reduced cost in the integer program when nothing is proven."""
FEW_RULES, FEW_RULE_SETS = 3_000, 5_000
"""Of so many inside the gap a search that is in a hurry enumerates all."""
SECONDS_PER_RULE = 2e-3
"""Time to write the integer program on large data, per rule; measured on Adult."""


def close(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    bound: float,
    options: SearchOptions,
) -> tuple[float, bool]:
    """Close the gap by enumeration, or else by an integer program.

    Returns the bound, and whether all was done.
    """
    deadline, threads = options.deadline, options.threads
    if rounds_up(bound) < selection.objective and generation.proof is not None:
        proven = prove(
            pool,
            generation.proof,
            selection,
            deadline,
            threads=threads,
            most_rules=FEW_RULES if options.hurries else MOST_RULES,
            most_rule_sets=FEW_RULE_SETS if options.hurries else None,
            on_event=options.on_event,
        )
        bound = max(bound, proven)
    if rounds_up(bound) >= selection.objective or deadline.is_set():
        return bound, rounds_up(bound) >= selection.objective
    if options.hurries:
        return bound, True
    answer = _integer(pool, generation, selection, deadline, bound, threads)
    options.on_event(answer)
    return answer.lower_bound, answer.is_closed


def _integer(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    deadline: Deadline,
    bound: float,
    threads: int,
) -> IntegerDone:
    """Solve the integer master; say what is proven and whether all was done."""
    # Writing the program takes time that nobody can interrupt: leave room for it.
    most = int(min(2 * INTEGER_RULES, deadline.remaining() / SECONDS_PER_RULE))
    numbers, better = None, selection.objective - 1.0
    if generation.proof is not None and np.isfinite(better):
        numbers = rules_inside(pool, generation.proof, better, deadline, threads)
    if numbers is not None and len(numbers) <= most:
        answer = solve_integer(pool, np.sort(numbers), selection, deadline)
        # No rule outside can be part of a better rule set.
        bound = max(bound, min(answer.bound, selection.objective))
        return IntegerDone(len(numbers), bound, answer.is_closed)
    numbers = best_numbers(pool, generation, min(most, INTEGER_RULES))
    answer = solve_integer(pool, np.sort(numbers), selection, deadline)
    was_cut = most < INTEGER_RULES and len(numbers) == most
    return IntegerDone(len(numbers), bound, answer.is_closed and not was_cut)
