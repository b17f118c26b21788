"""The search as a scikit-learn estimator, with joblib."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV
from faircg.fairness import EqualityOfOpportunity
from scikit_checks import run
from search.small import (
    GROUPS,
    ODDS,
    OPPORTUNITY,
    X,
    Y,
    make_search,
    parts,
    search,
    without_seconds,
)


def test_folds_in_parallel_give_the_same_frames(found, tmp_path):
    """Two folds at a time change nothing."""
    both = search(n_jobs=2, cache=tmp_path)
    pd.testing.assert_frame_equal(
        without_seconds(both.cv_results_), without_seconds(found.cv_results_)
    )
    pd.testing.assert_frame_equal(both.frontier_, found.frontier_)
    assert both.rule_set_ == found.rule_set_


def test_any_backend_of_joblib_will_do(found):
    """Folds go through joblib alone, so its other backends work (Dask, Ray, ...)."""
    with joblib.parallel_config("threading", n_jobs=2):
        threaded = search(refit=False)
    pd.testing.assert_frame_equal(threaded.frontier_, found.frontier_)


def test_progress_is_shown_on_request(capsys):
    """Each cell says where it is and what it found."""
    one = {"fine_epsilons": (0.05,), "complexities": (3,)}
    search(**one)
    assert capsys.readouterr().err == ""
    search(**one, verbose=1)
    quiet = capsys.readouterr().err
    assert "fold 0, phase I, epsilon 0.05, complexity 3: loss" in quiet
    assert "round 1" not in quiet
    search(**one, verbose=2)
    assert "round 1" in capsys.readouterr().err


def test_parameters_survive_cloning():
    """Cloning keeps every parameter, fitted or not."""
    inner = FairRuleSetClassifier(constraint=ODDS, max_conditions=3)
    model = FairRuleSetClassifierCV(inner, cv=4, target_gap=0.1, cache="x")
    model.set_params(estimator__max_conditions=4, estimator__objective="zero_one")
    assert (inner.max_conditions, inner.objective) == (4, "zero_one")
    copied = clone(model)
    assert copied.estimator is not inner
    before, after = model.get_params(), copied.get_params()
    assert before.pop("estimator").get_params() == after.pop("estimator").get_params()
    assert before == after
    assert after["estimator__constraint"] == ODDS
    defaults = FairRuleSetClassifierCV().get_params()
    assert defaults["epsilons"] == (0.01, 0.1, 1.0)
    assert defaults["complexities"] == (5, 15, 30)
    assert defaults["cv"] == 10


def test_any_splitter_will_do(found):
    """A splitter, or the splits themselves, take the place of a number."""
    by_hand = search(cv=parts())
    pd.testing.assert_frame_equal(by_hand.frontier_, found.frontier_)
    assert search(cv=KFold(2)).cv_results_["fold"].nunique() == 2


def test_a_fitted_search_travels(found):
    """Pickling keeps predictions and frames."""
    other = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(other.predict(X), found.predict(X))
    pd.testing.assert_frame_equal(other.frontier_, found.frontier_)


def test_groups_are_routed_through_a_pipeline(found):
    """Metadata routing hands the sensitive features to the search."""
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_search()
        model.set_fit_request(sensitive_features=True)
        pipeline = make_pipeline(FunctionTransformer(), model)
        pipeline.fit(X, Y, sensitive_features=GROUPS)
    assert pipeline[-1].rule_set_ == found.rule_set_


class Handmade:
    """A criterion that is no dataclass, so that its epsilon cannot be replaced."""

    name, epsilon = OPPORTUNITY, 0.1

    def rates(self):
        """Compare the same rates."""
        return EqualityOfOpportunity(0.1).rates()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"constraint": "equality"}, "'equality' is not known; use one of"),
        ({"constraint": 3}, "'constraint' parameter"),
        ({"constraint": Handmade()}, "pass its class, or a function"),
        ({"constraint": float}, "neither the name of a criterion, nor a criterion"),
        ({"estimator": LogisticRegression()}, "'estimator' parameter"),
        ({"time_limit": -1}, "'time_limit' parameter of FairRuleSetClassifier must"),
        ({"groups": None}, "compares groups; pass sensitive_features"),
        ({"groups": GROUPS[:9]}, "X has 240 rows and sensitive_features has 9"),
        ({"epsilons": ()}, "epsilons must be a list of numbers .* it is empty"),
        ({"epsilons": (-0.1,)}, r"epsilons must be .* from 0 to 1; found -0\.1"),
        ({"epsilons": (0.1, 5.0)}, r"epsilons must be .* from 0 to 1; found 5\.0"),
        ({"fine_epsilons": (2,)}, "fine_epsilons must be .* from 0 to 1; found 2"),
        ({"fine_epsilons": ["a"]}, "fine_epsilons must be .* found 'a'"),
        ({"complexities": (2.5,)}, r"complexities must be .*whole.* found 2\.5"),
        ({"fine_complexities": (-1,)}, "fine_complexities must be .* found -1"),
        ({"cv": 1}, "'cv' parameter"),
        ({"cv": "many"}, "Expected `?cv`? as an integer"),
        ({"target_gap": -1}, "'target_gap' parameter"),
        ({"target_gap": 0.1, "target_accuracy": 0.6}, "choose one of them"),
        ({"warm_start_rules": "wood"}, "warm_start_rules='wood' is not known"),
        ({"pricing": "guess"}, "pricing='guess' is not known"),
        ({"cv": [(np.flatnonzero(Y), np.arange(9))]}, "fold 0 has only one class"),
    ],
)
def test_what_is_wrong_is_said_plainly(parameters, message):
    """Errors name the parameter and what would be right."""
    with pytest.raises(ValueError, match=message):
        search(**parameters)


def test_predicting_needs_a_fit():
    """An unfitted search says so."""
    with pytest.raises(NotFittedError):
        FairRuleSetClassifierCV().predict(X)


@parametrize_with_checks(
    [
        FairRuleSetClassifierCV(
            FairRuleSetClassifier(
                max_conditions=1,
                thresholds="quantile",
                n_thresholds=3,
                warm_start_rules=None,
                time_limit=20,
            ),
            complexities=(2, 3),
            cv=2,
        )
    ]
)
def test_scikit_learns_own_checks_pass(estimator, check):
    """The search keeps every promise of scikit-learn."""
    run(check, estimator)
