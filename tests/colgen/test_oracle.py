"""Column generation, the integer master and the proof, against full enumeration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from faircg.colgen.integer import solve_integer
from faircg.colgen.loop import restricted_master
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import (
    ExactPricer,
    GreedyPricer,
    IntegerPricer,
    QuickFirstPricer,
    SampledPricer,
)
from faircg.colgen.select import Selection
from faircg.colgen.stop import Deadline
from oracle import Limits, best_rule_set
from small_problems import (
    CRITERIA,
    OBJECTIVES,
    cases,
    full_pool,
    in_every_cell,
    instance_of,
    limits_of,
    lp_by_generation,
    problem_of,
    solved,
    true_bound,
    true_optimum,
)

# 4 instances in each of 5 x 2 x 3 cells: 120 in all, in each of three tests.
COUNT = 4
MANY = 260
PER_CELL = [
    pytest.param(COUNT, 0, id="few"),
    pytest.param(MANY, 1_000, id="many", marks=pytest.mark.long),
]
# A part of them for the pricers that take longer.
PER_CELL_SLOW = [
    pytest.param(1, 0, id="few"),
    pytest.param(40, 1_000, id="many", marks=pytest.mark.long),
]


@in_every_cell
@pytest.mark.parametrize(("count", "first"), PER_CELL)
def test_column_generation_equals_full_enumeration(
    criterion, objective, n_groups, count, first
):
    """The LP value is that of the unmerged program over all rules, and proven."""
    for seed, epsilon in cases(criterion, n_groups, count, first):
        instance, limits = instance_of(seed, n_groups), limits_of(criterion, epsilon)
        problem = problem_of(instance, objective, limits)
        value = true_bound(seed, n_groups, objective, limits)
        pool = full_pool(problem, instance)
        everything = restricted_master(problem, pool, instance.max_conditions)
        generation = lp_by_generation(problem, instance)

        assert everything.solve(Deadline()).value == pytest.approx(value, abs=1e-6)
        assert generation.is_proven
        assert generation.master.value == pytest.approx(value, abs=1e-6)
        assert generation.lower_bound <= value + 1e-6


@in_every_cell
@pytest.mark.parametrize(("count", "first"), PER_CELL)
def test_the_integer_master_equals_the_best_of_all_rule_sets(
    criterion, objective, n_groups, count, first
):
    """With every rule in the pool the integer program finds the true optimum."""
    for seed, epsilon in cases(criterion, n_groups, count, first):
        instance, limits = instance_of(seed, n_groups), limits_of(criterion, epsilon)
        problem = problem_of(instance, objective, limits)
        pool, selection = full_pool(problem, instance), Selection(problem)
        answer = solve_integer(pool, np.arange(len(pool)), selection, Deadline())

        assert answer.is_closed
        optimum = true_optimum(seed, n_groups, objective, limits)
        assert selection.objective == optimum
        winner = instance.counts(selection.objective_winner.rules)
        assert winner.loss(objective) == optimum
        assert winner.satisfies(limits)


@in_every_cell
@pytest.mark.parametrize(("count", "first"), PER_CELL)
def test_the_engine_ends_with_a_proven_optimum(
    criterion, objective, n_groups, count, first
):
    """From no rule at all to the best rule set, with a bound that is true."""
    for seed, epsilon in cases(criterion, n_groups, count, first):
        instance, limits = instance_of(seed, n_groups), limits_of(criterion, epsilon)
        optimum = true_optimum(seed, n_groups, objective, limits)
        solution = solved(
            problem_of(instance, objective, limits), instance.max_conditions
        )
        certificate = solution.certificate

        assert certificate.lower_bound <= optimum
        assert certificate.objective == optimum
        assert certificate.proven_optimal
        assert certificate.status == "optimal"
        returned = instance.counts(solution.returned.rules)
        assert returned.satisfies(limits)
        assert sum(1 + len(r) for r in solution.returned.rules) <= (
            instance.max_complexity
        )
        assert all(len(r) <= instance.max_conditions for r in solution.returned.rules)
        assert returned.zero_one == solution.returned.recount.zero_one_loss
        if objective == "zero_one":
            assert returned.zero_one == optimum


@in_every_cell
@pytest.mark.parametrize(("count", "first"), PER_CELL_SLOW)
def test_what_other_questions_found_does_not_change_the_optimum(
    criterion, objective, n_groups, count, first
):
    """A looser question lends its bound, and any question its rule sets."""
    for seed, epsilon in cases(criterion, n_groups, count, first):
        instance, limits = instance_of(seed, n_groups), limits_of(criterion, epsilon)
        optimum = true_optimum(seed, n_groups, objective, limits)
        asked = problem_of(instance, objective, limits)
        loose = solved(
            problem_of(instance, objective, limits_of(criterion, 1.0)),
            instance.max_conditions,
        )
        solution = solved(
            asked,
            instance.max_conditions,
            known=[loose.returned.rules, loose.optimised.rules],
            known_bound=loose.certificate.lower_bound,
        )
        assert solution.certificate.proven_optimal
        assert solution.certificate.objective == optimum
        assert solution.optimised.recount.loss(objective) == optimum
        assert instance.counts(solution.returned.rules).satisfies(limits)


@in_every_cell
@pytest.mark.parametrize(("count", "first"), PER_CELL_SLOW)
@pytest.mark.parametrize(
    "pricer",
    [
        IntegerPricer(),
        IntegerPricer(disaggregated=True),
        QuickFirstPricer(GreedyPricer(), ExactPricer()),
        QuickFirstPricer(GreedyPricer(), IntegerPricer()),
    ],
    ids=["ip", "ip_dash", "greedy_then_exact", "greedy_then_ip"],
)
def test_every_complete_pricer_reaches_the_same_lp_value(
    pricer, criterion, objective, n_groups, count, first
):
    """The paper's program, that of Dash et al. and the search prove one value."""
    for seed, epsilon in cases(criterion, n_groups, count, first):
        instance, limits = instance_of(seed, n_groups), limits_of(criterion, epsilon)
        generation = lp_by_generation(
            problem_of(instance, objective, limits), instance, pricer
        )
        value = true_bound(seed, n_groups, objective, limits)
        assert generation.is_proven
        assert generation.master.value == pytest.approx(value, abs=1e-6)


