"""Prediction, from any table and with any labels."""

import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from classifier.small import GROUPS, X, Y, fit, record
from faircg.exceptions import UnseenCategoryWarning


def test_prediction_needs_no_groups(clf):
    """The sensitive attribute is no column of the table and no argument."""
    predictions = clf.predict(X)
    assert predictions.shape == Y.shape
    assert set(predictions) == {0, 1}
    with pytest.raises(TypeError, match="sensitive_features"):
        clf.predict(X, sensitive_features=GROUPS)


def test_the_model_finds_columns_by_name(clf):
    """Shuffled columns, more columns, or only the tested ones give the same answer."""
    predictions = clf.predict(X)
    turned = X[X.columns[::-1]].assign(unused=pd.Timestamp(0))
    assert (clf.model_.predict(turned) == predictions).all()
    tested = list(clf.rule_set_.features)
    assert (clf.model_.predict(X[tested]) == predictions).all()
    with pytest.raises(ValueError, match="same order"):
        clf.predict(X[X.columns[::-1]])


def test_pandas_polars_and_csv_agree(clf):
    """The same people give the same model, wherever they come from."""
    read = pd.read_csv(io.StringIO(X.to_csv(index=False)))
    polars = pl.from_pandas(X)
    nullable = X.convert_dtypes()
    categorical = X.assign(job=X["job"].astype("category"))
    for table in (read, polars, nullable, categorical):
        other = fit(X=table)
        assert record(other) == record(clf)
        assert (other.predict(table) == clf.predict(X)).all()
        assert (clf.predict(table) == clf.predict(X)).all()


def test_polars_labels_and_groups_work(clf):
    """Everything may be polars."""
    other = fit(pl.from_pandas(X), pl.Series(Y), pl.Series(GROUPS.to_list()))
    assert record(other) == record(clf)


def test_arrays_work():
    """An array has columns x0, x1, ..."""
    array = X[["age", "pay"]].to_numpy()
    clf = fit(X=array)
    assert set(clf.rule_set_.features) <= {"x0", "x1"}
    assert not hasattr(clf, "feature_names_in_")
    assert (clf.predict(array.tolist()) == clf.predict(array)).all()


def test_missing_values_are_conditions_of_their_own():
    """When being missing matters, a rule can say so, and predicts by it."""
    table = X.assign(pay=X["pay"].where(Y == 0))
    clf = fit(X=table, constraint=None)
    assert str(clf.rule_set_) == "Predict 1 if\n    pay is missing"
    assert (clf.predict(table) == Y).all()
    assert clf.predict(X.assign(pay=1.0)).sum() == 0


def test_an_unseen_category_is_false_for_equality():
    """A new job meets no "= job", and I am warned with a count."""
    table, labels = X[["job"]], (X["job"] == "cook").astype(int)
    clf = fit(X=table, y=labels, constraint=None)
    new = pd.DataFrame({"job": ["pilot", "cook", None]})
    with pytest.warns(UnseenCategoryWarning, match=r"1 row holds .*'pilot'"):
        assert clf.predict(new).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "labels",
    [("no", "yes"), (False, True), (-1, 1), (0.0, 1.0), (3, 7), ("1", "2")],
)
def test_labels_of_any_two_values(clf, labels):
    """My labels come back as they are; the positive one is classes_[1]."""
    y = np.array(labels)[Y]
    other = fit(y=y)
    assert other.rule_set_.rules == clf.rule_set_.rules
    assert other.classes_.tolist() == list(labels)
    assert other.classes_.dtype == y.dtype
    assert other.predict(X).tolist() == np.array(labels)[clf.predict(X)].tolist()
    assert str(other.rule_set_).startswith(f"Predict {labels[1]} if")
    assert (other.model_.predict(X) == other.predict(X)).all()


def test_the_positive_label_can_be_chosen(clf):
    """Rules then describe the other class, and predictions keep their labels."""
    turned = fit(y=1 - Y, pos_label=0)
    assert turned.rule_set_.rules == clf.rule_set_.rules
    assert turned.classes_.tolist() == [0, 1]
    assert (turned.predict(X) == 1 - clf.predict(X)).all()
    assert str(turned.rule_set_).startswith("Predict 0 if")
    assert (turned.model_.predict(X) == turned.predict(X)).all()


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_labels_of_pandas_types(dtype):
    """Text labels of any pandas type are text labels."""
    clf = fit(y=pd.Series(np.where(Y, "yes", "no"), dtype=dtype))
    assert clf.classes_.tolist() == ["no", "yes"]
    assert json.loads(clf.model_.to_json())["labels"] == ["no", "yes"]
