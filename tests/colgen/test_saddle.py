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
from faircg.colgen.pairs import Pairs
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.recounted import recounted
from faircg.colgen.stop import Deadline
from oracle import coverage_value
from small_problems import (
    CRITERIA,
    cases,
    full_pool,
    instance_of,
    limits_of,
    problem_of,
)


def program_of(problem, pool):
    """All rules, and all pairs of rows."""
    rows = range(problem.n_rows)
    pairs = np.array([*itertools.permutations(rows, 2)], dtype=np.int64).reshape(-1, 2)
    ends = pairs[:, 0], pairs[:, 1]
    return SaddleProgram(problem, pool.covers, pool.complexities, ends, 1.0)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_charges_are_the_other_side_of_activity(criterion):
    """Rows weighed by multipliers are variables weighed by charges, whatever both."""
    for seed, epsilon in cases(criterion, 3, 4):
        instance, limits = instance_of(seed, 3), limits_of(criterion, epsilon)
        problem = problem_of(instance, "zero_one", limits)
        program = program_of(problem, full_pool(problem, instance))
        rng = np.random.default_rng(seed)
        point = rng.normal(size=len(program.column_steps))
        multipliers = rng.normal(size=len(program.row_steps))
        assert program.activity(point) @ multipliers == pytest.approx(
            program.charges(multipliers) @ point
        )


@pytest.mark.parametrize("criterion", ["none", "equality_of_opportunity"])
def test_steps_lead_to_the_value_of_the_linear_program(criterion):
    """The point that they end at costs what another solver says is the least."""
    n_compared = 0
    for seed, epsilon in cases(criterion, 2, 12):
        instance, limits = instance_of(seed, 2), limits_of(criterion, epsilon)
        if instance.max_complexity % 2:
            continue  # there the other link, which steps leave out, may bind
        problem = problem_of(instance, "zero_one", limits)
        program = program_of(problem, full_pool(problem, instance))
        x, y = np.zeros(len(program.column_steps)), np.zeros(len(program.row_steps))
        balance = 1.0
        for _ in range(40):
            x, y, balance = follow(program, x, y, balance, 200, Deadline())
        value = float(program.cost @ x) + problem.miss_costs.sum()
        assert value == pytest.approx(coverage_value(instance, limits), abs=0.02)
        n_compared += 1
    assert n_compared >= 3


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
    pairs = Pairs(np.array([0, 1]), np.array([2, 3]), np.array([0.5, 0.25]))
    duals = Duals(prices, zeros, zeros, zeros, pairs, np.zeros(0))
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
