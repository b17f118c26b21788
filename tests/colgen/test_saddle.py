"""The saddle point of the coverage master: its rows, its steps, its prices by size."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from faircg.colgen.coverage.large import LargeCoverage
from faircg.colgen.coverage.saddle import SaddleProgram, follow
from faircg.colgen.duals import Duals, Prices
from faircg.colgen.loop import _searched
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.recounted import recounted
from faircg.colgen.row_cuts import RowCuts
from faircg.colgen.stop import Deadline
from oracle import coverage_value
from small_problems import (
    CRITERIA,
    LIFTED,
    cases,
    full_pool,
    instance_of,
    limits_of,
    problem_of,
    true_optimum,
)


def program_of(problem, pool, *, triples=False):
    """All rules, and the cuts between all rows: two at a time, or three as well."""
    rows = range(problem.n_rows)
    cuts = [(i, j, j) for i, j in itertools.permutations(rows, 2)]
    if triples:
        cuts += [cut for cut in itertools.permutations(rows, 3) if cut[1] < cut[2]]
    ends = np.array(cuts, dtype=np.int64).reshape(-1, 3).T
    between = RowCuts(*ends, np.zeros(len(cuts)))
    return SaddleProgram(problem, pool.covers, pool.complexities, between, 1.0)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_charges_are_the_other_side_of_activity(criterion):
    """Rows weighed by multipliers are variables weighed by charges, whatever both."""
    for seed, epsilon in cases(criterion, 3, 4):
        instance, limits = instance_of(seed, 3), limits_of(criterion, epsilon)
        problem = problem_of(instance, "zero_one", limits)
        program = program_of(problem, full_pool(problem, instance), triples=True)
        rng = np.random.default_rng(seed)
        point = rng.normal(size=len(program.column_steps))
        multipliers = rng.normal(size=len(program.row_steps))
        assert program.activity(point) @ multipliers == pytest.approx(
            program.charges(multipliers) @ point
        )


def value_by_steps(problem, program):
    """Go on until nothing changes any more."""
    x, y = np.zeros(len(program.column_steps)), np.zeros(len(program.row_steps))
    balance = 1.0
    for _ in range(40):
        x, y, balance = follow(program, x, y, balance, 200, Deadline())
    return float(program.cost @ x) + problem.miss_costs.sum()


@pytest.mark.parametrize("criterion", ["none", "equality_of_opportunity"])
def test_steps_lead_to_the_value_of_the_linear_program(criterion):
    """The point that they end at costs what another solver says is the least."""
    n_compared = 0
    for seed, epsilon in cases(criterion, 2, 12):
        instance, limits = instance_of(seed, 2), limits_of(criterion, epsilon)
        if instance.max_complexity % 2:
            continue  # there the other link, which steps leave out, may bind
        problem = problem_of(instance, "zero_one", limits)
        value = value_by_steps(
            problem, program_of(problem, full_pool(problem, instance))
        )
        assert value == pytest.approx(coverage_value(instance, limits), abs=0.02)
        n_compared += 1
    assert n_compared >= 3


@pytest.mark.parametrize("seed", LIFTED)
def test_triples_lift_the_linear_program_up_to_the_best_rule_set(seed):
    """With cuts between three rows its value rises, here as far as it can."""
    instance, limits = instance_of(seed, 2), limits_of("none", 1.0)
    problem = problem_of(instance, "zero_one", limits)
    program = program_of(problem, full_pool(problem, instance), triples=True)
    value = value_by_steps(problem, program)
    assert value == pytest.approx(
        coverage_value(instance, limits, triples=True), abs=0.02
    )
    assert coverage_value(instance, limits) < value - 0.1
    best = true_optimum(seed, 2, "zero_one", limits)
    assert value == pytest.approx(best, abs=0.02)


def test_what_is_priced_has_the_value_that_it_says():
    """Recounted from the prices alone, the value of a dual solution is no lower."""
    for seed in range(10):
        instance = instance_of(seed, 2)
        problem = problem_of(instance, "zero_one", None)
        if problem.max_complexity < 2:
            continue
        pool = full_pool(problem, instance)
        master = LargeCoverage(problem, pool, instance.max_conditions)
        duals = master.solve(Deadline()).duals
        assert recounted(problem, duals) is duals


@pytest.mark.parametrize("seed", range(8))
def test_rules_of_each_size_are_judged_by_their_own_prices(seed):
    """Where units of complexity pay for rows, the worst of all rules is found."""
    instance = instance_of(seed, 2)
    problem = problem_of(instance, "zero_one", None)
    pool, rng = full_pool(problem, instance), np.random.default_rng(seed)
    n = problem.n_rows
    prices = Prices(rng.normal(size=n), 0.1, 0.0, units=0.1 * rng.random(n))
    zeros = np.zeros(n)
    cuts = RowCuts(*np.array([[0, 1], [2, 3], [2, 4]]), np.array([0.5, 0.25]))
    duals = Duals(prices, zeros, zeros, zeros, cuts, np.zeros(0))
    found = _searched(
        problem, ExactPricer(), duals, instance.max_conditions, Deadline()
    )
    costs = duals.reduced_costs(pool.covers, pool.complexities)
    assert found.is_complete
    if costs.min() < -1e-6:
        assert found.reduced_costs[0] == pytest.approx(costs.min())
    else:
        assert not found.rules
    raised = replace(prices, condition=prices.condition - found.bound)
    again = replace(duals, prices=raised).reduced_costs(pool.covers, pool.complexities)
    assert again.min() >= -1e-6
    assert not found.rules or again.min() == pytest.approx(0.0, abs=1e-5)
