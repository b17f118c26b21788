"""The mistakes of the method's research code, one test each: they cannot happen here.

The letters are those under which the mistakes were listed when that code was read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from faircg import FairRuleSetClassifier
from faircg._kernel import ConditionBits
from faircg.binarize import ConditionBinarizer
from faircg.colgen.duals import Prices, duals_of
from faircg.colgen.engine import solve
from faircg.colgen.loop import generate
from faircg.colgen.master import Master
from faircg.colgen.options import SearchOptions
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import (
    PRICERS,
    ExactPricer,
    GreedyPricer,
    IntegerPricer,
    PricingProblem,
    PricingResult,
    SampledPricer,
    pricer_by_name,
)
from faircg.colgen.problem import Problem
from faircg.colgen.select import Selection
from faircg.colgen.stop import Deadline
from faircg.fairness import EqualizedOdds, criterion_by_name
from faircg.solver.highs import solve_lp, solve_mip
from oracle import Limits
from small_problems import (
    CRITERIA,
    full_pool,
    instance_of,
    limits_of,
    problem_of,
    solved,
)

COMPLETE = [ExactPricer(), IntegerPricer(), IntegerPricer(disaggregated=True)]
EVERY = [*COMPLETE, GreedyPricer()]


def flag_problem(people: list[tuple[str, bool, bool, int]], **question) -> Problem:
    """Build a problem of one flag and its negation from (group, label, flag, count)."""
    names = tuple(sorted({group for group, *_ in people}))
    flags = np.array([flag for _, _, flag, _ in people])
    return Problem.merge(
        np.column_stack([flags, ~flags]),
        np.array([label for _, label, _, _ in people]),
        families=np.array([0, 1], dtype=np.int32),
        group_codes=np.array([names.index(group) for group, *_ in people]),
        group_names=names,
        weights=np.array([count for *_, count in people]),
        **question,
    )


def test_a_each_group_is_divided_by_its_own_size():
    """The research code computed ``~(n)`` for "the others" and so bounded a sum.

    Here the flag hits one of two negatives in one group and two of four in the other:
    both rates are one half, and a bound of zero on their *gap* allows the rule.
    """
    people = [("a", True, True, 5), ("a", False, True, 1), ("a", False, False, 1)]
    people += [("b", True, True, 7), ("b", False, True, 2), ("b", False, False, 2)]
    problem = flag_problem(people, criterion=EqualizedOdds(0.0), max_complexity=2)
    solution = solved(problem, 1)
    assert solution.returned.rules == ((0,),)
    assert solution.certificate.objective == 3
    assert problem.rate_rows.weight.tolist() == [-5, -7, -2, -4]


def test_b_a_covered_negative_is_charged_once():
    """The research code added the plain term and ``1 + ...``: it charged twice.

    With slack fairness rows a row of three negatives costs three, under equalized odds
    as without a constraint.
    """
    people = [("a", True, True, 5), ("a", False, False, 3)]
    people += [("b", True, True, 4), ("b", False, False, 2)]
    for criterion in (None, EqualizedOdds(1.0)):
        problem = flag_problem(people, criterion=criterion, max_complexity=2)
        pool = Pool(problem, [(0,)])
        master = Master(problem, pool, np.arange(1))
        solution = solve_lp(master.model, Deadline())
        priced = duals_of(master, solution.row_dual).prices
        of_negatives = int(np.flatnonzero(problem.positives.sum(axis=0) == 0)[0])
        assert priced.rows[of_negatives] == pytest.approx(5.0)


def test_c_multipliers_of_upper_bounds_are_turned_to_be_non_negative():
    """Raw duals of ``<=`` rows are non-positive; used as lambda they reward length."""
    people = [("a", True, True, 5), ("a", True, False, 4), ("a", False, False, 1)]
    problem = flag_problem(people, max_complexity=2)
    pool = Pool(problem, [(0,), (1,)])
    master = Master(problem, pool, np.arange(2))
    solution = solve_lp(master.model, Deadline())
    assert solution.row_dual[master.layout.complexity] < 0
    priced = duals_of(master, solution.row_dual).prices
    assert priced.condition > 0
    longer = priced.reduced_costs(pool.covers, pool.complexities + 1)
    assert (longer > priced.reduced_costs(pool.covers, pool.complexities)).all()


@pytest.mark.parametrize("disaggregated", [False, True])
def test_d_the_pricing_program_reports_the_value_of_a_rule_that_exists(disaggregated):
    """With swapped branches its value was -16.45 for a rule that is worth -1.2."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        rows = rng.random((30, 8)) < 0.5
        bits = ConditionBits.from_matrix(rows, np.arange(8))
        priced = Prices(rng.normal(size=30), 0.1, 0.0)
        model, n = IntegerPricer(disaggregated).model(bits, priced, 3)
        answer = solve_mip(model, Deadline())
        rule = tuple(np.flatnonzero(answer.values[:n] > 0.5).tolist())
        covered = rows[:, list(rule)].all(axis=1)
        value = priced.rows[covered].sum() + 0.1 * (1 + len(rule))
        assert answer.objective == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize("pricer", EVERY, ids=repr)
