"""Epsilon zero: rates of whole people can rarely be exactly equal."""

from __future__ import annotations

import numpy as np
import pytest

from faircg.colgen.equal_rates import all_or_nothing_bound, is_all_or_nothing
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.stop import Deadline
from oracle import Instance, Limits, best_rule_set
from small_problems import problem_of, solved


def instance(sizes: tuple[int, int], seed: int) -> Instance:
    """Draw samples with so many positives in each of two groups."""
    rng = np.random.default_rng(seed)
    groups = np.repeat([0, 1, 0, 1], [*sizes, 3, 3])
    is_positive = np.arange(len(groups)) < sum(sizes)
    features = rng.random((len(groups), 3)) < 0.5
    conditions = np.column_stack([features, ~features])
    return Instance(
        conditions, is_positive, groups, np.arange(6, dtype=np.int32), 2, 2, 9
    )


@pytest.mark.parametrize(
    ("sizes", "expected"), [((5, 3), True), ((4, 2), False), ((1, 1), True)]
)
def test_only_sizes_without_a_common_divisor_force_all_or_nothing(sizes, expected):
    """Two of four is one of two, but nothing of five is anything of three."""
    problem = problem_of(instance(sizes, 0), "hamming", Limits(missed=0.0))
    assert is_all_or_nothing(problem) is expected
    relaxed = problem_of(instance(sizes, 0), "hamming", Limits(missed=0.1))
    assert not is_all_or_nothing(relaxed)


@pytest.mark.parametrize("hit", [None, 0.0])
def test_the_bound_is_true_and_the_optimum_proven(hit):
    """The bound never exceeds the best rule set, which the engine proves."""
    for seed in range(10):
        drawn, limits = instance((4, 3), seed), Limits(missed=0.0, hit=hit)
        problem = problem_of(drawn, "hamming", limits)
        bound = all_or_nothing_bound(
            problem,
            ExactPricer(),
            max_conditions=2,
            deadline=Deadline(),
            pricing_seconds=np.inf,
        )
        optimum = best_rule_set(drawn, "hamming", limits)
        assert bound <= optimum + 1e-6
        certificate = solved(problem, 2).certificate
        assert certificate.objective == optimum
        assert certificate.proven_optimal
