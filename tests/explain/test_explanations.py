"""Explanations as text, frame and JSON, and through the estimators."""

import dataclasses
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from faircg import (
    Condition,
    FairRuleSetClassifier,
    FairRuleSetClassifierCV,
    Rule,
    RuleSet,
    RuleSetModel,
)
from faircg.datasets import load_compas
from faircg.exceptions import UnseenCategoryWarning
from faircg.explain import Explanations, NumericRange, explain, numeric_ranges
from faircg.model import Feature
from faircg.table import read_table

MODEL = RuleSetModel(
    RuleSet(
        (
            Rule((Condition("income", ">", 30), Condition("job", "!=", "none"))),
            Rule((Condition("owner", "=", True), Condition("debt", "is missing"))),
        )
    ),
    (
        Feature("income", "numeric"),
        Feature("job", "category", ("cook", "head of sales", "none")),
        Feature("owner", "boolean"),
        Feature("debt", "numeric"),
    ),
    ("refuse", "grant"),
)
PEOPLE = pd.DataFrame(
    {
        "income": [45, 25, 10],
        "job": ["cook", "none", None],
        "owner": [True, False, False],
        "debt": [np.nan, 7.5, np.nan],
        "age": [30, 40, 50],
    }
)
TEXT = """\
Row 0: predicted grant
  because debt is missing and owner
    here debt is missing, owner
  because income > 30 and job != "none"
    here income = 45, job = cook
Row 1: predicted refuse, as no rule covers it
  close: income > 30 and job != "none"
    income > 30 fails (income = 25)
    job != "none" fails (job = "none")
  close: debt is missing and owner
    debt is missing fails (debt = 7.5)
    owner fails (not owner)
  smallest change to get grant: income more than 30, such as 31, instead of 25; \
job other than "none", such as cook, instead of "none"
Row 2: predicted refuse, as no rule covers it
  close: debt is missing and owner
    owner fails (not owner)
  close: income > 30 and job != "none"
    income > 30 fails (income = 10)
    job != "none" fails (job is missing)
  smallest change to get grant: owner true instead of false"""


def test_the_text_names_rules_values_and_change():
    """I read it aloud to the person it is about."""
    assert str(explain(MODEL, PEOPLE)) == TEXT
    assert repr(explain(MODEL, PEOPLE)) == "<Explanations of 3 decisions>"


def test_a_sequence_of_frozen_values():
    """Explanations have a length, positions, slices, and cannot be changed."""
    found = explain(MODEL, PEOPLE)
    assert len(found) == 3
    assert found[-1] == found[2] == list(found)[2]
    assert found[-1].row == 2
    assert isinstance(found[1:], Explanations)
    assert [e.row for e in found[::-1]] == [2, 1, 0]
    assert len(found[:0]) == 0
    assert str(found[:0]) == ""
    with pytest.raises(IndexError):
        found[3]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found[0].row = 7


def test_the_frame_has_a_line_per_decision():
    """One row per person, with words in the cells."""
    frame = explain(MODEL, PEOPLE, direction="both").to_frame()
    assert frame["decision"].tolist() == MODEL.predict(PEOPLE).tolist()
    assert frame["rules"].tolist() == [
        'debt is missing and owner or income > 30 and job != "none"',
        "",
        "",
    ]
    assert frame["closest_rule"].tolist()[2] == "debt is missing and owner"
    assert frame["failed"].tolist()[2] == "owner fails (not owner)"
    assert frame["change"].tolist()[2] == "owner true instead of false"
    assert frame["changed_features"].tolist() == [2, 2, 1]
    assert (frame["change_status"] == "found").all()
    empty = explain(MODEL, PEOPLE)[:0].to_frame()
    assert empty.columns.tolist() == frame.columns.tolist()
    assert len(empty) == 0


def test_json_holds_everything():
    """The JSON is plain, complete, and the same as the values."""
    found = explain(MODEL, PEOPLE, direction="both")
    data = json.loads(found.to_json())
    assert data == found.to_dicts()
    assert [d["decision"] for d in data] == ["grant", "refuse", "refuse"]
    assert data[1]["values"] == {
        "income": 25,
        "job": "none",
        "owner": False,
        "debt": 7.5,
    }
    change = data[2]["change"]["features"][0]
    assert (change["feature"], change["before"], change["after"]) == (
        "owner",
        False,
        True,
    )
    conditions = data[0]["fired"][0]["conditions"]
    assert Rule(tuple(map(Condition.from_dict, conditions))) == found[0].fired[0]


