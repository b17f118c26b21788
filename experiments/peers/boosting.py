"""Boosted trees without a constraint: the accuracy that one can hope for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier

from experiments.peers.base import BasePeer

if TYPE_CHECKING:
    from faircg.groups import Groups
    from faircg.typing import FloatVector, IntVector


class BoostingPeer(BasePeer):
    """LightGBM, as the ceiling of accuracy; it knows no fairness criterion.

    Ke et al., "LightGBM: A Highly Efficient Gradient Boosting Decision Tree" (2017).
    A frame may have columns of text, which become categories; missing values are
    allowed.

    Parameters
    ----------
    n_estimators, learning_rate, num_leaves
        As in LightGBM.
    n_jobs
        Threads.
    random_state
        Seed.
    """

    supported: ClassVar[tuple[str | None, ...]] = (None,)

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        num_leaves: int = 31,
        n_jobs: int = 1,
        random_state: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _read_matrix(self, X: Any, *, is_training: bool) -> Any:
        if not isinstance(X, pd.DataFrame):
            return super()._read_matrix(X, is_training=is_training)
        if is_training:
            self.n_features_in_ = X.shape[1]
            self.categories_ = {
                name: pd.CategoricalDtype(sorted(X[name].dropna().unique()))
                for name, dtype in X.dtypes.items()
                if dtype.kind not in "biuf"
            }
            self.columns_ = list(X.columns)
        elif list(X.columns) != self.columns_:
            raise ValueError(
                f"X has columns {list(X.columns)}, the peer was fitted on "
                f"{self.columns_}"
            )
        # A value that was not there in fit becomes missing.
        return X.assign(
            **{
                name: X[name].where(X[name].isin(dtype.categories)).astype(dtype)
                for name, dtype in self.categories_.items()
            }
        )

    def _fit(self, X: Any, y: IntVector, groups: Groups) -> None:
        self.model_ = LGBMClassifier(
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            num_leaves=self.num_leaves,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            # Without these two, sums of floats depend on the number of threads.
            deterministic=True,
            force_row_wise=True,
            verbosity=-1,
        )
        self.model_.fit(X, y)

    def _probability(self, X: Any, codes: IntVector | None) -> FloatVector:
        chance = np.asarray(self.model_.booster_.predict(X))
        return (chance >= 0.5).astype(np.float64)
