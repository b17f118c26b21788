from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from faircg._kernel import Limits, SearchResult, loader, reference, search
from posed import pose

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNKS = [
    pytest.param(
        range(first, first + 100), marks=[] if first < 700 else [pytest.mark.long]
    )
    for first in range(0, 2_100, 100)
]


def check(found: SearchResult, made: Any, *, cutoff: float, keep: int) -> None:
    """Everything the search promises about one answer."""
    everything = made.every_rule()
    best = min(everything.values(), default=np.inf)
    close = 1e-9 * (1 + np.abs(made.problem.prices).sum())
    assert found.is_complete
    assert found.bound == pytest.approx(min(best, cutoff), abs=close)
    if best < cutoff - close and keep:
        assert found.reduced_costs[0] == pytest.approx(best, abs=close)
    if best >= cutoff + close:
        assert not found.rules
    assert len(found.rules) <= keep
    order = [
        (c, len(r), r) for c, r in zip(found.reduced_costs, found.rules, strict=True)
    ]
    assert order == sorted(order)
    coverages = set()
    for rule, cost in zip(found.rules, found.reduced_costs, strict=True):
        assert rule == tuple(sorted(set(rule)))
        assert cost < cutoff
        assert cost == pytest.approx(everything[rule], abs=close)
        covered = made.coverage(rule)
        coverages.add(covered.tobytes())
        for condition in rule if len(rule) > 1 else ():
            rest = tuple(j for j in rule if j != condition)
            assert (made.coverage(rest) != covered).any()
    assert len(coverages) == len(found.rules)


def settings(seed: int) -> tuple[float, int]:
    """Draw a cutoff and a number of rules to keep."""
    rng = np.random.default_rng([seed, 1])
    return float(rng.choice([-1e-6, 0.0, -1.0, -4.0])), int(rng.choice([0, 1, 5, 100]))


@pytest.mark.parametrize("seeds", CHUNKS)
def test_the_compiled_search_agrees_with_listing_every_rule(
    seeds: range, instance: Callable[..., Any], needs_native: None
) -> None:
    """On 2,100 random problems, and not a byte differs between 1 and 4 threads."""
    for seed in seeds:
        made = instance(seed)
        cutoff, keep = settings(seed)
        answers = [
            search(
                made.problem, cutoff=cutoff, keep=keep, limits=Limits(threads=threads)
            )
            for threads in (1, 2 + seed % 3)
        ]
        check(answers[0], made, cutoff=cutoff, keep=keep)
        assert answers[0].rules == answers[1].rules
        assert answers[0].reduced_costs.tobytes() == answers[1].reduced_costs.tobytes()
        assert answers[0].bound == answers[1].bound
        assert answers[0].nodes == answers[1].nodes


@pytest.mark.parametrize("seeds", CHUNKS)
def test_the_numpy_search_agrees_with_listing_every_rule(
    seeds: range, instance: Callable[..., Any]
) -> None:
    """On the same 2,100 problems."""
    for seed in seeds:
        made = instance(seed)
        cutoff, keep = settings(seed)
        found = reference.search(
            made.problem, cutoff=cutoff, keep=keep, limits=Limits()
        )
        check(found, made, cutoff=cutoff, keep=keep)


@pytest.mark.parametrize("seed", range(6))
def test_both_searches_agree_where_listing_is_hopeless(
    seed: int, needs_native: None
) -> None:
    """Thousands of rows: re-packed several times, with common and rare prices."""
    rng = np.random.default_rng(seed)
    rows = rng.random((3000, 30)) < rng.random(30)
    rows[:, 10:20] = rows[:, :10] ^ (rng.random((3000, 10)) < 0.1)
    signal = rows[:, 0] & rows[:, 11] & ~rows[:, 5]
    noise = rng.random(3000)
    prices = np.where(noise < 0.3 + 0.4 * signal, -1.0, 1.0)
    prices[noise > 0.9] = rng.normal(size=(noise > 0.9).sum())
    problem = pose(rows, prices, [0.0, 2.5][seed % 2], 5)
    answers = [search(problem, limits=Limits(threads=t)) for t in (1, 2, 3)]
    slow = reference.search(problem, cutoff=-1e-6, keep=100, limits=Limits())
    assert slow.is_complete
    assert answers[0].bound == pytest.approx(slow.bound, rel=1e-9)
    for other in answers[1:]:
        assert other.rules == answers[0].rules
        assert other.nodes == answers[0].nodes


