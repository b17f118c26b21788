"""Going deeper: only while it pays, and never called optimal where time has cut it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from faircg.colgen import deepening
from faircg.colgen.engine import solve
from faircg.colgen.events import DepthBegun, DepthDone
from faircg.colgen.options import SearchOptions
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.stop import Deadline
from oracle import Limits, best_rule_set
from small_problems import instance_of, problem_of

LIMITS = Limits(missed=0.2)
SEEDS = range(12)


class Clock:
    """A clock that stands still until somebody sets it."""

    now = 0.0

    def __call__(self):
        """Tell the time."""
        return self.now


def deepened(seed, on_event=None, clock=None, **options):
    """Search rules of one condition, then of two, then of three."""
    problem = problem_of(instance_of(seed, 2), "hamming", LIMITS)
    deadline = Deadline() if clock is None else Deadline.after(100, clock=clock)
    if on_event is not None:
        options["on_event"] = on_event
    asked = SearchOptions(ExactPricer(), (1, 2, 3), deadline, **options)
    return solve(problem, asked).certificate


def optimum(seed, depth):
    """List every rule set of rules of at most so many conditions."""
    instance = replace(instance_of(seed, 2), max_conditions=depth)
    return best_rule_set(instance, "hamming", LIMITS)


def test_what_is_called_optimal_is_so_for_the_depth_that_is_named(monkeypatch):
    """By listing all rule sets of that depth; some fits stop before the last one."""
    monkeypatch.setattr(deepening, "NOISE", 0.1)  # so few people are all noise
    depths = set()
    for seed in SEEDS:
        found = deepened(seed, patience=60.0)
        assert found.status == "optimal"
        assert found.objective == optimum(seed, found.max_conditions)
        words = f"rules of up to {found.max_conditions} condition"
        assert found.depths.startswith(words)
        assert ("not worth it" in found.depths) == (found.max_conditions < 3)
        depths.add(found.max_conditions)
    assert len(depths) > 1


def test_without_patience_every_depth_is_searched():
    """A grid asks for all depths: there it must not depend on what pays."""
    for seed in SEEDS:
        found = deepened(seed)
        assert found.max_conditions == 3
        assert found.depths == "rules of up to 3 conditions: proven"


def test_too_much_work_is_not_begun():
    """Longer rules than the time limit allows for are not searched, and it says so."""
    found = deepened(0, patience=1e-9)
    assert found.max_conditions == 1
    assert found.status == "optimal"
    assert found.objective == optimum(0, 1)
    assert found.depths.endswith("1 condition: proven; longer rules: not searched")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_that_time_has_cut_is_not_called_optimal(seed):
    """A limit of 10 s ended at 6.4 s with "optimal", proven for two conditions only."""
    clock = Clock()

    def told(event):
        if event == DepthBegun(2):
            clock.now = 101.0

    found = deepened(seed, told, clock)
    assert found.status == "time_limit"
    assert found.max_conditions == 1
    assert found.lower_bound <= optimum(seed, 1)
    assert found.depths.endswith("2 conditions: stopped")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cut_step_is_taken_up_while_time_is_left(seed):
    """The first depth was closed at once: the time left is for the deeper one."""
    clock, begun = Clock(), []

    def told(event):
        if isinstance(event, DepthBegun):
            begun.append(event.max_conditions)
        if begun == [1, 2] and not isinstance(event, DepthDone):
            clock.now = 61.0  # of 100, and 60 are for the first attempt

    found = deepened(seed, told, clock)
    assert begun == [1, 2, 2, 3]
    assert found.status == "optimal"
    assert found.objective == optimum(seed, 3)
