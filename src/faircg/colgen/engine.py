"""The engine: from a problem and some first rules to a rule set with a certificate.

It only assembles the parts: generate rules, solve the integer master over them, keep
the best of everything seen, and say what was proven.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.certificate import (
    Certificate,
    CertificateStatus,
    fingerprint,
    relative_gap,
)
from faircg.colgen.integer import solve_integer
from faircg.colgen.loop import generate, rounds_up
from faircg.colgen.pool import Pool
from faircg.colgen.prove import FIRST_RULES, best_numbers, prove
from faircg.colgen.select import Candidate, Selection
from faircg.exceptions import FairCGError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from faircg.colgen.history import Round
    from faircg.colgen.pricing.base import Pricer
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import Conditions

GENERATION_SHARE = 0.6
"""Part of the time that column generation may take."""
FIRST_SHARE = 0.3
"""Part of the remaining time for the first integer master."""
MOST_INTEGER_RULES = 2_000
"""Rules of the pool that enter the integer master when nothing is proven."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The answer of the engine."""

    returned: Candidate
    certificate: Certificate
    history: tuple[Round, ...]
    pool: Pool


def solve(
    problem: Problem,
    rules: Iterable[Conditions],
    pricer: Pricer,
    *,
    max_conditions: int,
    deadline: Deadline,
    pricing_seconds: float = np.inf,
    on_round: Callable[[Round], None] = lambda _: None,
) -> Solution:
    """Solve a problem as far as time allows.

    Parameters
    ----------
    problem
        The data and the question.
    rules
        Rules to start from.
    pricer
        Finds rules of negative reduced cost.
    max_conditions
        Most conditions that a rule may have.
    deadline
        When to stop.
    pricing_seconds
        Limit on one pricing.
    on_round
        Called with the record of each round.
    """
    started = deadline.clock()
    history: list[Round] = []

    def record(entry: Round) -> None:
        history.append(entry)
        on_round(entry)

    pool = Pool(problem, (rule for rule in rules if len(rule) <= max_conditions))
    selection = Selection(problem)
    generation = generate(
        problem,
        pool,
        pricer,
        max_conditions=max_conditions,
        deadline=deadline.within(GENERATION_SHARE * deadline.remaining()),
        pricing_seconds=pricing_seconds,
        on_round=record,
    )
    is_closed = is_optimal = False
    if not deadline.is_set():
        most = FIRST_RULES if generation.is_proven else MOST_INTEGER_RULES
        numbers = best_numbers(pool, generation, most)
        first = deadline.within(FIRST_SHARE * deadline.remaining())
        is_closed = solve_integer(pool, numbers, selection, first).is_closed
        is_optimal = prove(pool, generation, selection, deadline)
    returned, best = selection.returned_winner, selection.objective
    if returned is None:
        raise FairCGError("no rule set that satisfies the constraint was found")
    lower_bound = float(rounds_up(generation.lower_bound))
    lower_bound = best if is_optimal else min(lower_bound, best)
    proven = lower_bound >= best
    status: CertificateStatus
    if proven:
        status = "optimal"
    elif deadline.interrupted.is_set():
        status = "interrupted"
    elif not is_closed or deadline.is_set():
        status = "time_limit"
    else:
        status = "feasible"
    certificate = Certificate(
        status=status,
        loss=problem.objective,
        objective=float(best),
        lower_bound=lower_bound,
        gap=relative_gap(best, lower_bound),
        lp_value=np.nan if generation.master is None else generation.master.value,
        lp_proven=generation.is_proven,
        proven_optimal=proven,
        max_conditions=max_conditions,
        max_complexity=problem.max_complexity,
        constraint=None if problem.criterion is None else problem.criterion.name,
        epsilon=None if problem.criterion is None else problem.criterion.epsilon,
        rates=(
            "proxy"
            if problem.rate_rows.uses_covered and problem.objective == "hamming"
            else "exact"
        ),
        data=fingerprint(problem),
        seconds=deadline.clock() - started,
    )
    return Solution(returned, certificate, tuple(history), pool)
