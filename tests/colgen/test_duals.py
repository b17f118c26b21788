"""Prices of samples, against the solver's own reduced costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from faircg.colgen.duals import Prices, duals_of
from faircg.colgen.master import Master
from faircg.colgen.stop import Deadline
from faircg.solver.highs import solve_lp
from small_problems import (
    cases,
    full_pool,
    in_every_cell,
    instance_of,
    limits_of,
    problem_of,
    true_lp_value,
)

COUNTS = [
    pytest.param(8, 0, id="few"),
    pytest.param(300, 1_000, id="many", marks=pytest.mark.long),
]


@in_every_cell
@pytest.mark.parametrize(("count", "first"), COUNTS)
def test_a_rules_price_equals_the_solvers_reduced_cost(
    criterion, objective, n_groups, count, first
):
    """Our formula and HiGHS agree on every rule of the master, merged as it is."""
    for seed, epsilon in cases(criterion, n_groups, count, first):
        instance, limits = instance_of(seed, n_groups), limits_of(criterion, epsilon)
        problem = problem_of(instance, objective, limits)
        pool = full_pool(problem, instance)
        some = np.flatnonzero(np.random.default_rng(seed).random(len(pool)) < 0.5)
        for numbers in (np.arange(len(pool)), some):
            for exact_rates in (False, True):
                master = Master(problem, pool, numbers, exact_rates=exact_rates)
                solution = solve_lp(master.model, Deadline())
                priced = duals_of(master, solution.row_dual).prices
                costs = priced.reduced_costs(
                    pool.covers[numbers], pool.complexities[numbers]
                )
                of_solver = solution.column_dual[master.layout.rule]
                np.testing.assert_allclose(costs, of_solver, rtol=0, atol=1e-8)


@in_every_cell
def test_raised_prices_give_a_true_bound_in_the_middle_of_the_search(
    criterion, objective, n_groups
):
    """Once nothing prices out any more, the dual value is below the LP over all rules.

    The duals come from a master over a few rules, where most positives have no row.
    """
    for seed, epsilon in cases(criterion, n_groups, 8):
        instance, limits = instance_of(seed, n_groups), limits_of(criterion, epsilon)
        problem = problem_of(instance, objective, limits)
        pool = full_pool(problem, instance)
        for size in (0, 1, 3):
            master = Master(problem, pool, np.arange(min(size, len(pool))))
            solution = solve_lp(master.model, Deadline())
            priced = duals_of(master, solution.row_dual).prices
            costs = priced.reduced_costs(pool.covers, pool.complexities)
            worst = min(0.0, float((costs / pool.complexities).min()))
            raised = priced.raised(-worst, problem.max_complexity)
            assert raised.reduced_costs(pool.covers, pool.complexities).min() >= -1e-9
            value = true_lp_value(seed, n_groups, objective, limits)
            assert raised.value <= value + 1e-6
            assert solution.objective >= value - 1e-6


def test_mixed_prices_are_the_straight_line_between_two_duals():
    """Rows, lambda and the dual value move together."""
    here = Prices(np.array([1.0, -2.0]), 0.5, 10.0)
    there = Prices(np.array([3.0, 2.0]), 0.0, 20.0)
    middle = here.mixed(there, 0.25)
    assert middle.rows.tolist() == [1.5, -1.0]
    assert (middle.condition, middle.value) == (0.375, 12.5)


def test_the_price_of_complexity_is_what_one_more_unit_is_worth():
    """Lambda predicts, to first order, the gain of a larger limit."""
    checked = 0
    for seed in range(60):
        instance = replace(instance_of(seed, 2), max_complexity=4)
        problem = problem_of(instance)
        pool = full_pool(problem, instance)
        everything = np.arange(len(pool))
        solution = solve_lp(Master(problem, pool, everything).model, Deadline())
        master = Master(problem, pool, everything)
        lam = duals_of(master, solution.row_dual).prices.condition
        more = replace(problem, max_complexity=5)
        better = solve_lp(Master(more, pool, everything).model, Deadline())
        assert lam >= 0
        assert better.objective >= solution.objective - lam - 1e-9
        checked += lam > 0
    assert checked > 3


def test_the_dual_value_is_the_solvers_but_does_not_trust_it():
    """Our own sum of multipliers equals the LP value, and noise only lowers it."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        instance = instance_of(seed, 3)
        problem = problem_of(instance, "hamming", limits_of("equalized_odds", 0.05))
        pool = full_pool(problem, instance)
        master = Master(problem, pool, np.arange(len(pool)))
        solution = solve_lp(master.model, Deadline())
        exact = duals_of(master, solution.row_dual).prices.value
        assert exact == pytest.approx(solution.objective, abs=1e-7)
        noisy = solution.row_dual + rng.normal(0, 0.05, len(solution.row_dual))
        duals = duals_of(master, noisy)
        costs = duals.prices.reduced_costs(pool.covers, pool.complexities)
        worst = min(0.0, float((costs / pool.complexities).min()))
        bound = duals.raised(-worst, problem.max_complexity).prices.value
        assert bound <= solution.objective + 1e-7
