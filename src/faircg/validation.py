"""Checks that estimators share: tables and weights, as scikit-learn demands them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from faircg.features import Features
from faircg.table import Kind, Table, as_frame, check_frame, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from faircg.typing import IntVector


def checked_table(
    estimator: Any,
    X: Any,
    *,
    reset: bool,
    kinds: Mapping[str, Kind] | None = None,
    exclude: object = (),
) -> Table:
    """Read a table after scikit-learn's checks of names, number and shape.

    In fit (``reset``) the estimator learns its ``features_``; columns to ``exclude``
    are no features, and may be absent from a frame when predicting. ``kinds`` are the
    features to read, with the kinds seen in fit. A :class:`Table` was checked before.
    """
    if not isinstance(X, Table):
        check_frame(X)
        frame = as_frame(X)
        if frame is None:
            X = validate_data(
                estimator, X, reset=reset, dtype=None, ensure_all_finite=False
            )
        elif 0 in frame.shape:
            noun = "sample" if frame.shape[0] == 0 else "feature"
            raise ValueError(
                f"the table has 0 {noun}(s) (shape={frame.shape}) while a minimum of 1 "
                "is required."
            )
    if reset:
        features = Features.of(X)
        excluded = features.resolve(exclude, parameter="exclude")
        estimator.features_ = replace(features, excluded=excluded)
    excluded = estimator.features_.excluded
    if isinstance(X, Table):
        return X.without(excluded) if excluded else X
    if frame is not None:
        kept = [j for j, name in enumerate(frame.columns) if str(name) not in excluded]
        # The last column stays, as a table needs one.
        rest = (frame[:, kept] if excluded and kept else frame).to_native()
        validate_data(estimator, rest, reset=reset, skip_check_array=True)
    return read_table(X, kinds=kinds, without=excluded)


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


class TakesTables:
    """Tells scikit-learn of missing values, categories and texts, and of two classes.

    To stand first among the bases.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_class = False
        return tags
