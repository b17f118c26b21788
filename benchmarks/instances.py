"""The real problems that everything is measured on: whole data sets, deciles."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from benchmarks.kernel import NamedProblem
from faircg.binarize import ConditionBinarizer
from faircg.colgen.loop import generate
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.problem import Problem
from faircg.colgen.restricted import RestrictedMaster
from faircg.colgen.stop import Deadline
from faircg.datasets import DATASETS
from faircg.fairness import EqualityOfOpportunity
from faircg.groups import read_groups

if TYPE_CHECKING:
    from faircg.colgen.duals import Prices

COMPLEXITY = {"compas": 15, "adult": 20, "default": 15}
DEPTH = {"compas": 6, "adult": 4, "default": 3}


@cache
def problem_of(name: str) -> Problem:
    data = DATASETS[name]()
    binarizer = ConditionBinarizer(thresholds="quantile").fit(data.X)
    groups = read_groups(data.sensitive_features)
    return Problem.merge(
        binarizer.transform(data.X),
        data.y.to_numpy() == 1,
        families=binarizer.families_,
        group_codes=groups.codes,
        group_names=groups.names,
        criterion=EqualityOfOpportunity(0.05),
        max_complexity=COMPLEXITY[name],
    )


@cache
def prices_of(name: str, stage: str) -> Prices:
    """Duals of the first linear master that has rules, or of the last one."""
    problem = problem_of(name)
    pool = Pool(problem)
    if stage == "last":
        pricer = ExactPricer(threads=2)
        ended = generate(
            problem,
            pool,
            pricer,
            max_conditions=DEPTH[name],
            deadline=Deadline.after(300),
        )
        assert ended.master is not None
        return ended.master.duals.prices
    singles = [(j,) for j in range(problem.bits.n_conditions)]
    pool.add(singles)
    solved = RestrictedMaster(problem, pool).solve(Deadline.after(300))
    assert solved is not None
    return solved.duals.prices


def pricing_problem(name: str, stage: str = "first") -> NamedProblem:
    problem = prices_of(name, stage).on(problem_of(name).bits, DEPTH[name])
    return NamedProblem(f"{name}, {stage} duals", problem)
