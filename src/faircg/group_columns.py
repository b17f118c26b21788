"""The columns that groups are made of: their names, and a number for each value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from faircg.told_apart import check_kinds, check_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.typing import IntVector


def group_columns(data: Any) -> list[tuple[str | None, Any]]:
    """Return the values of each column: as they are where all are of one type."""
    series = series_of(data)
    if series is not None:
        return [(name, _values(column)) for name, column in series]
    is_plain = isinstance(data, np.ndarray) and not data.dtype.hasobject
    is_number = is_plain and data.dtype.kind in "iufb"
    array = np.asarray(data) if is_number else np.asarray(data, dtype=object)
    if array.ndim == 1 and (is_plain or not any(isinstance(v, list) for v in array)):
        return [(None, array)]
    if array.ndim == 2 and array.shape[1] > 0:
        return [(None, array[:, j]) for j in range(array.shape[1])]
    raise ValueError(
        "sensitive_features must be one column, or a table of a few columns, not "
        f"something of shape {array.shape}"
    )


def _values(column: nw.Series[Any]) -> Any:
    """Return numbers as an array, texts that Arrow holds as they are, else objects."""
    native = nw.to_native(column)
    if getattr(getattr(native, "dtype", None), "storage", "") == "pyarrow":
        return native
    values = column.to_numpy()
    is_number = values.dtype.kind in "iufb"
    return values if is_number else np.asarray(values, dtype=object)


def series_of(data: Any) -> list[tuple[str | None, Any]] | None:
    """Return the columns of a frame or a series by name; None of anything else."""
    native = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(native, nw.DataFrame) and native.columns:
        return [(str(column.name), column) for column in native.iter_columns()]
    if isinstance(native, nw.Series):
        return [(str(native.name) if native.name else None, native)]
    return None


def told_apart(values: Any) -> tuple[IntVector, Sequence[object]]:
    """Give each value a number, -1 where it is missing, and list the distinct ones.

    Values of one type need no look at each of them: there may be millions.
    """
    import pandas as pd

    if not isinstance(values, np.ndarray):
        codes, found = values.factorize()  # by Arrow, which merges no texts
        check_texts("sensitive_features", found.tolist())
        return np.asarray(codes), found.tolist()
    if values.dtype.kind == "O":
        check_texts("sensitive_features", values)
        if len(set(map(type, values))) > 1:
            check_kinds("sensitive_features", values[~pd.isna(values)])
    codes, distinct = pd.factorize(values, use_na_sentinel=True)
    return codes, distinct.tolist()
