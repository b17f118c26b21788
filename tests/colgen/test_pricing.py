"""The pricers, on random prices, against the list of all rules."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from faircg._kernel import ConditionBits
from faircg.colgen.duals import Prices
from faircg.colgen.pricing import (
    PRICERS,
    ExactPricer,
    GreedyPricer,
    IntegerPricer,
    PricingProblem,
    QuickFirstPricer,
    SampledPricer,
    pricer_by_name,
    threads,
)
from faircg.colgen.stop import Deadline
from oracle import Instance, random_instance

COMPLETE = [ExactPricer(), IntegerPricer(), IntegerPricer(disaggregated=True)]
COUNTS = [
    pytest.param(60, 0, id="few"),
    pytest.param(2_000, 1_000, id="many", marks=pytest.mark.long),
]


def random_prices(instance: Instance, rng: np.random.Generator) -> Prices:
    """Draw prices of either sign for either label, with ties and zeros."""
    n = len(instance.is_positive)
    rows = [
        rng.normal(size=n),
        rng.integers(-3, 3, n).astype(float),
        np.where(instance.is_positive, -rng.random(n), rng.choice([-0.5, 1.0], n)),
        np.where(instance.is_positive, rng.choice([-1.0, 0.3], n), 1.0 + rng.random(n)),
    ][int(rng.integers(4))]
    return Prices(rows, float(rng.choice([0.0, 0.05, 0.3, 1.0])), 0.0)


def cost(instance: Instance, prices: Prices, rule: tuple[int, ...]) -> float:
    """Add up the prices of the covered samples, and pay for the rule's length."""
    covered = instance.conditions[:, list(rule)].all(axis=1)
    return float(prices.rows[covered].sum()) + prices.condition * (1 + len(rule))


def bits_of(instance: Instance) -> ConditionBits:
    """Pack the samples as they are, unmerged."""
    return ConditionBits.from_matrix(instance.conditions, instance.families)


@pytest.mark.parametrize(("count", "first"), COUNTS)
def test_the_papers_program_that_of_dash_and_the_search_find_the_best_rule(
    count, first
):
    """All three agree with the list of all rules, also on negatives that attract."""
    attracted = 0
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        instance = random_instance(seed, 2)
        prices = random_prices(instance, rng)
        costs = {rule: cost(instance, prices, rule) for rule in instance.rules}
        best = min(costs.values())
        per_unit = min(c / (1 + len(rule)) for rule, c in costs.items())
        attracted += bool((prices.rows[~instance.is_positive] < 0).any())
        for pricer in COMPLETE:
            found = pricer.price(
                PricingProblem(
                    bits_of(instance), prices, instance.max_conditions, Deadline()
                )
            )
            assert found.is_complete
            assert found.bound <= per_unit + 1e-9
            assert list(found.reduced_costs) == sorted(found.reduced_costs)
            for rule, reduced in zip(found.rules, found.reduced_costs, strict=True):
                assert reduced == pytest.approx(costs[rule], abs=1e-9)
                assert reduced < -1e-6
            if best < -1e-5:
                assert found.reduced_costs[0] == pytest.approx(best, abs=1e-7)
            elif best > -1e-7:
                assert found.rules == ()
    assert attracted > count // 4


def test_the_exact_bound_per_unit_of_complexity_is_tight():
    """Dinkelbach's iterations end at the smallest ratio, not merely below it."""
    for seed in range(60):
        instance = random_instance(seed, 2)
        prices = random_prices(instance, np.random.default_rng(seed))
        smallest = min(
            cost(instance, prices, rule) / (1 + len(rule)) for rule in instance.rules
        )
        found = ExactPricer().price(
            PricingProblem(
                bits_of(instance), prices, instance.max_conditions, Deadline()
            )
        )
        assert found.bound <= min(0.0, smallest) + 1e-9
        if smallest < -1e-3:
            assert found.bound == pytest.approx(smallest, abs=1e-5)


@pytest.mark.parametrize(
    "pricer",
    [
        GreedyPricer(),
        GreedyPricer(width=1),
        SampledPricer(ExactPricer(), np.random.default_rng(0), rows=3, nonzeros=8),
    ],
    ids=["greedy", "narrow", "sampled"],
)
def test_heuristics_return_only_true_reduced_costs_and_claim_nothing(pricer):
    """Every rule is priced on all data; the answer is no proof."""
    found_some = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        instance = random_instance(seed, 2)
        if len(instance.is_positive) <= 5:
            continue
        prices = random_prices(instance, rng)
        found = pricer.price(
            PricingProblem(
                bits_of(instance), prices, instance.max_conditions, Deadline()
            )
        )
        assert not found.is_complete
        assert found.bound == -np.inf
        for rule, reduced in zip(found.rules, found.reduced_costs, strict=True):
            assert 1 <= len(rule) <= instance.max_conditions
            assert reduced == pytest.approx(cost(instance, prices, rule), abs=1e-9)
            assert reduced < -1e-6
        found_some += bool(found.rules)
    assert found_some > 10


