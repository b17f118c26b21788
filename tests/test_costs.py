"""Costs and weights of a fit: what they mean, and what they never change."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import cross_validate
from sklearn.utils.class_weight import compute_class_weight

from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV
from faircg.amounts import in_parts
from faircg.model import RuleSetModel

N = 60
QUICK = {
    "max_complexity": 6,
    "max_conditions": 2,
    "warm_start_rules": None,
    "constraint": "equality_of_opportunity",
    "epsilon": 0.3,
}


def people(seed, n=N):
    """Draw a table, labels and groups."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 40, n),
            "job": rng.choice(["cook", "nurse", "clerk"], n),
            "member": rng.random(n) < 0.5,
        }
    )
    y = ((X["age"] > 28) ^ (rng.random(n) < 0.25)).astype(int).to_numpy()
    return X, y, np.where(rng.random(n) < 0.5, "f", "m")


def fit(seed, weights=None, costs=None, rows=None, **parameters):
    """Fit quickly; with ``rows``, on these rows, some of them several times."""
    X, y, groups = people(seed)
    rows = np.arange(len(y)) if rows is None else rows
    clf = FairRuleSetClassifier(**{**QUICK, **parameters})
    return clf.fit(
        X.iloc[rows],
        y[rows],
        sensitive_features=groups[rows],
        sample_weight=None if weights is None else weights[rows],
        costs=None if costs is None else costs[rows],
    )


def wrong(clf, seed):
    """Return what is wrongly predicted: false positives and false negatives."""
    X, y, _ = people(seed)
    predicted = clf.predict(X)
    return (predicted == 1) & (y == 0), (predicted == 0) & (y == 1)


@pytest.mark.parametrize("seed", range(2))
def test_the_certificate_counts_what_errors_cost(seed):
    """Costs of kinds, classes and rows are multiplied; people stay people."""
    rng = np.random.default_rng(seed)
    costs = rng.choice([0.5, 1.0, 2.25], N)
    clf = fit(
        seed,
        costs=costs,
        cost_false_positive=3,
        cost_false_negative=0.2,
        class_weight={0: 1.5},
        objective="zero_one",
    )
    certificate = clf.certificate_
    hit, missed = wrong(clf, seed)
    paid = 3 * 1.5 * costs[hit].sum() + 0.2 * costs[missed].sum()
    assert certificate.cost == pytest.approx(paid, abs=1e-9)
    assert certificate.objective == certificate.returned_loss == certificate.cost
    assert certificate.errors == hit.sum() + missed.sum()
    assert certificate.errors_lower_bound is None
    assert certificate.cost_lower_bound <= certificate.cost
    assert "a false positive costs 4.5 and a false negative 0.2" in str(certificate)
    assert "times the cost of its row" in str(certificate)
    everybody = sum(c.total for c in clf.fairness_.groups.values())
    assert everybody == N


@pytest.mark.parametrize(("objective", "seed"), [("hamming", 0), ("zero_one", 1)])
def test_scaling_all_costs_changes_the_units_alone(objective, seed):
    """The same rules, and losses that many times as large."""
    plain = fit(seed, cost_false_positive=2, objective=objective)
    for factor in (0.1, Fraction(30, 7)):
        scaled = fit(
            seed,
            cost_false_positive=2 * factor,
            cost_false_negative=factor,
            objective=objective,
        )
        assert scaled.rule_set_ == plain.rule_set_
        for name in ("objective", "lower_bound", "returned_loss", "cost", "lp_value"):
            value = float(factor) * getattr(plain.certificate_, name)
            assert getattr(scaled.certificate_, name) == pytest.approx(value), name
        assert scaled.certificate_.gap == plain.certificate_.gap
        assert scaled.certificate_.errors == plain.certificate_.errors
        assert scaled.history_[-1].lp_value == pytest.approx(
            float(factor) * plain.history_[-1].lp_value
        )


def test_equal_costs_are_the_question_of_today():
    """Only the units of the loss differ, and the errors are proven as ever."""
    plain, twice = fit(0), fit(0, cost_false_positive=2, cost_false_negative=2)
    assert twice.rule_set_ == plain.rule_set_
    assert twice.certificate_.objective == 2 * plain.certificate_.objective
    assert plain.certificate_.costs is None
    assert plain.certificate_.cost is None


@pytest.mark.parametrize("seed", range(2))
def test_whole_weights_are_repeated_rows_with_costs_too(seed):
    """Costs of kinds, classes and rows included."""
    rng = np.random.default_rng(seed)
    weights, costs = rng.integers(0, 4, N), rng.choice([1.0, 2.5], N)
    options = {"costs": costs, "cost_false_positive": 3, "class_weight": "balanced"}
    weighted = fit(seed, weights=weights, **options)
    repeated = fit(seed, rows=np.repeat(np.arange(N), weights), **options)
    assert weighted.rule_set_ == repeated.rule_set_
    assert weighted.fairness_ == repeated.fairness_
    left, right = weighted.certificate_.to_dict(), repeated.certificate_.to_dict()
    for name in set(left) - {"seconds"}:
        assert left[name] == right[name], name


