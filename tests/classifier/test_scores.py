"""Scores: counts of the rules that cover, for tools that need a number."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import roc_auc_score

from faircg import Condition, FairRuleSetClassifier, Rule, RuleSet
from faircg.rule_scores import RuleScores
from faircg.table import read_table


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.integers(0, 6, (300, 4)), columns=list("abcd"))
    y = np.where(X["a"] + X["b"] + rng.normal(0, 1.5, 300) > 5, "yes", "no")
    return X, y


@pytest.mark.parametrize("rules_for", ["positive", "negative"])
@pytest.mark.parametrize("pos_label", ["yes", "no"])
def test_scores_agree_with_decisions_and_rank_people(people, rules_for, pos_label):
    """A decision is never on the other side of one half than its score."""
    X, y = people
    clf = FairRuleSetClassifier(
        max_complexity=8, max_conditions=2, rules_for=rules_for, pos_label=pos_label
    ).fit(X, y)
    scores, decided = clf.predict_proba(X), clf.predict(X)
    assert np.allclose(scores.sum(axis=1), 1)
    assert (clf.classes_[scores.argmax(axis=1)] == decided).all()
    assert ((clf.decision_function(X) > 0) == (decided == clf.classes_[1])).all()
    decisions_alone = roc_auc_score(y == "yes", decided == "yes")
    assert roc_auc_score(y == "yes", scores[:, 1]) >= decisions_alone
    assert clf.model_.from_json(clf.model_.to_json()).score(X).tolist() == list(
        scores[:, list(clf.classes_).index(pos_label)]
    )


def test_a_score_is_the_smoothed_share_of_the_surest_rule():
    """Counted by hand: nine of ten, and three of four, of whom one is in both."""
    rules = RuleSet((Rule((Condition("a", ">", 1),)), Rule((Condition("b", ">", 1),))))
    scores = RuleScores(covered=(10, 4, 20), meant=(9, 3, 5))
    table = read_table(pd.DataFrame({"a": [2, 0, 2, 0], "b": [0, 2, 2, 0]}))
    expected = [10 / 12, 4 / 6, 10 / 12, 6 / 22]
    assert scores.of(rules, table) == pytest.approx(expected)


def test_rules_that_are_mostly_wrong_stay_on_their_side_in_order():
    """Under costs or a constraint a rule may cover more people of the other label."""
    rules = RuleSet((Rule((Condition("a", ">", 1),)), Rule((Condition("b", ">", 1),))))
    scores = RuleScores(covered=(10, 10, 10), meant=(2, 4, 6))
    table = read_table(pd.DataFrame({"a": [2, 0, 0], "b": [0, 2, 0]}))
    low, high, none = scores.of(rules, table)
    assert none < 0.5 < low < high < 0.5 + 1e-6


def test_calibration_tools_take_it(people):
    """Those who need chances can calibrate the scores."""
    X, y = people
    clf = FairRuleSetClassifier(max_complexity=4, max_conditions=1)
    found = CalibratedClassifierCV(clf, cv=2).fit(X, y)
    assert found.predict_proba(X).shape == (300, 2)


def test_an_older_model_says_that_it_has_no_scores(people):
    """Files written before have no counts of their rules."""
    from dataclasses import replace

    X, y = people
    clf = FairRuleSetClassifier(max_complexity=4, max_conditions=1).fit(X, y)
    with pytest.raises(ValueError, match="fit it again"):
        replace(clf.model_, scores=None).score(X)
