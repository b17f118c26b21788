"""The column generation loop: master, duals, prices, pricing, pool, again.

Every pricing that ends with a proven bound gives a lower bound on the master over
*all* rules (see ``PricingResult.bound``); the loop keeps the best one. It ends when the
bound meets the restricted master's value (proven), when pricing finds nothing more, or
at the deadline.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from faircg.colgen.coverage.large import LargeCoverage
from faircg.colgen.coverage.restricted import RestrictedCoverage
from faircg.colgen.duals import DualBound, Duals, Prices
from faircg.colgen.events import OnEvent, Round, RoundDone, ignore
from faircg.colgen.pricing.base import TOLERANCE, PricingProblem, PricingResult
from faircg.colgen.restricted import MasterValue, RestrictedMaster
from faircg.colgen.row_cuts import RowCuts

if TYPE_CHECKING:
    from collections.abc import Callable

    from faircg.colgen.pool import Pool
    from faircg.colgen.pricing.base import Pricer
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline

AnyMaster: TypeAlias = RestrictedMaster | RestrictedCoverage | LargeCoverage
"""The restricted masters that there are."""

STAY = 0.2
"""Share of the best duals so far in the duals that are priced (smoothing)."""
FAR = 0.01
"""Relative gap of the linear master below which its own duals are steady enough."""
PROOF = 1e-8
"""Relative difference below which bound and value of the linear master are equal."""

ROUGH = 1e-3
"""The same of a master that is solved roughly: more rounds would bring no more."""
STALE = 20
"""Rounds without new rules or a better bound after which a rough master ends."""
LARGE = 600
"""Distinct rows above which the coverage master is solved roughly."""
TOO_LARGE = 100_000
"""Distinct rows above which looking for rows that are alike takes too long."""
SMALLEST_COMPLEXITY = 2
"""Complexity of a rule with one condition."""


@dataclass(frozen=True, slots=True, eq=False)
class Generation:
    """How column generation ended.

    ``master`` is the last solved restricted master and ``proof`` the best bound; None
    when there was no time for one. ``is_proven`` says whether the linear master over
    all rules of at most ``max_conditions`` conditions is solved.
    """

    master: MasterValue | None
    proof: DualBound | None
    is_proven: bool
    max_conditions: int

    @property
    def lower_bound(self) -> float:
        """Bound on the master over all those rules."""
        return _bound(self.proof)

    @property
    def is_searched(self) -> bool:
        """Whether more rounds would bring nothing: solved, or nearly if roughly."""
        if self.master is None or self.is_proven or self.master.is_settled:
            return self.is_proven
        return _open_share(self.master, self.proof) <= ROUGH


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where the loop stands after a round: all that the next one depends on.

    ``is_proven`` is None while there are rounds to come; then it says how they ended.
    """

    restricted: AnyMaster
    max_conditions: int
    number: int
    solved: MasterValue | None = None
    best: DualBound | None = None
    stay: float = STAY
    stale: int = 0
    is_proven: bool | None = None


def generate(
    problem: Problem,
    pool: Pool,
    pricer: Pricer,
    *,
    max_conditions: int,
    deadline: Deadline,
    pricing_seconds: float = np.inf,
    first_round: int = 1,
    most_rounds: float = np.inf,
    started: float | None = None,
    on_event: OnEvent = ignore,
    resumed: Standing | None = None,
    keep: Callable[[Standing], None] | None = None,
) -> Generation:
    """Solve the linear master over all rules, as far as time allows.

    New rules are added to the pool. ``started`` is when the search began, on the
    deadline's clock; rounds are counted from ``first_round``, and end after
    ``most_rounds``. After each round ``keep`` gets what is needed to go on from there,
    as ``resumed``.
    """
    if problem.max_complexity < SMALLEST_COMPLEXITY:
        return _nothing_fits(problem, max_conditions)
    started = deadline.clock() if started is None else started
    at = resumed
    if at is None:
        restricted = restricted_master(problem, pool, max_conditions)
        at = Standing(restricted, max_conditions, first_round - 1)
    last = first_round - 1 + most_rounds
    while at.is_proven is None and at.number < last and not deadline.is_set():
        solved = at.restricted.solve(deadline)
        if solved is None:
            break
        limit = deadline.within(pricing_seconds)
        at, found, fresh = _round(problem, pool, pricer, at, solved, limit)
        deadline.spend(pool.covers.size)
        record = Round(
            number=at.number,
            seconds=deadline.clock() - started,
            max_conditions=max_conditions,
            lp_value=solved.value,
            lower_bound=_bound(at.best),
            best_reduced_cost=float(found.reduced_costs.min(initial=0.0)),
            new_rules=len(fresh),
            pool_size=len(pool),
            is_complete=found.is_complete,
        )
        on_event(RoundDone(record))
        if keep is not None:
            keep(at)
    return Generation(at.solved, at.best, bool(at.is_proven), max_conditions)


