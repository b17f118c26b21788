"""What a fit exposes."""

from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest

from classifier.small import GROUPS, ODDS, OPPORTUNITY, X, Y, fit
from faircg import Condition, FairRuleSetClassifier, Rule, RuleSet, RuleSetModel
from made_up import gap


def test_the_defaults_are_the_documented_ones():
    """A classifier without arguments has the parameters of the documentation."""
    assert FairRuleSetClassifier().get_params() == {
        "groups": "intersection",
        "constraint": None,
        "epsilon": None,
        "max_complexity": 20,
        "max_conditions": None,
        "objective": "hamming",
        "rates": "auto",
        "cost_false_positive": 1,
        "cost_false_negative": 1,
        "class_weight": None,
        "pricing": "exact",
        "warm_start_rules": "forest",
        "thresholds": "auto",
        "n_thresholds": 10,
        "exclude": (),
        "monotone": None,
        "not_together": (),
        "time_limit": None,
        "work_limit": None,
        "memory_limit": None,
        "pricing_time_limit": 45.0,
        "random_state": 0,
        "n_jobs": None,
        "verbose": 0,
        "pos_label": None,
        "rules_for": "rarer",
        "missing_groups": "raise",
        "strict": None,
        "on_interrupt": "raise",
        "callbacks": (),
        "checkpoint": None,
    }


def test_the_rule_set_is_made_of_readable_rules(clf):
    """Rules know my columns and values, and print as English."""
    assert isinstance(clf.rule_set_, RuleSet)
    assert all(isinstance(rule, Rule) for rule in clf.rule_set_.rules)
    for rule in clf.rule_set_.rules:
        for condition in rule.conditions:
            assert isinstance(condition, Condition)
            assert condition.feature in X.columns
    assert str(clf.rule_set_).startswith("Predict 1 if\n    ")
    assert 0 < clf.rule_set_.complexity <= 6


def test_the_certificate_has_the_promised_fields(clf):
    """Status, bound, gap and scope of the proof are there, and frozen."""
    certificate = clf.certificate_
    assert certificate.status == "optimal"
    assert certificate.proven_optimal is True
    assert certificate.lp_proven is True
    assert certificate.lower_bound == certificate.objective
    assert certificate.gap == 0.0
    assert certificate.lp_value <= certificate.objective + 1e-6
    assert (certificate.max_conditions, certificate.max_complexity) == (2, 6)
    assert (certificate.constraint, certificate.epsilon) == (OPPORTUNITY, 0.05)
    assert certificate.rates == "exact"
    assert certificate.seconds > 0
    assert "proven optimal" in str(certificate)
    with pytest.raises(FrozenInstanceError):
        certificate.status = "optimal"


def test_the_fairness_is_a_recount(clf):
    """Counts, rates and the gap equal what I count myself from the predictions."""
    predictions = clf.predict(X)
    for name, counts in clf.fairness_.groups.items():
        mine = (name == GROUPS).to_numpy()
        assert counts.true_positives == (mine & (Y == 1) & (predictions == 1)).sum()
        assert counts.false_negatives == (mine & (Y == 1) & (predictions == 0)).sum()
        assert counts.false_positives == (mine & (Y == 0) & (predictions == 1)).sum()
        assert counts.true_negatives == (mine & (Y == 0) & (predictions == 0)).sum()
    assert clf.fairness_.within_epsilon is True
    assert clf.fairness_.gap == float(gap(Y, predictions, GROUPS))
    assert clf.fairness_.gap <= 0.05
    assert clf.fairness_.gaps == {"false negative rate": clf.fairness_.gap}


def test_the_history_has_one_record_per_round(clf):
    """Rounds are numbered, the value falls and the bound rises."""
    history = clf.history_
    assert [entry.number for entry in history] == list(range(1, len(history) + 1))
    values = [entry.lp_value for entry in history]
    bounds = [entry.lower_bound for entry in history]
    assert values == sorted(values, reverse=True)
    assert bounds == sorted(bounds)
    assert history[-1].lp_value == pytest.approx(clf.certificate_.lp_value)
    assert history[-1].is_complete


def test_scikit_learns_attributes_are_there(clf):
    """Classes, number and names of features are as in any classifier."""
    assert clf.classes_.tolist() == [0, 1]
    assert clf.n_features_in_ == 4
    assert clf.feature_names_in_.tolist() == list(X.columns)
    assert isinstance(clf.model_, RuleSetModel)
    assert clf.score(X, Y) == (clf.predict(X) == Y).mean()


def test_without_a_constraint_nobody_needs_groups():
    """Groups are optional then, and everybody is one group."""
    clf = fit(groups=None, constraint=None)
    assert list(clf.fairness_.groups) == ["everybody"]
    assert clf.fairness_.gap == 0.0
    assert clf.certificate_.constraint is None
    assert clf.certificate_.epsilon is None


def test_groups_without_a_constraint_are_reported_and_change_nothing():
    """I can look at the groups of a rule set that was not constrained."""
    blind, seeing = fit(groups=None, constraint=None), fit(constraint=None)
    assert seeing.rule_set_ == blind.rule_set_
    assert list(seeing.fairness_.groups) == ["f", "m"]


def test_the_constraint_costs_accuracy_and_binds():
    """Without the constraint the gap is larger and the accuracy not lower."""
    free, fair = fit(constraint=None), fit(epsilon=0.0)
    assert gap(Y, free.predict(X), GROUPS) > Fraction(1, 20)
    assert gap(Y, fair.predict(X), GROUPS) == 0
    assert free.score(X, Y) >= fair.score(X, Y)
    assert free.certificate_.objective <= fair.certificate_.objective


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("objective", ["hamming", "zero_one"])
def test_equalized_odds_hold_on_true_rates(objective, epsilon):
    """Both rates are within epsilon in a recount with fractions, not by a proxy."""
    clf = fit(constraint=ODDS, epsilon=epsilon, objective=objective, max_complexity=4)
    predictions = clf.predict(X)
    for label in (0, 1):
        assert gap(Y, predictions, GROUPS, label) <= Fraction(str(epsilon))
    assert clf.certificate_.rates == "exact"
    assert clf.certificate_.loss == objective
    if objective == "zero_one":
        errors = int((predictions != Y).sum())
        assert clf.certificate_.objective == errors


@pytest.mark.parametrize(
    ("rates", "most_rows", "counted"),
    [
        ("auto", 2_000, "exact"),
        ("auto", 2, "proxy"),
        ("exact", 2, "exact"),
        ("proxy", 2_000, "proxy"),
    ],
)
def test_the_proxy_is_a_choice_and_that_of_large_tables(
    rates, most_rows, counted, monkeypatch
):
    """The certificate says how false positives counted; true rates hold anyway."""
    monkeypatch.setattr("faircg.question.MOST_EXACT_ROWS", most_rows)
    clf = fit(constraint=ODDS, epsilon=0.1, rates=rates, max_complexity=4)
    assert clf.certificate_.rates == counted
    assert gap(Y, clf.predict(X), GROUPS, 0) <= Fraction(1, 10)