@in_every_cell
@pytest.mark.parametrize(("count", "first"), PER_CELL_SLOW)
def test_heuristic_pricing_never_ends_below_the_true_lp_value(
    criterion, objective, n_groups, count, first
):
    """Greedy and sampled pricing may stop early; they prove nothing too low or high."""
    for seed, epsilon in cases(criterion, n_groups, count, first):
        instance, limits = instance_of(seed, n_groups), limits_of(criterion, epsilon)
        value = true_bound(seed, n_groups, objective, limits)
        optimum = true_optimum(seed, n_groups, objective, limits)
        rng = np.random.default_rng(seed)
        for pricer in (
            GreedyPricer(width=1, depth=2),
            GreedyPricer(),
            SampledPricer(ExactPricer(), rng, rows=4, nonzeros=12),
        ):
            problem = problem_of(instance, objective, limits)
            generation = lp_by_generation(problem, instance, pricer)
            assert generation.master.value >= value - 1e-6
            assert generation.lower_bound <= value + 1e-6
            if generation.is_proven:  # the sample was the whole
                assert generation.master.value == pytest.approx(value, abs=1e-6)

            solution = solved(problem, instance.max_conditions, pricer)
            assert solution.certificate.lower_bound <= optimum
            assert solution.certificate.objective >= optimum
            if solution.certificate.proven_optimal:
                assert solution.certificate.objective == optimum
            assert instance.counts(solution.returned.rules).satisfies(limits)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(("count", "first"), PER_CELL)
def test_the_two_gaps_of_equalized_odds_have_limits_of_their_own(
    objective, count, first
):
    """A wide limit on negatives beside a narrow one on positives, and the reverse."""
    pairs = [(0.0, 0.5), (0.5, 0.0), (0.05, 1.0), (1.0, 0.2), (0.3, 0.35)]
    differs = 0
    for number in range(count):
        seed = first + number
        instance = instance_of(seed, 2)
        limits = Limits(*pairs[number % len(pairs)])
        problem = problem_of(instance, objective, limits)
        optimum = true_optimum(seed, 2, objective, limits)
        value = true_bound(seed, 2, objective, limits)
        solution = solved(problem, instance.max_conditions)

        assert solution.certificate.lp_value == pytest.approx(value, abs=1e-6)
        assert solution.certificate.objective == optimum
        assert solution.certificate.proven_optimal
        assert instance.counts(solution.returned.rules).satisfies(limits)
        swapped = Limits(limits.hit, limits.missed)
        differs += optimum != true_optimum(seed, 2, objective, swapped)
    assert differs > 0  # the two limits are not mixed up


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("max_complexity", [0, 1, 2, 3])
def test_a_limit_that_leaves_room_for_one_rule_or_none(
    criterion, objective, max_complexity
):
    """Below complexity two only the empty rule set is left."""
    for seed in range(4):
        instance = replace(
            instance_of(seed, 2), max_complexity=max_complexity, max_conditions=2
        )
        limits = limits_of(criterion, 0.2)
        solution = solved(problem_of(instance, objective, limits), 2)
        assert solution.certificate.objective == best_rule_set(
            instance, objective, limits
        )
        if max_complexity < 2:
            assert solution.returned.rules == ()


def test_a_pool_of_every_rule_prices_nothing_out():
    """At the end of column generation no rule of any kind has a negative price."""
    for seed in range(30):
        instance = instance_of(seed, 2)
        problem = problem_of(instance, "hamming", limits_of("equalized_odds", 0.05))
        generation = lp_by_generation(problem, instance)
        pool = Pool(problem, instance.rules)
        prices = generation.proof.duals.prices
        costs = prices.reduced_costs(pool.covers, pool.complexities)
        assert costs.min() >= -1e-6