def test_e_pricing_splits_samples_by_the_sign_of_their_price_not_by_label(pricer):
    """Equalized odds can make covering a negative worth something.

    Both rows here belong to negatives; one of them attracts.
    """
    bits = ConditionBits.from_matrix(np.array([[True, False], [False, True]]), [0, 1])
    found = pricer.price(
        PricingProblem(bits, Prices(np.array([2.0, -3.0]), 0.5, 0.0), 2, Deadline())
    )
    assert found.rules == ((1,),)
    assert found.reduced_costs.tolist() == [-2.0]


def test_e_equalized_odds_really_makes_some_negatives_attractive():
    """The case above is no invention: such duals occur on random data."""
    attracted = 0
    for seed in range(40):
        instance = instance_of(seed, 2)
        problem = problem_of(instance, "hamming", limits_of("equalized_odds", 0.0))
        pool = full_pool(problem, instance)
        some = np.flatnonzero(np.random.default_rng(seed).random(len(pool)) < 0.3)
        master = Master(problem, pool, some)
        solution = solve_lp(master.model, Deadline())
        priced = duals_of(master, solution.row_dual).prices
        only_negatives = problem.positives.sum(axis=0) == 0
        attracted += bool((priced.rows[only_negatives] < -1e-6).any())
    assert attracted > 0


@pytest.mark.parametrize("pricer", EVERY, ids=repr)
def test_f_the_empty_rule_is_never_priced(pricer):
    """It would cover everybody for a complexity of one, and the master forbids that."""
    rows = np.array([[True, False]] * 3 + [[False, True]] * 2)
    bits = ConditionBits.from_matrix(rows, [0, 1])
    found = pricer.price(
        PricingProblem(bits, Prices(np.full(5, -1.0), 0.25, 0.0), 2, Deadline())
    )
    assert all(len(rule) >= 1 for rule in found.rules)
    assert found.rules[0] == (0,)
    assert found.reduced_costs[0] == pytest.approx(-2.5)


def test_f_a_pool_refuses_the_empty_rule():
    """Nor can it be handed in from outside."""
    problem = flag_problem(
        [("a", True, True, 1), ("a", False, False, 1)], max_complexity=2
    )
    with pytest.raises(ValueError, match="at least one condition"):
        Pool(problem, [()])


def test_g_sampled_pricing_knows_the_sizes_of_the_whole_groups():
    """The research code divided by group sizes of the sample, even when they were zero.

    Here prices are made once, on all data; a sample of two rows, which lacks whole
    groups, returns rules with their true reduced costs.
    """
    found_some = 0
    for seed in range(30):
        instance = instance_of(seed, 4)
        problem = problem_of(instance, "hamming", limits_of("equalized_odds", 0.05))
        pool = full_pool(problem, instance)
        master = Master(problem, pool, np.arange(1))
        solution = solve_lp(master.model, Deadline())
        priced = duals_of(master, solution.row_dual).prices
        sampled = SampledPricer(ExactPricer(), np.random.default_rng(seed), rows=2)
        found = sampled.price(PricingProblem(problem.bits, priced, 2, Deadline()))
        for rule, reduced in zip(found.rules, found.reduced_costs, strict=True):
            rows = problem.rows_at(np.arange(problem.n_rows))
            covered = rows[:, list(rule)].all(axis=1)
            true = priced.rows[covered].sum() + priced.condition * (1 + len(rule))
            assert reduced == pytest.approx(true, abs=1e-9)
        found_some += bool(found.rules)
    assert found_some > 5


def test_h_a_second_sample_starts_from_whole_prices_again():
    """The research code overwrote the prices with those of the sample, then crashed."""
    rng = np.random.default_rng(0)
    bits = ConditionBits.from_matrix(rng.random((50, 6)) < 0.5, np.arange(6))
    priced = Prices(rng.normal(size=50), 0.05, 0.0)
    before = priced.rows.copy()
    sampled = SampledPricer(ExactPricer(), rng, rows=10, nonzeros=20)
    for _ in range(5):
        sampled.price(PricingProblem(bits, priced, 3, Deadline()))
    assert (priced.rows == before).all()


