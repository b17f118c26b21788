"""What must not change the answer, and what must not make it worse."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

from faircg.colgen.pool import Pool
from faircg.colgen.problem import Problem, fingerprint
from faircg.colgen.select import Selection
from oracle import Instance, Limits, random_instance
from random_draws import tried
from small_problems import (
    CRITERIA,
    EPSILONS,
    OBJECTIVES,
    criterion_of,
    limits_of,
    lp_by_generation,
    problem_of,
    solved,
)

FEW = 12
instances = st.builds(random_instance, st.integers(0, 2**20), st.integers(2, 4))
questions = st.tuples(
    st.sampled_from(OBJECTIVES),
    st.builds(limits_of, st.sampled_from(CRITERIA), st.sampled_from(EPSILONS)),
)


def answers(instance: Instance, objective: str, limits: Limits):
    """Return the LP value, the optimum and the loss of what is returned."""
    problem = problem_of(instance, objective, limits)
    solution = solved(problem, instance.max_conditions, counts_errors=False)
    assert solution.certificate.proven_optimal
    assert instance.counts(solution.returned.rules).satisfies(limits)
    return (
        pytest.approx(solution.certificate.lp_value, abs=1e-6),
        solution.certificate.objective,
    ), solution


@tried(instances, questions, st.randoms(use_true_random=False), few=FEW)
def test_the_order_of_samples_changes_nothing(instance, question, random):
    """Not even which rules are returned, nor the fingerprint of the data."""
    order = list(range(len(instance.is_positive)))
    random.shuffle(order)
    shuffled = replace(
        instance,
        conditions=instance.conditions[order],
        is_positive=instance.is_positive[order],
        groups=instance.groups[order],
    )
    (before, first), (after, second) = (
        answers(i, *question) for i in (instance, shuffled)
    )
    assert before == after
    assert first.returned.rules == second.returned.rules
    assert first.certificate.data == second.certificate.data


@tried(instances, questions, st.randoms(use_true_random=False), few=FEW)
def test_renaming_groups_changes_nothing(instance, question, random):
    """Which group comes first is nobody's business."""
    names = list(range(instance.n_groups))
    random.shuffle(names)
    renamed = replace(instance, groups=np.array(names)[instance.groups])
    (before, first), (after, second) = (
        answers(i, *question) for i in (instance, renamed)
    )
    assert before == after
    assert (
        first.returned.recount.zero_one_loss == second.returned.recount.zero_one_loss
        or question[0] == "hamming"  # which solutions the solver passes may differ
    )


@tried(instances, st.sampled_from(OBJECTIVES), st.sampled_from(CRITERIA[1:]), few=FEW)
def test_a_larger_epsilon_is_never_worse(instance, objective, criterion):
    """Every rule set that satisfies a narrow bound satisfies a wide one."""
    lps, optima = [], []
    for epsilon in EPSILONS:
        _, solution = answers(instance, objective, limits_of(criterion, epsilon))
        lps.append(solution.certificate.lp_value)
        optima.append(solution.certificate.objective)
    assert optima == sorted(optima, reverse=True)
    assert all(narrow >= wide - 1e-6 for narrow, wide in itertools.pairwise(lps))
    _, free = answers(instance, objective, Limits())
    assert free.certificate.objective <= optima[-1]


@tried(instances, questions, few=FEW)
def test_more_complexity_is_never_worse(instance, question):
    """Neither more rules nor longer ones can hurt the optimum."""
    optima = []
    for max_complexity in range(0, 10, 3):
        wider = replace(instance, max_complexity=max_complexity)
        optima.append(answers(wider, *question)[1].certificate.objective)
    assert optima == sorted(optima, reverse=True)
    assert optima[0] == instance.is_positive.sum()


@tried(instances, questions, few=FEW)
def test_longer_rules_are_never_worse(instance, question):
    """The optimum over rules of three conditions is at most that over one."""
    optima = []
    for max_conditions in (1, 2, 3):
        longer = replace(instance, max_conditions=max_conditions)
        optima.append(answers(longer, *question)[1].certificate.objective)
    assert optima == sorted(optima, reverse=True)


