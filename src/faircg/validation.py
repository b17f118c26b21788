"""Checks that estimators share: tables and weights, as scikit-learn demands them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from faircg.table import Kind, Table, check_frame, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from faircg.typing import IntVector


def checked_table(
    estimator: Any, X: Any, *, reset: bool, kinds: Mapping[str, Kind] | None = None
) -> Table:
    """Read a table after scikit-learn's checks of names, number and shape.

    Parameters
    ----------
    estimator
        Learns (``reset=True``) or knows the features.
    X
        Frame or array; a :class:`~faircg.table.Table` was checked before.
    reset
        Whether this is ``fit``.
    kinds
        Features to read, with the kinds seen in fit; all by default.
    """
    if isinstance(X, Table):
        return X
    check_frame(X)
    if not (hasattr(X, "columns") or hasattr(X, "__dataframe__")):
        X = validate_data(
            estimator, X, reset=reset, dtype=None, ensure_all_finite=False
        )
        return read_table(X, kinds=kinds)
    if 0 in X.shape:
        noun = "sample" if X.shape[0] == 0 else "feature"
        raise ValueError(
            f"the table has 0 {noun}(s) (shape={X.shape}) while a minimum of 1 is "
            "required."
        )
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return read_table(X, kinds=kinds)


def whole_weights(sample_weight: ArrayLike | None, n_rows: int) -> IntVector:
    """Read weights as numbers of repetitions; one each by default."""
    if sample_weight is None:
        return np.ones(n_rows, dtype=np.int64)
    weights = _check_sample_weight(sample_weight, np.zeros((n_rows, 1)))
    bad = (weights < 0) | (weights != np.rint(weights))
    if bad.any():
        raise ValueError(
            "sample_weight must be whole numbers of at least 0 (how often each sample "
            f"counts); found {weights[bad][0]:g} in row {np.flatnonzero(bad)[0]}"
        )
    if weights.sum() >= 2**53:
        raise ValueError("sample_weight is too large to be counted exactly")
    whole: IntVector = np.rint(weights).astype(np.int64)
    if not whole.any():
        raise ValueError("sample_weight is zero for every sample")
    return whole
