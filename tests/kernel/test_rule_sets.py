from __future__ import annotations

import threading
from dataclasses import fields
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest

from faircg._kernel import (
    HAS_NATIVE,
    RuleSetProblem,
    StopFlag,
    rule_sets,
    rule_sets_below,
)
from faircg._kernel.loader import compiled
from posed import call

NAN, INF = float("nan"), float("inf")

below = partial(call, rule_sets_below, RuleSetProblem)


def pack(rows: Any) -> Any:
    """Pack a boolean matrix (n_rules, n_cells)."""
    n_rules, n_cells = rows.shape
    padded = np.zeros((n_rules, -(-n_cells // 64) * 64), dtype=bool)
    padded[:, :n_cells] = rows
    octets = np.packbits(padded, axis=1, bitorder="little")
    return octets.view(np.uint64).reshape(n_rules, -(-n_cells // 64))


def make_problem(seed: int) -> tuple[Any, dict[str, Any]]:
    """Mix ties, zeros, few and many cells, small and large budgets."""
    rng = np.random.default_rng(seed)
    n_rules, n_cells = int(rng.integers(0, 10)), int(rng.integers(0, 150))
    rows = rng.random((n_rules, n_cells)) < rng.choice([0.05, 0.3, 0.6])
    if n_rules > 2 and rng.random() < 0.3:  # rules of equal coverage
        rows[1] = rows[0]
    kind = rng.integers(4)

    def numbers(size: int) -> Any:
        if kind == 0:
            return rng.integers(0, 3, size).astype(float)
        if kind == 1:
            return rng.choice([0.0, 0.1, 0.2, 1 / 3], size)
        if kind == 2:
            return rng.random(size) * (rng.random(size) < 0.6)
        return 10.0 ** rng.integers(-6, 7, size) * (rng.random(size) < 0.5)

    problem = {
        "covers": pack(rows),
        "costs": numbers(n_rules),
        "complexities": rng.integers(1, 5, n_rules),
        "again": numbers(n_cells) * (rng.random() < 0.8),
        "missed": numbers(n_cells) * (rng.random() < 0.8),
        "max_complexity": int(rng.integers(0, 16)),
        "spare_price": float(rng.choice([0.0, 0.0, 0.1, 1.0])),
    }
    return rows, problem


def make_touching(seed: int) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Add touches, marks or both; also cells beyond those that are weighed first."""
    rng = np.random.default_rng((seed, 1))
    rows, problem = make_problem(seed)
    n_rules, n_cells = rows.shape
    if seed % 4 == 0:
        wide = int(rng.integers(449, 700))
        rows = rng.random((n_rules, wide)) < rng.choice([0.05, 0.3])
        for name in ("again", "missed"):
            few = rng.choice([0.0, *problem[name]], wide)
            problem[name] = few * (rng.random(wide) < rng.choice([0.1, 0.9]))
        n_cells = wide
    often = rng.choice([0.02, 0.2, 0.6], 2) * rng.choice([[1, 0], [0, 1], [1, 1]])
    touches = ~rows & (rng.random(rows.shape) < often[0])
    if n_rules > 2 and rng.random() < 0.3:  # the same touches: only the first one pays
        touches[1:] = touches[0] & ~rows[1:]
    marked = rng.random(n_cells) < often[1]
    marks = {"touches": pack(touches), "marked": pack(marked[np.newaxis])[0]}
    return rows, touches, marked, {**problem, "covers": pack(rows), **marks}


def make_linked(seed: int) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Link some cells to the limit on complexity, beside touches and marks."""
    rng = np.random.default_rng((seed, 2))
    rows, touches, marked, problem = make_touching(seed)
    n_cells, few = rows.shape[1], rng.choice([0.05, 0.5, 1.0])
    prices = rng.choice([[0.0, 1.0], [0.01, 0.1], [1 / 3, 1e-4]])
    linked = rng.choice(prices, n_cells) * (rng.random(n_cells) < few)
    if seed % 3 == 0:
        linked = rng.random(n_cells) * linked
    return rows, touches, marked, {**problem, "linked": linked}


def every_set(
    rows: Any, problem: dict[str, Any], touches: Any = None, marked: Any = 0
) -> dict[tuple[int, ...], float]:
    """List all sets that fit, with their excess."""
    rules = range(len(rows))
    fit = problem["complexities"][problem["complexities"] <= problem["max_complexity"]]
    most = min(problem["max_complexity"], fit.sum())
    linked = problem.get("linked", np.zeros(rows.shape[1]))
    touches = np.zeros_like(rows) if touches is None else touches
    found: dict[tuple[int, ...], float] = {}
    for chosen in chain(*(combinations(rules, size) for size in range(len(rows) + 1))):
        spare = problem["max_complexity"] - problem["complexities"][list(chosen)].sum()
        if spare >= 0:
            times = rows[list(chosen)].sum(axis=0)
            excess = problem["costs"][list(chosen)].sum()
            marks = times + touches[list(chosen)].any(axis=0) + marked
            excess += problem["again"] @ np.maximum(0, marks - 1)
            excess += problem["missed"] @ (times == 0)
            here = problem["complexities"][list(chosen)] @ rows[list(chosen)]
            excess += linked @ ((times > 0) * (most - here))
            found[chosen] = float(excess + problem["spare_price"] * spare)
    return found


def check(found: Any, expected: dict[tuple[int, ...], float]) -> None:
    """Compare with the sets expected, and check the order."""
    assert found.is_complete
    assert not found.too_many
    assert set(found.sets) == set(expected)
    assert len(found.sets) == len(expected)
    np.testing.assert_allclose(
        found.excesses, [expected[s] for s in found.sets], rtol=1e-12, atol=1e-12
    )
    keys = [
        (excess, len(s), s)
        for excess, s in zip(found.excesses, found.sets, strict=True)
    ]
    assert keys == sorted(keys)


def compare(
    seed: int,
    problem: dict[str, Any],
    every: dict[tuple[int, ...], float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ask both implementations for three budgets and several threads."""
    rng = np.random.default_rng(seed)
    excesses = np.array(sorted(every.values()))
    budgets = [
        float(rng.choice(excesses)),  # a tie with the budget
        float(excesses[0] * rng.uniform(0.9, 1.5)),
        [0.0, INF, 1e9, -1.0, excesses[-1] / 3][seed % 5],
    ]
    for budget in budgets:
        limit = budget + 1e-9 * abs(budget) if budget < INF else INF
        expected = {s: e for s, e in every.items() if e <= limit}
        results = [
            below(**problem, budget=budget, threads=threads)
            for threads in (1, 1 + seed % 4)
        ]
        for found in results:
            check(found, expected)
        assert results[0].nodes == results[1].nodes
        with monkeypatch.context() as patch:
            patch.setattr(rule_sets, "compiled", None)
            slow = below(**problem, budget=budget)
        check(slow, expected)
        assert slow.sets == results[0].sets
        np.testing.assert_array_equal(slow.excesses, results[0].excesses)


CHUNKS = [
    pytest.param(
        range(first, first + 50), marks=[] if first < 150 else [pytest.mark.long]
    )
    for first in range(0, 400, 50)
]


@pytest.mark.parametrize("seeds", CHUNKS)
def test_both_implementations_find_exactly_the_sets_within_the_budget(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four hundred random problems against a list of all subsets."""
    for seed in seeds:
        rows, problem = make_problem(seed)
        compare(seed, problem, every_set(rows, problem), monkeypatch)


@pytest.mark.parametrize("seeds", CHUNKS)
def test_touches_and_marks_are_paid_once(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four hundred more, with cells that are touched or marked from the start."""
    for seed in seeds:
        rows, touches, marked, problem = make_touching(seed)
        every = every_set(rows, problem, touches, marked)
        compare(seed, problem, every, monkeypatch)


@pytest.mark.parametrize("seeds", CHUNKS)
def test_linked_cells_pay_for_complexity_elsewhere(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four hundred more, with cells that are linked to the limit on complexity."""
    linked = 0
    for seed in seeds:
        rows, touches, marked, problem = make_linked(seed)
        linked += bool(problem["linked"].any())
        every = every_set(rows, problem, touches, marked)
        compare(seed, problem, every, monkeypatch)
    assert linked > len(seeds) // 2


def test_rules_that_cover_a_linked_cell_together_share_its_price() -> None:
    """Each alone pays 2 for the complexity that the other one has; both together none.

    A bound that charged each of them for what the other one uses would lose the set
    of both.
    """
    found = below(
        covers=np.array([[1], [1]], dtype=np.uint64),
        costs=np.zeros(2),
        complexities=np.array([2, 2]),
        again=np.zeros(1),
        missed=np.ones(1),
        linked=np.ones(1),
        max_complexity=4,
        spare_price=0.0,
        budget=0.5,
    )
    assert found.sets == ((0, 1),)
    assert found.excesses.tolist() == [0.0]


def test_rules_that_touch_the_same_cell_share_its_price() -> None:
    """Each alone pays 4 for the marked cell, and both together pay 4 as well.

    A bound that summed what the candidates pay for their touches would lose the set
    of both.
    """
    found = below(
        covers=np.array([[2], [4]], dtype=np.uint64),
        touches=np.array([[1], [1]], dtype=np.uint64),
        marked=np.array([1], dtype=np.uint64),
        costs=np.zeros(2),
        complexities=np.array([2, 2]),
        again=np.array([4.0, 0.0, 0.0]),
        missed=np.array([0.0, 3.0, 3.0]),
        max_complexity=4,
        spare_price=0.0,
        budget=4.0,
    )
    assert found.sets == ((0, 1),)
    assert found.excesses.tolist() == [4.0]


def make_large(seed: int, n_rules: int = 300, n_cells: int = 500) -> dict[str, Any]:
    """Small rules that mostly do not overlap, with little to pay."""
    rng = np.random.default_rng(seed)
    rows = rng.random((n_rules, n_cells)) < 0.04
    return {
        "covers": pack(rows),
        "costs": rng.random(n_rules),
        "complexities": rng.integers(1, 4, n_rules),
        "again": rng.choice([0.0, 0.3, 1.0], n_cells),
        "missed": rng.choice([0.0, 0.01, 0.02], n_cells),
        "max_complexity": 12,
        "spare_price": 0.4,
    }


def test_larger_problems_agree_for_any_number_of_threads(needs_native: None) -> None:
    """Sets, excesses and even the number of nodes."""
    for seed, budget in enumerate([4.3, 4.2, 4.6]):
        problem = {**make_large(seed), "budget": budget}
        found = [below(**problem, threads=t) for t in (1, 2, 4)]
        assert found[0].is_complete
        assert len(found[0].sets) > 20
        for other in found[1:]:
            assert other.sets == found[0].sets
            assert other.nodes == found[0].nodes
            np.testing.assert_array_equal(other.excesses, found[0].excesses)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_deadline_or_a_flag_stops_the_search(
    native: bool, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else ends this search; the result says that sets are missing."""
    if not native:
        monkeypatch.setattr(rule_sets, "compiled", None)
    problem = {**make_large(0), "again": np.zeros(500), "budget": 9.0}
    found = below(**problem, seconds=0.1, threads=threads, most=10**9)
    assert not found.is_complete
    assert not found.too_many
    stop = StopFlag()
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    found = below(**problem, stop=stop, threads=threads, most=10**9)
    assert stop.is_set()
    assert not found.is_complete
    assert not below(**problem, seconds=0.0).is_complete
    timer.join()


@pytest.mark.parametrize("native", [True, False])
def test_more_than_the_most_are_too_many(
    native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exactly as many are not."""
    if not native:
        monkeypatch.setattr(rule_sets, "compiled", None)
    rows, problem = make_problem(12)
    rows, problem = rows[:6], {**problem, "budget": 1e12, "max_complexity": 12}
    every = len(below(**problem).sets)
    assert every > 3
    for threads in (1, 3):
        enough = below(**problem, most=every, threads=threads)
        assert enough.is_complete
        assert not enough.too_many
        assert len(enough.sets) == every
        for most in (every - 1, 1, 0):
            found = below(**problem, most=most, threads=threads)
            assert found.too_many
            assert not found.is_complete
            assert found.sets == ()
            assert found.excesses.shape == (0,)


GOOD: dict[str, Any] = {
    "touches": np.array([[4, 1], [1, 0]], dtype=np.uint64),
    "marked": np.array([9, 0], dtype=np.uint64),
    "linked": np.full(70, 0.01),
    "covers": np.array([[1, 0], [6, 3]], dtype=np.uint64),
    "costs": np.ones(2),
    "complexities": np.array([2, 3]),
    "again": np.ones(70),
    "missed": np.ones(70),
    "max_complexity": 5,
    "spare_price": 0.5,
    "budget": 60.0,
}
BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"covers": np.ones((2, 2))}, TypeError, "covers"),
    ({"covers": np.ones((2, 1), dtype=np.uint64)}, ValueError, "covers"),
    ({"covers": np.ones(2, dtype=np.uint64)}, ValueError, "covers"),
    ({"covers": np.full((2, 2), 64, dtype=np.uint64)}, ValueError, "beyond"),
    ({"touches": np.ones((2, 2))}, TypeError, "touches"),
    ({"touches": np.zeros((3, 2), dtype=np.uint64)}, ValueError, "touches"),
    ({"touches": np.full((2, 2), 64, dtype=np.uint64)}, ValueError, "beyond"),
    ({"touches": np.array([[1, 0], [0, 0]], dtype=np.uint64)}, ValueError, "covers"),
    ({"marked": np.ones(2, dtype=bool)}, TypeError, "marked"),
    ({"marked": np.ones(1, dtype=np.uint64)}, ValueError, "marked"),
    ({"marked": np.ones((1, 2), dtype=np.uint64)}, ValueError, "marked"),
    ({"marked": np.full(2, 64, dtype=np.uint64)}, ValueError, "beyond"),
    ({"linked": np.ones(69)}, ValueError, "linked"),
    ({"linked": -np.ones(70)}, ValueError, "linked"),
    ({"linked": np.ones(70, dtype=np.float32)}, TypeError, "linked"),
    ({"linked": np.full(70, 1e300)}, ValueError, "large"),
    ({"costs": np.ones(3)}, ValueError, "costs"),
    ({"costs": np.array([1.0, -1.0])}, ValueError, "costs"),
    ({"costs": np.array([1.0, NAN])}, ValueError, "costs"),
    ({"costs": np.array([1e308, 1e308])}, ValueError, "large"),
    ({"costs": np.ones(2, dtype=np.float32)}, TypeError, "costs"),
    ({"complexities": np.array([0, 1])}, ValueError, "complexities"),
    ({"complexities": np.array([1.0, 1.0])}, TypeError, "complexities"),
    ({"complexities": np.array([[1, 1]])}, ValueError, "complexities"),
    ({"again": np.full(70, INF)}, ValueError, "again"),
    ({"again": np.ones((70, 1))}, ValueError, "again"),
    ({"missed": np.ones(69)}, ValueError, "missed"),
    ({"missed": -np.ones(70)}, ValueError, "missed"),
    ({"max_complexity": -1}, ValueError, "max_complexity"),
    ({"max_complexity": 2.0}, TypeError, "max_complexity"),
    ({"spare_price": -1.0}, ValueError, "spare_price"),
    ({"spare_price": INF}, ValueError, "spare_price"),
    ({"spare_price": "1"}, TypeError, "spare_price"),
    ({"budget": NAN}, ValueError, "budget"),
    ({"budget": None}, TypeError, "budget"),
    ({"most": -1}, ValueError, "most"),
    ({"most": 1.5}, TypeError, "most"),
    ({"threads": 0}, ValueError, "threads"),
    ({"threads": True}, TypeError, "threads"),
    ({"seconds": NAN}, ValueError, "seconds"),
    ({"stop": np.zeros(1, dtype=np.uint8)}, TypeError, "StopFlag"),
]


@pytest.mark.parametrize(("change", "error", "match"), BAD)
def test_bad_arguments_raise(
    change: dict[str, Any], error: type[Exception], match: str
) -> None:
    """With a sentence that names the argument."""
    assert below(**GOOD).is_complete
    with pytest.raises(error, match=match):
        below(**{**GOOD, **change})


def test_absurd_but_valid_numbers_work() -> None:
    """Huge limits are no reason to fail."""
    free = {**GOOD, "spare_price": 0.0, "budget": INF}
    found = below(**{**free, "max_complexity": 10**30}, most=10**30, threads=10**6)
    assert set(found.sets) == {(), (0,), (1,), (0, 1)}
    assert below(**{**GOOD, "max_complexity": 10**400}).sets == ()
    assert below(**{**GOOD, "budget": -INF}).sets == ()
    huge = {**free, "complexities": np.array([2**62, 1])}
    assert set(below(**huge).sets) == {(), (1,)}
    with pytest.raises(ValueError, match="complexities are too large"):
        below(**{**huge, "max_complexity": 2**62})
    swapped = {**GOOD, "covers": np.asfortranarray(GOOD["covers"])}
    assert below(**swapped).sets == below(**GOOD).sets


def test_sets_of_very_many_rules_are_left_to_numpy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The compiled search calls itself for each rule of a set, and has a limit."""
    monkeypatch.setattr(rule_sets, "_MOST_DEEP", 99)
    n = 100
    found = below(
        covers=pack(np.eye(n, dtype=bool)),
        costs=np.zeros(n),
        complexities=np.ones(n, dtype=np.int64),
        again=np.ones(n),
        missed=np.ones(n),
        max_complexity=n,
        spare_price=0.0,
        budget=0.0,
    )
    assert found.sets == (tuple(range(n)),)
    assert found.excesses.tolist() == [0.0]


@pytest.mark.skipif(not HAS_NATIVE, reason="the compiled kernel is not installed")
def test_the_compiled_module_checks_for_itself() -> None:
    """Junk that gets past the front raises, and never crashes."""
    assert compiled is not None
    names = [field.name for field in fields(RuleSetProblem)]
    good = {name: GOOD[name] for name in names}
    good |= {"limit": 60.0, "most": 9, "threads": 1, "seconds": INF, "stop": None}
    good["most_words"] = -1

    def native(**arguments: Any) -> Any:
        problem = compiled.RuleSetProblem(**{n: arguments.pop(n) for n in names})
        limits = ("threads", "seconds", "stop", "most_words")
        limits = compiled.Limits(**{n: arguments.pop(n) for n in limits})
        return compiled.rule_sets_below(problem, **arguments, limits=limits)

    assert native(**good)[2]
    for change, _, _ in BAD:
        ((name, value),) = change.items()
        if name == "budget" or type(value) is bool:
            continue  # not the same there
        if name == "max_complexity" and value == 2.0:
            continue  # is converted
        with pytest.raises((ValueError, TypeError)):
            native(**{**good, **change})
    more: list[dict[str, Any]] = [{"limit": NAN}, {"max_complexity": 2**40}]
    for change in more:
        with pytest.raises(ValueError, match=next(iter(change))):
            native(**{**good, **change})
    n = 1001
    deep = {
        "covers": np.zeros((n, 2), dtype=np.uint64),
        "touches": np.zeros((n, 2), dtype=np.uint64),
        "costs": np.zeros(n),
        "complexities": np.ones(n, dtype=np.int64),
        "max_complexity": n,
    }
    with pytest.raises(ValueError, match="too many rules"):
        native(**{**good, **deep})
