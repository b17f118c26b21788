"""What all peers promise, and the oracles of the tree peers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from experiments.peers.base import columns_up_to_negation
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from experiments.peers import (
    CRITERIA,
    PEERS,
    PROTOCOLS,
    BoostingPeer,
    ExponentiatedGradientPeer,
    OptimalTreePeer,
    Peer,
    TreePeer,
)
from faircg.binarize import ConditionBinarizer
from faircg.datasets import load_compas

EVERY_USE = [
    (name, criterion) for name, entry in PEERS.items() for criterion in entry.criteria
]


@pytest.fixture(scope="module")
def compas():
    data = load_compas()
    X = ConditionBinarizer().fit_transform(data.X)
    return X[:1_500], data.y.to_numpy()[:1_500], data.sensitive_features[:1_500]


def made(name, criterion):
    entry = PEERS[name]
    settings = dict(entry.settings("quick", criterion, "adult")[0])
    return entry.make(criterion, **settings)


@pytest.mark.parametrize(("name", "criterion"), EVERY_USE)
def test_probabilities_and_draws_agree(compas, name, criterion):
    """Deterministic peers say 0 or 1 and draw just that; all give probabilities."""
    X, y, group = compas
    peer = made(name, criterion)
    assert isinstance(peer, Peer)
    assert peer.fit(X, y, sensitive_features=group) is peer
    chance = peer.predict_probability(X, sensitive_features=group)
    assert chance.dtype == np.float64
    assert ((chance >= 0) & (chance <= 1)).all()
    drawn = peer.predict(X, sensitive_features=group, random_state=0)
    assert set(np.unique(drawn)) <= {0, 1}
    certain = (chance == 0) | (chance == 1)
    np.testing.assert_array_equal(drawn[certain], chance[certain])
    if not peer.is_randomised:
        assert certain.all()
    majority = max(y.mean(), 1 - y.mean())
    assert 1 - np.abs(chance - y).mean() > majority


@pytest.mark.parametrize(("name", "criterion"), EVERY_USE)
def test_groups_matter_only_where_the_peer_says_so(compas, name, criterion):
    """A peer that does not need groups predicts the same when they are swapped."""
    X, y, group = compas
    peer = made(name, criterion).fit(X, y, sensitive_features=group)
    other = group.map(dict(zip(group.unique(), group.unique()[::-1], strict=True)))
    same = np.array_equal(
        peer.predict_probability(X, sensitive_features=group),
        peer.predict_probability(X, sensitive_features=other),
    )
    assert same is not peer.needs_groups


@pytest.mark.parametrize(("name", "criterion"), EVERY_USE)
def test_fitting_again_gives_the_same(compas, name, criterion):
    X, y, group = compas
    peer = made(name, criterion)
    one, other = (clone(peer).fit(X, y, sensitive_features=group) for _ in range(2))
    np.testing.assert_array_equal(
        one.predict_probability(X, sensitive_features=group),
        other.predict_probability(X, sensitive_features=group),
    )


@pytest.mark.parametrize(
    "name", [n for n, e in PEERS.items() if CRITERIA[0] in e.criteria]
)
def test_bad_groups_give_clear_errors(compas, name):
    X, y, group = compas
    X, y = X[:200], y[:200]
    peer = made(name, CRITERIA[0])
    with pytest.raises(ValueError, match="at least two groups"):
        peer.fit(X, y, sensitive_features=["a"] * 200)
    with pytest.raises(ValueError, match="missing values"):
        peer.fit(X, y, sensitive_features=[None] + ["a", "b"] * 99 + ["a"])
    with pytest.raises(ValueError, match="no positive person"):
        peer.fit(X, y, sensitive_features=np.where(y == 1, "a", "b"))
    with pytest.raises(ValueError, match="must be equal"):
        peer.fit(X, y, sensitive_features=group[:100])


@pytest.mark.parametrize("name", PEERS)
def test_bad_labels_give_clear_errors(compas, name):
    X, y, group = compas
    peer = made(name, PEERS[name].criteria[0])
    with pytest.raises(ValueError, match="0 and 1 only"):
        peer.fit(X, y + 1, sensitive_features=group)
    with pytest.raises(ValueError, match="both labels"):
        peer.fit(X, np.zeros_like(y), sensitive_features=group)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_reductions_expectation_is_the_weighted_vote(compas, criterion):
    """Trees one by one, weighted by hand; the train gap keeps fairlearn's promise."""
    X, y, group = compas
    peer = ExponentiatedGradientPeer(criterion=criterion, epsilon=0.02, max_depth=3)
    peer.fit(X, y, sensitive_features=group)
    chance = peer.predict_probability(X, sensitive_features=group)
    mixture = peer.mixture_
    votes = sum(
        weight * mixture.predictors_[t].predict(X[:, peer.columns_])
        for t, weight in mixture.weights_.items()
    )
    np.testing.assert_allclose(chance, votes, atol=1e-9)
    draws = [
        peer.predict(X, sensitive_features=group, random_state=seed)
        for seed in range(400)
    ]
    assert np.abs(np.mean(draws, axis=0) - chance).max() < 6 * 0.5 / 20
    rates = [chance[(y == 1) & (group == name)].mean() for name in set(group)]
    assert abs(rates[0] - rates[1]) <= 2 * 0.02 + 0.01 + 1e-9


