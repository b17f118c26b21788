"""Epsilon zero: rates of whole people can rarely be exactly equal."""

from __future__ import annotations

import numpy as np
import pytest

from faircg.colgen.equal_rates import all_or_nothing_bound, is_all_or_nothing
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.problem import Problem
from faircg.colgen.stop import Deadline
from faircg.fairness import EqualityOfOpportunity, Family
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


def test_equal_rates_in_one_stratum_say_nothing_about_the_other():
    """Its people were all or nothing, and so a loss of 4 was called the lowest: of 2.

    One condition finds both positives of the first stratum, and only one that everybody
    meets finds those of the second; missing these two is all that it costs.
    """
    groups = np.tile(np.arange(4), 4)
    is_positive = np.arange(16) < 4
    conditions = np.column_stack([is_positive & (groups < 2), np.ones(16, dtype=bool)])
    problem = Problem.merge(
        conditions,
        is_positive,
        families=np.arange(2, dtype=np.int32),
        group_codes=groups,
        group_names=("a", "b", "c", "d"),
        compared=[
            Family({"a": ("a",), "b": ("b",)}, "first"),
            Family({"c": ("c",), "d": ("d",)}, "second"),
        ],
        criterion=EqualityOfOpportunity(0.0),
        max_complexity=4,
    )
    assert not is_all_or_nothing(problem)
    bound = all_or_nothing_bound(
        problem,
        ExactPricer(),
        max_conditions=2,
        deadline=Deadline(),
        pricing_seconds=np.inf,
    )
    assert bound <= solved(problem, 2).certificate.objective == 2
