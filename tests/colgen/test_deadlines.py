"""Every stage of a search looks at the clock: no step goes on long after its end."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from faircg import FairRuleSetClassifier, mining
from faircg.colgen import first
from faircg.colgen.coverage import near
from faircg.colgen.coverage.large import LargeCoverage
from faircg.colgen.engine import solve
from faircg.colgen.events import RoundDone
from faircg.colgen.excess import excess_problem
from faircg.colgen.first import everybody, offer_first
from faircg.colgen.improve import LocalSearch
from faircg.colgen.options import SearchOptions
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.prove import prove
from faircg.colgen.select import Selection
from faircg.colgen.stop import Deadline, OutOfTimeError
from faircg.colgen.unrestricted import any_classifier_bound
from faircg.plain_tree import PlainTree
from faircg.question import Question
from made_up import make_people
from small_problems import (
    full_pool,
    instance_of,
    limits_of,
    lp_by_generation,
    problem_of,
    true_optimum,
)
from test_mining import FAIRLEARN, make_problem


class Looks:
    """A clock that stands at the number of looks at it."""

    def __init__(self) -> None:
        self.count = itertools.count()
        self.seen = 0

    def __call__(self) -> float:
        self.seen = next(self.count)
        return float(self.seen)


def after(looks: int) -> tuple[Deadline, Looks]:
    clock = Looks()
    return Deadline(float(looks), clock=clock), clock


def test_looking_for_near_rows_ends_at_the_deadline(monkeypatch):
    """On Adult it took seconds, and a fit of 60 s ended after 62."""
    monkeypatch.setattr(near, "_BLOCK", 1)
    problem = replace(make_problem(), objective="zero_one")
    likeness = near.Likeness.of(np.zeros(problem.bits.n_conditions))
    deadline, clock = after(2)
    with pytest.raises(OutOfTimeError):
        likeness.nearest(problem, deadline)
    assert clock.seen == 2
    assert (problem.coverage_costs > 0).sum() > 3  # there was more to look at
    assert LargeCoverage(problem, Pool(problem), 2).solve(after(2)[0]) is None


def test_writing_the_proof_ends_at_the_deadline(monkeypatch):
    """With 50,000 rules inside the gap a fit of 60 s on COMPAS ended after 67."""
    limits, n_cut = limits_of("equalized_odds", 0.2), 0

    def written(*asked):
        nonlocal n_cut
        try:
            return excess_problem(*asked)
        except OutOfTimeError:
            n_cut += 1
            raise

    monkeypatch.setattr("faircg.colgen.prove.excess_problem", written)
    for seed in range(6):
        instance = instance_of(seed, 2)
        problem = problem_of(instance, "hamming", limits)
        proof = lp_by_generation(problem, instance).proof
        optimum = true_optimum(seed, 2, "hamming", limits)
        for looks in range(3, 12):
            pool, selection = full_pool(problem, instance), Selection(problem)
            deadline, clock = after(looks)
            bound = prove(pool, proof, selection, deadline)
            assert bound <= optimum
            assert clock.seen <= looks + 3
    assert n_cut > 3


@FAIRLEARN
def test_no_fair_tree_is_grown_after_the_deadline():
    """Twenty rounds of fairlearn heard no clock: a limit of 1 s took 8.9 s."""
    pytest.importorskip("fairlearn")
    deadline, clock = after(4)
    found = mining.mine_fair_tree(make_problem(), 3, 0, deadline)
    assert clock.seen == 4
    assert found
    assert mining.mine_fair_tree(make_problem(), 3, 0, after(0)[0]) == set()


@FAIRLEARN
def test_rounds_without_a_tree_hear_the_clock_too():
    """With one person of weight 2e8 fairlearn grows no trees, and went on for 30 s."""
    pytest.importorskip("fairlearn")
    weights = np.ones(300, dtype=np.int64)
    weights[3] = 200_000_000
    deadline, clock = after(4)
    mining.mine_fair_tree(make_problem(weight=weights), 3, 0, deadline)
    assert clock.seen <= 4


def test_of_many_conditions_the_best_make_the_first_rule_set(monkeypatch):
    """Of 60,000 conditions each was weighed as a rule before anything else."""
    monkeypatch.setattr(first, "MOST_SINGLE", 2)
    for seed in range(5):
        problem = problem_of(instance_of(seed, 2), "hamming", None)
        selection = Selection(problem)
        offer_first(Pool(problem), selection)
        constants = [(), everybody(problem.bits)]
        single = [[(j,)] for j in range(problem.bits.n_conditions)]
        least = min(problem.recount(r).zero_one_loss for r in [*constants, *single])
        assert selection.returned_winner.recount.zero_one_loss <= least


def test_without_time_fewer_rules_make_the_first_rule_set(monkeypatch):
    """Of a million people a descent among 200 rules took 0.6 s after the deadline.

    With time, or few people, all of the rules are looked at as before.
    """
    made, begun = [], first.LocalSearch.__init__

    def telling(self, pool, numbers, *others, **named):
        made.append(len(numbers))
        begun(self, pool, numbers, *others, **named)

    monkeypatch.setattr(first.LocalSearch, "__init__", telling)
    monkeypatch.setattr(first, "FEWEST_RULES", 3)
    problem = problem_of(instance_of(1, 2), "hamming", None)
    whole, least = Selection(problem), Selection(problem)
    offer_first(Pool(problem), whole)
    late = Deadline(0.0, clock=lambda: 1.0)
    offer_first(Pool(problem), Selection(problem), late)
    monkeypatch.setattr(first, "WORDS_PER_SECOND", 1e-9)
    offer_first(Pool(problem), least, late)
    n_rules = problem.bits.n_conditions
    assert made == [n_rules, n_rules, 3]
    constants = [problem.recount(()), problem.recount(everybody(problem.bits))]
    fewest = min(r.zero_one_loss for r in constants)
    assert least.returned_winner.recount.zero_one_loss <= fewest


def test_a_descent_ends_in_the_midst_of_a_step():
    """A step weighs every rule once for each that it may take the place of."""
    problem = problem_of(instance_of(1, 2), "hamming", None)
    pool = full_pool(problem, instance_of(1, 2))
    numbers = np.arange(len(pool.rules))
    deadline, clock = after(3)
    search = LocalSearch(pool, numbers, Selection(problem))
    search.run(numbers[:4], deadline)
    assert clock.seen <= 5  # the step had five rule sets to begin from


def test_nothing_is_begun_when_the_time_is_over():
    """Neither a bound on all classifiers nor a search that lends its rules."""
    limits, late = limits_of("equalized_odds", 0.05), Deadline(0.0, clock=lambda: 1.0)
    instances = [instance_of(seed, 2) for seed in range(20)]
    problems = [problem_of(instance, "zero_one", limits) for instance in instances]
    assert any(any_classifier_bound(problem, Deadline()) for problem in problems)
    assert not any(any_classifier_bound(problem, late) for problem in problems)
    instance, problem = instances[3], problems[3]
    options = SearchOptions(ExactPricer(), (instance.max_conditions,), late)
    solution = solve(problem, options)
    assert solution.certificate.status in ("time_limit", "optimal")
    assert instance.counts(solution.returned.rules).satisfies(limits)
    assert not solution.history


@pytest.mark.parametrize(
    ("asked", "clock", "kept"),
    [
        ({"time_limit": 10}, 1.0, 0.5),
        ({"time_limit": 10}, 8.0, 1.0),
        ({}, 4.0, 2.0),
        ({"work_limit": 1.0}, 4.0, 0.0),
    ],
)
def test_time_is_kept_to_count_the_people_again(asked, clock, kept):
    """Reading them says how long that takes; never more than a tenth is kept."""
    question = Question.of(FairRuleSetClassifier(**asked))
    at = question.time_limit
    assert question.kept(Deadline(at, clock=lambda: clock)) == kept
    assert Deadline(at).but_for(kept).at == at - kept


def test_the_tree_to_compare_with_is_learned_before_the_search(monkeypatch):
    """It was learned when the time was over, and took a second on Adult."""
    told, learn = [], PlainTree.learn

    def telling(*arguments):
        told.append("tree")
        return learn(*arguments)

    monkeypatch.setattr(PlainTree, "learn", telling)
    X, y, _ = make_people(60)
    FairRuleSetClassifier(callbacks=[told.append]).fit(X, y)
    rounds = [k for k, event in enumerate(told) if isinstance(event, RoundDone)]
    assert told.index("tree") < rounds[0]