def test_wide_greedy_growth_finds_the_best_rule_of_a_small_table():
    """With room for all rules the heuristic misses nothing."""
    for seed in range(40):
        instance = random_instance(seed, 2)
        prices = random_prices(instance, np.random.default_rng(seed))
        best = min(cost(instance, prices, rule) for rule in instance.rules)
        found = GreedyPricer(width=100).price(
            PricingProblem(
                bits_of(instance), prices, instance.max_conditions, Deadline()
            )
        )
        assert min([0.0, *found.reduced_costs]) == pytest.approx(min(0, best), abs=1e-5)


def test_at_most_one_hundred_rules_come_back_and_they_are_the_best():
    """A pricing answers with the most negative rules, sorted, up to the limit."""
    rng = np.random.default_rng(5)
    rows = rng.random((60, 14)) < 0.7
    bits = ConditionBits.from_matrix(rows, np.arange(14))
    prices = Prices(-rng.random(60), 0.01, 0.0)
    found = GreedyPricer(width=1_000).price(PricingProblem(bits, prices, 4, Deadline()))
    assert len(set(found.rules)) == 100
    sizes = range(1, 5)
    every = [rule for size in sizes for rule in combinations(range(14), size)]
    costs = prices.reduced_costs(
        bits.cover(every), np.array([1 + len(r) for r in every])
    )
    np.testing.assert_allclose(found.reduced_costs, np.sort(costs)[:100], atol=1e-12)
    assert (
        len(
            ExactPricer(keep=3).price(PricingProblem(bits, prices, 4, Deadline())).rules
        )
        <= 3
    )


def test_the_thorough_pricer_is_asked_only_when_the_quick_one_has_nothing():
    """The heuristic's own failure is the signal to switch."""

    class Counting:
        def __init__(self, inner):
            self.inner, self.calls = inner, 0

        def price(self, *args):
            self.calls += 1
            return self.inner.price(*args)

    rows = np.array([[True, False], [False, True]])
    bits = ConditionBits.from_matrix(rows, [0, 1])
    quick, thorough = Counting(GreedyPricer()), Counting(ExactPricer())
    both = QuickFirstPricer(quick, thorough)
    assert both.price(
        PricingProblem(bits, Prices(np.array([-1.0, 1.0]), 0.1, 0.0), 2, Deadline())
    ).rules
    assert (quick.calls, thorough.calls) == (1, 0)
    nothing = both.price(
        PricingProblem(bits, Prices(np.array([1.0, 1.0]), 0.1, 0.0), 2, Deadline())
    )
    assert nothing.is_complete
    assert (quick.calls, thorough.calls) == (2, 1)


@pytest.mark.parametrize(
    "pricer", [ExactPricer(), IntegerPricer(), GreedyPricer()], ids=repr
)
def test_after_the_deadline_no_pricer_claims_a_proof_it_lacks(pricer):
    """A stopped pricing may return rules, but a bound only if it has one."""
    rng = np.random.default_rng(3)
    instance_rows = rng.random((400, 60)) < 0.6
    bits = ConditionBits.from_matrix(instance_rows, np.arange(60))
    prices = Prices(rng.normal(size=400), 0.0, 0.0)
    late = Deadline().within(0.0)
    found = pricer.price(PricingProblem(bits, prices, 6, late))
    assert not found.is_complete
    best = ExactPricer().price(PricingProblem(bits, prices, 3, Deadline()))
    smallest = min(
        c / (1 + len(r)) for c, r in zip(best.reduced_costs, best.rules, strict=True)
    )
    assert found.bound <= smallest + 1e-9


def test_every_name_leads_to_a_pricer_and_an_unknown_one_to_the_list_of_names():
    """Users ask for pricers by name; a typo is answered with what exists."""
    for name in PRICERS:
        assert callable(pricer_by_name(name).price)
    own = GreedyPricer(width=3)
    assert pricer_by_name(own) is own
    with pytest.raises(ValueError, match=r"'gready' is not known; use one of .*greedy"):
        pricer_by_name("gready")
    assert pricer_by_name("exact", threads=3).threads == 3
    assert (threads(3), threads(None)) == (3, 1)
    assert threads(-1) >= 1
