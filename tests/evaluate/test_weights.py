"""A row of weight three is three equal rows, and a row of weight zero is no row."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from faircg import FairRuleSetClassifier, rule_table
from faircg.evaluate import People, part_result
from faircg.fairness import EqualityOfOpportunity
from faircg.plotting import GroupRatesDisplay, RuleOverlapDisplay
from faircg.report import report_of_model

BATCHES = [
    pytest.param(range(k, k + 10), marks=[pytest.mark.long] if k >= 20 else [])
    for k in range(0, 100, 10)
]


def instance(seed):
    """Draw a small table, labels, groups and weights, some of them zero."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 24))
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "job": rng.choice(["cook", "nurse", "pilot"], n),
            "member": rng.random(n) < 0.5,
        }
    )
    y = np.where((X["age"] > 38) ^ (rng.random(n) < 0.25), "yes", "no")
    groups = rng.choice(["a", "b"], n)
    # Both labels in both groups, whatever else is drawn.
    y[:4], groups[:4] = ["yes", "no", "yes", "no"], ["a", "a", "b", "b"]
    weights = rng.integers(0, 4, n)
    weights[:4] = np.maximum(weights[:4], 1)
    return X, y, groups, weights


def repeated(X, y, groups, weights):
    """Give each person a row of their own."""
    rows = np.repeat(np.arange(len(y)), weights)
    return X.iloc[rows].reset_index(drop=True), y[rows], groups[rows]


def fitted(X, y, groups, weights=None):
    clf = FairRuleSetClassifier(
        constraint="equality_of_opportunity",
        epsilon=0.2,
        max_complexity=5,
        max_conditions=2,
        warm_start_rules="tree",
        thresholds="quantile",
        n_thresholds=4,
    )
    return clf.fit(X, y, sensitive_features=groups, sample_weight=weights)


@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_weights_are_repetitions(seeds):
    """In fit, evaluate, report, rule_table and explain, on random instances."""
    for seed in seeds:
        X, y, groups, weights = instance(seed)
        many = repeated(X, y, groups, weights)
        clf, twin = fitted(X, y, groups, weights), fitted(*many)
        assert_equal_models(clf.model_, twin.model_)
        assert clf.fairness_ == twin.fairness_
        model, criterion = twin.model_, EqualityOfOpportunity(0.2)
        options = {"sensitive_features": groups, "sample_weight": weights}
        weighted = People.read(X, y, models=[model], **options)
        every = People.read(
            many[0], many[1], models=[model], sensitive_features=many[2]
        )
        parts = [
            part_result("data", p.counts(model.covers(p.table)), criterion)
            for p in (weighted, every)
        ]
        assert parts[0] == parts[1]
        report = report_of_model(model, X, y, n_rows=0, **options)
        longer = report_of_model(
            model, many[0], many[1], sensitive_features=many[2], n_rows=0
        )
        assert report.points == longer.points
        assert [d.groups for d in report.data] == [d.groups for d in longer.data]
        assert [d.features for d in report.data] == [d.features for d in longer.data]
        assert report.data[0].n_people == len(many[1])
        pd.testing.assert_frame_equal(
            rule_table(model, X, y, totals=True, **options),
            rule_table(
                model, many[0], many[1], sensitive_features=many[2], totals=True
            ),
        )
        assert clf.explain(X).to_dicts() == twin.explain(X).to_dicts()


def assert_equal_models(one, other):
    """Equal in everything but the seconds that the fit took."""
    one, other = (
        replace(model, certificate=replace(model.certificate, seconds=0.0))
        for model in (one, other)
    )
    assert one == other


def test_rows_of_weight_zero_are_not_there():
    """A category that only they have was recorded as seen in training."""
    X = pd.DataFrame({"job": ["cook", "nurse", "cook", "nurse", "pilot"]})
    y, groups, weights = [1, 0, 1, 0, 1], list("aabbc"), [2, 1, 1, 1, 0]
    clf = fitted(X, y, groups, weights)
    assert clf.model_.features[0].categories == ("cook", "nurse")
    assert set(clf.fairness_.groups) == {"a", "b"}
    options = {"sensitive_features": groups, "sample_weight": weights}
    known = X.replace("pilot", "cook")
    assert "covered: c" not in rule_table(clf.model_, known, y, **options)
    drawn = GroupRatesDisplay.from_predictions(
        y, clf.predict(known), ax=Figure().subplots(), **options
    )
    assert set(drawn.counts) == {"a", "b"}


def test_a_report_says_that_rows_are_weighted():
    """Who reads "120 people" beside 20 rows must know why."""
    X, y, groups, weights = instance(1)
    model = fitted(X, y, groups, weights).model_
    report = report_of_model(
        model, X, y, sensitive_features=groups, sample_weight=weights, n_rows=0
    )
    (note, *_) = report.data[0].notes
    assert note.startswith(f"{(weights > 0).sum()} rows of the data stand for")
    alone = report_of_model(model, X, y, sensitive_features=groups, n_rows=0)
    assert not alone.data[0].notes


def test_a_part_may_bring_weights():
    """Held-out parts are tuples, with weights as the fourth."""
    X, y, groups, weights = instance(2)
    model = fitted(X, y, groups, weights).model_
    report = report_of_model(
        model,
        X,
        y,
        sensitive_features=groups,
        others={"test": (X, y, groups, weights)},
        n_rows=0,
    )
    assert [d.n_people for d in report.data] == [len(y), weights.sum()]


def test_plots_count_weights():
    """The displays that count people draw those of the repeated table."""
    X, y, groups, weights = instance(3)
    many = repeated(X, y, groups, weights)
    clf = fitted(*many)
    ax = Figure().subplots()
    overlap = RuleOverlapDisplay.from_estimator(clf, X, sample_weight=weights, ax=ax)
    longer = RuleOverlapDisplay.from_estimator(clf, many[0], ax=ax)
    np.testing.assert_array_equal(overlap.counts_, longer.counts_)
    assert overlap.covered_once_ == longer.covered_once_
    assert overlap.n_people_ == weights.sum()
    rates = GroupRatesDisplay.from_estimator(
        clf, X, y, sensitive_features=groups, sample_weight=weights, ax=ax
    )
    assert rates.counts == clf.fairness_.groups


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([2**0.5, 1, 1], "too many digits"),
        ([-1, 1, 1], "must not be negative"),
        ([0, 0, 0], "at least one non-zero|zero for every sample"),  # by scikit-learn
    ],
)
def test_other_weights_are_refused(weights, message):
    """What cannot be counted exactly is not counted."""
    X, y, groups, _ = instance(4)
    model = fitted(X, y, groups).model_
    rows = (X[:3], y[:3])
    with pytest.raises(ValueError, match=message):
        rule_table(model, *rows, sample_weight=weights)
    with pytest.raises(ValueError, match=message):
        report_of_model(model, *rows, sample_weight=weights)