def test_i_a_solvers_almost_zeros_and_almost_ones_are_rounded_where_they_enter():
    """``astype(bool)`` made a condition of 1e-10, and 0.9999999 was not equal to 1."""
    problem = flag_problem(
        [("a", True, True, 3), ("a", False, False, 2)], max_complexity=4
    )
    pool = Pool(problem, [(0,), (1,)])
    master = Master(problem, pool, np.arange(2), is_integer=True)
    values = np.zeros(len(master.model.cost))
    values[master.layout.rule] = [0.9999999, 1e-10]
    assert master.chosen(values) == (0,)
    bits = problem.bits
    rules = [
        rule
        for _ in range(2)
        for rule in IntegerPricer()
        .price(
            PricingProblem(bits, Prices(np.array([-1.0, 0.5]), 0.0, 0.0), 2, Deadline())
        )
        .rules
    ]
    assert len(pool.add(rules)) == 0  # known rules are recognised


@pytest.mark.parametrize("pricer", EVERY, ids=repr)
def test_j_a_rule_is_accepted_by_its_whole_reduced_cost(pricer):
    """The constant lambda of a rule counts: -1 for the rows, 2 x 0.6 for the rule."""
    bits = ConditionBits.from_matrix(np.array([[True, False], [False, True]]), [0, 1])
    rows = np.array([-1.0, 1.0])
    assert (
        pricer.price(PricingProblem(bits, Prices(rows, 0.6, 0.0), 2, Deadline())).rules
        == ()
    )
    assert pricer.price(
        PricingProblem(bits, Prices(rows, 0.4, 0.0), 2, Deadline())
    ).rules == ((0,),)


@dataclass
class Parrot:
    """A pricer that says the same rule for ever."""

    calls: list[float] = field(default_factory=list)

    def price(self, asked):
        self.calls.append(asked.deadline.remaining())
        return PricingResult(((0,),), np.array([-1.0]), False, -np.inf)


def test_k_a_pricer_that_returns_only_known_rules_ends_the_loop():
    """Without a time limit the research code went on for ever."""
    problem = flag_problem(
        [("a", True, True, 3), ("a", False, True, 1), ("a", False, False, 1)],
        max_complexity=4,
    )
    parrot = Parrot()
    generation = generate(
        problem, Pool(problem), parrot, max_conditions=1, deadline=Deadline()
    )
    assert len(parrot.calls) == 2
    assert not generation.is_proven  # a stall, not a proof


def test_k_one_pricing_may_take_no_longer_than_the_whole():
    """The limit on one pricing ignored the overall one; time left was time spent."""
    problem = flag_problem(
        [("a", True, True, 3), ("a", False, False, 2)], max_complexity=4
    )
    now = [100.0]
    for seconds, pricing_seconds, least in ((10.0, 45.0, 10.0), (10.0, 4.0, 4.0)):
        parrot = Parrot()
        generate(
            problem,
            Pool(problem),
            parrot,
            max_conditions=1,
            deadline=Deadline.after(seconds, clock=lambda: now[0]),
            pricing_seconds=pricing_seconds,
        )
        assert set(parrot.calls) == {least}
    later = Deadline.after(10.0, clock=lambda: now[0])
    now[0] += 7.0
    assert later.remaining() == 3.0


def test_k_after_the_deadline_the_best_so_far_comes_back():
    """Not an endless loop and not an error: at worst the empty rule set."""
    instance = instance_of(1, 2)
    problem = problem_of(instance, "hamming", Limits(0.05))
    options = SearchOptions(
        ExactPricer(),
        (instance.max_conditions,),
        Deadline().within(0.0),
        rules=instance.rules,
    )
    solution = solve(problem, options)
    assert solution.certificate.status == "time_limit"
    assert not solution.certificate.proven_optimal
    assert instance.counts(solution.returned.rules).satisfies(Limits(0.05))


def test_k_an_interrupt_stops_a_running_fit():
    """The one deadline object is heard by pricing, solver and loop alike.

    Nothing but the interrupt can end this search, and no other is begun after it.
    """
    begun = []

    class Interrupting(ExactPricer):
        def price(self, asked):
            begun.append(asked.max_conditions)
            asked.deadline.interrupted.set()
            return super().price(asked)

    rng = np.random.default_rng(0)
    rows = rng.random((3_000, 60)) < 0.6
    problem = Problem.merge(
        rows,
        rng.random(3_000) < 0.5,
        families=np.arange(60, dtype=np.int32),
        max_complexity=20,
    )
    solution = solve(problem, SearchOptions(Interrupting(), (8,), Deadline()))
    assert solution.certificate.status == "interrupted"
    assert begun == [8]


