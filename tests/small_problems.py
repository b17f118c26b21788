"""The package's objects for the oracle's instances."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from faircg.colgen.engine import Solution, solve
from faircg.colgen.loop import Generation, generate
from faircg.colgen.options import SearchOptions
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.problem import Problem
from faircg.colgen.stop import Deadline
from faircg.fairness import (
    DemographicParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    PredictiveEquality,
)
from oracle import (
    Instance,
    Limits,
    best_rule_set,
    coverage_value,
    linear_value,
    random_instance,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from faircg.colgen.pricing import Pricer
    from faircg.colgen.problem import Objective
    from faircg.fairness import Criterion
    from oracle import Rule

CRITERIA = (
    "none",
    "equality_of_opportunity",
    "equalized_odds",
    "demographic_parity",
    "predictive_equality",
)
OBJECTIVES: tuple[Objective, ...] = ("hamming", "zero_one")
EPSILONS = (0.0, 0.05, 0.2, 1.0)
LIFTED = (291, 443, 600, 1012, 1081, 1129, 1999, 2053)
"""Instances where cuts between three rows say more than those between two."""
in_every_cell = pytest.mark.parametrize(
    ("criterion", "objective", "n_groups"),
    list(product(CRITERIA, OBJECTIVES, (2, 3, 4))),
)


def limits_of(criterion: str, epsilon: float) -> Limits:
    """Say which gaps a criterion bounds."""
    bounded = {
        "none": (),
        "equality_of_opportunity": ("missed",),
        "equalized_odds": ("missed", "hit"),
        "demographic_parity": ("selected",),
        "predictive_equality": ("hit",),
    }
    return Limits(**dict.fromkeys(bounded[criterion], epsilon))


def criterion_of(limits: Limits) -> Criterion | None:
    """Return the criterion that bounds these gaps."""
    if limits.selected is not None:
        return DemographicParity(limits.selected)
    if limits.missed is None:
        return None if limits.hit is None else PredictiveEquality(limits.hit)
    if limits.hit is None:
        return EqualityOfOpportunity(limits.missed)
    return EqualizedOdds(limits.missed, epsilon_negatives=limits.hit)


def problem_of(
    instance: Instance, objective: Objective = "hamming", limits: Limits | None = None
) -> Problem:
    """Merge an instance's samples; false positives count as in the paper."""
    return Problem.merge(
        instance.conditions,
        instance.is_positive,
        families=instance.families,
        group_codes=instance.groups,
        group_names=tuple(f"group {g}" for g in range(instance.n_groups)),
        criterion=criterion_of(limits or Limits()),
        max_complexity=instance.max_complexity,
        objective=objective,
        costs=instance.costs,
        by_proxy=True,
    )


def full_pool(problem: Problem, instance: Instance) -> Pool:
    """Put every rule into a pool."""
    return Pool(problem, instance.rules)


def lp_by_generation(
    problem: Problem, instance: Instance, pricer: Pricer | None = None
) -> Generation:
    """Solve the linear master by column generation, from nothing."""
    return generate(
        problem,
        Pool(problem),
        pricer or ExactPricer(),
        max_conditions=instance.max_conditions,
        deadline=Deadline(),
    )


def solved(
    problem: Problem,
    max_conditions: int,
    pricer: Pricer | None = None,
    rules: tuple[Rule, ...] = (),
    **known: Any,
) -> Solution:
    """Run the whole engine without a time limit."""
    options = SearchOptions(
        pricer or ExactPricer(), (max_conditions,), Deadline(), rules=rules, **known
    )
    return solve(problem, options)


def cases(
    criterion: str, n_groups: int, count: int, first: int = 0
) -> Iterator[tuple[int, float]]:
    """Walk through seeds and epsilons; without a criterion epsilon means nothing."""
    epsilons = EPSILONS if criterion != "none" else (1.0,)
    for number in range(count):
        yield first + number, epsilons[number % len(epsilons)]


@lru_cache(maxsize=4096)
def instance_of(seed: int, n_groups: int) -> Instance:
    """Draw an instance, once."""
    return random_instance(seed, n_groups)


def questions(
    criterion: str,
    objective: Objective,
    n_groups: int,
    count: int,
    first: int = 0,
    *,
    draw: Callable[[int, int], Instance] = instance_of,
) -> Iterator[tuple[Instance, Limits, Problem]]:
    """Draw instances, each with the limits of its case and the problem to solve."""
    for seed, epsilon in cases(criterion, n_groups, count, first):
        instance, limits = draw(seed, n_groups), limits_of(criterion, epsilon)
        yield instance, limits, problem_of(instance, objective, limits)


@lru_cache(maxsize=4096)
def true_optimum(seed: int, n_groups: int, objective: str, limits: Limits) -> int:
    """List every rule set, once."""
    return best_rule_set(instance_of(seed, n_groups), objective, limits)


@lru_cache(maxsize=4096)
def true_lp_value(seed: int, n_groups: int, objective: str, limits: Limits) -> float:
    """Solve the unmerged linear program, once."""
    return linear_value(instance_of(seed, n_groups), objective, limits)


@lru_cache(maxsize=4096)
def true_bound(seed: int, n_groups: int, objective: str, limits: Limits) -> float:
    """Solve the linear program that column generation ends at, once."""
    if objective == "hamming":
        return true_lp_value(seed, n_groups, objective, limits)
    return coverage_value(instance_of(seed, n_groups), limits)
