"""The engine: from a problem and some first rules to a rule set with a certificate.

It only assembles the parts: generate rules, depth by depth; look for good rule sets
among them; close the gap by enumeration, or else by an integer program; keep the best
of everything seen, and say what was proven.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.certificate import (
    Certificate,
    CertificateStatus,
    relative_gap,
)
from faircg.colgen.closing import close
from faircg.colgen.deepening import Deepened, Paused, deepen
from faircg.colgen.equal_rates import all_or_nothing_bound
from faircg.colgen.errors import counting_errors, errors_bound
from faircg.colgen.events import in_units
from faircg.colgen.first import FIRST_RULES, offer_best, offer_first
from faircg.colgen.improving import add_near, best_numbers, improve, polish
from faircg.colgen.infeasible import explained, no_rule_set, smallest_loosening
from faircg.colgen.loop import LARGE, rounds_up
from faircg.colgen.pool import Pool
from faircg.colgen.pricing.confined import ConfinedPricer
from faircg.colgen.problem import fingerprint
from faircg.colgen.select import Candidate, Selection
from faircg.colgen.unrestricted import any_classifier_bound
from faircg.exceptions import FairCGError, InfeasibleConstraintError

if TYPE_CHECKING:
    from faircg.colgen.costs import Units
    from faircg.colgen.events import Round
    from faircg.colgen.loop import Generation
    from faircg.colgen.options import SearchOptions
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline

SIMPLE_SHARE = 0.5
"""Part of the time after which no bound on all classifiers is waited for."""
GENERATION_SHARE = 0.6
"""Part of the time that column generation may take."""
RESERVED_SHARE = 0.15
"""Part of the time for what follows: while more is left, cut steps are taken up."""
BORROW_SHARE = 0.25
"""Part of the time that a search by Hamming loss may take to lend to the 0-1 loss."""


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
    generation: Generation

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
    if problem.parts:
        confined = ConfinedPricer(options.pricer, problem.parts)
        options = replace(options, pricer=confined)
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
    reserve = RESERVED_SHARE * deadline.remaining()
    early = deadline.within(SIMPLE_SHARE * deadline.remaining())
    simple = _any_classifier(problem, depths[-1], early)
    pool, selection, paused, started = _begun(problem, options)
    at_least = simple if problem.objective == "zero_one" else 0.0
    deepened: Deepened | Paused | None = paused
    while True:
        share = deadline.within(GENERATION_SHARE * deadline.remaining())
        deepened = deepen(pool, selection, options, share, started, deepened)
        bound, is_done = _bounded(pool, deepened, selection, at_least, options, share)
        is_late = deadline.is_set() or deadline.remaining() < reserve
        if deepened.cut_at is None or is_late or not share.is_set():
            break
    if deadline.is_set() and deepened.last.master is not None:
        numbers = best_numbers(pool, deepened.last, FIRST_RULES)
        offer_best(pool, numbers, selection, deadline)
    depth = deepened.generation.max_conditions
    if selection.returned_winner is None or selection.objective_winner is None:
        raise no_rule_set(problem, depth, is_proven=bound == np.inf)
    polish(pool, deepened.last, selection, deadline, options.seed)
    fewest = 0.0
    if problem.objective == "zero_one":
        fewest = bound
    elif options.counts_errors and options.is_exact:
        fewest = errors_bound(pool, selection, depth, options)
    returned, optimised = selection.returned_winner, selection.objective_winner
    certificate = _certificate(
        selection, returned, deepened, bound, options, is_done, started
    )
    certificate = counting_errors(certificate, problem, returned, fewest, simple)
    if len(depths) > 1:
        is_proven = certificate.proven_optimal or certificate.fewest_errors_proven
        searched = deepened.words(depths[-1], is_proven)
        certificate = replace(certificate, depths=searched)
    return Solution(
        returned, optimised, certificate, deepened.history, pool, deepened.generation
    )


def _begun(
    problem: Problem, options: SearchOptions
) -> tuple[Pool, Selection, Paused | None, float]:
    """Return first rules and rule sets, or those of a search that was stopped.

    And where that one was, and when it would have started on this clock.
    """
    now, on_event = options.deadline.clock(), options.on_event
    if options.checkpoint is not None:
        resumed = options.checkpoint.open(problem, options)
        if resumed is not None:
            known = (*options.known, *resumed.known)
            selection = Selection(problem, on_event, known)
            return resumed.pool, selection, resumed.paused, now - resumed.seconds
    most = options.depths[-1]
    pool = Pool(problem, (rule for rule in options.rules if len(rule) <= most))
    selection = Selection(problem, on_event, options.known)
    offer_first(pool, selection, options.deadline)
    _borrow(pool, selection, options)
    return pool, selection, None, now


def _bounded(
    pool: Pool,
    deepened: Deepened,
    selection: Selection,
    at_least: float,
    options: SearchOptions,
    generated_until: Deadline,
) -> tuple[float, bool]:
    """Bound the loss of the rule sets of the deepest solved step, and find good ones.

    Returns the bound, and whether all was done.
    """
    problem, generation, last = pool.problem, deepened.generation, deepened.last
    bound = max(generation.lower_bound, options.known_bound, at_least)
    # Rules of a deeper step that was not solved may be better than all of this one.
    goal = rounds_up(bound if last is generation else last.lower_bound)
    if goal < selection.objective:
        improve(
            pool,
            last,
            selection,
            options.deadline,
            options.seed,
            problem.objective,
            [selection.objective_winner],
            good_enough=goal,
        )
    other = all_or_nothing_bound(
        problem,
        options.pricer,
        generation.max_conditions,
        generated_until,
        options.pricing_seconds,
    )
    was_cut = generated_until.is_set() and not generation.is_searched
    bound, is_done = close(pool, generation, selection, max(bound, other), options)
    return bound, is_done and not was_cut


def _any_classifier(problem: Problem, max_conditions: int, deadline: Deadline) -> float:
    """Bound the wrong predictions of any classifier; refuse if none is allowed."""
    bound = any_classifier_bound(problem, deadline)
    if bound == np.inf:
        raise no_rule_set(problem, max_conditions, is_proven=True)
    return bound


def _borrow(pool: Pool, selection: Selection, options: SearchOptions) -> None:
    """Let a search by Hamming loss, which is quick, lend its rules and its answer.

    So a search by 0-1 loss never ends with more errors than that finds in its share of
    the time. The look at wrong predictions that would end it is what follows anyway.
    """
    if pool.problem.objective != "zero_one" or options.deadline.is_set():
        return
    share = options.deadline.within(BORROW_SHARE * options.deadline.remaining())
    hamming = replace(pool.problem, objective="hamming")
    others = replace(options.elsewhere(), deadline=share, counts_errors=False)
    try:
        lent = _solve(hamming, others)
    except FairCGError as error:
        if isinstance(error, InfeasibleConstraintError):
            raise
        return  # none was found in that time
    generated = max((round_.pool_size for round_ in lent.history), default=0)
    pool.add((*lent.pool.rules[:generated], *lent.returned.rules))
    selection.offer(lent.returned.rules)
    if pool.problem.n_rows > LARGE:
        _look_nearby(pool, lent.generation, selection, options, share)


def _look_nearby(
    pool: Pool,
    generation: Generation,
    selection: Selection,
    options: SearchOptions,
    deadline: Deadline,
) -> None:
    """Look for few errors among rules near those of another loss.

    On large tables the coverage master takes long to find rules that are as good.
    """
    add_near(pool, generation.proof, np.inf, deadline, options.threads)
    polish(pool, generation, selection, deadline, options.seed)


def _certificate(
    selection: Selection,
    returned: Candidate,
    deepened: Deepened,
    bound: float,
    options: SearchOptions,
    is_done: bool,
    started: float,
) -> Certificate:
    problem, best = selection.problem, selection.objective
    generation, deadline = deepened.generation, options.deadline
    lower_bound = min(float(rounds_up(bound)), best)
    proven = lower_bound >= best
    status: CertificateStatus
    if proven and deepened.cut_at is None:
        status = "optimal"
    elif deadline.interrupted.is_set():
        status = "interrupted"
    else:
        is_cut = deepened.cut_at is not None or not is_done
        if is_cut:
            status = "work_limit" if deadline.is_counting else "time_limit"
        else:
            status = "feasible"
    criterion = problem.criterion
    epsilon = None if criterion is None else criterion.epsilon
    return Certificate(
        status=status,
        loss=problem.objective,
        objective=float(best),
        lower_bound=lower_bound,
        gap=relative_gap(best, lower_bound),
        lp_value=None if generation.master is None else _shown(generation.master.value),
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


def _shown(value: float) -> float:
    """Return a value of the solver without the digits that are rounding."""
    return float(f"{value:.9g}")
