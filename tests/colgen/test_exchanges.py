"""Rules in the place of one of a rule set, against trying all rules one by one."""

from __future__ import annotations

import numpy as np

from faircg.colgen import exchanges
from faircg.colgen.exchanges import add_exchanges
from faircg.colgen.pool import Pool
from faircg.colgen.stop import Deadline
from small_problems import instance_of, problem_of


def drawn(instance, rng):
    """Draw a rule set within the limit on complexity."""
    chosen = []
    for k in rng.permutation(len(instance.rules))[:3]:
        rule = instance.rules[k]
        used = sum(1 + len(other) for other in chosen)
        if instance.covers[rule] and used + 1 + len(rule) <= instance.max_complexity:
            chosen.append(rule)
    return chosen


def near(instance, chosen, spare):
    """Return the covers of all rules that lose at most so much in the place of one."""
    loss = instance.counts(chosen).zero_one
    for place in range(len(chosen)):
        rest = chosen[:place] + chosen[place + 1 :]
        room = instance.max_complexity - sum(1 + len(rule) for rule in rest)
        for rule, cover in instance.covers.items():
            fits = 1 + len(rule) <= room
            if fits and instance.counts([*rest, rule]).zero_one <= loss * (1 + spare):
                yield cover


def test_every_rule_that_loses_little_in_the_place_of_another_is_added(monkeypatch):
    """And no other rule, where the rates do not count."""
    monkeypatch.setattr(exchanges, "WORSE", 0.25)
    n_added = n_all = 0
    for seed in range(60):
        instance = instance_of(seed, 2)
        chosen = drawn(instance, np.random.default_rng(seed))
        problem = problem_of(instance, "zero_one")
        pool = Pool(problem)
        numbers = add_exchanges(
            pool, chosen, instance.max_conditions, np.zeros(0), Deadline()
        )
        added = {instance.cover(pool[int(number)]) for number in numbers}
        assert added == set(near(instance, chosen, 0.25)) - {0}
        n_added += len(added)
        n_all += len(set(instance.covers.values()) - {0})
    assert 0 < n_added < 0.8 * n_all


def test_of_too_many_those_that_lose_least_are_added(monkeypatch):
    """Where there is a limit on their number."""
    monkeypatch.setattr(exchanges, "WORSE", 5.0)
    n_fewer = 0
    for seed in range(60):
        instance = instance_of(seed, 2)
        chosen = drawn(instance, np.random.default_rng(seed))
        problem = problem_of(instance, "zero_one")
        answers = []
        for most in (10**6, 8):
            pool = Pool(problem)
            depth = instance.max_conditions
            numbers = add_exchanges(
                pool, chosen, depth, np.zeros(0), Deadline(), most=most
            )
            answers.append({instance.cover(pool[int(number)]) for number in numbers})
        everything, few = answers
        assert few <= everything
        n_fewer += len(few) < len(everything)
    assert n_fewer > 20
