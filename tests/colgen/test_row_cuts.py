"""Cuts between rows: what rules pay for them, and which are found."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from faircg._kernel import unpack
from faircg.colgen import loop
from faircg.colgen.coverage import triples
from faircg.colgen.coverage.large import LargeCoverage
from faircg.colgen.coverage.near import OPEN, Coverage, Likeness
from faircg.colgen.coverage.triples import SPARE, VIOLATED, violated_triples
from faircg.colgen.excess import excess_problem
from faircg.colgen.loop import generate
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.row_cuts import RowCuts
from faircg.colgen.stop import Deadline
from oracle import coverage_value
from small_problems import (
    LIFTED,
    full_pool,
    instance_of,
    limits_of,
    problem_of,
    true_optimum,
)


@pytest.fixture(autouse=True)
def _triples_on_small_tables(monkeypatch):
    """Let tables of few rows have cuts between three of them."""
    monkeypatch.setattr(triples, "FEWEST_ROWS", 0)


def drawn(rng, n_rows, n_cuts=20):
    """Cuts between rows drawn at random, some of them twice, half between three."""
    rows = np.stack([rng.permutation(n_rows)[:3] for _ in range(n_cuts)], axis=1)
    rows[2, ::2] = rows[1, ::2]
    return RowCuts(*rows, rng.integers(1, 5, n_cuts) / 4)


def paid(cuts, met):
    """Count what each rule pays, from what a cut says."""
    others = met[:, cuts.second] | met[:, cuts.third]
    return (met[:, cuts.first] & others) @ cuts.prices


def test_pseudo_rows_cost_what_cuts_say():
    """By rows of their own, and together, rules pay the same for the same cuts."""
    compared = 0
    for seed in range(20):
        instance = instance_of(seed, 2)
        problem = problem_of(instance, "zero_one", None)
        if problem.n_rows < 3:
            continue
        pool = full_pool(problem, instance)
        cuts = drawn(np.random.default_rng(seed), problem.n_rows)
        expected = paid(cuts, unpack(pool.covers, problem.n_rows))
        assert cuts.weigh(pool.covers) == pytest.approx(expected)
        bits, prices = cuts.beside(problem.bits)
        met = unpack(bits.cover(pool.rules), bits.n_rows)[:, problem.n_rows :]
        assert met @ prices == pytest.approx(expected)
        compared += len(pool)
    assert compared > 100


def test_joined_cuts_pay_for_both():
    """Equal cuts are one, whichever of the others comes first."""
    rng = np.random.default_rng(0)
    met = rng.random((50, 9)) < 0.5
    one, two = drawn(rng, 9), drawn(rng, 9)
    other = RowCuts(two.first, two.third, two.second, two.prices)
    both = one.scaled(0.5).joined(other.scaled(2.0), 9)
    assert paid(both, met) == pytest.approx(0.5 * paid(one, met) + 2 * paid(two, met))
    rows = np.stack([both.first, both.second, both.third])
    assert len(np.unique(rows, axis=1).T) == len(both) < len(one) + len(two)
    assert both.earned(9).sum() == pytest.approx(both.prices.sum())
    third = both.prices[both.has_third].sum()
    assert both.owed(9).sum() == pytest.approx(both.prices.sum() + third)


def test_nothing_is_added_where_there_are_no_cuts():
    """The rows of the data are priced as they are."""
    problem = problem_of(instance_of(0, 2), "zero_one", None)
    bits, prices = RowCuts.none().beside(problem.bits)
    assert bits is problem.bits
    assert not len(prices)


def test_rounded_prices_are_multiples():
    """And what is left of the others is nothing."""
    rows = np.arange(3)
    cuts = RowCuts(rows, rows + 3, rows + 3, np.array([0.1, 0.26, 0.5])).rounded(0.25)
    assert cuts.first.tolist() == [1, 2]
    assert cuts.prices.tolist() == [0.25, 0.5]


def test_violated_triples_are_violated():
    """Each is between a good row and two bad ones; where all are looked at, the worst.

    Twelve good rows are looked at more closely: on these tables, all.
    """
    seen = 0
    for seed in range(40):
        instance = instance_of(seed, 2)
        problem = problem_of(instance, "zero_one", None)
        pool, rng = full_pool(problem, instance), np.random.default_rng(seed)
        weights = rng.dirichlet(np.ones(len(pool))) * 2.0
        met = unpack(pool.covers, problem.n_rows)
        costs, often = problem.coverage_costs, weights @ met
        u = np.minimum(1.0, often) * np.where(costs < 0, 0.9, 0.2)
        likeness = Likeness.of(np.zeros(problem.bits.n_conditions))
        at = Coverage(pool.covers, weights, u, costs)
        found = np.stack(violated_triples(problem, likeness, at, Deadline()), axis=1)

        def violation(i, j, k, *, met=met, weights=weights, u=u):
            return u[i] - u[j] - u[k] - weights @ (met[:, i] & ~met[:, j] & ~met[:, k])

        good = np.flatnonzero((costs < 0) & (often - u > SPARE + 1e-4))
        bad = np.flatnonzero((costs > 0) & (often > OPEN) & (u < 1.0 - OPEN))
        for i, j, k in found:
            assert costs[i] < 0 < min(costs[j], costs[k])
            assert len({i, j, k}) == 3
            assert violation(i, j, k) > VIOLATED - 1e-4
        for j in bad:
            worst = max(
                (violation(i, j, k) for i, k in itertools.product(good, bad) if k != j),
                default=-1.0,
            )
            mine = [violation(*cut) for cut in found if cut[1] == j]
            # Likeness counts a little where others would do nearly as well.
            assert max(mine, default=VIOLATED) >= worst - 0.01
        seen += len(found)
    assert seen > 15


@pytest.mark.parametrize("seed", LIFTED)
def test_the_excess_counts_triples_and_never_too_much(seed):
    """Of any rule set the loss is at least the dual value and its excess."""
    instance = instance_of(seed, 2)
    problem = problem_of(instance, "zero_one", None)
    pool = full_pool(problem, instance)
    master = LargeCoverage(problem, pool, instance.max_conditions)
    priced = 0
    for _ in range(5):
        duals = master.solve(Deadline()).duals
        priced += int(duals.cuts.has_third.sum())
        posed = excess_problem(pool, np.arange(len(pool)), duals, Deadline())
        lacking = np.minimum(duals.reduced_costs(pool.covers, pool.complexities), 0.0)
        for size in range(1, len(pool) + 1):
            for chosen in itertools.combinations(range(len(pool)), size):
                recount = problem.recount([pool[k] for k in chosen])
                if recount.is_feasible:
                    excess = posed.excesses(np.array([chosen], dtype=np.int32))[0]
                    least = duals.prices.value + excess + lacking[list(chosen)].sum()
                    assert recount.loss("zero_one") >= least - 1e-6
    assert priced


def test_bounds_with_triples_are_never_above_the_best_rule_set(monkeypatch):
    """And mostly above what cuts between two rows can prove.

    Triples are sought between a good row and two bad ones; some of these instances
    would need others.
    """
    monkeypatch.setattr(loop, "LARGE", 0)
    monkeypatch.setattr(loop, "ROUGH", -1.0)  # there is more than pair cuts say
    lifted = 0
    for seed in LIFTED:
        instance, limits = instance_of(seed, 2), limits_of("none", 1.0)
        problem = problem_of(instance, "zero_one", limits)
        ended = generate(
            problem,
            Pool(problem),
            ExactPricer(),
            max_conditions=instance.max_conditions,
            most_rounds=6,
            deadline=Deadline(),
        )
        assert ended.lower_bound <= true_optimum(seed, 2, "zero_one", limits) + 1e-6
        lifted += ended.lower_bound > coverage_value(instance, limits) + 0.1
    assert lifted >= len(LIFTED) // 2
