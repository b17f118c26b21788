"""Groups: the sensitive features of each sample as codes and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

if TYPE_CHECKING:
    from faircg.typing import IntVector

MISSING = "(missing)"
EVERYBODY = "everybody"
"""Name of the one group of all people."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The group of each sample, as an index into the sorted names."""

    codes: IntVector
    names: tuple[str, ...]


def read_groups(sensitive_features: Any, *, missing: str = "raise") -> Groups:
    """Read one column of groups, or several whose combinations are the groups.

    They may be a list, array, Series or frame. ``missing`` values ``"raise"`` an error
    or are a ``"group"``.

    Examples
    --------
    >>> groups = read_groups(["b", "a", "b"])
    >>> groups.names, groups.codes
    (('a', 'b'), array([1, 0, 1]))
    """
    import pandas as pd

    names, numbers = [], []
    for values in _columns(sensitive_features):
        is_missing = np.asarray(pd.isna(values), dtype=bool)
        if is_missing.any() and missing == "raise":
            rows = np.flatnonzero(is_missing)
            raise ValueError(
                f"sensitive_features has {len(rows)} missing values (first rows: "
                f"{rows[:5].tolist()}); fill them, leave those rows out, or make them "
                "a group of their own with missing_groups='group'"
            )
        codes, distinct = pd.factorize(values, use_na_sentinel=True)
        texts = np.array([*map(_text, distinct), MISSING], dtype=object)
        names.append(texts[codes])
        numbers.append(codes)
    joined = [", ".join(parts) for parts in zip(*names, strict=True)]
    number_of: dict[str, tuple[int, ...]] = {}
    for name, number in zip(joined, zip(*numbers, strict=True), strict=True):
        if number_of.setdefault(name, number) != number:
            raise ValueError(
                f"two different groups of sensitive_features would both be called "
                f"{name!r}; rename one of them"
            )
    position = {name: code for code, name in enumerate(sorted(number_of))}
    codes = np.array([position[name] for name in joined], dtype=np.int64)
    return Groups(codes, tuple(position))


def groups_of(
    sensitive_features: Any, weights: IntVector, *, missing: str = "raise"
) -> Groups:
    """Read the group of each row; everybody is one group without any.

    A group whose rows all weigh nothing has nobody, and no name: its rows, which nobody
    counts, get the code of another.
    """
    n_rows = len(weights)
    if sensitive_features is None:
        return Groups(np.zeros(n_rows, dtype=np.int64), (EVERYBODY,))
    groups = read_groups(sensitive_features, missing=missing)
    if len(groups.codes) != n_rows:
        raise ValueError(
            f"X has {n_rows} rows and sensitive_features has {len(groups.codes)}"
        )
    kept = np.unique(groups.codes[weights > 0])
    codes = np.searchsorted(kept, groups.codes).clip(max=len(kept) - 1)
    return Groups(codes, tuple(groups.names[code] for code in kept))


def _columns(data: Any) -> list[np.ndarray[Any, Any]]:
    native = nw.from_native(data, pass_through=True, allow_series=True)
    if isinstance(native, nw.DataFrame) and native.columns:
        return [np.asarray(c.to_numpy(), dtype=object) for c in native.iter_columns()]
    if isinstance(native, nw.Series):
        return [np.asarray(native.to_numpy(), dtype=object)]
    array = np.asarray(data, dtype=object)
    if array.ndim == 1 and not any(isinstance(value, list) for value in array):
        return [array]
    if array.ndim == 2 and array.shape[1] > 0:
        return [array[:, j] for j in range(array.shape[1])]
    raise ValueError(
        "sensitive_features must be one column, or a table of a few columns, not "
        f"something of shape {array.shape}"
    )


def _text(value: object) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
