"""The recount of a rule set in whole people, and which of those seen wins."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from faircg.colgen.events import Incumbent
from faircg.colgen.problem import Problem
from faircg.colgen.select import Selection
from faircg.fairness import EqualityOfOpportunity, EqualizedOdds
from oracle import Limits
from small_problems import instance_of, problem_of

CONDITIONS = np.array(
    [
        [1, 0, 0],  # a, positive
        [1, 1, 0],  # a, positive
        [0, 0, 1],  # a, negative
        [1, 1, 0],  # a, negative
        [0, 1, 0],  # b, positive
        [0, 0, 1],  # b, positive
        [0, 1, 1],  # b, negative
        [0, 0, 0],  # b, negative
    ],
    dtype=bool,
)
LABEL = np.array([1, 1, 0, 0, 1, 1, 0, 0], dtype=bool)
COSTS = np.array([1, 2, 3, 4, 5, 6, 7, 8])
FIRST, SECOND, THIRD, BOTH = (0,), (1,), (2,), (0, 1)


def posed(criterion=None, objective="hamming", **more) -> Problem:
    """Eight people whose every count can be done by hand."""
    return Problem.merge(
        CONDITIONS,
        LABEL,
        families=np.array([0, 1, 2], dtype=np.int32),
        group_codes=np.array([0, 0, 0, 0, 1, 1, 1, 1]),
        group_names=("a", "b"),
        criterion=criterion,
        max_complexity=more.pop("max_complexity", 6),
        objective=objective,
        **more,
    )


def test_a_recount_by_hand():
    """The first rule finds both of a, the second one of each; both hit one twice."""
    found = posed().recount([FIRST, SECOND])
    assert found.missed.tolist() == [0, 1]
    assert found.hit.tolist() == [1, 1]
    assert found.repeated.tolist() == [2, 1]
    assert (found.missed_cost, found.hit_cost, found.repeated_cost) == (1, 2, 3)
    assert (found.hamming_loss, found.zero_one_loss, found.errors) == (4, 3, 3)
    assert (found.loss("hamming"), found.loss("zero_one")) == (4, 3)
    assert found.complexity == 4
    assert found.is_feasible
    nobody = posed().recount([])
    assert nobody.missed.tolist() == [2, 2]
    assert nobody.hit.tolist() == nobody.repeated.tolist() == [0, 0]
    assert (nobody.errors, nobody.complexity) == (4, 0)


def test_a_recount_of_costs_by_hand():
    """The same rules, where the eight people cost one to eight."""
    found = posed(costs=COSTS).recount([FIRST, SECOND])
    assert (found.missed_cost, found.hit_cost, found.repeated_cost) == (6, 11, 15)
    assert found.errors == 3
    nobody = posed(costs=COSTS).recount([])
    assert (nobody.missed_cost, nobody.hit_cost, nobody.repeated_cost) == (14, 0, 0)


def test_complexity_and_rates_decide_what_is_feasible():
    """Each rule counts one more than its conditions; rates differ by a half."""
    rules = [FIRST, SECOND]
    assert posed(max_complexity=4).recount(rules).is_feasible
    assert not posed(max_complexity=3).recount(rules).is_feasible
    assert posed(max_complexity=3).recount([BOTH]).complexity == 3
    assert posed(EqualityOfOpportunity(0.5)).recount(rules).is_feasible
    assert not posed(EqualityOfOpportunity(0.49)).recount(rules).is_feasible


def test_rules_whose_conditions_may_not_be_combined_are_counted_and_win_nothing():
    """A policy allows the first condition beside the third, and not the second."""
    problem = posed(parts=((0, 2), (1,)))
    assert problem.recount([FIRST, SECOND]).is_feasible
    found = problem.recount([BOTH])
    assert not found.is_feasible
    assert (found.missed.tolist(), found.hit.tolist()) == ([1, 2], [1, 0])


def test_by_the_proxy_a_negative_counts_for_every_rule():
    """True false positive rates are equal; by the proxy they differ by a half."""
    problem = posed(EqualizedOdds(0.5, epsilon_negatives=0.4), by_proxy=True)
    found = problem.recount([FIRST, SECOND])
    assert found.is_feasible
    assert not found.meets_proxy
    assert found.solves_master("zero_one")
    assert not found.solves_master("hamming")
    exact = replace(problem, by_proxy=False).recount([FIRST, SECOND])
    assert exact.meets_proxy
    assert exact.solves_master("hamming")
    strict = replace(found, is_feasible=False, meets_proxy=True)
    assert not strict.solves_master("hamming")
    assert not strict.solves_master("zero_one")


@pytest.mark.parametrize("n_groups", [2, 3])
def test_recounts_of_random_people_are_those_of_a_list(n_groups):
    """Merged and packed people are counted as each by himself."""
    rng = np.random.default_rng(n_groups)
    for seed in range(12):
        instance = instance_of(seed, n_groups)
        limits = Limits(missed=0.2, hit=0.5)
        problem = problem_of(instance, "hamming", limits)
        for size in (0, 1, 2, 3):
            chosen = rng.permutation(len(instance.rules))[:size]
            rules = [instance.rules[k] for k in chosen]
            found, counts = problem.recount(rules), instance.counts(rules)
            assert found.missed.tolist() == counts.missed
            assert found.hit.tolist() == counts.hit
            assert found.repeated.tolist() == counts.repeated
            fits = found.complexity <= instance.max_complexity
            assert found.is_feasible == (fits and counts.satisfies(limits))
            assert found.meets_proxy == counts.satisfies_proxy(limits)


def test_the_empty_rule_set_is_known_and_better_ones_win():
    """Loss first, then wrong predictions, then the simpler one; each told once."""
    told: list[Incumbent] = []
    selection = Selection(posed(), told.append)
    assert (selection.objective, selection.errors, selection.n_judged) == (4, 4, 1)
    assert told == [Incumbent(4, 4)]
    assert selection.objective_winner.rules == ()
    worse = selection.offer([THIRD])  # finds one, hits two
    assert worse.recount.errors == 5
    assert told == [Incumbent(4, 4)]
    better = selection.offer([FIRST])
    assert (selection.objective, selection.errors) == (3, 3)
    assert selection.objective_winner is selection.returned_winner is better
    assert told[1:] == [Incumbent(3, 3)]
    # Two rules make as few errors, and cost more by Hamming loss: they win nothing.
    selection.offer([FIRST, SECOND])
    assert selection.returned_winner is better
    assert selection.n_judged == 4
    assert len(told) == 2


def test_a_rule_set_is_judged_once_in_whatever_order():
    selection = Selection(posed())
    one = selection.offer([SECOND, FIRST, SECOND])
    assert one.rules == (FIRST, SECOND)
    assert selection.offer(iter([FIRST, SECOND])) is one
    assert selection.n_judged == 2
    assert one.tie_break == (4, 2, (FIRST, SECOND))


def test_of_as_few_errors_the_shortest_is_returned():
    """A rule of the guide asked for a man, and did without just as well.

    The rule set with it had the lower Hamming loss, which nobody reads.
    """
    were_told_apart = 0
    for seed in range(20):
        instance = instance_of(seed, 2)
        problem = problem_of(instance, "hamming", None)
        selection = Selection(problem)
        seen = [
            selection.offer(rules).recount
            for rules in itertools.combinations(instance.rules, 2)
        ]
        feasible = [each for each in seen if each.is_feasible]
        if not feasible:
            continue
        won = selection.returned_winner.recount
        best = min((each.errors, each.complexity) for each in feasible)
        assert (won.errors, won.complexity) <= best
        fewest = [each for each in feasible if each.errors == won.errors]
        lowest = min((each.hamming_loss for each in fewest), default=won.hamming_loss)
        were_told_apart += won.hamming_loss > lowest
    assert were_told_apart


def test_what_is_known_is_judged_first():
    selection = Selection(posed(), known=[[FIRST], [FIRST, SECOND]])
    assert selection.n_judged == 3
    assert selection.objective == 3


def test_nothing_infeasible_wins():
    """Without the empty rule set there is no winner, and infinity is the loss."""
    selection = Selection(posed(EqualityOfOpportunity(0.0)))
    selection.offer([FIRST])
    assert selection.objective_winner.rules == ()
    assert [c.rules for c in selection.fewest_errors(5)] == [()]
    both = selection.offer([FIRST, SECOND, THIRD])
    assert both.recount.missed.tolist() == [0, 0]
    assert selection.returned_winner is both
    assert [c.rules for c in selection.fewest_errors(5)] == [both.rules, ()]
    selection.objective_winner = selection.returned_winner = None
    assert selection.objective == selection.errors == np.inf


def test_two_winners_where_the_proxy_forbids_the_better_one():
    """The one returned makes fewer errors; the loss of the other is minimised."""
    problem = posed(EqualizedOdds(0.5, epsilon_negatives=0.4), by_proxy=True)
    selection = Selection(problem)
    selection.offer([FIRST, SECOND])
    assert selection.returned_winner.rules == (FIRST, SECOND)
    assert selection.objective_winner.rules == ()
    assert (selection.objective, selection.errors) == (4, 3)


def test_the_fewest_errors_come_first():
    selection = Selection(posed())
    for rules in ([FIRST], [SECOND], [THIRD], [FIRST, SECOND], [BOTH]):
        selection.offer(rules)
    found = [
        (c.recount.errors, c.recount.hamming_loss) for c in selection.fewest_errors(9)
    ]
    assert found == sorted(found)
    assert len(found) == 6
    assert [c.rules for c in selection.fewest_errors(2)] == [(FIRST,), (FIRST, SECOND)]


def test_shares_of_people_are_compared_as_fractions():
    """A gap of exactly a half is within a half, and not within a hair less."""
    half = Fraction(1, 2)
    rules = [FIRST, SECOND]
    assert posed(EqualityOfOpportunity(half)).recount(rules).is_feasible
    less = half - Fraction(1, 10**15)
    assert not posed(EqualityOfOpportunity(less)).recount(rules).is_feasible
