"""Thresholds per group after training: Hardt, Price and Srebro (2016).

Two peers: the randomised thresholds that are optimal (fairlearn), and the grid of
deterministic thresholds in steps of one per cent that the paper compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from experiments.peers.base import BasePeer, check_share, n_rates

if TYPE_CHECKING:
    from faircg.groups import Groups
    from faircg.typing import BoolMatrix, FloatMatrix, FloatVector, IntVector

_FAIRLEARN_NAMES = {
    "equality_of_opportunity": "true_positive_rate_parity",
    "equalized_odds": "equalized_odds",
}

THRESHOLDS = np.arange(1, 101) / 100
"""The thresholds of the grid: predict 1 from this score on; the last is nobody."""

_MOST_GROUPS = 3
"""A grid of 100 thresholds for each of four groups would not fit into memory."""


def default_estimator() -> LogisticRegression:
    """Return the scorer of the paper: scikit-learn's logistic regression."""
    return LogisticRegression(max_iter=2_000)


class RandomisedThresholdPeer(BasePeer):
    """Optimal randomised thresholds per group, by fairlearn's ThresholdOptimizer.

    Hardt, Price and Srebro, "Equality of Opportunity in Supervised Learning" (2016),
    sections 4.1 and 4.2: each group gets a mixture of two thresholds at which the
    rates of all groups agree on the training data, with the best accuracy.

    Parameters
    ----------
    criterion
        ``None`` uses the scorer as it is, with the threshold one half.
    epsilon
        Allowed gap of the true positive rates. Equalized odds are always exact here:
        fairlearn has no tolerance for them.
    estimator
        The scorer; ``None`` is logistic regression.
    """

    def __init__(
        self,
        *,
        criterion: str | None = "equality_of_opportunity",
        epsilon: float = 0.0,
        estimator: Any = None,
    ) -> None:
        self.criterion = criterion
        self.epsilon = epsilon
        self.estimator = estimator

    @property
    def needs_groups(self) -> bool:  # type: ignore[override]
        """Whether predictions depend on the group: wherever there is a criterion."""
        return self.criterion is not None

    @property
    def is_randomised(self) -> bool:  # type: ignore[override]
        """Whether thresholds are mixed: as soon as there is a criterion."""
        return self.criterion is not None

    def _fit(self, X: FloatMatrix, y: IntVector, groups: Groups) -> None:
        check_share("epsilon", self.epsilon)
        if self.criterion == "equalized_odds" and self.epsilon:
            raise ValueError(
                "randomised thresholds know equalized odds with epsilon=0 only; use "
                "GridThresholdPeer for a tolerance"
            )
        base = default_estimator() if self.estimator is None else self.estimator
        self.scorer_ = clone(base).fit(X, y)
        if self.criterion is None:
            return
        self.optimizer_ = ThresholdOptimizer(
            estimator=self.scorer_,
            constraints=_FAIRLEARN_NAMES[self.criterion],
            objective="accuracy_score",
            predict_method="predict_proba",
            prefit=True,
            tol=self.epsilon or None,
        )
        self.optimizer_.fit(X, y, sensitive_features=groups.codes)

    def _probability(self, X: FloatMatrix, codes: IntVector | None) -> FloatVector:
        if codes is None:
            scores: FloatVector = self.scorer_.predict_proba(X)[:, 1]
            return (scores >= 0.5).astype(np.float64)
        # The mixture itself, not a draw from it.
        mixture = self.optimizer_._pmf_predict(X, sensitive_features=codes)  # noqa: SLF001
        chance: FloatVector = mixture[:, 1]
        return np.clip(chance, 0.0, 1.0)


