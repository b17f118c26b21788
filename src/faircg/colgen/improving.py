"""Local search from several starts, among the rules that the duals favour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.improve import KICKS, LocalSearch
from faircg.colgen.prove import GROWTH, rules_inside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faircg.colgen.duals import DualBound
    from faircg.colgen.loop import Generation
    from faircg.colgen.pool import Pool
    from faircg.colgen.select import Candidate, Selection
    from faircg.colgen.stop import Deadline
    from faircg.typing import Conditions, IntVector, Objective

IMPROVE_SHARE = 0.2
"""Part of the remaining time that local search may take."""
ERROR_KICKS = 300
"""Most kicks in a row without success after which a search by 0-1 loss ends."""
IMPROVE_RULES = 1_000
"""Rules of least reduced cost that local search chooses from."""
MORE_RULES = 3_000
"""So many where the first search has left a gap that enumeration does not close."""
FIRST_BUDGET = 0.001
"""Rules of at most this reduced cost are looked for first, as a share of the bound."""
STARTS = 4
"""Rule sets that a search for fewer wrong predictions starts from, beside nothing."""
POLISH_KICKS = 20
"""Kicks without success from each of them."""


def polish(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    deadline: Deadline,
    seed: int,
    good_enough: float = -np.inf,
) -> None:
    """Lower the true 0-1 loss of what will be returned; no proof is touched."""
    improve(
        pool,
        generation,
        selection,
        deadline,
        seed,
        "zero_one",
        [None, *selection.fewest_errors(STARTS)],
        kicks=POLISH_KICKS,
        good_enough=good_enough,
    )


def improve(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    deadline: Deadline,
    seed: int,
    objective: Objective,
    starts: Iterable[Candidate | None],
    *,
    kicks: int | None = None,
    good_enough: float = -np.inf,
    most: int = IMPROVE_RULES,
    beside: IntVector | None = None,
    share: float = IMPROVE_SHARE,
) -> None:
    """Find good rule sets by local search, from nothing (None) or from known ones.

    It chooses among the rules of least reduced cost, and some more ``beside`` them. By
    default the 0-1 loss, which has more local optima, gets more kicks where there
    are many rules.
    """
    if deadline.is_set():
        return
    numbers = best_numbers(pool, generation, most)
    if beside is not None:
        numbers = np.append(numbers, np.setdiff1d(beside, numbers))
    if kicks is None:
        more = min(ERROR_KICKS, len(numbers))
        kicks = KICKS if objective == "hamming" else max(KICKS, more)
    if not len(numbers):
        return
    search = LocalSearch(pool, numbers, selection, seed, objective)
    until = deadline.within(share * deadline.remaining())
    for candidate in starts:
        rules = () if candidate is None else candidate.rules
        start = _positions(rules, pool, numbers)
        search.run(start, until, kicks=kicks, good_enough=good_enough)


def add_near(
    pool: Pool,
    proof: DualBound | None,
    loss: float,
    deadline: Deadline,
    threads: int,
    most: int = IMPROVE_RULES,
) -> None:
    """Add the rules of least reduced cost, as many as local search can choose from.

    Column generation ends with few more rules than the linear master needs, and good
    rule sets are made of their neighbours. Rules that no rule set of at most this loss
    can have are not needed.
    """
    if proof is None:
        return
    whole = proof.room(min(loss, pool.problem.worst_loss))
    budget = min(max(1.0, FIRST_BUDGET * proof.value), whole)
    while not deadline.is_set():
        at_most = proof.value + budget
        near = rules_inside(pool, proof, at_most, deadline, threads, 2 * most)
        if near is None or len(near) >= most or budget >= whole:
            break
        budget = min(GROWTH * budget, whole)


def _positions(
    rules: Iterable[Conditions], pool: Pool, numbers: IntVector
) -> IntVector:
    """Return where these rules stand among the numbers; others are left out."""
    position = {pool[int(number)]: k for k, number in enumerate(numbers)}
    found = sorted(position[rule] for rule in rules if rule in position)
    return np.array(found, dtype=np.int64)


def best_numbers(pool: Pool, generation: Generation, most: int) -> IntVector:
    """Return the rules of least reduced cost at the last duals."""
    fitting = np.flatnonzero(pool.complexities <= generation.max_conditions + 1)
    if generation.master is None:
        return fitting[:most]
    duals = generation.master.duals
    costs = duals.reduced_costs(pool.covers[fitting], pool.complexities[fitting])
    return fitting[np.argsort(costs, kind="stable")[:most]]
