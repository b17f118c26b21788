"""Constraints that the empty rule set violates: the way in, or a proof of none."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from faircg.colgen.problem import Problem
from faircg.exceptions import InfeasibleConstraintError
from faircg.fairness import Cap, Difference, Floor, Rate, exact
from small_problems import full_pool, instance_of, solved


class _Custom:
    name, epsilon = "custom", 1.0

    def __init__(self, rate):
        self._rate = rate

    def rates(self):
        return (self._rate,)


EVERYBODY = ("positives", "negatives")
WRONG = ("false_negatives", "false_positives")
ASKED = {
    "floor on true positives": Rate(
        "true positive rate", ("true_positives",), ("positives",), Floor(0.6)
    ),
    "cap on errors": Rate("error rate", WRONG, EVERYBODY, Cap(0.34)),
    "accuracy parity": Rate("error rate", WRONG, EVERYBODY, Difference(0.1)),
}


def _best(problem, pool, objective):
    """List every rule set within the limit on complexity: the lowest loss, and needs.

    The second number is how much every limit must be loosened for some rule set.
    """
    best, needed = np.inf, Fraction(2)
    for size in range(problem.max_complexity // 2 + 1):
        for chosen in itertools.combinations(range(len(pool)), size):
            recount = problem.recount([pool[k] for k in chosen])
            if recount.complexity > problem.max_complexity:
                continue
            needed = min(needed, _needed(problem, recount))
            if recount.is_feasible:
                best = min(best, recount.loss(objective))
    return best, needed


def _needed(problem, recount):
    (rate,) = problem.rates
    values = rate.values(recount.missed, recount.hit)
    limit, bound = exact(rate.bound.limit), rate.bound
    if isinstance(bound, Floor):
        return max(Fraction(0), limit - min(values))
    reached = max(values) - (min(values) if isinstance(bound, Difference) else 0)
    return max(Fraction(0), reached - limit)


@pytest.mark.parametrize("objective", ["hamming", "zero_one"])
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(
    ("count", "first"),
    [
        pytest.param(5, 0, id="few"),
        pytest.param(100, 100, id="many", marks=pytest.mark.long),
    ],
)
def test_the_best_rule_set_is_found_or_it_is_proven_that_there_is_none(
    objective, asked, count, first
):
    """The linear master used to end before its first round, without a word."""
    n_feasible = 0
    for seed in range(first, first + count):
        instance = instance_of(seed, 2 + seed % 2)
        problem = Problem.merge(
            instance.conditions,
            instance.is_positive,
            families=instance.families,
            group_codes=instance.groups,
            group_names=tuple(f"group {g}" for g in range(instance.n_groups)),
            criterion=_Custom(ASKED[asked]),
            max_complexity=min(instance.max_complexity, 6),
            objective=objective,
        )
        best, needed = _best(problem, full_pool(problem, instance), objective)
        if best == np.inf:
            with pytest.raises(InfeasibleConstraintError, match="no rule set") as told:
                solved(problem, instance.max_conditions)
            assert told.value.loosen_by == needed
            assert "less than that is proven to be out of reach" in str(told.value)
            continue
        n_feasible += 1
        solution = solved(problem, instance.max_conditions)
        assert solution.certificate.objective == best
        assert solution.certificate.lower_bound == best
    assert n_feasible > 0
