"""The coverage master: wrong predictions and true rates, without a proxy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from faircg.colgen.coverage.duals import coverage_duals
from faircg.colgen.coverage.master import CoverageMaster
from faircg.colgen.coverage.restricted import RestrictedCoverage
from faircg.colgen.excess import excess_problem
from faircg.colgen.stop import Deadline
from faircg.solver.highs import solve_lp
from small_problems import (
    CRITERIA,
    cases,
    full_pool,
    instance_of,
    limits_of,
    lp_by_generation,
    problem_of,
    solved,
    true_optimum,
)

COUNTS = [
    pytest.param(8, 0, id="few"),
    pytest.param(200, 1_000, id="many", marks=pytest.mark.long),
]


def _all_pairs(n_rows):
    first, second = np.divmod(np.arange(n_rows * n_rows), n_rows)
    return first[first != second], second[first != second]


def _master(problem, pool, numbers, share, rng):
    first, second = _all_pairs(problem.n_rows)
    some = rng.random(len(first)) < share
    return CoverageMaster(problem, pool, numbers, first[some], second[some])


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("count", "first"), COUNTS)
def test_prices_are_the_solvers_reduced_costs(criterion, count, first):
    """With pair cuts active, rows and pairs price every rule as the solver does.

    Multipliers that a cell has no use for are left out, which can only raise a rule's
    reduced cost; the bound stays the value of the program.
    """
    n_equal, n_rules = 0, 0
    for seed, epsilon in cases(criterion, 2 + count % 3, count, first):
        instance = instance_of(seed, 2 + count % 3)
        problem = problem_of(instance, "zero_one", limits_of(criterion, epsilon))
        pool, rng = full_pool(problem, instance), np.random.default_rng(seed)
        some = np.flatnonzero(rng.random(len(pool)) < 0.4)
        for numbers in (np.arange(len(pool)), some):
            master = _master(problem, pool, numbers, 0.5, rng)
            solution = solve_lp(master.model, Deadline())
            duals = coverage_duals(master, solution.row_dual)
            assert duals.prices.value == pytest.approx(solution.objective, abs=1e-7)
            costs = duals.reduced_costs(
                pool.covers[numbers], pool.complexities[numbers]
            )
            of_solver = solution.column_dual[master.layout.rule]
            assert (costs >= of_solver - 1e-8).all()
            n_equal += int(np.isclose(costs, of_solver, rtol=0, atol=1e-8).sum())
            n_rules += len(costs)
    assert n_equal > 0.9 * n_rules


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("count", "first"), COUNTS)
def test_the_program_over_all_rules_and_cuts_bounds_every_rule_set(
    criterion, count, first
):
    """Column generation ends at the value of the whole program."""
    for seed, epsilon in cases(criterion, 2, count, first):
        instance, limits = instance_of(seed, 2), limits_of(criterion, epsilon)
        problem = problem_of(instance, "zero_one", limits)
        generation = lp_by_generation(problem, instance)
        assert generation.is_proven
        optimum = true_optimum(seed, 2, "zero_one", limits)
        assert generation.lower_bound <= optimum + 1e-6
        if problem.max_complexity < 2:
            continue
        pool = full_pool(problem, instance)
        everything = np.arange(len(pool))
        master = CoverageMaster(problem, pool, everything, *_all_pairs(problem.n_rows))
        whole = solve_lp(master.model, Deadline()).objective
        assert whole <= optimum + 1e-6
        assert generation.lower_bound == pytest.approx(whole, abs=1e-5)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("objective", ["zero_one", "hamming"])
def test_the_excess_is_a_lower_bound_of_every_rule_set(criterion, objective):
    """Loss is at least the dual value and what the excess problem charges."""
    for seed, epsilon in cases(criterion, 2, 10):
        instance, limits = instance_of(seed, 2), limits_of(criterion, epsilon)
        problem = problem_of(instance, objective, limits)
        if problem.max_complexity < 2:
            continue
        pool = full_pool(problem, instance)
        value = RestrictedCoverage(problem, pool, instance.max_conditions).solve(
            Deadline()
        )
        duals = value.duals
        posed = excess_problem(pool, np.arange(len(pool)), duals)
        for size in (1, 2, 3):
            for chosen in itertools.islice(
                itertools.combinations(range(len(pool)), size), 400
            ):
                recount = problem.recount([pool[k] for k in chosen])
                if not recount.is_feasible:
                    continue
                excess = posed.excesses(np.array([chosen], dtype=np.int32))[0]
                loss = recount.loss(objective)
                assert loss >= duals.prices.value + excess - 1e-6


@pytest.mark.parametrize(
    ("count", "first"),
    [
        pytest.param(10, 0, id="few"),
        pytest.param(200, 1_000, id="many", marks=pytest.mark.long),
    ],
)
def test_searching_wrong_predictions_never_ends_with_more_of_them(count, first):
    """The 0-1 objective used to return more errors than the Hamming loss."""
    for seed in range(first, first + count):
        criterion = CRITERIA[seed % len(CRITERIA)]
        instance, limits = instance_of(seed, 2), limits_of(criterion, 0.2)
        errors = [
            solved(
                problem_of(instance, objective, limits), instance.max_conditions
            ).certificate.errors
            for objective in ("zero_one", "hamming")
        ]
        assert errors[0] <= errors[1]
        assert errors[0] == true_optimum(seed, 2, "zero_one", limits)
