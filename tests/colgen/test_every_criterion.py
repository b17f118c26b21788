"""Every criterion, and two at once, against a list of all rule sets and fairlearn.

Two to five groups, rules for either label, with and without costs (``questions.py``).
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, precision_score, zero_one_loss

from faircg.colgen.coverage.duals import coverage_duals
from faircg.colgen.coverage.master import CoverageMaster
from faircg.colgen.duals import duals_of
from faircg.colgen.master import Master
from faircg.colgen.pool import Pool
from faircg.colgen.problem import Problem
from faircg.colgen.stop import Deadline
from faircg.exceptions import InfeasibleConstraintError
from faircg.fairness import EqualityOfOpportunity, Linear
from faircg.solver.highs import solve_lp
from oracle import Limits, rule_sets
from questions import ASKED, question_of
from small_problems import OBJECTIVES, instance_of, lp_by_generation, problem_of, solved

with warnings.catch_warnings():  # what fairlearn's own imports warn of is not ours
    warnings.simplefilter("ignore")
    from fairlearn.metrics import (
        MetricFrame,
        demographic_parity_difference,
        equalized_odds_difference,
        false_negative_rate,
        false_positive_rate,
        selection_rate,
        true_negative_rate,
        true_positive_rate,
    )

# All of the 24 kinds of questions seven times.
COUNTS = [
    pytest.param(range(4), id="few"),
    pytest.param(range(1_000, 1_168), id="many", marks=pytest.mark.long),
]
THEIRS = {
    "true positive rate": true_positive_rate,
    "false negative rate": false_negative_rate,
    "false positive rate": false_positive_rate,
    "true negative rate": true_negative_rate,
    "selection rate": selection_rate,
    "accuracy": accuracy_score,
    "error rate": zero_one_loss,
    "precision": lambda y, decided: precision_score(y, decided, zero_division=np.nan),
}
DIFFERENCES = {
    "demographic_parity": demographic_parity_difference,
    "equalized_odds": equalized_odds_difference,
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seeds", COUNTS)
def test_what_is_proven_is_the_best_of_all_rule_sets(asked, objective, seeds):
    """Loss, errors and bounds are true; or it is proven that nothing satisfies."""
    for seed in seeds:
        question = question_of(asked, seed)
        problem = question.problem(objective)
        if not question.satisfying:
            check_infeasible(question, problem)
            continue
        solution = solved(problem, question.drawn.max_conditions)
        certificate = solution.certificate
        fewest = best = question.least(question.zero_one)
        if objective == "hamming":
            best = question.least_hamming(by_proxy=certificate.rates == "proxy")
        assert certificate.proven_optimal
        assert certificate.objective == certificate.lower_bound == best
        assert certificate.lp_value <= best + 1e-6

        union = question.union(solution.returned.rules)
        assert question.holds(union)
        assert certificate.errors == question.errors(union)
        made = certificate.errors
        at_least, simple = (
            certificate.errors_lower_bound,
            certificate.any_classifier_errors,
        )
        if problem.costs is not None:
            made, at_least = certificate.cost, certificate.cost_lower_bound
            simple = certificate.any_classifier_cost
        assert made == question.zero_one(union)
        assert simple <= at_least <= fewest <= made
        if objective == "zero_one":
            assert made == fewest
        check_fairlearn(question, problem, solution.returned.recount, union)


def check_infeasible(question, problem):
    """Demand the smallest loosening with which some rule set satisfies."""
    with pytest.raises(InfeasibleConstraintError, match="no rule set") as told:
        solved(problem, question.drawn.max_conditions)
    smallest = min(question.lack(outcome.union) for outcome in question.outcomes)
    if smallest > 1:  # a sum of people is not loosened
        assert told.value.loosen_by is None
        return
    assert told.value.loosen_by == smallest
    least = "that" if 10_000 % smallest.denominator == 0 else str(smallest)
    assert f"; less than {least} is proven to be out of reach" in str(told.value)


def check_fairlearn(question, problem, recount, union):
    """Compare the rates of all groups with fairlearn's, of people told one by one."""
    instance = question.instance
    covered = np.array([union >> i & 1 for i in range(len(instance.groups))])
    label = instance.is_positive.astype(int)
    if question.refuses:
        covered, label = 1 - covered, 1 - label
    for rate in problem.rates:
        if isinstance(rate.rate, Linear):
            continue
        inside = rate.members[:, instance.groups].any(axis=0)
        frame = MetricFrame(
            metrics=THEIRS[rate.rate.name],
            y_true=label[inside],
            y_pred=covered[inside],
            sensitive_features=rate.members.argmax(axis=0)[instance.groups[inside]],
        )
        ours = [float(value) for value in rate.values(recount.missed, recount.hit)]
        assert ours == pytest.approx(frame.by_group.dropna().tolist(), abs=1e-12)
    of_all = DIFFERENCES.get(question.case.criterion.name)
    if of_all is not None and not question.families:
        gap = of_all(label, covered, sensitive_features=instance.groups)
        gaps = [rate.gap(recount.missed, recount.hit) for rate in problem.rates]
        assert float(max(gaps)) == pytest.approx(gap, abs=1e-12)


