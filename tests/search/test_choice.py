"""The frontier, and the point of it that is fitted on all data."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from faircg import FairRuleSetClassifier
from faircg.exceptions import FairCGError
from faircg.fairness import EqualityOfOpportunity, EqualizedOdds
from search.small import FIT, GROUPS, SMALL, X, Y, make_search, search


def test_the_frontier_has_no_dominated_point(found):
    """Along the frontier each step to a larger gap buys accuracy."""
    frontier = found.frontier_
    for left, right in pairwise(frontier.to_dict("records")):
        assert left["pooled_gap"] < right["pooled_gap"]
        assert left["test_accuracy"] < right["test_accuracy"]


def test_the_frontier_beats_every_point_left_out(found):
    """For each cell of the grid the frontier has one at least as good, pooled."""
    names = sorted(set(GROUPS))
    for (_, _), rows in found.cv_results_.groupby(["epsilon", "max_complexity"]):
        rates = []
        for name in names:
            missed = rows[f"test_false_negatives: {name}"].sum()
            hit = rows[f"test_true_positives: {name}"].sum()
            assert missed + hit == ((name == GROUPS) & (Y == 1)).sum()
            rates.append(missed / (missed + hit))
        frontier = found.frontier_
        better = (frontier["pooled_gap"] <= abs(rates[0] - rates[1]) + 1e-12) & (
            frontier["test_accuracy"] >= rows["test_accuracy"].mean() - 1e-12
        )
        assert better.any()


def test_without_a_target_the_most_accurate_point_is_fitted_on_all_data(found):
    """The last fit is the plain classifier at the chosen point."""
    best = found.frontier_.sort_values("test_accuracy").iloc[-1]
    assert found.best_epsilon_ == best["epsilon"]
    assert found.best_complexity_ == best["max_complexity"]
    plain = FairRuleSetClassifier(
        **FIT,
        epsilon=found.best_epsilon_,
        max_complexity=found.best_complexity_,
    ).fit(X, Y, sensitive_features=GROUPS)
    assert found.rule_set_ == plain.rule_set_ == found.best_estimator_.rule_set_
    assert found.fairness_ == plain.fairness_
    assert found.certificate_.objective == plain.certificate_.objective
    np.testing.assert_array_equal(found.predict(X), plain.predict(X))
    assert found.score(X, Y) == plain.score(X, Y)


def test_a_wanted_gap(found):
    """The most accurate point within the wanted gap is chosen."""
    middle = found.frontier_["pooled_gap"].iloc[len(found.frontier_) // 2]
    chosen = search(target_gap=float(middle))
    allowed = found.frontier_[found.frontier_["pooled_gap"] <= middle]
    best = allowed.sort_values("test_accuracy").iloc[-1]
    point = (chosen.best_epsilon_, chosen.best_complexity_)
    assert point == (best["epsilon"], best["max_complexity"])
    assert chosen.fairness_.gap <= chosen.best_epsilon_


def test_a_wanted_accuracy(found):
    """The point of smallest gap with the wanted accuracy is chosen."""
    wanted = float(found.frontier_["test_accuracy"].iloc[0])
    chosen = search(target_accuracy=wanted)
    first = found.frontier_.iloc[0]
    point = (chosen.best_epsilon_, chosen.best_complexity_)
    assert point == (first["epsilon"], first["max_complexity"])


def test_a_target_that_no_point_meets():
    """The message says what is possible, and the results can be looked at."""
    model = make_search(fine_epsilons=(1.0,), target_gap=1e-4)
    with pytest.raises(FairCGError, match=r"gap of at most 0\.0001; the smallest is"):
        model.fit(X, Y, sensitive_features=GROUPS)
    assert len(model.frontier_)
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(FairCGError, match=r"accuracy of 1; the highest is 0\.\d+, at"):
        search(target_accuracy=1.0)


def test_without_a_constraint_only_complexity_is_searched():
    """There is one epsilon, groups are not needed, and gaps are zero."""
    found = search(constraint=None, groups=None)
    assert len(found.cv_results_) == 3 * len(SMALL["complexities"])
    assert set(found.cv_results_["epsilon"]) == {1.0}
    assert (found.cv_results_["train_gap"] == 0).all()
    assert len(found.frontier_) == 1
    assert found.best_estimator_.constraint is None


def test_a_criterion_of_my_own(found):
    """A class, a function or an object makes the criterion from each epsilon."""
    few = {"complexities": (3,), "cv": 2}
    mine = search(constraint=lambda e: EqualizedOdds(e, epsilon_negatives=1.0), **few)
    criterion = mine.best_estimator_.constraint(mine.best_epsilon_)
    assert criterion == EqualizedOdds(mine.best_epsilon_, epsilon_negatives=1.0)
    given = search(constraint=EqualizedOdds(0.3, epsilon_negatives=1.0), **few)
    assert given.best_estimator_.constraint == criterion
    pd.testing.assert_frame_equal(given.frontier_, mine.frontier_)
    for same in (EqualityOfOpportunity, EqualityOfOpportunity(0.5)):
        pd.testing.assert_frame_equal(
            search(constraint=same).frontier_, found.frontier_
        )


def test_without_refitting_only_the_tables_are_made(found):
    """No last fit on all data: nothing to predict with."""
    tables = search(refit=False)
    pd.testing.assert_frame_equal(tables.frontier_, found.frontier_)
    assert tables.best_epsilon_ == found.best_epsilon_
    with pytest.raises(NotFittedError):
        tables.predict(X)


@pytest.mark.parametrize("changed", [{"refit": False}, {"target_accuracy": 1.0}])
def test_nothing_is_left_of_an_earlier_fit(found, changed):
    """A search fitted again without refitting predicted with its old rule set."""
    again = pickle.loads(pickle.dumps(found)).set_params(**changed)
    try:
        again.fit(X, Y[::-1], sensitive_features=GROUPS)
    except FairCGError:
        assert "target_accuracy" in changed
    for name in ("best_estimator_", "rule_set_", "certificate_", "fairness_"):
        assert hasattr(found, name)
        assert not hasattr(again, name)
    with pytest.raises(NotFittedError):
        again.predict(X)
