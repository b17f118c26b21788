"""Bounds counted again: true ones stay as they are, false ones do not pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from faircg.colgen.duals import DualBound
from faircg.colgen.loop import generate
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.recounted import priced_again
from faircg.colgen.stop import Deadline
from oracle import best_rule_set
from small_problems import CRITERIA, OBJECTIVES, questions

MANY = pytest.mark.long


def proven(problem, depth):
    return generate(
        problem, Pool(problem), ExactPricer(), max_conditions=depth, deadline=Deadline()
    ).proof


def again(problem, bound):
    return priced_again(problem, bound, ExactPricer(), Deadline())


@pytest.mark.parametrize("count", [6, pytest.param(60, marks=MANY)])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_true_bound_stays_as_it_is(criterion, objective, count):
    """What a search has proven is proven by its prices alone, to the last digit."""
    for by_proxy in (False, True):
        for instance, _, problem in questions(criterion, objective, 2, count):
            problem = replace(problem, by_proxy=by_proxy)
            bound = proven(problem, instance.max_conditions)
            assert again(problem, bound).value == bound.value


@pytest.mark.parametrize("count", [6, pytest.param(60, marks=MANY)])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_whatever_the_prices_are_the_bound_is_true(criterion, objective, count):
    """Prices of a file that somebody has changed prove little, and nothing false."""
    rng, n_lower = np.random.default_rng(0), 0
    for instance, limits, problem in questions(criterion, objective, 2, count):
        bound = proven(problem, instance.max_conditions)
        best = best_rule_set(instance, objective, limits)
        for duals in (
            with_value(bound.duals, bound.value + 1e6),
            with_prices(bound.duals, rng.normal(size=problem.n_rows)),
            with_fairness(bound.duals, rng.normal(size=len(problem.rate_rows))),
            with_condition(bound.duals, -1.0),
            with_condition(bound.duals, 0.0),
        ):
            told = again(problem, DualBound(duals, instance.max_conditions))
            assert told is None or told.value <= best + 1e-6
            n_lower += told is None or told.value < duals.prices.value
    assert n_lower > count


def with_value(duals, value):
    return replace(duals, prices=replace(duals.prices, value=value))


def with_prices(duals, more):
    return replace(duals, prices=replace(duals.prices, rows=duals.prices.rows + more))


def with_condition(duals, condition):
    return replace(duals, prices=replace(duals.prices, condition=condition))


def with_fairness(duals, more):
    return replace(duals, fairness=duals.fairness + more)