def program(problem, pool, numbers, share=1.0, seed=0):
    """Return the linear master that the loss asks for, with a share of all pairs."""
    if problem.objective == "hamming" and problem.starts_feasible:
        return Master(problem, pool, numbers)
    n_rows, rng = problem.n_rows, np.random.default_rng(seed)
    first, second = np.divmod(np.arange(n_rows * n_rows), n_rows)
    cut = (first != second) & (rng.random(len(first)) < share)
    dear = float(problem.miss_costs.sum() + problem.hit_costs.sum() + 1)
    penalty = 0.0 if problem.starts_feasible else dear
    return CoverageMaster(problem, pool, numbers, first[cut], second[cut], penalty)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seeds", COUNTS)
def test_the_program_over_all_rules_and_cuts_bounds_every_rule_set(
    asked, objective, seeds
):
    """Column generation ends at its value, which no rule set is below."""
    for seed in seeds:
        question = question_of(asked, seed)
        problem = question.problem(objective)
        pool = Pool(problem, question.drawn.rules)
        master = program(problem, pool, np.arange(len(pool)))
        value = solve_lp(master.model, Deadline()).objective
        generation = lp_by_generation(problem, question.drawn)
        assert generation.is_proven
        assert generation.lower_bound == pytest.approx(value, abs=1e-5)
        if objective == "zero_one":
            assert value <= question.least(question.zero_one) + 1e-6
        else:
            by_proxy = problem.uses_proxy
            assert value <= question.least_hamming(by_proxy=by_proxy) + 1e-6


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seeds", COUNTS)
def test_prices_are_the_solvers_reduced_costs(asked, objective, seeds):
    """With pair cuts active, rows and pairs price every rule as the solver does.

    Multipliers that a cell has no use for are left out, which can only raise a rule's
    reduced cost; the value stays that of the program. Raised until no rule of all has
    a negative price, it bounds the program over all of them.
    """
    n_equal, n_rules = 0, 0
    for seed in seeds:
        question = question_of(asked, seed)
        problem = question.problem(objective)
        pool = Pool(problem, question.drawn.rules)
        everything = np.arange(len(pool))
        whole = solve_lp(program(problem, pool, everything).model, Deadline()).objective
        some = np.flatnonzero(np.random.default_rng(seed).random(len(pool)) < 0.4)
        for numbers in (everything, some):
            master = program(problem, pool, numbers, 0.5, seed)
            solution = solve_lp(master.model, Deadline())
            is_paper = isinstance(master, Master)
            make = duals_of if is_paper else coverage_duals
            duals = make(master, solution.row_dual)
            assert duals.prices.value == pytest.approx(solution.objective, abs=1e-6)
            costs = duals.reduced_costs(pool.covers, pool.complexities)
            of_solver = solution.column_dual[master.layout.rule]
            assert (costs[numbers] >= of_solver - 1e-8).all()
            is_equal = np.isclose(costs[numbers], of_solver, rtol=0, atol=1e-8)
            assert not is_paper or is_equal.all()
            n_equal, n_rules = n_equal + is_equal.sum(), n_rules + len(is_equal)
            lowest = min(0.0, float((costs / pool.complexities).min()))
            raised = duals.raised(-lowest, problem.max_complexity)
            assert raised.prices.value <= whole + 1e-6
    assert n_equal > 0.9 * n_rules


@pytest.mark.parametrize("asked", ASKED)
def test_the_recount_says_what_plain_counting_says_of_every_rule_set(asked):
    """With nobody's solver: the constraint, the errors and what they cost."""
    for seed in range(4):
        question = question_of(asked, seed)
        problem = question.problem("hamming")
        for number, (rules, _, union) in enumerate(rule_sets(question.instance)):
            if number % 7:
                continue
            recount = problem.recount(rules)
            assert recount.is_feasible == question.holds(union)
            assert recount.errors == question.errors(union)
            assert recount.zero_one_loss == question.zero_one(union)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(2_000, 2_001), id="few"),
        pytest.param(range(3_000, 3_024), id="many", marks=pytest.mark.long),
    ],
)
def test_searching_wrong_predictions_never_ends_with_more_of_them(asked, seeds):
    """The 0-1 objective used to return more errors than the Hamming loss."""
    for seed in seeds:
        question = question_of(asked, seed)
        if not question.satisfying:
            continue
        first, second = (
            solved(question.problem(objective), question.drawn.max_conditions)
            for objective in ("zero_one", "hamming")
        )
        left, right = first.returned.recount, second.returned.recount
        assert left.zero_one_loss <= right.zero_one_loss
        assert first.certificate.cost is not None or left.errors <= right.errors


def test_epsilon_a_hair_below_one_is_not_one():
    """It ended in "20 solutions of the integer master failed their recount".

    The solver took a gap of 1 for one of 0.9999999999999999, and the recount did not;
    rows now hold the largest gap that whole people can have below it.
    """
    conditions = np.array([[True, False], [False, True]] * 3)
    is_positive = np.array([True, True, True, True, False, False])
    problem = Problem.merge(
        conditions,
        is_positive,
        families=np.array([0, 1], dtype=np.int32),
        group_codes=np.array([0, 1, 0, 1, 0, 1]),
        group_names=("a", "b"),
        criterion=EqualityOfOpportunity(0.9999999999999999),
        max_complexity=4,
        objective="zero_one",
    )
    for seed in range(3):
        instance = instance_of(seed, 2)
        hair, one = (
            solved(
                problem_of(instance, "zero_one", Limits(missed=epsilon)),
                instance.max_conditions,
            ).certificate
            for epsilon in (0.9999999999999999, 1.0)
        )
        assert hair.proven_optimal
        assert hair.objective >= one.objective
    assert solved(problem, 2).certificate.proven_optimal
    rows = problem.rate_rows
    assert rows.upper.max() < 2 - 1e-3