def test_l_the_empty_rule_set_predicts_negative():
    """An empty OR is false even where positives are the majority."""
    X = pd.DataFrame({"useless": [0, 1, 0, 1, 0, 1]})
    y = np.array([1, 1, 1, 1, 0, 0])
    for max_complexity in (0, 1):
        clf = FairRuleSetClassifier(
            max_complexity=max_complexity, rules_for="positive"
        ).fit(X, y)
        assert len(clf.rule_set_.rules) == 0
        assert (clf.predict(X) == 0).all()
        assert clf.certificate_.objective == 4
    problem = flag_problem(
        [("a", True, True, 3), ("a", False, True, 1)], max_complexity=2
    )
    assert problem.recount(()).zero_one_loss == 3


def test_m_different_epsilons_are_written_differently():
    """``'%d' % 0.05`` is 0: three experiments overwrote each other's results."""
    instance = instance_of(3, 2)
    texts = set()
    for epsilon in (0.0, 0.01, 0.05, 0.1):
        limits = limits_of("equality_of_opportunity", epsilon)
        certificate = solved(problem_of(instance, "hamming", limits), 2).certificate
        assert f"within {epsilon:g}" in str(certificate)
        assert certificate.epsilon == epsilon
        texts.add(str(certificate))
    assert len(texts) == 4


def test_n_the_returned_rule_set_is_the_one_with_the_fewest_wrong_predictions():
    """The final choice by 0-1 loss was described in the paper and commented out.

    Two overlapping rules count a negative twice by Hamming loss: three rules lose to
    two there, and win by true errors.
    """
    rows = np.array([[1, 0], [0, 1], [0, 1], [1, 1], [1, 1]], dtype=bool)
    is_positive = np.array([True, True, True, False, False])
    problem = Problem.merge(
        rows, is_positive, families=np.array([0, 1], np.int32), max_complexity=4
    )
    selection = Selection(problem)
    for rules in [((0,), (1,)), ((1,),), ((0,),)]:
        selection.offer(rules)
    assert selection.objective_winner.rules == ()  # Hamming: 3, 3 and 4
    assert selection.objective == 3
    assert selection.returned_winner.rules == ((0,), (1,))
    assert selection.returned_winner.recount.zero_one_loss == 2


@pytest.mark.parametrize("pricing", sorted(PRICERS))
@pytest.mark.parametrize("objective", ["hamming", "zero_one"])
@pytest.mark.parametrize("constraint", [None, *CRITERIA[1:]])
def test_o_every_combination_that_has_a_name_runs(pricing, objective, constraint):
    """Whole classes of the research code could not run at all."""
    instance = instance_of(8, 3)
    limits = Limits() if constraint is None else limits_of(constraint, 0.2)
    problem = problem_of(instance, objective, limits)
    if constraint is not None:
        assert criterion_by_name(constraint, 0.2).name == constraint
    solution = solved(problem, 3, pricer_by_name(pricing))
    assert instance.counts(solution.returned.rules).satisfies(limits)


def test_p_a_missing_number_is_not_above_a_threshold():
    """``~(x <= t)`` is true for NaN; a comparison with nothing must be false."""
    X = pd.DataFrame({"age": [20.0, 30.0, np.nan, 40.0, 50.0]})
    binarizer = ConditionBinarizer(thresholds="quantile", n_thresholds=2).fit(X)
    met = dict(
        zip(map(str, binarizer.conditions_), binarizer.transform(X)[2], strict=True)
    )
    assert met == {
        "age <= 35": False,
        "age > 35": False,
        "age is missing": True,
        "age is present": False,
    }


def test_p_the_number_of_quantiles_is_passed_on():
    """The research code's parameter never reached the function that needed it."""
    X = pd.DataFrame({"age": np.arange(100.0)})
    for parts in (2, 4, 10):
        conditions = (
            ConditionBinarizer(thresholds="quantile", n_thresholds=parts)
            .fit(X)
            .conditions_
        )
        assert len(conditions) == 2 * (parts - 1)


def test_p_a_column_of_an_unknown_type_does_not_repeat_its_neighbour():
    """It is either understood or refused by name."""
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0], "odd": np.array([1j, 2j, 3j])})
    with pytest.raises((TypeError, ValueError), match=r"odd|[Cc]omplex"):
        ConditionBinarizer().fit(X)