def test_immutable_features_stay_as_they_are():
    """If only race or age could flip it, that is said, and nothing is suggested."""
    (e,) = explain(MODEL, PEOPLE[1:2], immutable=["income", "owner"])
    assert (e.change, e.change_status) == (None, "impossible")
    assert e.change_text == "no change that keeps income, owner gives grant"
    assert str(e).endswith("\n  no change that keeps income, owner gives grant")
    assert all(near.change is None for near in e.closest)
    frame = explain(MODEL, PEOPLE[1:2], immutable=["income", "owner"]).to_frame()
    assert frame["changed_features"].isna().all()
    # A feature that no rule tests may be named, and so may a single one.
    assert explain(MODEL, PEOPLE, immutable="age")[1].change is not None
    with pytest.raises(ValueError, match=r"names 'Age', .* are 'income', 'job'"):
        explain(MODEL, PEOPLE, immutable=["Age"])


def test_directions():
    """Changes are searched for the decisions that I ask about."""
    for direction, asked in {
        "to_positive": [False, True, True],
        "to_negative": [True, False, False],
        "both": [True, True, True],
        "none": [False, False, False],
    }.items():
        found = explain(MODEL, PEOPLE, direction=direction)
        assert [e.change is not None for e in found] == asked
        assert [e.change_status == "not asked" for e in found] == [not a for a in asked]
        assert [bool(e.change_text) for e in found] == asked
    with pytest.raises(ValueError, match="direction='up' is not known"):
        explain(MODEL, PEOPLE, direction="up")
    with pytest.raises(ValueError, match="n_closest must be at least 0"):
        explain(MODEL, PEOPLE, n_closest=-1)
    assert explain(MODEL, PEOPLE, n_closest=0)[1].closest == ()
    assert explain(MODEL, PEOPLE, n_closest=0)[1].change is not None


def test_leaving_a_value_out_only_if_allowed():
    """Hiding a debt would help; it is suggested only to those who ask for it."""
    person = PEOPLE.assign(owner=True, income=1, debt=7.5)[:1]
    assert explain(MODEL, person)[0].change.features[0].feature == "income"
    fixed = ["income", "job"]
    assert explain(MODEL, person, immutable=fixed)[0].change is None
    (e,) = explain(MODEL, person, immutable=fixed, allow_missing=True)
    assert str(e.change) == "debt missing instead of 7.5"
    assert e.change.features[0].after is None


def test_the_empty_rule_set_covers_nobody():
    """Nothing fires, nothing is close, and nothing helps."""
    model = RuleSetModel(RuleSet(()), (), ("no", "yes"))
    (e,) = explain(model, PEOPLE[:1], direction="both")
    assert str(e) == (
        "Row 0: predicted no, as no rule covers it\n  no change gives yes"
    )


def test_unseen_categories_are_said():
    """A category never seen warns as predict does, or raises if strict."""
    people = PEOPLE.assign(job="pilot")
    with pytest.warns(UnseenCategoryWarning, match="'job': 3 rows"):
        found = explain(MODEL, people)
    assert found[0].is_positive
    with pytest.raises(ValueError, match="never seen in training"):
        explain(MODEL, people, strict=True)


@pytest.mark.parametrize("read", [pl.from_pandas, read_table, lambda X: X[X.columns]])
def test_any_table(read):
    """Polars, pandas and tables read before give the same explanations."""
    ranges = numeric_ranges(PEOPLE)
    found = explain(MODEL, read(PEOPLE), ranges=ranges, direction="both")
    again = explain(MODEL, PEOPLE, ranges=ranges, direction="both")
    assert found.to_dicts() == again.to_dicts()


@pytest.mark.parametrize(("dtype", "after"), [(int, 4), (float, np.nextafter(3, 4))])
def test_arrays(dtype, after):
    """Columns of an array are called x0, x1, and integers stay integers."""
    model = RuleSetModel(
        RuleSet((Rule((Condition("x1", ">", 3),)),)),
        (Feature("x1", "numeric"),),
        (0, 1),
    )
    data = np.array([[1, 2], [3, 4]], dtype=dtype)
    found = explain(model, data, immutable=["x0"])
    assert found[0].change.features[0].after == after
    assert found[1].is_positive


