"""Checks that estimators share: tables and weights, as scikit-learn demands them."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight, validate_data

from faircg.amounts import Amounts, in_parts
from faircg.features import Features
from faircg.table import Kind, Table, as_frame, check_frame, read_table
from faircg.told_apart import check_unmasked, check_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import ArrayLike

LIMIT: Final = Interval(Real, 0, 1e12, closed="right")
"""What a limit may be; a whole number beyond all floats cannot be counted down."""


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
    check_unmasked(X=X)
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
    if reset:
        _check_whole(X, excluded)
    return read_table(X, kinds=kinds, without=excluded)


def _check_whole(X: Any, excluded: Collection[str]) -> None:
    """Refuse features whose whole numbers would be rounded: they would be merged."""
    frame = as_frame(X)
    if frame is None:
        for j in range(X.shape[1] if X.dtype.kind in "iuO" else 0):
            if f"x{j}" not in excluded:
                check_whole(f"feature 'x{j}'", X[:, j])
        return
    if not any(dtype.is_integer() for dtype in frame.schema.values()):
        return
    for column in frame.iter_columns():
        if column.dtype.is_integer() and str(column.name) not in excluded:
            check_whole(f"feature {column.name!r}", column.drop_nulls().to_numpy())


def check_same_rows(X: Any, **others: Any) -> None:
    """Refuse pandas objects whose index says that their rows are those of other people.

    Rows are taken as they come, so that one order must hold for all.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [30, 40]})
    >>> check_same_rows(people, sensitive_features=pd.Series(["f", "m"], index=[1, 0]))
    Traceback (most recent call last):
    ValueError: the index of sensitive_features differs from that of X (first at row 0:
    1 and 0); reindex it with .loc[X.index], or take its values with .to_numpy() if its
    rows are in the order of X
    """
    check_unmasked(X=X, **others)
    if not nw.dependencies.is_pandas_dataframe(X):
        return
    for name, given in others.items():
        if not nw.dependencies.is_pandas_dataframe(given) and (
            not nw.dependencies.is_pandas_series(given)
        ):
            continue
        if len(given) != len(X) or given.index.equals(X.index):
            continue  # another length is told elsewhere
        row = int(np.argmax(np.asarray(given.index != X.index)))
        raise ValueError(
            f"the index of {name} differs from that of X (first at row {row}: "
            f"{given.index[row]} and {X.index[row]}); reindex it with .loc[X.index], "
            "or take its values with .to_numpy() if its rows are in the order of X"
        )


def read_weights(sample_weight: ArrayLike | None, n_rows: int) -> Amounts:
    """Read how often each sample counts; once by default.

    Whole numbers are repetitions. Others are counted in parts of a person.
    """
    if sample_weight is None:
        return Amounts(np.ones(n_rows, dtype=np.int64))
    weights = _check_sample_weight(sample_weight, np.zeros((n_rows, 1)))
    amounts = in_parts("sample_weight", weights)
    if not amounts.whole.any():
        raise ValueError("sample_weight is zero for every sample")
    return amounts


def read_costs(costs: ArrayLike | None, n_rows: int) -> Amounts | None:
    """Read what a wrong prediction of each sample costs; None if none is given."""
    if costs is None:
        return None
    numbers = check_array(costs, ensure_2d=False, dtype=np.float64, input_name="costs")
    if numbers.shape != (n_rows,):
        raise ValueError(
            f"costs must be one number for each of the {n_rows} rows, not an array of "
            f"shape {numbers.shape}"
        )
    return in_parts("costs", numbers)


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
