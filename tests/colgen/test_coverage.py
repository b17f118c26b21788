"""The coverage master: wrong predictions and true rates, without a proxy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from faircg.colgen.coverage.restricted import RestrictedCoverage
from faircg.colgen.excess import excess_problem
from faircg.colgen.stop import Deadline
from small_problems import (
    CRITERIA,
    cases,
    full_pool,
    instance_of,
    limits_of,
    problem_of,
)


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
        posed = excess_problem(pool, np.arange(len(pool)), duals, Deadline())
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
