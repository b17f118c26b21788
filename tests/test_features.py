"""Parameters that name features name features, or are refused."""

import json
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV
from faircg.binarize import ConditionBinarizer
from faircg.explain import explain
from faircg.features import Features
from faircg.report import report_of_model

RNG = np.random.default_rng(0)
N = 120
RACE = RNG.integers(0, 2, N)
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 70, N),
        "race": RACE,
        "pay": RNG.normal(30, 10, N).round(1),
    }
)
Y = ((RACE == 1) | (X["pay"] > 40)).to_numpy().astype(int)
QUICK = {
    "max_complexity": 6,
    "max_conditions": 2,
    "pricing": "greedy",
    "warm_start_rules": "tree",
}


def learn(table, **settings):
    return FairRuleSetClassifier(**{**QUICK, **settings}).fit(table, Y)


@cache
def learned():
    return learn(X)


def test_without_exclusion_race_is_what_rules_test():
    """The data of this file tempt: race alone says most."""
    assert "race" in learn(X).rule_set_.features
    assert "x1" in learn(X.to_numpy()).rule_set_.features


def test_a_name_is_not_ignored_where_the_columns_have_lost_theirs():
    """The rules tested x1, which was race, and the file said that race was excluded.

    An imputer turns the frame into an array; ``exclude=["race"]`` then named no column
    and was dropped without a word.
    """
    pipeline = make_pipeline(
        SimpleImputer(), FairRuleSetClassifier(exclude=["race"], **QUICK)
    )
    message = (
        r"exclude names 'race', which is not a feature; X has no column names here: "
        r"use positions \(0 to 2, or 'x0' to 'x2'\).*set_output\(transform=\"pandas\"\)"
    )
    with pytest.raises(ValueError, match=message):
        pipeline.fit(X, Y)
    pipeline.set_output(transform="pandas").fit(X, Y)
    clf = pipeline[-1]
    assert "race" not in clf.rule_set_.features
    assert clf.features_.excluded == ("race",)


@pytest.mark.parametrize("one", [1, "x1", np.int64(1)])
def test_a_column_of_an_array_is_excluded_by_position(one, tmp_path):
    """Both 1 and "x1" say the second column; the file records what was left out."""
    clf = learn(X.to_numpy(), exclude=[one])
    assert "x1" not in clf.rule_set_.features
    clf.model_.save(tmp_path / "model.json")
    recorded = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert recorded["asked"]["exclude"] == ["x1"]
    other = X.to_numpy()
    other[:, 1] = 7
    assert (clf.predict(other) == clf.predict(X.to_numpy())).all()


@pytest.mark.parametrize("one", [1, "race"])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_a_frame_is_excluded_by_position_too(one, make):
    """The name is recorded, and the column may be absent when predicting."""
    clf = learn(make(X.to_dict("list")), exclude=[one])
    assert "race" not in clf.rule_set_.features
    assert clf.features_.excluded == ("race",)
    assert clf.model_.to_dict()["asked"]["exclude"] == ["race"]
    less = make(X.drop(columns="race").to_dict("list"))
    assert (clf.predict(less) == clf.predict(make(X.to_dict("list")))).all()


@pytest.mark.parametrize("exclude", [[0, 1, 2], ["x2", 0, "x1"]])
def test_all_columns_of_an_array_can_be_excluded(exclude):
    """With nothing to test, everybody gets the more frequent label."""
    clf = learn(X.to_numpy(), exclude=exclude)
    assert Y.mean() > 0.5
    assert len(clf.rule_set_) == 0
    assert (clf.predict(X.to_numpy()) == 1).all()


def test_an_excluded_column_is_not_read():
    """Dates and mixtures, which no rule could test, do no harm once excluded."""
    array = X.astype(object).to_numpy()
    array[:, 1] = [object() for _ in range(N)]
    clf = learn(array, exclude=[1])
    assert set(clf.rule_set_.features) <= {"x0", "x2"}


def search_of(**settings):
    """Make a small search with an estimator of these settings."""
    asked = FairRuleSetClassifier(max_conditions=2, pricing="greedy", **settings)
    return FairRuleSetClassifierCV(asked, epsilons=(1.0,), complexities=(4,), cv=2)


