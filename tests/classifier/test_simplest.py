"""Simpler rules of a fit, and a certificate that stays true of them."""

import random
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from certificates import certificate
from faircg import Condition, FairRuleSetClassifier, Rule, RuleSet
from faircg.evaluate import Coverage
from faircg.learned import simplest
from faircg.table import read_table

CONDITIONS = [
    Condition(name, sign, cut)
    for name in "ab"
    for sign in ("<=", ">")
    for cut in (1, 2)
]


def people(rng, n=60):
    """Return a table, labels and weights, as a fit has them."""
    frame = pd.DataFrame({name: [rng.randrange(4) for _ in range(n)] for name in "ab"})
    frame["a"] = frame["a"].where([rng.random() < 0.9 for _ in range(n)])
    truth = np.array([rng.random() < 0.5 for _ in range(n)])
    weights = np.array([rng.randint(1, 3) for _ in range(n)])
    labels = SimpleNamespace(is_positive=truth)
    return SimpleNamespace(table=read_table(frame), labels=labels, weights=weights)


def loss_of(rule_set, data):
    """Return the Hamming loss, as the certificate counts it."""
    is_meant = rule_set.turned(data.labels.is_positive)
    return Coverage.of(rule_set, data.table, data.weights).loss(is_meant, "hamming")


@pytest.mark.parametrize("seed", range(30))
def test_the_certificate_speaks_of_the_simpler_rules(seed):
    """A person is counted once for each rule, so that fewer rules may count less."""
    rng = random.Random(seed)
    data = people(rng)
    rules = RuleSet(
        tuple(Rule(tuple(rng.sample(CONDITIONS, 2))) for _ in range(rng.randint(1, 5))),
        rules_for=rng.choice(["positive", "negative"]),
    )
    before = loss_of(rules, data)
    given = certificate(
        returned_loss=before, objective=before, lower_bound=rng.choice([0, before])
    )
    found, told = simplest(rules, given, data)
    assert told.returned_loss == loss_of(found, data)
    assert told.lower_bound == given.lower_bound <= told.objective
    assert told.objective == min(before, told.returned_loss)
    assert (found.accepts(data.table) == rules.accepts(data.table)).all()


def test_rules_stay_where_a_changed_loss_cannot_be_told():
    """Two rules for the same people, and errors that do not cost one each."""
    data = people(random.Random(0))
    rules = RuleSet((Rule((Condition("b", ">", 1),)), Rule((Condition("b", ">", 0),))))
    before = loss_of(rules, data)
    free = certificate(returned_loss=before, objective=before, lower_bound=0)
    assert len(simplest(rules, free, data)[0]) == 1
    costly = certificate(
        returned_loss=before, objective=before, lower_bound=0, costs="a lot"
    )
    assert simplest(rules, costly, data) == (rules, costly)
    bound = certificate(returned_loss=before, objective=before, lower_bound=before)
    assert simplest(rules, bound, data) == (rules, bound)


def test_a_fit_shows_simple_rules():
    """No rule of a fitted model can be left out or shortened."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.integers(0, 9, (200, 3)), columns=list("abc"))
    y = (X["a"] <= 3) | ((X["a"] > 3) & (X["b"] > 5)) ^ (rng.random(200) < 0.1)
    clf = FairRuleSetClassifier(max_complexity=12, max_conditions=2).fit(X, y)
    from faircg.simplify import simplified

    assert simplified(clf.rule_set_, clf.model_.kinds) == clf.rule_set_
    assert clf.certificate_ is clf.model_.certificate
    wrong = int((clf.predict(X) != y).sum())
    assert clf.certificate_.errors == wrong