class GridThresholdPeer(BasePeer):
    """One threshold per group from a grid of one per cent, as in the paper.

    Among all combinations whose gap on the training data is at most epsilon, take the
    one with the best training accuracy; of several the one with the smallest gap. The
    combination in which nobody is predicted 1 has gap zero, so there always is one.

    Parameters
    ----------
    criterion
        ``None`` takes the threshold one half for everybody.
    epsilon
        Largest gap on the training data, for each rate of the criterion.
    estimator
        The scorer; ``None`` is logistic regression.
    """

    def __init__(
        self,
        *,
        criterion: str | None = "equality_of_opportunity",
        epsilon: float = 0.05,
        estimator: Any = None,
    ) -> None:
        self.criterion = criterion
        self.epsilon = epsilon
        self.estimator = estimator

    @property
    def needs_groups(self) -> bool:  # type: ignore[override]
        """Whether predictions depend on the group: wherever there is a criterion."""
        return self.criterion is not None

    def _fit(self, X: FloatMatrix, y: IntVector, groups: Groups) -> None:
        check_share("epsilon", self.epsilon)
        n_groups = len(groups.names)
        if self.criterion is not None and n_groups > _MOST_GROUPS:
            raise ValueError(
                f"the grid has 100 thresholds per group and {n_groups} groups make "
                f"too many combinations; at most {_MOST_GROUPS} groups are possible, "
                "use RandomisedThresholdPeer for more"
            )
        base = default_estimator() if self.estimator is None else self.estimator
        self.scorer_ = clone(base).fit(X, y)
        if self.criterion is None:
            self.thresholds_ = np.full(n_groups, 0.5)
            return
        scores = self.scorer_.predict_proba(X)[:, 1]
        true, false = counts_above(scores, y, groups.codes, n_groups)
        self.thresholds_ = THRESHOLDS[
            best_combination(true, false, y, groups, self.criterion, self.epsilon)
        ]

    def _probability(self, X: FloatMatrix, codes: IntVector | None) -> FloatVector:
        thresholds = 0.5 if codes is None else self.thresholds_[codes]
        scores: FloatVector = self.scorer_.predict_proba(X)[:, 1]
        return (scores >= thresholds).astype(np.float64)


def counts_above(
    scores: FloatVector, y: IntVector, codes: IntVector, n_groups: int
) -> tuple[FloatMatrix, FloatMatrix]:
    """Count true and false positives of each group at each threshold of the grid."""
    # Scores are passed once: how many thresholds does each of them reach?
    reached = np.searchsorted(THRESHOLDS, scores, side="right")
    shape = (2, n_groups, len(THRESHOLDS) + 1)
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, (y, codes, reached), 1)
    # Threshold t is reached by everybody who reaches at least t + 1 of them.
    above = counts[:, :, ::-1].cumsum(axis=2)[:, :, ::-1][:, :, 1:]
    return above[1], above[0]


def best_combination(
    true: FloatMatrix,
    false: FloatMatrix,
    y: IntVector,
    groups: Groups,
    criterion: str,
    epsilon: float,
) -> tuple[int, ...] | Any:
    """Find the most accurate thresholds whose gaps are at most epsilon.

    Returns
    -------
    array
        For each group the index of its threshold.
    """
    n_groups = len(true)
    correct = _every_combination(true - false, np.add)
    gap = np.zeros(correct.shape)
    for label, counts in ((1, true), (0, false))[: n_rates(criterion)]:
        sizes = np.bincount(groups.codes[y == label], minlength=n_groups)
        rates = counts / sizes[:, None]
        spread = _every_combination(rates, np.maximum) - _every_combination(
            rates, np.minimum
        )
        gap = np.maximum(gap, spread)
    allowed: BoolMatrix = gap <= epsilon + 1e-12  # quotients carry rounding errors
    best = correct[allowed].max()
    ties = allowed & (correct == best)
    flat = np.argmin(np.where(ties, gap, np.inf))
    return np.array(np.unravel_index(flat, correct.shape))


def _every_combination(values: FloatMatrix, combine: np.ufunc) -> Any:
    """Combine one value of each group, in every way; one axis per group."""
    total = values[0]
    for row in values[1:]:
        total = combine(total[..., None], row)
    return total