def best_small_tree(X, y, group, epsilon):
    """Accuracy of the best tree of depth two, by trying them all."""
    n, d = X.shape
    is_one = group == np.unique(group)[0]
    kinds = np.array([(y == 1) & is_one, (y == 1) & ~is_one, y == 0]).T
    sizes = kinds.sum(axis=0)
    best = 0.0
    for root in range(d):
        sides = []
        for side in (X[:, root], ~X[:, root]):
            # Everything the two leaves of one side can cover, as counts.
            cover = [
                kinds[side & part].sum(axis=0)
                for j in range(d)
                for part in (X[:, j], ~X[:, j])
            ]
            cover += [np.zeros(3, dtype=int), kinds[side].sum(axis=0)]
            sides.append(np.array(cover))
        for left, right in itertools.product(*sides):
            one, two, wrong = left + right
            if abs(one / sizes[0] - two / sizes[1]) <= epsilon:
                best = max(best, (one + two + sizes[2] - wrong) / n)
    return best


@pytest.mark.parametrize("epsilon", [0.01, 0.05, 1.0])
@pytest.mark.parametrize("swapped", [False, True])
def test_optimal_tree_is_as_good_as_any(compas, epsilon, swapped):
    """The package found worse trees when the groups were coded the other way round."""
    X, y, group = compas
    X = X[:, columns_up_to_negation(X)]
    group = (group == "Caucasian").to_numpy() ^ swapped
    peer = OptimalTreePeer(epsilon=epsilon).fit(X, y, sensitive_features=group)
    chance = peer.predict_probability(X, sensitive_features=group)
    assert np.mean(chance == y) == pytest.approx(best_small_tree(X, y, group, epsilon))
    rates = [chance[(y == 1) & (group == side)].mean() for side in (False, True)]
    assert abs(rates[0] - rates[1]) <= epsilon


def test_text_of_the_optimal_tree_is_the_tree(compas):
    """Following the printed tree by hand gives the predictions."""
    X, y, group = compas
    peer = OptimalTreePeer(criterion=None, max_depth=3)
    peer.fit(X, y, sensitive_features=group)
    lines = peer.text_.splitlines()

    def follow(row):
        at = 0
        while not lines[at].strip().startswith("predict"):
            pad = len(lines[at]) - len(lines[at].lstrip())
            column = int(lines[at].split()[-1].rstrip(":"))
            if not row[column]:
                at = lines.index(" " * pad + "else:", at)
            at += 1
        return int(lines[at].split()[-1])

    chance = peer.predict_probability(X, sensitive_features=group)
    np.testing.assert_array_equal(chance, [follow(row) for row in X])


def test_optimal_tree_refuses_what_it_cannot_do(compas):
    X, y, group = compas
    with pytest.raises(ValueError, match="does not support"):
        OptimalTreePeer(criterion="equalized_odds").fit(X, y, sensitive_features=group)
    with pytest.raises(ValueError, match="must be 0 or 1"):
        OptimalTreePeer().fit(X * 2.5, y, sensitive_features=group)
    three = np.arange(len(y)) % 3
    with pytest.raises(ValueError, match="two groups"):
        OptimalTreePeer().fit(X, y, sensitive_features=three)


def test_tree_is_scikit_learns(compas):
    X, y, group = compas
    peer = TreePeer(max_depth=4).fit(X, y, sensitive_features=group)
    expected = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y).predict(X)
    np.testing.assert_array_equal(
        peer.predict_probability(X, sensitive_features=group), expected
    )


def test_boosting_reads_raw_frames_and_threads_do_not_matter():
    """Text columns are categories, and a value never seen before is no error."""
    data = load_compas()
    y, group = data.y, data.sensitive_features
    answers = [
        BoostingPeer(n_jobs=n_jobs, n_estimators=20)
        .fit(data.X, y, sensitive_features=group)
        .predict_probability(data.X, sensitive_features=group)
        for n_jobs in (1, 2)
    ]
    np.testing.assert_array_equal(*answers)
    assert np.mean(answers[0] == y) > 0.65
    peer = BoostingPeer(n_estimators=5).fit(data.X, y, sensitive_features=group)
    unseen = data.X.head(3).assign(sex="Unknown")
    assert len(peer.predict_probability(unseen, sensitive_features=group[:3])) == 3


def test_text_columns_are_named_by_peers_that_need_numbers():
    data = load_compas()
    with pytest.raises(ValueError, match=r"\['race', 'sex'\]"):
        TreePeer().fit(data.X, data.y, sensitive_features=data.sensitive_features)


def test_another_number_of_columns_is_refused(compas):
    X, y, group = compas
    peer = TreePeer().fit(X, y, sensitive_features=group)
    with pytest.raises(ValueError, match="was fitted on"):
        peer.predict_probability(X[:, :-1], sensitive_features=group)


def test_grids_are_those_of_the_paper():
    """Thirty covariances; twenty depths times thirty epsilons; tau by data set."""
    zafar = PEERS["zafar"].settings("paper", "equalized_odds", "default")
    assert [s["covariance"] for s in zafar] == pytest.approx(np.linspace(0, 0.5, 30))
    assert {s["tau"] for s in zafar} == {0.5}
    trees = PEERS["reductions"].settings("paper", "equalized_odds", "default")
    assert len(trees) == 20 * 30
    assert {s["max_depth"] for s in trees} >= {1, 30}


@pytest.mark.parametrize("name", PEERS)
def test_every_setting_makes_a_peer(name):
    """Settings are keyword arguments of the factory; quick grids are small."""
    entry = PEERS[name]
    for protocol in PROTOCOLS:
        for criterion in (None, *CRITERIA):
            grid = entry.settings(protocol, criterion, "compas")
            assert bool(grid) is (criterion in entry.criteria)
            assert protocol != "quick" or len(grid) <= 6
            for settings in grid:
                entry.make(criterion, **settings)
    with pytest.raises(ValueError, match="not known"):
        entry.settings("slow", None)
