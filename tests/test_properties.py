"""Properties that hold for any people: predictions by hand, limits, sameness."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from faircg import FairRuleSetClassifier
from random_draws import tried

FEW = 15
PERSON = st.fixed_dictionaries(
    {
        "age": st.one_of(st.none(), st.integers(0, 4)),
        "job": st.one_of(st.none(), st.sampled_from(["cook", "nurse", "clerk"])),
        "member": st.booleans(),
        "label": st.booleans(),
        "group": st.sampled_from(["a", "b", "c"]),
    }
)
PEOPLE = st.lists(PERSON, min_size=6, max_size=14)
QUESTIONS = st.fixed_dictionaries(
    {
        "constraint": st.sampled_from(
            [None, "equality_of_opportunity", "equalized_odds"]
        ),
        "epsilon": st.sampled_from([0.0, 0.1, 0.3, 1.0]),
        "max_complexity": st.integers(0, 7),
        "max_conditions": st.integers(1, 3),
        "objective": st.sampled_from(["hamming", "zero_one"]),
        "pricing": st.sampled_from(["exact", "greedy"]),
    }
)


def table_of(people):
    """Return the features as a frame of stable types."""
    return pd.DataFrame(
        {
            "age": np.array([p["age"] for p in people], dtype=float),
            "job": pd.array([p["job"] for p in people], dtype="string"),
            "member": [p["member"] for p in people],
        }
    )


def asked(question):
    """Ask a classifier; without a constraint there is nothing to allow a gap of."""
    settings = {"rules_for": "positive", **question}
    if question["constraint"] is None:
        settings["epsilon"] = None
    return FairRuleSetClassifier(
        warm_start_rules=None,
        thresholds="quantile",
        n_thresholds=4,
        time_limit=60,
        **settings,
    )


def fit(people, question, weights=None):
    """Fit, leaving out data that no criterion can be asked about."""
    labels = np.array([p["label"] for p in people])
    groups = [p["group"] for p in people]
    seen = set(zip(groups, labels.tolist(), strict=True))
    assume(len(seen) == 2 * len(set(groups)))
    assume(question["constraint"] is None or len(set(groups)) > 1)
    return asked(question).fit(
        table_of(people), labels, sensitive_features=groups, sample_weight=weights
    )


def meets(person, condition):
    """Say in plain Python whether a person meets a condition."""
    value = person[condition.feature]
    match condition.operator:
        case "is missing":
            return value is None
        case "is present":
            return value is not None
        case _ if value is None:
            return False
        case "<=":
            return value <= condition.value
        case ">":
            return value > condition.value
        case "=":
            return value == condition.value
        case "!=":
            return value != condition.value


def by_hand(person, rule_set):
    """Say in plain Python whether a rule set covers a person."""
    return any(all(meets(person, c) for c in rule.conditions) for rule in rule_set)


def rate(people, covered, group, label):
    """Return the covered share of a group's people with a label."""
    chosen = [
        c
        for p, c in zip(people, covered, strict=True)
        if p["group"] == group and p["label"] == label
    ]
    return Fraction(sum(chosen), len(chosen))


@pytest.mark.filterwarnings("ignore::faircg.exceptions.UnseenCategoryWarning")
@tried(PEOPLE, PEOPLE, QUESTIONS, few=FEW)
def test_predictions_are_the_rules_evaluated_by_hand(people, others, question):
    """I can apply the printed rules to any person and get the same answer."""
    clf = fit(people, question)
    for crowd in (people, others):
        expected = [by_hand(person, clf.rule_set_) for person in crowd]
        assert clf.predict(table_of(crowd)).tolist() == expected
        assert clf.model_.predict(table_of(crowd)).tolist() == expected


@tried(PEOPLE, QUESTIONS, few=FEW)
def test_every_rule_set_obeys_its_limits_and_its_constraint(people, question):
    """Complexity, conditions and true rates are within what I asked for."""
    clf = fit(people, question)
    assert clf.rule_set_.complexity <= question["max_complexity"]
    assert all(
        len(rule.conditions) <= question["max_conditions"] for rule in clf.rule_set_
    )
    covered = [by_hand(person, clf.rule_set_) for person in people]
    errors = sum(c != p["label"] for c, p in zip(covered, people, strict=True))
    assert errors <= sum(p["label"] for p in people), "worse than the empty rule set"
    bounded = {None: (), "equality_of_opportunity": (True,)}
    for label in bounded.get(question["constraint"], (True, False)):
        rates = [
            rate(people, covered, group, label)
            for group in {p["group"] for p in people}
        ]
        assert max(rates) - min(rates) <= Fraction(str(question["epsilon"]))
    certificate = clf.certificate_
    assert certificate.lower_bound <= certificate.objective
    assert (certificate.status == "optimal") == certificate.proven_optimal


@tried(PEOPLE, QUESTIONS, st.randoms(use_true_random=False), few=FEW)
def test_the_order_of_people_changes_nothing(people, question, rng):
    """Shuffled people give the same rules and the same certificate."""
    shuffled = people.copy()
    rng.shuffle(shuffled)
    first, second = fit(people, question), fit(shuffled, question)
    assert first.rule_set_ == second.rule_set_
    assert first.certificate_.data == second.certificate_.data
    assert first.certificate_.objective == second.certificate_.objective


@tried(
    PEOPLE, QUESTIONS, st.lists(st.integers(1, 3), min_size=14, max_size=14), few=FEW
)
def test_weights_are_repetitions(people, question, weights):
    """A weight of two is the same person twice."""
    weights = weights[: len(people)]
    repeated = [p for p, w in zip(people, weights, strict=True) for _ in range(w)]
    first, second = fit(people, question, weights), fit(repeated, question)
    assert first.rule_set_ == second.rule_set_
    assert first.fairness_ == second.fairness_
    assert first.certificate_.objective == second.certificate_.objective


@tried(PEOPLE, QUESTIONS, few=FEW)
def test_more_freedom_is_never_worse(people, question):
    """A larger epsilon or complexity never raises the proven optimum."""
    question = {**question, "pricing": "exact"}
    tight = fit(people, question).certificate_
    assume(tight.proven_optimal)
    for freer in (
        {"epsilon": min(1.0, question["epsilon"] + 0.2)},
        {"max_complexity": question["max_complexity"] + 2},
    ):
        loose = fit(people, {**question, **freer}).certificate_
        assert loose.objective <= tight.objective


@tried(PEOPLE, QUESTIONS, few=FEW)
def test_a_copied_column_brings_nothing(people, question):
    """A feature said twice does not change what can be reached."""
    question = {**question, "pricing": "exact"}
    alone = fit(people, question)
    labels = np.array([p["label"] for p in people])
    table = table_of(people).assign(years=lambda X: X["age"])
    clf = asked(question)
    clf.fit(table, labels, sensitive_features=[p["group"] for p in people])
    assert clf.certificate_.objective == alone.certificate_.objective
