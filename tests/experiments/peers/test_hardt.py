"""Thresholds per group, against brute force and against many draws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from experiments.peers.hardt import THRESHOLDS
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from experiments.peers import GridThresholdPeer, RandomisedThresholdPeer


def people(seed, n=300, n_groups=2):
    """Scores depend on the group, so one threshold for all has a gap."""
    random = np.random.default_rng(seed)
    group = random.integers(n_groups, size=n)
    X = random.normal(size=(n, 3)) + 0.5 * group[:, None]
    y = (X.sum(axis=1) + random.normal(size=n) > 0.4).astype(int)
    return X, y, np.array(["a", "b", "c", "d"])[group]


def gaps(chance, y, group):
    """Return the gaps of the true and of the false positive rates."""
    found = []
    for label in (1, 0):
        rates = [chance[(y == label) & (group == g)].mean() for g in np.unique(group)]
        found.append(max(rates) - min(rates))
    return found


def brute_force(X, y, group, criterion, epsilon, thresholds):
    """Try all combinations, one by one, and keep the best accuracy."""
    scores = LogisticRegression(max_iter=2_000).fit(X, y).predict_proba(X)[:, 1]
    names = np.unique(group)
    best = -1.0
    for combination in itertools.product(thresholds, repeat=len(names)):
        limit = np.array(combination)[np.searchsorted(names, group)]
        predicted = scores >= limit
        tpr, fpr = gaps(predicted, y, group)
        gap = tpr if criterion == "equality_of_opportunity" else max(tpr, fpr)
        if gap <= epsilon + 1e-12:
            best = max(best, np.mean(predicted == y))
    return best


@pytest.mark.parametrize("criterion", ["equality_of_opportunity", "equalized_odds"])
@pytest.mark.parametrize("epsilon", [0.0, 0.03])
def test_grid_finds_what_a_loop_over_all_pairs_finds(monkeypatch, criterion, epsilon):
    """Every tenth threshold, so that the loop ends soon."""
    coarse = THRESHOLDS[9::10]
    monkeypatch.setattr("experiments.peers.hardt.THRESHOLDS", coarse)
    X, y, group = people(0)
    peer = GridThresholdPeer(criterion=criterion, epsilon=epsilon)
    chance = peer.fit(X, y, sensitive_features=group).predict_probability(
        X, sensitive_features=group
    )
    tpr, fpr = gaps(chance, y, group)
    assert tpr <= epsilon + 1e-12
    if criterion == "equalized_odds":
        assert fpr <= epsilon + 1e-12
    expected = brute_force(X, y, group, criterion, epsilon, coarse)
    assert np.mean(chance == y) == pytest.approx(expected, abs=1e-12)


def test_grid_with_three_groups(monkeypatch):
    """Three groups have three thresholds, again as good as any."""
    coarse = THRESHOLDS[19::20]
    monkeypatch.setattr("experiments.peers.hardt.THRESHOLDS", coarse)
    X, y, group = people(1, n_groups=3)
    peer = GridThresholdPeer(epsilon=0.1).fit(X, y, sensitive_features=group)
    chance = peer.predict_probability(X, sensitive_features=group)
    expected = brute_force(X, y, group, "equality_of_opportunity", 0.1, coarse)
    assert np.mean(chance == y) == pytest.approx(expected, abs=1e-12)
    assert peer.thresholds_.shape == (3,)


def test_grid_with_four_groups_says_what_to_use_instead():
    X, y, group = people(2, n_groups=4)
    with pytest.raises(ValueError, match="RandomisedThresholdPeer"):
        GridThresholdPeer().fit(X, y, sensitive_features=group)


def test_a_larger_epsilon_never_costs_training_accuracy():
    X, y, group = people(3)
    accuracy = [
        GridThresholdPeer(epsilon=epsilon)
        .fit(X, y, sensitive_features=group)
        .predict_probability(X, sensitive_features=group)
        for epsilon in (0.0, 0.02, 0.05, 0.1, 1.0)
    ]
    means = [np.mean(chance == y) for chance in accuracy]
    assert means == sorted(means)


@pytest.mark.parametrize("criterion", ["equality_of_opportunity", "equalized_odds"])
def test_expectation_is_the_mean_of_many_draws(criterion):
    """Fairlearn's own random predictions average to our probabilities."""
    X, y, group = people(4, n=200)
    peer = RandomisedThresholdPeer(criterion=criterion)
    peer.fit(X, y, sensitive_features=group)
    chance = peer.predict_probability(X, sensitive_features=group)
    codes = (group == "b").astype(int)
    n_draws = 2_000
    # All draws in one call: everybody comes many times.
    drawn = peer.optimizer_.predict(
        np.tile(X, (n_draws, 1)),
        sensitive_features=np.tile(codes, n_draws),
        random_state=0,
    )
    mean = drawn.reshape(n_draws, -1).mean(axis=0)
    assert ((chance > 0.01) & (chance < 0.99)).any()  # else there is nothing to test
    assert np.abs(mean - chance).max() < 5 * 0.5 / np.sqrt(n_draws)


@pytest.mark.parametrize("criterion", ["equality_of_opportunity", "equalized_odds"])
def test_randomised_rates_are_equal_on_the_training_data(criterion):
    X, y, group = people(5)
    peer = RandomisedThresholdPeer(criterion=criterion)
    peer.fit(X, y, sensitive_features=group)
    tpr, fpr = gaps(peer.predict_probability(X, sensitive_features=group), y, group)
    assert tpr < 1e-9
    if criterion == "equalized_odds":
        assert fpr < 1e-9


def test_another_scorer_is_used():
    X, y, group = people(6)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    peer = RandomisedThresholdPeer(criterion=None, estimator=tree)
    peer.fit(X, y, sensitive_features=group)
    expected = tree.fit(X, y).predict_proba(X)[:, 1] >= 0.5
    np.testing.assert_array_equal(
        peer.predict_probability(X, sensitive_features=group), expected
    )


def test_tolerance_for_equalized_odds_is_refused():
    X, y, group = people(7)
    peer = RandomisedThresholdPeer(criterion="equalized_odds", epsilon=0.1)
    with pytest.raises(ValueError, match="epsilon=0 only"):
        peer.fit(X, y, sensitive_features=group)


@pytest.mark.parametrize("peer", [GridThresholdPeer(), RandomisedThresholdPeer()])
def test_unknown_group_at_prediction_is_named(peer):
    X, y, group = people(8)
    peer.fit(X, y, sensitive_features=group)
    with pytest.raises(ValueError, match="'z'"):
        peer.predict_probability(X[:2], sensitive_features=["a", "z"])