def _round(
    problem: Problem,
    pool: Pool,
    pricer: Pricer,
    at: Standing,
    solved: MasterValue,
    limit: Deadline,
) -> tuple[Standing, PricingResult, list[int]]:
    """Price the duals of a solved master; say where that leads, and what was found."""
    asked, best = solved.duals, at.best
    if best is not None and at.stay > 0 and solved.is_settled:
        # What was followed in small steps is steady by itself.
        asked = asked.mixed(best.duals, at.stay)
    found = _searched(problem, pricer, asked, at.max_conditions, limit)
    bound = _proven(asked, found, problem.max_complexity, at.max_conditions)
    if bound is not None and (best is None or bound.value > best.value):
        best = bound
    fresh = pool.add(found.rules)
    is_smoothed = asked is not solved.duals
    open_share = _open_share(solved, best)
    stay = STAY if open_share > FAR else 0.0
    if is_smoothed and not _any_prices_out(solved.duals, pool, fresh):
        stay = 0.0  # nothing here helps the master: ask at its own duals next
    is_proven: bool | None = None
    is_better = open_share < _open_share(solved, at.best) - PROOF
    stale = 0 if fresh or is_better else at.stale + 1
    if open_share <= (PROOF if solved.is_settled else ROUGH):
        is_proven = solved.is_settled
    elif stale >= STALE and not solved.is_settled:
        is_proven = False
    elif not fresh and not is_smoothed and solved.is_settled:
        # Known rules priced again, or none at all: a proof, if pricing says so.
        is_proven = found.is_complete and not found.rules
    after = replace(
        at,
        number=at.number + 1,
        solved=solved,
        best=best,
        stay=stay,
        stale=stale,
        is_proven=is_proven,
    )
    return after, found, fresh


def _searched(
    problem: Problem, pricer: Pricer, asked: Duals, max_conditions: int, limit: Deadline
) -> PricingResult:
    """Search for rules of negative reduced cost, of every size."""
    bits, of_sizes = asked.posed(problem, max_conditions)
    answers = [
        pricer.price(PricingProblem(bits, prices, size, limit))
        for size, prices in of_sizes
    ]
    if len(answers) == 1:
        return answers[0]
    rules = sorted({rule for answer in answers for rule in answer.rules})
    sizes = np.array([1 + len(rule) for rule in rules], dtype=np.int64)
    costs = asked.reduced_costs(problem.bits.cover(rules), sizes)
    order = np.argsort(costs, kind="stable")
    return PricingResult(
        tuple(rules[k] for k in order),
        costs[order],
        is_complete=all(answer.is_complete for answer in answers),
        bound=min(answer.bound for answer in answers),
    )


def _open_share(solved: MasterValue, best: DualBound | None) -> float:
    """Return how far the bound is from the value of the master, as a share of that."""
    value = solved.value + solved.open
    return (value - _bound(best)) / max(1.0, abs(value))


def _bound(best: DualBound | None) -> float:
    """Return what is proven; a loss is never below zero."""
    return 0.0 if best is None else max(0.0, best.value)


def restricted_master(problem: Problem, pool: Pool, max_conditions: int) -> AnyMaster:
    """Return the master that is strong for the question: coverage counts people once.

    It also can begin where the empty rule set is not allowed. On large tables it is
    solved roughly, as it takes minutes to solve it well.
    """
    is_large = LARGE < problem.n_rows <= TOO_LARGE and problem.starts_feasible
    if problem.objective == "zero_one" and is_large:
        return LargeCoverage(problem, pool, max_conditions)
    counts_hits = problem.rate_rows.uses_hit and not problem.uses_proxy
    if problem.objective == "zero_one" or counts_hits or not problem.starts_feasible:
        return RestrictedCoverage(problem, pool, max_conditions)
    return RestrictedMaster(problem, pool, max_conditions)


def _proven(
    asked: Duals, found: PricingResult, max_complexity: int, max_conditions: int
) -> DualBound | None:
    """Return what a pricing proves: its duals, raised until no rule prices out."""
    lowest = min(0.0, found.bound)
    if found.is_complete and not found.rules:
        lowest = max(lowest, -TOLERANCE / SMALLEST_COMPLEXITY)
    if not np.isfinite(lowest):
        return None
    return DualBound(asked.raised(-lowest, max_complexity), max_conditions)


def _any_prices_out(duals: Duals, pool: Pool, numbers: list[int]) -> bool:
    """Say whether any of these rules has a negative reduced cost."""
    if not numbers:
        return False
    costs = duals.reduced_costs(pool.covers[numbers], pool.complexities[numbers])
    return bool((costs < -TOLERANCE).any())


def _nothing_fits(problem: Problem, max_conditions: int) -> Generation:
    """Return the only solution when no rule is within the limit: everybody missed."""
    value = float(problem.miss_costs.sum())
    zeros = np.zeros(problem.n_rows)
    prices = Prices(zeros, 0.0, value)
    unbound = np.zeros(len(problem.rate_rows))
    nothing = Duals(prices, zeros, zeros, zeros, RowCuts.none(), unbound)
    proof = DualBound(nothing, max_conditions)
    return Generation(MasterValue(value, nothing), proof, True, max_conditions)


def rounds_up(bound: float) -> float:
    """Round a bound on a whole-number loss up, forgiving the solver's tolerance."""
    return float(np.ceil(bound - TOLERANCE)) + 0.0  # no zero below zero
