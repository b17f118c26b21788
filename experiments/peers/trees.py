"""Plain baselines of scikit-learn: a decision tree and logistic regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from experiments.peers.base import BasePeer

if TYPE_CHECKING:
    from faircg.groups import Groups
    from faircg.typing import FloatMatrix, FloatVector, IntVector


class TreePeer(BasePeer):
    """A decision tree (Breiman et al. 1984), readable as long as it is shallow.

    It knows no fairness criterion; some depths happen to have a small gap.

    Parameters
    ----------
    max_depth
        Largest depth.
    min_samples_leaf
        Fewest people in a leaf.
    random_state
        Seed, which breaks ties between splits.
    """

    is_readable: ClassVar[bool] = True
    supported: ClassVar[tuple[str | None, ...]] = (None,)

    def __init__(
        self,
        *,
        max_depth: int = 5,
        min_samples_leaf: int = 1,
        random_state: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _fit(self, X: FloatMatrix, y: IntVector, groups: Groups) -> None:
        self.model_ = DecisionTreeClassifier(
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            random_state=self.random_state,
        ).fit(X, y)

    def _probability(self, X: FloatMatrix, codes: IntVector | None) -> FloatVector:
        return np.asarray(self.model_.predict(X), dtype=np.float64)


class LogisticPeer(BasePeer):
    """Logistic regression without any constraint.

    Parameters
    ----------
    C
        Inverse of the strength of the ridge penalty, as in scikit-learn.
    """

    supported: ClassVar[tuple[str | None, ...]] = (None,)

    def __init__(self, *, C: float = 1.0) -> None:
        self.C = C

    def _fit(self, X: FloatMatrix, y: IntVector, groups: Groups) -> None:
        self.model_ = LogisticRegression(C=self.C, max_iter=2_000).fit(X, y)

    def _probability(self, X: FloatMatrix, codes: IntVector | None) -> FloatVector:
        return np.asarray(self.model_.predict(X), dtype=np.float64)