@pytest.mark.parametrize("seed", range(2))
def test_weights_with_decimals_are_whole_ones_in_other_units(seed):
    """Quarters of people give the rules that four times the weights give."""
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.25, 1.0, 1.5], N)
    decimal, whole = fit(seed, weights=weights), fit(seed, weights=4 * weights)
    assert decimal.rule_set_ == whole.rule_set_
    assert decimal.fairness_.gaps == whole.fairness_.gaps
    assert decimal.model_.asked.people_parts == 4
    certificate = decimal.certificate_
    assert certificate.objective == whole.certificate_.objective / 4
    assert certificate.cost == whole.certificate_.errors / 4
    assert certificate.cost_lower_bound == whole.certificate_.errors_lower_bound / 4
    assert certificate.errors is None
    assert "costs the weight of its row" in str(certificate)


def test_balanced_means_what_scikit_learn_means():
    """By exact fractions, and in the loss alone."""
    _, y, _ = people(1)
    by_label = compute_class_weight("balanced", classes=np.array([0, 1]), y=y)
    clf = fit(1, class_weight="balanced", objective="zero_one")
    hit, missed = wrong(clf, 1)
    paid = by_label[0] * hit.sum() + by_label[1] * missed.sum()
    assert clf.certificate_.cost == pytest.approx(paid)
    assert clf.model_.asked.class_weight == "balanced"
    sizes = clf.fairness_.groups.values()
    assert sum(c.positives for c in sizes) == y.sum()


def test_dear_false_positives_are_avoided():
    """And dear false negatives: the rule set follows what it costs to be wrong."""
    hits, misses = [], []
    for cost in (0.05, 1, 20):
        clf = fit(
            2,
            cost_false_positive=cost,
            objective="zero_one",
            constraint=None,
            epsilon=None,
        )
        hit, missed = wrong(clf, 2)
        hits.append(int(hit.sum()))
        misses.append(int(missed.sum()))
    assert hits[0] > hits[1] > hits[2]
    assert misses[0] < misses[1] < misses[2]


def test_costs_speak_of_labels_whatever_label_the_rules_describe():
    """A false positive stays one when the rules say whom to refuse."""
    for rules_for in ("negative", "auto"):
        clf = fit(3, cost_false_positive=4, objective="zero_one", rules_for=rules_for)
        hit, missed = wrong(clf, 3)
        assert clf.certificate_.cost == 4 * hit.sum() + missed.sum()


def test_a_model_file_records_the_costs(tmp_path):
    """And is read as it was written; a file without them loads."""
    clf = fit(0, cost_false_positive=2.5, costs=np.full(N, 2.0))
    path = tmp_path / "model.json"
    clf.model_.save(path)
    model = RuleSetModel.load(path)
    assert model == clf.model_
    assert model.asked.cost_false_positive == 2.5
    assert model.asked.costs_by_row is True
    assert model.certificate.costs == clf.certificate_.costs
    data = json.loads(path.read_text(encoding="utf-8"))
    for name in ("costs", "cost", "cost_lower_bound", "any_classifier_cost"):
        del data["certificate"][name]
    del data["asked"]["cost_false_positive"]
    older = RuleSetModel.from_json(json.dumps(data))
    assert older.certificate.costs is None
    assert older.asked.cost_false_positive is None


def test_a_search_counts_costs_in_every_fold():
    """Losses are in the units of the user; accuracies and gaps count people."""
    X, y, groups = people(4, 90)
    costs = np.where(X["member"], 1.5, 1.0)
    search = FairRuleSetClassifierCV(
        FairRuleSetClassifier(
            **{**QUICK, "epsilon": None}, cost_false_positive=3, time_limit=20
        ),
        epsilons=(0.3,),
        complexities=(4, 6),
        cv=3,
    ).fit(X, y, sensitive_features=groups, costs=costs)
    results = search.cv_results_
    assert (results["lower_bound"] <= results["best_hamming_loss"] + 1e-9).all()
    assert ((results["train_hamming_loss"] * 2) % 1 == 0).all()
    shares = results["train_accuracy"] * 60
    np.testing.assert_allclose(shares, np.rint(shares), atol=1e-9)
    again = search.estimator_at(search.best_epsilon_, search.best_complexity_).fit(
        X, y, sensitive_features=groups, costs=costs
    )
    assert again.rule_set_ == search.rule_set_
    assert search.certificate_.costs == again.certificate_.costs


def test_costs_are_routed_as_metadata():
    """scikit-learn cuts them for each fold, as it does weights."""
    X, y, _ = people(5)
    seen = []

    class Watched(FairRuleSetClassifier):
        def fit(self, X, y, *, sample_weight=None, costs=None):
            seen.append(len(costs))
            return super().fit(X, y, sample_weight=sample_weight, costs=costs)

    with sklearn.config_context(enable_metadata_routing=True):
        clf = Watched(max_complexity=4, max_conditions=1, warm_start_rules=None)
        clf.set_fit_request(costs=True)
        cross_validate(clf, X, y, params={"costs": np.ones(N)}, cv=3)
    assert seen == [40, 40, 40]


def test_amounts_are_counted_in_the_largest_part_they_share():
    """Thirds and tenths need thirtieths; whole numbers need none."""
    amounts = in_parts("costs", np.array([1 / 3, 0.1, 2.0]))
    assert amounts.whole.tolist() == [10, 3, 60]
    assert amounts.parts == 30
    with pytest.raises(ValueError, match=r"common denominator, .* is above"):
        in_parts("costs", np.array([1 / 99991, 1 / 99989]))
