"""Randomised trees, or other models, by reductions: Agarwal et al. (2018)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from fairlearn.reductions import (
    EqualizedOdds,
    ExponentiatedGradient,
    TruePositiveRateParity,
)
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from experiments.peers.base import BasePeer, check_share, columns_up_to_negation

if TYPE_CHECKING:
    from faircg.groups import Groups
    from faircg.typing import FloatMatrix, FloatVector, IntVector

_MOMENTS = {
    "equality_of_opportunity": TruePositiveRateParity,
    "equalized_odds": EqualizedOdds,
}


class ExponentiatedGradientPeer(BasePeer):
    """A distribution over decision trees, by fairlearn's ExponentiatedGradient.

    Agarwal, Beygelzimer, Dudik, Langford and Wallach, "A Reductions Approach to Fair
    Classification" (2018), algorithm 1: trees and multipliers of the constraints play
    a game, and the answer draws one of the trees for each prediction.

    Parameters
    ----------
    criterion
        ``None`` is one plain tree.
    epsilon
        ``difference_bound``: how far the rate of a group may be from the rate of
        everybody. Two groups may then differ by more, up to twice as much.
    max_depth
        Largest depth of each tree.
    max_iter
        Most rounds of the game.
    random_state
        Seed of the trees, which break ties between splits by it.
    estimator
        What is mixed instead of trees.
    """

    def __init__(
        self,
        *,
        criterion: str | None = "equality_of_opportunity",
        epsilon: float = 0.05,
        max_depth: int = 5,
        max_iter: int = 50,
        random_state: int = 0,
        estimator: Any = None,
    ) -> None:
        self.criterion = criterion
        self.epsilon = epsilon
        self.max_depth = max_depth
        self.max_iter = max_iter
        self.random_state = random_state
        self.estimator = estimator

    @property
    def is_randomised(self) -> bool:  # type: ignore[override]
        """Whether trees are mixed: as soon as there is a criterion."""
        return self.criterion is not None

    def _fit(self, X: FloatMatrix, y: IntVector, groups: Groups) -> None:
        check_share("epsilon", self.epsilon)
        tree = DecisionTreeClassifier(
            max_depth=self.max_depth, random_state=self.random_state
        )
        if self.estimator is not None:
            tree = clone(self.estimator)
        if self.criterion is None:
            self.tree_ = tree.fit(X, y)
            return
        # Trees round to this type anyway, once per round of the game.
        self.columns_ = columns_up_to_negation(X)
        X = X[:, self.columns_].astype(np.float32)
        moment = _MOMENTS[self.criterion](difference_bound=self.epsilon)
        self.mixture_ = ExponentiatedGradient(tree, moment, max_iter=self.max_iter)
        with warnings.catch_warnings():
            # fairlearn's own use of pandas; nothing that a caller could change.
            warnings.filterwarnings("ignore", category=FutureWarning)
            warnings.filterwarnings("ignore", category=DeprecationWarning)
            self.mixture_.fit(X, y, sensitive_features=groups.codes)

    def _probability(self, X: FloatMatrix, codes: IntVector | None) -> FloatVector:
        if self.criterion is None:
            return np.asarray(self.tree_.predict(X), dtype=np.float64)
        # The weighted votes of the trees, not a draw from them. Weights sum to one
        # up to rounding only.
        votes: FloatVector = self.mixture_._pmf_predict(X[:, self.columns_])[:, 1]  # noqa: SLF001
        return np.clip(votes, 0.0, 1.0)
