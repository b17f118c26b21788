"""Living with scikit-learn."""

import pickle
import threading
from fractions import Fraction

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from classifier.small import GROUPS, OPPORTUNITY, SMALL, X, Y, fit, record
from faircg import FairRuleSetClassifier
from made_up import gap


def test_pickle(clf):
    """A pickled classifier predicts the same."""
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict(X) == clf.predict(X)).all()
    assert record(again) == record(clf)


def test_clone(clf):
    """A clone has the parameters and has learned nothing."""
    copy = clone(clf)
    assert copy.get_params() == clf.get_params()
    assert not hasattr(copy, "rule_set_")


def test_fit_does_not_touch_its_parameters():
    """What I pass to the constructor stays as I passed it."""
    exclude, thresholds = ["job"], {"age": [40.0]}
    clf = fit(exclude=exclude, thresholds=thresholds)
    assert clf.exclude is exclude
    assert clf.thresholds is thresholds
    assert (exclude, thresholds) == (["job"], {"age": [40.0]})


def test_pipeline():
    """A pipeline with scaled and untouched columns fits and predicts."""
    numbers = X[["age", "pay"]].assign(member=X["member"].astype(float))
    columns = ColumnTransformer(
        [("scale", StandardScaler(), ["age", "pay"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    model = FairRuleSetClassifier(constraint=OPPORTUNITY, **SMALL)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(sensitive_features=True)
        pipeline = make_pipeline(columns, model)
        pipeline.fit(numbers, Y, sensitive_features=GROUPS)
    predictions = pipeline.predict(numbers)
    assert gap(Y, predictions, GROUPS) <= Fraction(1, 20)
    assert set(model.rule_set_.features) <= {"age", "pay", "member"}


def test_grid_search_over_epsilon():
    """GridSearchCV passes the groups of each fold, by metadata routing."""
    model = FairRuleSetClassifier(
        constraint=OPPORTUNITY, **{**SMALL, "max_complexity": 3}
    )
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(sensitive_features=True)
        search = GridSearchCV(model, {"epsilon": [0.0, 0.1, 1.0]}, cv=2)
        search.fit(X, Y, sensitive_features=GROUPS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = search.best_estimator_
    assert gap(Y, search.predict(X), GROUPS) <= Fraction(str(best.epsilon))
    assert list(best.fairness_.groups) == ["f", "m"]


def test_groups_that_were_not_requested_are_an_error():
    """Without set_fit_request scikit-learn refuses to pass the groups silently."""
    model = FairRuleSetClassifier(constraint=OPPORTUNITY, **SMALL)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(model, {"epsilon": [0.1]}, cv=2)
        with pytest.raises(ValueError, match="sensitive_features"):
            search.fit(X, Y, sensitive_features=GROUPS)


def test_cross_validation_without_a_constraint():
    """cross_val_score works out of the box."""
    model = FairRuleSetClassifier(**{**SMALL, "max_complexity": 3})
    assert cross_val_score(model, X, Y, cv=2).min() > 0.5


def test_fitting_in_a_worker_thread(clf):
    """A web server may fit outside of the main thread."""
    found = []
    thread = threading.Thread(target=lambda: found.append(record(fit())))
    thread.start()
    thread.join()
    assert found == [record(clf)]


def test_verbose_reports_rounds(capfd):
    """With verbose=1 each round is a line; without it there is silence."""
    fit()
    assert capfd.readouterr() == ("", "")
    fit(verbose=1)
    out, err = capfd.readouterr()
    assert out == ""
    assert "round 1: LP" in err
    fit()
    assert capfd.readouterr() == ("", "")
