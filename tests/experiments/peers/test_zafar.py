"""Zafar's program against scikit-learn, against dccp, and against its own promise."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.peers.zafar import independent_columns
from sklearn.linear_model import LogisticRegression

from experiments.peers import ZafarPeer
from faircg.binarize import ConditionBinarizer
from faircg.datasets import load_compas


def people(seed, n=300):
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    X = random.normal(size=(n, 3))
    X[:, 0] += group
    y = (X @ [1.0, 0.5, -0.5] + random.logistic(size=n) > 0.5).astype(int)
    return X, y, group


@pytest.fixture(scope="module")
def compas():
    data = load_compas()
    X = ConditionBinarizer().fit_transform(data.X)
    return X, data.y.to_numpy(), data.sensitive_features.to_numpy()


def mean_loss(peer, X, y):
    score = X @ peer.weights_ + peer.intercept_
    return np.logaddexp(0, np.where(y == 1, -score, score)).mean()


def missed_distance(peer, X, y, group, label):
    """Covariance of group and distance of errors, person by person, as in eq. 9."""
    inside = y == label
    sign = 1 if label == 1 else -1
    distance = np.minimum(0, sign * (X @ peer.weights_ + peer.intercept_))[inside]
    member = (group == np.unique(group)[0])[inside]
    return np.mean((member - member.mean()) * distance)


def test_without_constraint_it_is_logistic_regression():
    X, y, group = people(0)
    peer = ZafarPeer(covariance=None, ridge=0.0).fit(X, y, sensitive_features=group)
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5_000).fit(X, y)
    np.testing.assert_allclose(peer.weights_, model.coef_[0], atol=1e-4)
    np.testing.assert_array_equal(
        peer.predict_probability(X, sensitive_features=group), model.predict(X)
    )


def test_no_criterion_and_no_covariance_are_the_same():
    X, y, group = people(1)
    one = ZafarPeer(criterion=None).fit(X, y, sensitive_features=group)
    other = ZafarPeer(covariance=None).fit(X, y, sensitive_features=group)
    np.testing.assert_array_equal(one.weights_, other.weights_)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("criterion", ["equality_of_opportunity", "equalized_odds"])
def test_covariance_is_bounded_person_by_person(compas, criterion, share):
    """Counted without merging, the bound holds for the rates of the criterion."""
    X, y, group = compas
    free = ZafarPeer(criterion=criterion, covariance=None)
    bound = ZafarPeer(criterion=criterion, covariance=share, tau=20.0)
    for peer in (free, bound):
        peer.fit(X, y, sensitive_features=group)
    for label in (1, 0) if criterion == "equalized_odds" else (1,):
        before = abs(missed_distance(free, X, y, group, label))
        after = abs(missed_distance(bound, X, y, group, label))
        assert after <= share * before + 1e-3 * before


def by_both_solvers(X, y, group, **settings):
    """Fit by our solver and by dccp, which is under the GPL and so never a default."""
    pytest.importorskip("dccp", reason="dccp comes only with the extra faircg[dccp]")
    return [
        ZafarPeer(solver=solver, **settings).fit(X, y, sensitive_features=group)
        for solver in ("direct", "dccp")
    ]


@pytest.mark.parametrize("criterion", ["equality_of_opportunity", "equalized_odds"])
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_direct_solver_reaches_what_dccp_reaches(criterion, share):
    """Both run the same procedure from the same start, so they end alike."""
    X, y, group = people(2, n=150)
    fitted = by_both_solvers(X, y, group, criterion=criterion, covariance=share)
    losses = [mean_loss(peer, X, y) for peer in fitted]
    assert losses[0] == pytest.approx(losses[1], abs=1e-3)
    np.testing.assert_allclose(fitted[0].weights_, fitted[1].weights_, atol=0.03)
    for peer in fitted:
        assert (np.abs(peer.covariances_) <= peer.bounds_ + 1e-3).all()


@pytest.mark.parametrize("criterion", ["equality_of_opportunity", "equalized_odds"])
def test_direct_solver_is_not_worse_than_dccp_without_any_covariance(criterion):
    """With a bound of zero dccp may end in zero weights, where everything is equal."""
    X, y, group = people(2, n=150)
    direct, dccp = by_both_solvers(X, y, group, criterion=criterion, covariance=0.0)
    assert mean_loss(direct, X, y) <= mean_loss(dccp, X, y) + 1e-3
    assert (np.abs(direct.covariances_) <= 1e-3).all()


def test_merging_rows_changes_nothing(compas):
    """Moving each person by a hair makes all rows distinct; the answer stays."""
    X, y, group = compas
    X = X[:1_500, ::3].astype(float)
    y, group = y[:1_500], group[:1_500]
    apart = X + 1e-9 * np.random.default_rng(0).normal(size=X.shape)
    one, other = (
        ZafarPeer(covariance=0.2, tau=20.0).fit(matrix, y, sensitive_features=group)
        for matrix in (X, apart)
    )
    np.testing.assert_allclose(
        X @ one.weights_ + one.intercept_,
        X @ other.weights_ + other.intercept_,
        atol=2e-3,
    )


def test_negations_and_categories_are_left_out():
    """Both signs and all values of a category leave one column less than values."""
    random = np.random.default_rng(3)
    flag = random.integers(2, size=100)
    value = random.integers(3, size=100)
    X = np.column_stack([flag, 1 - flag, *(value == v for v in range(3))])
    X = np.column_stack([X, np.ones(100)]).astype(float)
    kept = independent_columns(X)
    assert len(kept) == 3
    assert 5 not in kept
    span = np.column_stack([np.ones(100), X[:, kept]])
    assert np.linalg.matrix_rank(span) == np.linalg.matrix_rank(X) == 4


def test_three_groups_are_all_bounded():
    X, y, _ = people(4, n=600)
    group = np.digitize(X[:, 0], [-0.3, 1.0])
    peer = ZafarPeer(covariance=0.2).fit(X, y, sensitive_features=group)
    assert peer.covariances_.shape == (3,)
    assert (np.abs(peer.covariances_) <= peer.bounds_ * 1.01 + 1e-4).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"covariance": -0.1}, "at least 0"),
        ({"tau": 0.0}, "positive"),
        ({"solver": "none"}, "direct or dccp"),
        ({"criterion": "parity"}, "does not support"),
    ],
)
def test_nonsense_is_refused(settings, message):
    X, y, group = people(5)
    with pytest.raises(ValueError, match=message):
        ZafarPeer(**settings).fit(X, y, sensitive_features=group)
