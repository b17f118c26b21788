"""Checks that estimators share: tables and weights, as scikit-learn demands them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from faircg.table import Kind, Table, check_frame, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from faircg.typing import IntVector


def checked_table(
    estimator: Any,
    X: Any,
    *,
    reset: bool,
    kinds: Mapping[str, Kind] | None = None,
    without: Sequence[str] = (),
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
    without
        Columns of a frame that are not features: they may be absent when predicting.
    """
    if isinstance(X, Table):
        return X
    check_frame(X)
    X = _without(X, without, reset=reset)
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


def _without(X: Any, names: Sequence[str], *, reset: bool) -> Any:
    """Leave columns of a frame out; in fit they must be there."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not names or not isinstance(frame, nw.DataFrame):
        return X
    present = [name for name in names if name in frame.columns]
    absent = [name for name in names if name not in frame.columns]
    if reset and absent:
        raise ValueError(
            f"thresholds or exclude name features that the table lacks: {absent}; it "
            f"has {list(frame.columns)}"
        )
    if not present or len(present) == len(frame.columns):
        return X  # a table needs a column, even one that no rule may test
    return frame.drop(present).to_native()


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
