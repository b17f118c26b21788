"""Closing the gap of a step: by enumeration, or else by an integer program.

A search that goes only as deep as it pays also closes the gap only where that is little
work: an answer within seconds is worth more there than a proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import count
from faircg.colgen.events import IntegerDone
from faircg.colgen.exchanges import add_exchanges
from faircg.colgen.improving import (
    ERROR_KICKS,
    MORE_RULES,
    add_near,
    best_numbers,
    improve,
)
from faircg.colgen.integer import solve_integer
from faircg.colgen.loop import LARGE, rounds_up
from faircg.colgen.prove import MOST_RULES, prove, rules_inside

if TYPE_CHECKING:
    from faircg.colgen.loop import Generation
    from faircg.colgen.options import SearchOptions
    from faircg.colgen.pool import Pool
    from faircg.colgen.select import Selection
    from faircg.colgen.stop import Deadline
    from faircg.typing import IntVector

INTEGER_RULES = 2_000
"""Rules of least reduced cost in the integer program when nothing is proven."""
FEW_RULES, FEW_RULE_SETS = 3_000, 5_000
"""Of so many inside the gap a search that is in a hurry enumerates all."""
LOOKS = 4
"""Times that local search looks longer on a large table, each time with other kicks:
there a better answer is worth more than any other use of the time."""
LONGER_SHARE = 0.5
"""Part of the time left that local search may take where a gap stays open."""
BYTES_PER_ENTRY = 100
"""Memory of a row that a rule covers, in all the forms that a program has."""
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

    def is_open() -> bool:
        return rounds_up(bound) < selection.objective and not deadline.is_set()

    problem = pool.problem
    is_rough = problem.objective == "zero_one" and problem.n_rows > LARGE
    if is_rough and is_open() and not options.hurries:
        # Listing takes all the time there is; below a better answer it takes less.
        _look_longer(pool, generation, selection, bound, options)
    for is_last in (options.hurries or is_rough, True):
        bound = max(bound, _listed(pool, generation, selection, bound, options))
        if is_last or not is_open():
            break
        before = selection.objective
        _look_longer(pool, generation, selection, bound, options)
        if selection.objective == before:
            break
    if not is_open():
        return bound, rounds_up(bound) >= selection.objective
    if options.hurries:
        return bound, True
    if is_rough:
        # Its relaxation is far weaker than the coverage master: time for more rounds.
        return bound, False
    answer = _integer(pool, generation, selection, deadline, bound, threads)
    options.on_event(answer)
    return answer.lower_bound, answer.is_closed


def _listed(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    bound: float,
    options: SearchOptions,
) -> float:
    """Return what listing the rule sets inside the gap proves."""
    if rounds_up(bound) >= selection.objective or generation.proof is None:
        return bound
    return prove(
        pool,
        generation.proof,
        selection,
        options.deadline,
        threads=options.threads,
        most_rules=FEW_RULES if options.hurries else MOST_RULES,
        most_rule_sets=FEW_RULE_SETS if options.hurries else None,
        at_least=bound,
        on_event=options.on_event,
    )


def _look_longer(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    bound: float,
    options: SearchOptions,
) -> None:
    """Look for better rule sets among more rules: fewer are then inside the gap."""
    deadline, loss = options.deadline, selection.objective - 1.0
    add_near(pool, generation.proof, loss, deadline, options.threads, MORE_RULES)
    looks = LOOKS if pool.problem.n_rows > LARGE else 1
    until = deadline.within(LONGER_SHARE * deadline.remaining())
    for look in range(looks):
        beside = _exchanges(pool, generation, selection, until, options.threads)
        improve(
            pool,
            generation,
            selection,
            until,
            options.seed + look,
            pool.problem.objective,
            [selection.objective_winner],
            kicks=ERROR_KICKS,
            good_enough=rounds_up(bound),
            most=MORE_RULES,
            beside=beside,
            share=1.0 / (looks - look),
        )


def _exchanges(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    deadline: Deadline,
    threads: int,
) -> IntVector | None:
    """Add what could replace a rule of the best rule set, by wrong predictions."""
    best, proof = selection.objective_winner, generation.proof
    if pool.problem.objective != "zero_one" or best is None or proof is None:
        return None
    depth, fairness = generation.max_conditions, proof.duals.fairness
    return add_exchanges(pool, best.rules, depth, fairness, deadline, threads=threads)


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
    if numbers is not None and len(numbers) <= min(
        most, _most_rules(pool, numbers, deadline)
    ):
        answer = solve_integer(pool, np.sort(numbers), selection, deadline)
        # No rule outside can be part of a better rule set.
        bound = max(bound, min(answer.bound, selection.objective))
        return IntegerDone(len(numbers), bound, answer.is_closed)
    numbers = best_numbers(pool, generation, INTEGER_RULES)
    most = min(most, _most_rules(pool, numbers, deadline))
    was_cut = most < len(numbers)
    numbers = numbers[:most]
    answer = solve_integer(pool, np.sort(numbers), selection, deadline)
    return IntegerDone(len(numbers), bound, answer.is_closed and not was_cut)


def _most_rules(pool: Pool, numbers: IntVector, deadline: Deadline) -> int:
    """Return how many of the first of these rules a program can hold in memory."""
    entries = np.cumsum(count(pool.covers[numbers]))
    most = deadline.memory.limit / BYTES_PER_ENTRY
    return int(np.searchsorted(entries, most, side="right"))
