"""Peer: the one interface of all rival methods, and what they share.

Accuracies and rates of a randomised classifier are exact expectations when they are
computed from probabilities instead of drawn predictions, so every peer gives the
probability that it predicts 1; a deterministic peer gives 0 or 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from faircg.groups import Groups, read_groups

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from sklearn.utils import RandomState

    from faircg.typing import FloatMatrix, FloatVector, IntVector

CRITERIA = ("equality_of_opportunity", "equalized_odds")
"""Criteria by name; ``None`` stands for no constraint."""


@runtime_checkable
class Peer(Protocol):
    """A rival method.

    Attributes
    ----------
    needs_groups
        Whether a prediction depends on the group of the person, given all conditions.
    is_randomised
        Whether two equal persons of one group can get different predictions.
    is_readable
        Whether a person can follow the model by hand.
    """

    needs_groups: bool
    is_randomised: bool
    is_readable: bool

    def fit(self, X: Any, y: ArrayLike, *, sensitive_features: Any) -> Self:
        """Learn from labels 0 and 1."""

    def predict_probability(self, X: Any, *, sensitive_features: Any) -> FloatVector:
        """Return the probability of predicting 1 for each row."""

    def predict(
        self,
        X: Any,
        *,
        sensitive_features: Any,
        random_state: int | RandomState | None = None,
    ) -> IntVector:
        """Draw a prediction for each row."""


class BasePeer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What every peer does alike: read the data, check it, draw predictions."""

    needs_groups: ClassVar[bool] = False
    is_randomised: ClassVar[bool] = False
    is_readable: ClassVar[bool] = False
    supported: ClassVar[tuple[str | None, ...]] = (None, *CRITERIA)
    criterion: str | None = None

    def fit(self, X: Any, y: ArrayLike, *, sensitive_features: Any) -> Self:
        """Learn from labels 0 and 1.

        Parameters
        ----------
        X
            Conditions as a boolean matrix, or numbers; shape (n_samples, n_features).
        y
            Labels 0 and 1.
        sensitive_features
            The group of each row.
        """
        if self.criterion not in self.supported:
            raise ValueError(
                f"{type(self).__name__} does not support criterion="
                f"{self.criterion!r}; it supports {list(self.supported)}"
            )
        labels = read_labels(y)
        groups = read_groups(sensitive_features)
        n_rows = len(X)
        if not len(labels) == len(groups.codes) == n_rows:
            raise ValueError(
                f"X has {n_rows} rows, y has {len(labels)} and sensitive_features has "
                f"{len(groups.codes)}; they must be equal"
            )
        if self.criterion is not None:
            check_rates_exist(labels, groups, self.criterion)
        self.classes_ = np.array([0, 1])
        self.groups_ = groups.names
        matrix = self._read_matrix(X, is_training=True)
        self._fit(matrix, labels, groups)
        return self

    def predict_probability(self, X: Any, *, sensitive_features: Any) -> FloatVector:
        """Return the probability of predicting 1 for each row.

        Parameters
        ----------
        X
            Rows of the same columns as in ``fit``.
        sensitive_features
            The group of each row; not looked at where ``needs_groups`` is false.
        """
        check_is_fitted(self, "groups_")
        codes = self._group_codes(sensitive_features) if self.needs_groups else None
        matrix = self._read_matrix(X, is_training=False)
        if codes is not None and len(codes) != len(matrix):
            raise ValueError(
                f"X has {len(matrix)} rows and sensitive_features has {len(codes)}"
            )
        return np.asarray(self._probability(matrix, codes), dtype=np.float64)

    def predict(
        self,
        X: Any,
        *,
        sensitive_features: Any,
        random_state: int | RandomState | None = None,
    ) -> IntVector:
        """Draw a prediction for each row; the same for all seeds if deterministic."""
        chance = self.predict_probability(X, sensitive_features=sensitive_features)
        # Numbers drawn from [0, 1) are never below 0 and always below 1.
        drawn: FloatVector = check_random_state(random_state).random_sample(len(chance))
        return (drawn < chance).astype(np.int64)

    def _fit(self, X: Any, y: IntVector, groups: Groups) -> None:
        raise NotImplementedError

    def _probability(self, X: Any, codes: IntVector | None) -> FloatVector:
        raise NotImplementedError

    def _read_matrix(self, X: Any, *, is_training: bool) -> Any:
        matrix = read_numbers(X)
        if is_training:
            self.n_features_in_ = matrix.shape[1]
        elif matrix.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {matrix.shape[1]} columns, the peer was fitted on "
                f"{self.n_features_in_}"
            )
        return matrix

    def _group_codes(self, sensitive_features: Any) -> IntVector:
        """Return each row's group as its number in ``fit``."""
        groups = read_groups(sensitive_features)
        unknown = sorted(set(groups.names) - set(self.groups_))
        if unknown:
            raise ValueError(
                f"groups {unknown} were not there in fit, which saw "
                f"{list(self.groups_)}; this peer cannot predict for them"
            )
        number = {name: code for code, name in enumerate(self.groups_)}
        return np.array([number[name] for name in groups.names])[groups.codes]