WRONG = {
    "a typing error": (["rcae"], "names 'rcae', which is not a feature; the features "),
    "another case": (["Race"], "names 'Race', .* are 'age', 'race', 'pay'"),
    "beyond the last": ([3], "names 3, which is not a feature"),
    "a negative position": ([-1], "names -1, which is not a feature"),
    "a truth value": ([True], "names True, which is not a feature"),
    "a truth value of NumPy": ([np.True_], "names .*True.*, which is not a feature"),
    "a fraction": ([1.0], r"names 1\.0, which is not a feature"),
    "nothing": ([None], "names None, which is not a feature"),
    "the same twice": (["race", "race"], "names the feature 'race' twice"),
    "name and position": (["race", 1], "names the feature 'race' twice"),
}
ENTRANCES = {
    "exclude of a fit": lambda wrong: learn(X, exclude=wrong),
    "exclude of a search": lambda wrong: search_of(exclude=wrong).fit(X, Y),
    "exclude of a binarizer": lambda wrong: ConditionBinarizer(exclude=wrong).fit(X),
    "immutable of a fit": lambda wrong: learned().explain(X, immutable=wrong),
    "immutable of a model": lambda wrong: explain(learned().model_, X, immutable=wrong),
    "immutable of a report": lambda wrong: report_of_model(
        learned().model_, X, Y, immutable=wrong
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_what_names_no_feature_is_refused(entrance, wrong):
    """Wherever features are named, a wrong name is an error that lists the right ones.

    A report took an unknown immutable feature for one that no rule tests.
    """
    named, message = WRONG[wrong]
    with pytest.raises(ValueError, match=f"{entrance.split()[0]} {message}"):
        ENTRANCES[entrance](named)


@pytest.mark.parametrize(
    "learner",
    [
        FairRuleSetClassifier(**QUICK),
        search_of(),
        ConditionBinarizer(),
    ],
    ids=["fit", "search", "binarizer"],
)
def test_thresholds_name_features_in_the_same_way(learner):
    """A position counts the columns of my table, those left out included."""
    by_name = {"pay": [40.0], "age": [33.0]}
    by_position = {2: [40.0], "age": [33.0]}

    def cut_points(thresholds, table=X):
        asked = getattr(learner, "estimator", learner)
        asked.set_params(thresholds=thresholds, exclude=["race"])
        if table is not X:
            asked.set_params(exclude=[1])
        learner.fit(table, Y)
        if isinstance(learner, ConditionBinarizer):
            return {c.value for c in learner.conditions_}
        rules = learner.rule_set_
        return {c.value for rule in rules for c in rule.conditions}

    assert cut_points(by_name) <= {40.0, 33.0}
    assert cut_points(by_name) == cut_points(by_position)
    assert cut_points({"x2": [40.0], 0: [33.0]}, X.to_numpy()) == cut_points(by_name)
    with pytest.raises(ValueError, match="thresholds names 'pya', which is not a feat"):
        cut_points({"pya": [40.0]})
    with pytest.raises(ValueError, match="thresholds names 3, which is not a feature"):
        cut_points({3: [40.0]})
    with pytest.raises(ValueError, match="thresholds names the feature 'pay' twice"):
        cut_points({2: [40.0], "pay": [33.0]})
    with pytest.raises(ValueError, match="'race', which exclude leaves out"):
        cut_points({"race": [0.5]})


def test_a_binarizer_leaves_columns_of_an_array_out():
    """The same function serves the binarizer alone."""
    found = ConditionBinarizer(exclude=[1]).fit(X.to_numpy()).conditions_
    assert {c.feature for c in found} == {"x0", "x2"}


def test_the_folds_of_a_search_do_not_test_what_is_excluded():
    """The folds dropped an unknown name in the same way."""

    def accuracies(table, **settings):
        search = search_of(**settings).set_params(refit=False).fit(table, Y)
        return search.cv_results_["test_accuracy"].tolist()

    array = X.to_numpy()
    assert accuracies(array, exclude=[1]) == accuracies(array[:, [0, 2]])
    assert accuracies(array, exclude=[1]) != accuracies(array)


def test_a_number_that_is_also_a_name_is_refused():
    """In a frame with the columns 1 and 0, nobody knows which one 1 is."""
    features = Features(("1", "0", "age"))
    with pytest.raises(ValueError, match="1 may be the column at that position, '0'"):
        features.resolve([1], parameter="exclude")
    assert features.resolve(["1", 2], parameter="exclude") == ("1", "age")
    clf = learn(X.set_axis([0, 1, 2], axis=1), exclude=[1])
    assert set(clf.rule_set_.features) <= {"0", "2"}


def test_an_immutable_feature_by_position():
    """Positions count the columns of the table of fit, excluded ones included."""
    clf = learn(X, exclude=["race"])
    free = clf.explain(X, direction="both").to_dicts()
    by_name = clf.explain(X, immutable=["pay"], direction="both").to_dicts()
    assert by_name != free
    assert clf.explain(X, immutable=[2], direction="both").to_dicts() == by_name
    less = X.drop(columns="race")
    found = clf.explain(less, immutable=[2, 1], direction="both").to_dicts()
    assert found == by_name
    told = explain(clf.model_, X, immutable=[2], direction="both")
    assert told.to_dicts() == by_name