def test_rules_come_back_varied(needs_native: None) -> None:
    """A hundred variants of the best rule would not help a linear program."""
    rng = np.random.default_rng(5)
    base = rng.random((2000, 8)) < 0.5
    rows = np.hstack(
        [base] + [base ^ (rng.random(base.shape) < 0.01) for _ in range(4)]
    )
    prices = np.where(base[:, :3].sum(axis=1) >= 2, -1.0, 1.0)
    found = search(pose(rows, prices, 0.0, 2), keep=20)
    firsts = {tuple(j % 8 for j in rule) for rule in found.rules}
    assert len(found.rules) == 20
    assert len(firsts) > 3


def test_conditions_that_everybody_meets_are_useless() -> None:
    """They leave the coverage as it is and are not in the rules returned."""
    rows = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 0, 0]], dtype=bool)
    found = search(pose(rows, np.array([-2.0, -1.0, 5.0, 5.0]), 0.0, 3))
    assert found.rules[0] == (1,)
    assert all(0 not in rule for rule in found.rules)


def test_nothing_to_gain_is_an_answer() -> None:
    """No negative price, no rule; the bound is the cutoff."""
    for prices in (np.zeros(3), np.ones(3)):
        problem = pose(np.ones((3, 2), dtype=bool), prices, 0.0, 2)
        found = search(problem, cutoff=-0.5)
        assert (found.rules, found.is_complete, found.bound) == ((), True, -0.5)


def test_no_conditions_no_rules() -> None:
    """A table whose features were all constant."""
    found = search(pose(np.ones((3, 0), dtype=bool), -np.ones(3), 0.0, 2))
    assert (found.rules, found.is_complete) == ((), True)


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 1e9, 1e290])
def test_the_unit_of_the_prices_does_not_matter(
    factor: float, instance: Callable[..., Any]
) -> None:
    """Fixed point inside, but scaled to the prices at hand."""
    made = instance(2)
    scaled = replace(
        made.problem,
        prices=made.problem.prices * factor,
        condition_price=made.problem.condition_price * factor,
    )
    found = search(scaled, cutoff=0.0)
    best = min(made.every_rule().values())
    assert best < -1
    assert found.bound == pytest.approx(best * factor, rel=1e-9)


SCRIPT = """
import hashlib, numpy as np
from faircg._kernel import ConditionBits, PricedBits, enumerate_below, search
digest = hashlib.sha256()
for seed in range(10):
    rng = np.random.default_rng(seed)
    rows = rng.random((900, 20)) < rng.random(20)
    prices = np.where(rng.random(900) < 0.5, rng.choice([-1.0, 1.0], 900),
                      rng.normal(size=900))
    bits = ConditionBits.from_matrix(rows, np.arange(20))
    best, every = (
        PricedBits(bits=bits, prices=prices, condition_price=0.3, max_conditions=n)
        for n in (4, 3)
    )
    best = search(best)
    every = enumerate_below(every, cutoff=best.bound / 2)
    digest.update(repr((best.rules, best.bound, best.nodes, every.rules)).encode())
    digest.update(best.reduced_costs.tobytes() + every.reduced_costs.tobytes())
print(digest.hexdigest())
"""


def test_every_instruction_set_gives_the_same_bytes(needs_native: None) -> None:
    """A machine without vector popcounts returns what this one returns."""
    assert loader.compiled is not None
    seen = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "FAIRCG_KERNEL": choice},
            check=True,
            capture_output=True,
        ).stdout
        for choice in loader.compiled.available_instructions()
    }
    assert len(seen) == 1
