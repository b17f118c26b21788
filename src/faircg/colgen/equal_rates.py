"""Exactly equal rates: what epsilon zero means for whole people.

With epsilon zero the false negative rates of all groups are the same fraction
``missed_g / size_g``. If the sizes have no common divisor, whole numbers allow only two
such fractions: nobody is missed, or everybody. The linear master cannot see that; its
bound is far too low. But both cases are easy to bound. Missing everybody costs as much
as all positives do. Covering everybody costs at least the linear master without
fairness rows in which missing a person is very dear.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING

from faircg.colgen.costs import Costs
from faircg.colgen.loop import generate
from faircg.colgen.pool import Pool
from faircg.fairness.bounds import Difference

if TYPE_CHECKING:
    from faircg.colgen.pricing.base import Pricer
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline


def is_all_or_nothing(problem: Problem) -> bool:
    """Say whether a rule set must miss everybody or nobody.

    No number of seven people is the same rate as a number of five, but none and all.
    It must be a rate of everybody: that of one stratum says nothing about the others.
    """
    counted = problem.groups.positives > 0
    return any(
        rate.bound == Difference(0)
        and rate.members[:, counted].any(axis=0).all()
        and abs(rate.form.missed) == 1
        and rate.form.hit == 0
        and len(rate.sizes) > 1
        and gcd(*map(int, rate.sizes)) == 1
        for rate in problem.rates
    )


def all_or_nothing_bound(
    problem: Problem,
    pricer: Pricer,
    max_conditions: int,
    deadline: Deadline,
    pricing_seconds: float,
) -> float:
    """Bound the Hamming loss of every rule set that misses everybody or nobody.

    Zero where other rule sets are allowed, or another loss is minimised.
    """
    if problem.objective != "hamming" or not is_all_or_nothing(problem):
        return 0.0
    everybody = int(problem.miss_costs.sum())
    dear = everybody + int(problem.hit_costs.sum())
    hit = problem.negatives if problem.costs is None else problem.costs.hit
    costs = Costs(missed=dear * problem.positives, hit=hit)
    covering = replace(problem, criterion=None, costs=costs)
    generation = generate(
        covering,
        Pool(covering),
        pricer,
        max_conditions=max_conditions,
        deadline=deadline,
        pricing_seconds=pricing_seconds,
    )
    return min(float(everybody), generation.lower_bound)