@tried(instances, questions, st.data(), few=FEW)
def test_a_sample_twice_is_a_sample_of_weight_two(instance, question, data):
    """The merged problems are the same, bit by bit; weight zero is absence."""
    objective, limits = question
    n = len(instance.is_positive)
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    rows = np.repeat(np.arange(n), weights)
    extra = np.zeros(1, dtype=np.int64)
    common = {
        "families": instance.families,
        "group_names": tuple("abcd"[: instance.n_groups]),
        "criterion": criterion_of(limits),
        "max_complexity": instance.max_complexity,
        "objective": objective,
    }
    weighted = Problem.merge(
        np.vstack([instance.conditions, ~instance.conditions[:1]]),
        np.append(instance.is_positive, True),
        group_codes=np.append(instance.groups, extra),
        weights=np.append(weights, extra),
        **common,
    )
    repeated = Problem.merge(
        instance.conditions[rows],
        instance.is_positive[rows],
        group_codes=instance.groups[rows],
        **common,
    )
    assert fingerprint(weighted) == fingerprint(repeated)
    assert (weighted.positives == repeated.positives).all()
    assert (weighted.negatives == repeated.negatives).all()


@tried(instances, st.randoms(use_true_random=False), few=FEW)
def test_a_pool_keeps_one_rule_for_each_coverage_and_that_the_shortest(
    instance, random
):
    """In whatever order rules arrive."""
    rules = list(instance.rules)
    random.shuffle(rules)
    problem = problem_of(instance)
    pool = Pool(problem)
    for start in range(0, len(rules), 7):
        pool.add(rules[start : start + 7])
    shortest: dict[int, tuple[int, tuple[int, ...]]] = {}
    for rule in instance.rules:
        cover = instance.cover(rule)
        shortest[cover] = min(shortest.get(cover, (99, ())), (len(rule), rule))
    shortest.pop(0, None)
    assert sorted(pool.rules) == sorted(rule for _, rule in shortest.values())
    assert [1 + len(rule) for rule in pool.rules] == pool.complexities.tolist()
    for rule, hit in zip(pool.rules, pool.covered_negatives, strict=True):
        assert hit.tolist() == instance.counts([rule]).hit
    assert pool.add(instance.rules) == []


@tried(instances, questions, st.data(), few=FEW)
def test_selection_keeps_no_rule_set_that_breaks_a_limit(instance, question, data):
    """Whatever is offered, in whatever order; and it never keeps the worse one."""
    objective, limits = question
    problem = problem_of(instance, objective, limits)
    selection = Selection(problem)
    offered = data.draw(
        st.lists(st.lists(st.sampled_from(instance.rules), max_size=4), max_size=15)
    )
    fewest = instance.counts(()).zero_one
    for rules in offered:
        candidate = selection.offer(rules)
        counts = instance.counts(set(rules))
        complexity = sum(1 + len(rule) for rule in set(rules))
        feasible = counts.satisfies(limits) and complexity <= instance.max_complexity
        assert candidate.recount.is_feasible == feasible
        assert candidate.recount.hamming_loss == counts.hamming
        assert candidate.recount.zero_one_loss == counts.zero_one
        assert candidate.recount.missed.tolist() == counts.missed
        assert candidate.recount.hit.tolist() == counts.hit
        if feasible:
            fewest = min(fewest, counts.zero_one)
    kept = instance.counts(selection.returned_winner.rules)
    assert kept.satisfies(limits)
    assert kept.zero_one == fewest
    assert instance.counts(selection.objective_winner.rules).satisfies(limits)


@tried(instances, questions, few=FEW)
def test_adding_rules_to_the_pool_never_raises_the_lp_value(instance, question):
    """The restricted master only falls from round to round, the bound only rises."""
    problem = problem_of(instance, *question)
    solution = solved(problem, instance.max_conditions)
    values = [r.lp_value for r in solution.history]
    bounds = [r.lower_bound for r in solution.history]
    assert all(a >= b - 1e-7 for a, b in itertools.pairwise(values))
    assert bounds == sorted(bounds)
    assert all(b <= v + 1e-6 for b, v in zip(bounds, values, strict=True))
    generation = lp_by_generation(problem, instance)
    assert generation.master.value == pytest.approx(
        values[-1] if values else generation.master.value, abs=1e-6
    )
