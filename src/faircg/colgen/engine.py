"""The engine: from a problem and some first rules to a rule set with a certificate.

It only assembles the parts: generate rules, depth by depth; look for good rule sets
among them; close the gap by enumeration, or else by an integer program; keep the best
of everything seen, and say what was proven.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.certificate import (
    Certificate,
    CertificateStatus,
    fingerprint,
    relative_gap,
)
from faircg.colgen.equal_rates import all_or_nothing_bound
from faircg.colgen.errors import counting_errors, errors_bound
from faircg.colgen.events import (
    DepthBegun,
    DepthDone,
    Event,
    IntegerDone,
    RoundDone,
    in_units,
)
from faircg.colgen.improving import (
    ERROR_KICKS,
    MORE_RULES,
    add_near,
    best_numbers,
    improve,
)
from faircg.colgen.infeasible import explained, no_rule_set, smallest_loosening
from faircg.colgen.integer import solve_integer
from faircg.colgen.loop import Generation, generate, rounds_up
from faircg.colgen.pool import Pool
from faircg.colgen.pricing.confined import ConfinedPricer
from faircg.colgen.prove import prove, rules_inside
from faircg.colgen.select import Candidate, Selection
from faircg.colgen.unrestricted import any_classifier_bound
from faircg.exceptions import InfeasibleConstraintError

if TYPE_CHECKING:
    from faircg.colgen.costs import Units
    from faircg.colgen.events import Round
    from faircg.colgen.options import SearchOptions
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline

GENERATION_SHARE = 0.6
"""Part of the time that column generation may take."""
BORROW_SHARE = 0.15
"""Part of the time that the Hamming master may take to lend rules to another loss."""
LENT_SHARE = 0.7
"""Part of that time for its linear program; the rest is for rule sets of its rules."""
LONGER_SHARE = 0.5
"""Part of the time left that local search may take where a gap stays open."""
STARTS = 4
"""Rule sets that the last local search, on the true 0-1 loss, starts from."""
POLISH_KICKS = 20
"""Kicks without success from each of them."""
INTEGER_RULES = 2_000
"""Rules of least reduced cost in the integer program when nothing is proven."""
SECONDS_PER_RULE = 2e-3
"""Time to write the integer program on large data, per rule; measured on Adult."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The answer of the engine.

    ``returned`` makes the fewest errors of all rule sets seen; ``optimised`` has the
    lowest loss of the master, of which the certificate speaks.
    """

    returned: Candidate
    optimised: Candidate
    certificate: Certificate
    history: tuple[Round, ...]
    pool: Pool

    def in_units(self, units: Units) -> Solution:
        """Return the same with losses in the units of the user."""
        return replace(
            self,
            certificate=self.certificate.in_units(units),
            history=tuple(in_units(round_, units) for round_ in self.history),
        )


def solve(problem: Problem, options: SearchOptions) -> Solution:
    """Solve a problem as far as time allows.

    The certificate speaks of the deepest step whose linear master was solved.
    """
    try:
        return _solve(problem, options)
    except InfeasibleConstraintError as error:
        again = options.elsewhere()
        found = smallest_loosening(
            problem,
            lambda easier: _solve(easier, again).returned.recount,
            options.deadline,
        )
        raise explained(error, problem, found) from None


def _solve(problem: Problem, options: SearchOptions) -> Solution:
    """Solve a problem, or raise an error that does not yet say what can be reached."""
    deadline, depths = options.deadline, options.depths
    started = deadline.clock()
    if problem.parts:
        confined = ConfinedPricer(options.pricer, problem.parts)
        options = replace(options, pricer=confined)
    pool = Pool(problem, (rule for rule in options.rules if len(rule) <= depths[-1]))
    selection = Selection(problem, options.on_event, options.known)
    simple = _any_classifier(problem, depths[-1], deadline)
    _borrow(pool, selection, options)
    generation_deadline = deadline.within(GENERATION_SHARE * deadline.remaining())
    generation, history = _deepen(pool, options, generation_deadline, started)
    was_cut = generation_deadline.is_set() and not generation.is_proven
    better = partial(improve, pool, generation, selection, deadline, options.seed)
    depth = generation.max_conditions
    at_least = simple if problem.objective == "zero_one" else 0.0
    bound = max(generation.lower_bound, options.known_bound, at_least)
    if (goal := rounds_up(bound)) < selection.objective:
        better(problem.objective, [selection.objective_winner], good_enough=goal)
    other = all_or_nothing_bound(
        problem, options.pricer, depth, generation_deadline, options.pricing_seconds
    )
    bound = max(bound, other)
    bound, is_done = _close(pool, generation, selection, bound, options)
    if selection.returned_winner is None or selection.objective_winner is None:
        raise no_rule_set(problem, depth, is_proven=bound == np.inf)
    # Lower the true 0-1 loss of what will be returned; the proof is not touched.
    better("zero_one", [None, *selection.fewest_errors(STARTS)], kicks=POLISH_KICKS)
    fewest = 0.0
    if problem.objective == "zero_one":
        fewest = bound
    elif options.counts_errors and options.is_exact:
        fewest = errors_bound(pool, selection, depth, options)
    returned, optimised = selection.returned_winner, selection.objective_winner
    ended = is_done and not was_cut
    certificate = _certificate(
        selection, returned, generation, bound, deadline, ended, started
    )
    certificate = counting_errors(certificate, problem, returned, fewest, simple)
    return Solution(returned, optimised, certificate, history, pool)


def _any_classifier(problem: Problem, max_conditions: int, deadline: Deadline) -> float:
    """Bound the wrong predictions of any classifier; refuse if none is allowed."""
    bound = any_classifier_bound(problem, deadline)
    if bound == np.inf:
        raise no_rule_set(problem, max_conditions, is_proven=True)
    return bound


def _borrow(pool: Pool, selection: Selection, options: SearchOptions) -> None:
    """Let the Hamming master, which is quick, lend its rules to the 0-1 loss."""
    if pool.problem.objective != "zero_one" or not options.is_exact:
        return
    deadline = options.deadline
    share = deadline.within(BORROW_SHARE * deadline.remaining())
    other = replace(pool.problem, objective="hamming")
    generation = generate(
        other,
        pool,
        options.pricer,
        max_conditions=options.depths[0],
        deadline=share.within(LENT_SHARE * share.remaining()),
    )
    add_near(pool, generation.proof, np.inf, share, options.threads)
    improve(
        pool,
        generation,
        selection,
        share,
        options.seed,
        "zero_one",
        [None],
        kicks=POLISH_KICKS,
    )


def _close(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    bound: float,
    options: SearchOptions,
) -> tuple[float, bool]:
    """Close the gap by enumeration, or else by an integer program.

    Returns the bound, and whether all was done.
    """
    deadline, threads, proof = options.deadline, options.threads, generation.proof

    def is_open() -> bool:
        return rounds_up(bound) < selection.objective and not deadline.is_set()

    for is_last in (False, True):
        if proof is not None and is_open():
            bound = max(
                bound,
                prove(
                    pool,
                    proof,
                    selection,
                    deadline,
                    threads=threads,
                    on_event=options.on_event,
                ),
            )
        if is_last or not is_open():
            break
        before = selection.objective
        _look_longer(pool, generation, selection, bound, options)
        if selection.objective == before:
            break
    if not is_open():
        return bound, rounds_up(bound) >= selection.objective
    answer = _integer(pool, generation, selection, deadline, bound, threads)
    options.on_event(answer)
    return answer.lower_bound, answer.is_closed


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
    improve(
        pool,
        generation,
        selection,
        deadline,
        options.seed,
        pool.problem.objective,
        [selection.objective_winner],
        kicks=ERROR_KICKS,
        good_enough=rounds_up(bound),
        most=MORE_RULES,
        share=LONGER_SHARE,
    )


def _deepen(
    pool: Pool, options: SearchOptions, deadline: Deadline, started: float
) -> tuple[Generation, tuple[Round, ...]]:
    """Generate rules depth by depth; return the deepest proven step, and all rounds."""
    history: list[Round] = []

    def tell(event: Event) -> None:
        if isinstance(event, RoundDone):
            history.append(event.round)
        options.on_event(event)

    generation: Generation | None = None
    for depth in options.depths:
        tell(DepthBegun(depth))
        step = generate(
            pool.problem,
            pool,
            options.pricer,
            max_conditions=depth,
            deadline=deadline,
            pricing_seconds=options.pricing_seconds,
            first_round=len(history) + 1,
            started=started,
            on_event=tell,
        )
        tell(DepthDone(depth, step.lower_bound, step.is_proven))
        if generation is None or step.is_proven:
            generation = step
        if deadline.is_set():
            break
    if generation is None:
        raise ValueError("at least one depth is needed")
    return generation, tuple(history)


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


def _certificate(
    selection: Selection,
    returned: Candidate,
    generation: Generation,
    bound: float,
    deadline: Deadline,
    is_done: bool,
    started: float,
) -> Certificate:
    problem, best = selection.problem, selection.objective
    lower_bound = min(float(rounds_up(bound)), best)
    proven = lower_bound >= best
    status: CertificateStatus
    if proven:
        status = "optimal"
    elif deadline.interrupted.is_set():
        status = "interrupted"
    else:
        status = "feasible" if is_done else "time_limit"
    criterion = problem.criterion
    epsilon = None if criterion is None else criterion.epsilon
    return Certificate(
        status=status,
        loss=problem.objective,
        objective=float(best),
        lower_bound=lower_bound,
        gap=relative_gap(best, lower_bound),
        lp_value=None if generation.master is None else generation.master.value,
        lp_proven=generation.is_proven,
        proven_optimal=proven,
        max_conditions=generation.max_conditions,
        max_complexity=problem.max_complexity,
        constraint=None if criterion is None else criterion.name,
        epsilon=None if epsilon is None else float(epsilon),
        rates="proxy" if problem.uses_proxy else "exact",
        returned_loss=float(returned.recount.loss(problem.objective)),
        data=fingerprint(problem),
        seconds=deadline.clock() - started,
    )
