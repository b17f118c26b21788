"""The methods that are compared, each as one call: ours without any option.

All are asked for equality of opportunity within the same epsilon, those that can be.
Nothing is chosen on test data: where a method has a choice, it is made on a part of
the training data that is kept apart.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from experiments.peers import (
    BoostingPeer,
    ExponentiatedGradientPeer,
    LogisticPeer,
    RandomisedThresholdPeer,
    TreePeer,
)
from faircg import FairRuleSetClassifier

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.defaults.data import People
    from experiments.peers import Peer
    from faircg.typing import FloatMatrix, FloatVector

CRITERION: Final = "equality_of_opportunity"
EPSILON: Final = 0.05

Decide: TypeAlias = "Callable[[People], FloatVector]"
"""From people to the probability that each of them gets the positive label."""


@dataclass(frozen=True, eq=False)
class Method:
    """How a method is called in the table, what it is, and how it learns.

    ``kind`` is ``"rules"``, ``"tree"`` (readable, or trees drawn by lot), ``"other"``.
    """

    label: str
    kind: str
    learn: Callable[[People], Decide]


def _ours(**options: Any) -> Callable[[People], Decide]:
    """Learn rules, without options for the table itself."""

    def learn(people: People) -> Decide:
        clf = FairRuleSetClassifier(constraint=CRITERION, epsilon=EPSILON, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clf.fit(people.X, people.y, sensitive_features=people.groups)
        return lambda others: clf.predict(others.X).astype(float)

    return learn


def _majority(people: People) -> Decide:
    label = float(people.y.mean() >= 0.5)
    return lambda others: np.full(len(others.y), label)


def _encoder() -> ColumnTransformer:
    """Turn a table into numbers: dummies, medians for missing values, one scale."""
    numbers = make_column_selector(dtype_include=["number", "bool"])
    texts = make_column_selector(dtype_exclude=["number", "bool"])
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    dummies = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([("numbers", scaled, numbers), ("texts", dummies, texts)])


def _peer(make: Callable[[People], Peer]) -> Callable[[People], Decide]:
    """Learn a peer on numbers."""

    def learn(people: People) -> Decide:
        encoder = _encoder().fit(people.X)

        def read(others: People) -> FloatMatrix:
            return np.asarray(encoder.transform(others.X), dtype=float)

        peer = make(people)
        peer.fit(read(people), people.y, sensitive_features=people.groups)
        return lambda others: peer.predict_probability(
            read(others), sensitive_features=others.groups
        )

    return learn


def _best_of(choices: Sequence[Peer]) -> Callable[[People], Decide]:
    """Choose by accuracy on a quarter of the training data, then learn on all."""

    def learn(people: People) -> Decide:
        kept, apart = train_test_split(
            np.arange(len(people.y)), test_size=0.25, random_state=0, stratify=people.y
        )
        inner, held = people.take(kept), people.take(apart)
        scores = []
        for choice in choices:
            chance = _peer(_always(choice))(inner)(held)
            scores.append(np.abs(held.y.to_numpy() - chance).mean())
        return _peer(_always(choices[int(np.argmin(scores))]))(people)

    return learn


def _always(peer: Peer) -> Callable[[People], Peer]:
    return lambda _: peer


def _reduction(**settings: Any) -> Callable[[People], Peer]:
    """Mix models so that groups differ by at most epsilon.

    fairlearn bounds how far each group may be from everybody. Of two groups, the
    smaller one is that far from everybody for which its share of the gap is left.
    """

    def make(people: People) -> Peer:
        positives = people.groups[people.y == 1].value_counts(normalize=True)
        bound = EPSILON * float(positives.max())
        return ExponentiatedGradientPeer(
            criterion=CRITERION, epsilon=bound, max_iter=30, **settings
        )

    return make


METHODS: Final[Mapping[str, Method]] = {
    "faircg": Method("faircg, plain call", "rules", _ours()),
    "majority": Method("more frequent label", "tree", _majority),
    "tree": Method("tree of depth 4", "tree", _peer(_always(TreePeer(max_depth=4)))),
    "eg_tree": Method("EG, trees of depth 4", "tree", _peer(_reduction(max_depth=4))),
    "eg_logistic": Method(
        "EG, logistic regression",
        "other",
        _peer(_reduction(estimator=LogisticRegression(max_iter=200))),
    ),
    "threshold": Method(
        "ThresholdOptimizer",
        "other",
        _peer(_always(RandomisedThresholdPeer(criterion=CRITERION, epsilon=EPSILON))),
    ),
    "logistic": Method("logistic regression", "other", _peer(_always(LogisticPeer()))),
    "lightgbm": Method(
        "LightGBM",
        "other",
        _best_of([BoostingPeer(num_leaves=7), BoostingPeer(num_leaves=31)]),
    ),
}
"""The methods by name; EG is fairlearn's ExponentiatedGradient."""
CUTS: Final[Mapping[str, Method]] = {
    f"faircg_{way}": Method(f"thresholds={way!r}", "rules", _ours(thresholds=way))
    for way in ("quantile", "tree")
}
"""Other ways to cut numbers, measured on demand."""