def test_what_becomes_of_the_table_later_changes_nothing():
    """Explanations are worked out when somebody looks at them."""
    rules = RuleSet((Rule((Condition("x0", ">", 2),)),))
    model = RuleSetModel(rules, (Feature("x0", "numeric"),), (0, 1))
    people = np.array([[3.0], [1.0]])
    expected = explain(model, people.copy()).to_frame()
    explanations = explain(model, people)
    people[:] = -7.0
    pd.testing.assert_frame_equal(explanations.to_frame(), expected)


def test_ranges_of_a_table():
    """Range and wholeness come from the values that are there."""
    people = pd.DataFrame(
        {
            "a": [1.0, np.nan, 5.0],
            "b": [0.5, 1, 2],
            "c": ["x", "y", "z"],
            "d": np.full(3, np.nan),
        }
    )
    ranges = numeric_ranges(people)
    assert ranges == {"a": NumericRange(1, 5, True), "b": NumericRange(0.5, 2, False)}
    assert ranges["a"].scale == 4


@pytest.fixture(scope="module")
def compas():
    return load_compas()


@pytest.fixture(scope="module")
def fitted(compas):
    clf = FairRuleSetClassifier(
        max_complexity=10, max_conditions=2, pricing="greedy", exclude=["race"]
    )
    return clf.fit(compas.X, compas.y)


def test_the_classifier_explains_every_person(fitted, compas):
    """All of COMPAS, both ways: decisions agree, changes flip, groups stay out."""
    people = compas.X.drop(columns="race")
    fixed = ["race", "sex", "age_below_25", "age_above_45"]
    found = fitted.explain(people, immutable=fixed, direction="both")
    predictions = fitted.predict(people)
    changed = people.copy()
    possible = []
    for e, prediction in zip(found, predictions, strict=True):
        assert e.decision == prediction
        possible.append(e.change is not None)
        for change in e.change.features if e.change else ():
            assert change.feature not in fixed
            changed.loc[changed.index[e.row], change.feature] = change.after
    assert any(possible)
    flipped = fitted.predict(changed) != predictions
    assert flipped.tolist() == possible
    with pytest.raises(ValueError, match="names 'Sex', which is not"):
        fitted.explain(people, immutable=["Sex"])


@pytest.mark.parametrize("ask", ["predict", "explain", "rule_table"])
@pytest.mark.parametrize("kind", [FairRuleSetClassifier, FairRuleSetClassifierCV])
def test_nothing_is_explained_before_fit(kind, ask):
    """An estimator that has learned nothing says so."""
    with pytest.raises(NotFittedError):
        getattr(kind(), ask)(PEOPLE)


def test_the_classifier_knows_the_training_ranges():
    """People of weight zero are not there, so they do not widen the range."""
    X = pd.DataFrame({"n": [0, 1, 2, 3, 1000, 0.5]})
    clf = FairRuleSetClassifier(warm_start_rules=None, max_complexity=3)
    clf.fit(X, [0, 0, 1, 1, 1, 0], sample_weight=[1, 1, 1, 1, 0, 0])
    assert clf.model_.ranges == {"n": NumericRange(0, 3, whole=True)}
    change = clf.explain(X[:1])[0].change
    assert (change.features[0].after, change.cost) == (2, pytest.approx(2 / 3))


def test_the_search_explains_its_best_rules(compas):
    """The cross-validated search passes questions on to the rules it chose."""
    search = FairRuleSetClassifierCV(
        FairRuleSetClassifier(pricing="greedy", max_conditions=1, time_limit=30),
        complexities=(4,),
        cv=2,
    )
    X, y = compas.X[:400], compas.y[:400]
    search.fit(X, y)
    best = search.best_estimator_
    assert search.explain(X, immutable=["sex"]).to_dicts() == (
        best.explain(X, immutable=["sex"]).to_dicts()
    )
    groups = compas.sensitive_features[:400]
    table = search.rule_table(X, y, sensitive_features=groups, totals=True)
    expected = best.rule_table(X, y, sensitive_features=groups, totals=True)
    pd.testing.assert_frame_equal(table, expected)