def read_labels(y: ArrayLike) -> IntVector:
    """Return the labels as whole numbers; anything but 0 and 1 is an error."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y must be one column, not of shape {labels.shape}")
    if labels.dtype.kind not in "biuf" or not np.isin(labels, (0, 1)).all():
        raise ValueError("y must hold the labels 0 and 1 only")
    labels = labels.astype(np.int64)
    if labels.min(initial=1) == labels.max(initial=0):
        raise ValueError("y must hold both labels 0 and 1; only one of them is there")
    return labels


def read_numbers(X: Any) -> FloatMatrix:
    """Return a matrix of finite numbers; text columns are an error that names them."""
    if isinstance(X, pd.DataFrame):
        kinds = {name: dtype.kind for name, dtype in X.dtypes.items()}
        text = [name for name, kind in kinds.items() if kind not in "biuf"]
        if text:
            raise ValueError(
                f"columns {text} do not hold numbers; make conditions of them first, "
                "for example with faircg.binarize.ConditionBinarizer"
            )
    matrix = np.asarray(X, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError(
            f"X must be a table of at least one column, not of shape {matrix.shape}"
        )
    if not np.isfinite(matrix).all():
        raise ValueError("X has missing or infinite values; fill them first")
    return matrix


def check_rates_exist(labels: IntVector, groups: Groups, criterion: str) -> None:
    """Demand two groups, and in each of them the people whose rate is compared."""
    if len(groups.names) < 2:
        raise ValueError(
            f"sensitive_features has the one group {groups.names[0]!r}; {criterion} "
            "compares rates of at least two groups"
        )
    for label, word in ((1, "positive"), (0, "negative"))[: n_rates(criterion)]:
        sizes = np.bincount(groups.codes[labels == label], minlength=len(groups.names))
        if not sizes.all():
            name = groups.names[int(np.argmin(sizes))]
            raise ValueError(
                f"group {name!r} has no {word} person, so one of its rates is "
                "undefined; merge it with another group or use criterion=None"
            )


def n_rates(criterion: str | None) -> int:
    """Return how many rates the criterion compares: of positives, then of negatives."""
    return {None: 0, "equality_of_opportunity": 1, "equalized_odds": 2}[criterion]


def check_share(name: str, value: float) -> None:
    """Demand a number from 0 to 1."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, not {value!r}")


def columns_up_to_negation(X: FloatMatrix) -> IntVector:
    """Choose the first of all columns that are equal, or negations of each other.

    A tree splits the people in the same two parts by a condition and by its negation,
    so the other columns only cost time. Columns that are not 0 and 1 are all kept.

    Examples
    --------
    >>> columns_up_to_negation(np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 5.0]]))
    array([0, 2])
    """
    is_binary = ((X == 0) | (X == 1)).all(axis=0)
    binary = np.flatnonzero(is_binary)
    columns = (X[:, binary] != X[0, binary]).T
    first = np.unique(columns, axis=0, return_index=True)[1]
    return np.sort(np.concatenate([binary[first], np.flatnonzero(~is_binary)]))
