from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from faircg._kernel import Limits, enumerate_below, reference
from posed import pose

if TYPE_CHECKING:
    from collections.abc import Callable


def cutoff_for(seed: int, costs: list[float]) -> float:
    """Draw a cutoff that some rules meet exactly, or none, or all."""
    rng = np.random.default_rng([seed, 2])
    choices = [float(rng.normal()), -1.0, 0.0, 1.0, 100.0, np.inf]
    return [*choices, costs[int(rng.integers(len(costs)))]][rng.integers(7)]


@pytest.mark.parametrize("seeds", [range(k, k + 70) for k in range(0, 420, 70)])
def test_every_rule_up_to_the_cutoff_is_listed(
    seeds: range, instance: Callable[..., Any]
) -> None:
    """By both implementations, on 420 problems, whatever the number of threads."""
    for seed in seeds:
        made = instance(seed, most_rows=90)
        problem, everything = made.problem, made.every_rule()
        if not everything:
            continue
        cutoff = cutoff_for(seed, sorted(everything.values()))
        close = 1e-10 * (1 + np.abs(problem.prices).sum())
        expected = {r: c for r, c in everything.items() if c <= cutoff + close}
        answers = [
            enumerate_below(problem, cutoff=cutoff, limits=Limits(threads=threads))
            for threads in (1, 3)
        ]
        answers.append(
            reference.enumerate_below(
                problem, cutoff=cutoff, most=10**6, limits=Limits()
            )
        )
        for found in answers:
            assert found.is_complete
            assert not found.too_many
            assert len(set(found.rules)) == len(found.rules)
            assert set(found.rules) == set(expected)
            costs = [expected[rule] for rule in found.rules]
            np.testing.assert_allclose(found.reduced_costs, costs, atol=close)
        assert answers[0].rules == answers[1].rules
        assert np.all(np.diff(answers[0].reduced_costs) >= 0)


def test_a_condition_that_changes_nothing_is_listed_too() -> None:
    """Dominance is right for the best rule and wrong here: a rule set may need both."""
    rows = np.array([[1, 1], [1, 1], [1, 0]], dtype=bool)
    problem = pose(rows, np.array([-1.0, -1.0, 0.0]), 0.25, 2)
    found = enumerate_below(problem, cutoff=0.0)
    assert found.rules == ((0,), (1,), (0, 1))


def test_rows_of_price_zero_make_a_rule_cover_something() -> None:
    """A rule that covers only free rows is a rule; one that covers none is not."""
    rows = np.array([[1, 0, 1], [0, 1, 1], [0, 1, 0]], dtype=bool)
    problem = pose(rows, np.array([0.0, 0.0, 1.0]), 0.0, 2)
    found = enumerate_below(problem, cutoff=0.5)
    assert set(found.rules) == {(0,), (2,), (0, 2), (1, 2)}


def test_two_conditions_of_a_family_are_never_combined() -> None:
    """Nested ones would repeat a rule, exclusive ones would cover nobody."""
    rows = np.array([[1, 1], [0, 1]], dtype=bool)
    nested = pose(rows, np.ones(2), 0.0, 2, family=[0, 0])
    found = enumerate_below(nested, cutoff=9.0)
    assert found.rules == ((0,), (1,))


@pytest.mark.parametrize("threads", [1, 2])
def test_too_many_rules_are_admitted(threads: int) -> None:
    """Then none is returned, since which came first would be chance."""
    rows = np.random.default_rng(0).random((50, 12)) < 0.8
    problem = pose(rows, np.zeros(50), 0.0, 3)
    total = len(enumerate_below(problem, cutoff=0.0).rules)
    limits = Limits(threads=threads)
    for most, too_many in ((total, False), (total - 1, True), (0, True)):
        for found in (
            enumerate_below(problem, cutoff=0.0, most=most, limits=limits),
            reference.enumerate_below(problem, cutoff=0.0, most=most, limits=limits),
        ):
            assert found.too_many == too_many
            assert found.is_complete == (not too_many)
            assert len(found.rules) == (0 if too_many else total)
