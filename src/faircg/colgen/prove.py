"""Closing the gap: all rule sets that could still be better, by number.

Take a dual solution for which no rule has a negative reduced cost, of value ``z``. By
weak duality the loss of a feasible rule set exceeds ``z`` by at least its *excess*:

* the reduced costs of its rules,
* for each row covered by more than one rule, the price of covering it again,
* for each row not covered, the reduced cost of missing it,
* for each row covered, and for each pair of rows, what the coverage master charges,
* for each row covered that is linked to the limit on complexity, what rules that do not
  cover it use of that limit,
* ``lambda`` for each unit of complexity left over.

All of them are sums of numbers that are not negative (:mod:`faircg.colgen.excess`). A
loss is a whole number, so a rule set better than the best known one (``UB``) has an
excess of at most ``UB - 1 - z``. That leaves few rules (each must fit the budget alone)
and few rule sets, because good rules overlap. Both are enumerated completely, the rule
sets are recounted in integers, and what remains best is optimal over every rule of at
most D conditions: no branch-and-price, and no integer program.

The budget grows step by step, so that the first feasible rule set inside it ends the
search. Where very many rules are inside, those that cost more than half of the budget
need not be looked at (:mod:`faircg.colgen.dear`).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import enumerate_below
from faircg.colgen.background import run
from faircg.colgen.dear import least_beside, sets_below
from faircg.colgen.events import OnEvent, ProofStep, ignore
from faircg.colgen.excess import excess_problem
from faircg.colgen.pricing.base import TOLERANCE
from faircg.colgen.stop import OutOfTimeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg._kernel import EnumerationResult, PricedBits, RuleSetProblem
    from faircg.colgen.duals import DualBound
    from faircg.colgen.pool import Pool
    from faircg.colgen.select import Selection
    from faircg.colgen.stop import Deadline
    from faircg.typing import Conditions, IntVector

logger = logging.getLogger(__name__)

MOST_RULES = 60_000
"""More rules than this to be combined are too many."""
FEW_RULES = 20_000
"""So many inside the budget are combined, the dear ones among them."""
MOST_BITS = 1 << 32
"""More rules times rows than this are too many as well: half a gigabyte of covers."""
COPIES = 5 * 8
"""Bytes for each word of the cover of a rule, cuts between rows included: its bits, and
those of its cells, as they are put together and as the kernel arranges them."""
MOST_RULE_SETS = 1_000_000
"""More rule sets than this inside the budget are too many to look at."""
BLOCK = 1 << 16
"""Rule sets whose rates are weighed at a time."""
OFFER_WORDS = 20_000
"""Work of a recount beside that of reading rows, in words of bits."""
FAR_OUTSIDE = 1e-6
"""A limit exceeded by more than this is exceeded, whatever the rounding."""
GROWTH = 1.5
"""Each budget is so many times the one before: the last one costs the most."""
FURTHER = 1.1
"""A budget that is not so many times what is proven already is not worth the work."""
SLACK = 1e-4
"""Added to every budget: duals and sums of them are floating point numbers."""


def prove(
    pool: Pool,
    proof: DualBound,
    selection: Selection,
    deadline: Deadline,
    *,
    threads: int = 1,
    most_rules: int = MOST_RULES,
    most_rule_sets: int | None = None,
    at_least: float = -np.inf,
    on_event: OnEvent = ignore,
) -> float:
    """Raise the lower bound as far as possible, at best to the best known loss.

    The pool receives the rules inside the budget, the selection judges the rule sets.
    No rule set is better than ``at_least``, so that smaller budgets hold none. Where a
    budget has too many rules, one between it and the last is tried, unless there is a
    limit on the rule sets: then the answer is wanted soon.
    Returns a proven bound on the loss of every feasible rule set: infinity if there is
    none.
    """
    proven = max(proof.value, at_least)
    worst = pool.problem.worst_loss

    def whole_room() -> float:
        """Return the excess of rule sets better than the best known, or of any."""
        return proof.room(min(selection.objective - 1.0, worst))

    # Below ``done`` there is no rule set; all up to ``listed`` were recounted.
    done, listed = max(0.0, proof.room(proven)), -2.0 * TOLERANCE
    too_much, pace = np.inf, 0.0
    first = whole_room() / 8.0 if np.isfinite(selection.objective) else 0.0
    budget = max(first, FURTHER * done, 2.0)
    while True:
        room = min(budget, whole_room())
        if room >= -TOLERANCE:
            loss, left = proof.value + room, deadline.remaining()
            n_rules, n_rule_sets, is_complete = _recount_inside(
                pool,
                proof,
                selection,
                loss,
                deadline,
                threads,
                (most_rules, most_rule_sets or MOST_RULE_SETS),
                pace,
            )
            if is_complete:
                # Whatever is feasible and was not recounted just now exceeds the room.
                proven, done, listed = max(proven, loss), max(done, room), room
                pace = (left - deadline.remaining()) / max(1, n_rules) ** 2
            on_event(ProofStep(room, n_rules, n_rule_sets, is_complete, proven))
            if not is_complete:
                # Too many rules are noticed at once, too many rule sets late.
                is_late = deadline.is_set() or most_rule_sets is not None
                if n_rules or is_late:
                    return proven
                too_much = room
        if whole_room() <= listed + TOLERANCE:
            return float(selection.objective)
        budget = _next_budget(room, done, too_much)
        if budget <= max(FURTHER * done, 1.0):
            return proven


def _next_budget(room: float, done: float, too_much: float) -> float:
    """Go half as far again, or half way to a budget that was too much.

    Examples
    --------
    >>> _next_budget(4.0, 4.0, np.inf), _next_budget(9.0, 6.0, 9.0)
    (6.0, 7.5)
    """
    return GROWTH * room if np.isinf(too_much) else (done + too_much) / 2.0


def _recount_inside(
    pool: Pool,
    proof: DualBound,
    selection: Selection,
    loss: float,
    deadline: Deadline,
    threads: int,
    most: tuple[int, int],
    pace: float,
) -> tuple[int, int, bool]:
    """Recount all rule sets that can have at most this loss, if not too many.

    Nor if there is no time for it, or no work left, at the ``pace`` of the last budget:
    what a pair of rules took. Returns the numbers of rules and rule sets, none if it
    was not begun, and whether these are all of them.
    """
    room = proof.room(loss)
    try:
        combined = _combined(pool, proof, room, deadline, threads, most, pace)
        if combined is None:
            return 0, 0, False
        numbers, posed = combined
        found = sets_below(posed, room + SLACK, most[1], deadline, threads)
    except OutOfTimeError:
        return 0, 0, False
    for first in range(0, len(found.sets), BLOCK):
        block = found.sets[first : first + BLOCK]
        for k in _near_the_constraint(pool, numbers, block):
            if deadline.is_set():
                return len(numbers), len(found.sets), False
            deadline.spend(OFFER_WORDS + pool.problem.bits.n_words)
            selection.offer(pool[int(numbers[rule])] for rule in block[k])
    return len(numbers), len(found.sets), found.is_complete


def _combined(
    pool: Pool,
    proof: DualBound,
    room: float,
    deadline: Deadline,
    threads: int,
    most: tuple[int, int],
    pace: float,
) -> tuple[IntVector, RuleSetProblem] | None:
    """Return the rules that rule sets in the room are made of, and what they pay.

    These are all rules inside, or some where there are very many. None when there are
    too many, or no time for them.
    """

    def posed(up_to: float, most: int) -> tuple[IntVector, RuleSetProblem] | None:
        loss = proof.value + up_to
        numbers = rules_inside(pool, proof, loss, deadline, threads, most)
        if numbers is None or pace * len(numbers) ** 2 > deadline.remaining():
            return None
        return numbers, excess_problem(pool, numbers, proof.duals, deadline)

    few = min(most[0], FEW_RULES)
    found = posed(room, few)
    if found is not None or few == most[0]:
        return found
    dear = room / 2.0
    found = posed(dear, most[0])
    if found is None:
        return None
    longest, budget = 1 + proof.max_conditions, room - dear + SLACK
    least = least_beside(found[1], longest, budget, most[1], deadline, threads)
    return found if least == np.inf else posed(room - least, most[0])


def _near_the_constraint(
    pool: Pool, numbers: IntVector, sets: Sequence[Conditions]
) -> list[int]:
    """Return which rule sets are not far outside of the constraint: most are.

    They are counted all at once; what is left is recounted in whole people.
    """
    problem = pool.problem
    near = np.ones(len(sets), dtype=bool)
    if not problem.rates:
        return np.flatnonzero(near).tolist()
    most = max(map(len, sets))
    nothing = np.zeros((1, problem.bits.n_words), dtype=np.uint64)
    covers = np.vstack([pool.covers[numbers], nothing])
    members = np.array([(*rules, *[-1] * (most - len(rules))) for rules in sets])
    anywhere = np.repeat(nothing, len(sets), axis=0)
    for place in range(most):
        anywhere |= covers[members[:, place]]
    positives, hit = problem.count_covered(anywhere)
    missed = problem.groups.positives - positives
    for rate in problem.rates:
        near &= rate.violations(missed.astype(float), hit.astype(float)) <= FAR_OUTSIDE
    return np.flatnonzero(near).tolist()


def rules_inside(
    pool: Pool,
    proof: DualBound,
    loss: float,
    deadline: Deadline,
    threads: int = 1,
    most: int = MOST_RULES,
) -> IntVector | None:
    """Add all rules that a rule set of at most this loss can have.

    Returns
    -------
    Their numbers in the pool, the least reduced cost first; None when there are too
    many, or no time to look at them.
    """
    budget = proof.room(loss)
    most = min(most, MOST_BITS // pool.problem.n_rows)
    each = COPIES * (pool.problem.bits.n_words + len(proof.duals.cuts) // 64)
    most = int(min(most, deadline.memory.limit / each))
    bits, of_sizes = proof.duals.posed(pool.problem, proof.max_conditions)
    for size, prices in of_sizes:
        posed = prices.on(bits, size)
        inside = all_below(posed, budget + SLACK, most, deadline, threads)
        if not inside.is_complete:
            logger.debug("too many rules have a reduced cost of at most %.3f", budget)
            return None
        if deadline.is_set():
            return None
        pool.add(inside.rules)
    costs = proof.duals.reduced_costs(pool.covers, pool.complexities)
    fitting = np.flatnonzero(
        (costs <= budget + SLACK) & (pool.complexities <= proof.max_conditions + 1)
    )
    return fitting[np.argsort(costs[fitting], kind="stable")]


def all_below(
    posed: PricedBits, cutoff: float, most: int, deadline: Deadline, threads: int
) -> EnumerationResult:
    """List all rules of a lower cost, if they are not too many."""
    return run(
        lambda limits: enumerate_below(posed, cutoff=cutoff, most=most, limits=limits),
        deadline,
        threads=threads,
    )
