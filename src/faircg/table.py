"""Table: the user's data as named columns of three kinds, from any frame or array.

This is the only place that looks inside NumPy arrays, pandas or polars frames (through
narwhals). A column is numeric, boolean or category; missing values are marked once,
here, and infinities are refused, so that nothing downstream has to wonder.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from faircg.printable import plural
from faircg.told_apart import check_kinds, check_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from faircg.typing import BoolVector, IntVector, Value

Kind: TypeAlias = Literal["numeric", "boolean", "category"]


@dataclass(frozen=True, eq=False)
class Coding:
    """Categories as numbers: comparing those is faster than comparing texts.

    ``codes`` are positions in ``levels``, -1 where a value is missing. The levels come
    in the order of their first rows, with None at the end.
    """

    codes: IntVector
    levels: NDArray[Any]

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """The code of each level."""
        return {level: code for code, level in enumerate(self.levels[:-1].tolist())}

    @cached_property
    def values(self) -> NDArray[Any]:
        """The categories themselves: made when somebody asks for them, if ever."""
        values = self.levels[self.codes]
        values.flags.writeable = False
        return values


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One feature of the table.

    Numbers and booleans are floats (NaN where missing), categories are objects; the
    ``coding`` is the same categories as numbers, where that was at hand, and then they
    are not ``given`` themselves.
    """

    name: str
    kind: Kind
    given: NDArray[Any] | None
    missing: BoolVector
    coding: Coding | None = None

    @classmethod
    def of_categories(cls, name: str, coding: Coding) -> Column:
        """Make a column of categories from their numbers."""
        return cls(name, "category", None, coding.codes < 0, coding)

    @property
    def values(self) -> NDArray[Any]:
        """The value of each row."""
        if self.given is not None:
            return self.given
        assert self.coding is not None, "a column has values, or numbers of them"
        return self.coding.values

    def take(self, rows: IntVector) -> Column:
        """Return the column of these rows, by number."""
        coding = self.coding
        if coding is not None:
            coding = Coding(coding.codes[rows], coding.levels)
            return Column.of_categories(self.name, coding)
        values, missing = self.values[rows], self.missing[rows]
        return Column(self.name, self.kind, values, missing)

    def equals(self, value: Value) -> BoolVector:
        """Say for each row whether it holds this value."""
        if self.coding is None:
            return np.asarray(self.values == value, dtype=bool)
        code = self.coding.numbers.get(value, -2)
        return np.asarray(self.coding.codes == code, dtype=bool)

    def counts(self) -> dict[Value, int]:
        """Count the rows that hold each value, in the order of their first rows."""
        if self.coding is None:
            return dict(Counter(self.values[~self.missing].tolist()))
        counts = np.bincount(self.coding.codes + 1, minlength=len(self.coding.levels))
        found = zip(self.coding.levels[:-1].tolist(), counts[1:].tolist(), strict=True)
        return {level: count for level, count in found if count}


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns by name, in the order of the user's table."""

    columns: Mapping[str, Column]
    n_rows: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(self.columns)

    @property
    def kinds(self) -> dict[str, Kind]:
        """Kind of each feature: what :func:`read_table` needs to read alike."""
        return {name: column.kind for name, column in self.columns.items()}

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def without(self, names: Collection[str]) -> Table:
        """Return the table without some columns."""
        kept = {name: c for name, c in self.columns.items() if name not in names}
        return Table(kept, self.n_rows)

    def only(self, names: Collection[str]) -> Table:
        """Return the table of some columns alone."""
        kept = {name: c for name, c in self.columns.items() if name in names}
        return Table(kept, self.n_rows)

    def take(self, rows: IntVector) -> Table:
        """Return the table of these rows, by number."""
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        return Table(columns, len(rows))


def read_table(
    data: Any,
    *,
    names: Sequence[str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    without: Collection[str] = (),
) -> Table:
    """Read a data frame or a two-dimensional array.

    The columns of an array are called ``x0, x1, ...`` unless it gets ``names``. Of
    ``kinds`` that were learned earlier only those features are read, in any order of
    columns, and a column of another kind is an error. Columns ``without`` are not read.

    Examples
    --------
    >>> import pandas as pd
    >>> table = read_table(pd.DataFrame({"age": [31, None], "job": ["cook", "nurse"]}))
    >>> table.kinds
    {'age': 'numeric', 'job': 'category'}
    >>> table["age"].missing
    array([False,  True])
    """
    raw, n_rows = _raw_columns(data, names)
    if kinds is not None:
        absent = [name for name in kinds if name not in raw]
        if absent:
            raise ValueError(
                f"the table lacks {plural(len(absent), 'feature')} that the model was "
                f"fitted with: {_some(absent)}"
            )
        raw = {name: raw[name] for name in kinds}
    columns = {n: _column(n, values) for n, values in raw.items() if n not in without}
    if kinds is not None:
        columns = {name: _as_kind(c, kinds[name]) for name, c in columns.items()}
    return Table(columns, n_rows)


def _raw_columns(
    data: Any, names: Sequence[str] | None
) -> tuple[dict[str, nw.Series[Any] | NDArray[Any]], int]:
    check_frame(data)
    frame = as_frame(data)
    if frame is not None:
        # All at once: taking one by its number looks at the names of all.
        columns = frame.to_dict(as_series=True).items()
        return {str(name): column for name, column in columns}, len(frame)
    if not isinstance(data, np.ndarray) or data.ndim != 2:
        raise TypeError(
            "expected a data frame (pandas, polars) or a two-dimensional array, "
            f"not {type(data).__name__}"
        )
    if names is None:
        names = [f"x{j}" for j in range(data.shape[1])]
    return {str(name): data[:, j] for j, name in enumerate(names)}, len(data)


def as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame as narwhals knows it; None for anything else."""
    frame = nw.from_native(data, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def check_frame(data: Any) -> None:
    """Refuse frames whose rows are not there yet, or whose names are ambiguous."""
    if nw.dependencies.is_pandas_dataframe(data):
        often = Counter(map(str, data.columns))
        repeated = sorted(label for label, times in often.items() if times > 1)
        if repeated:
            raise ValueError(f"column names must be unique; repeated: {repeated}")
    elif isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame):
        raise TypeError(
            f"the table is lazy ({type(data).__name__}): its rows are not there yet; "
            "collect it first, for example with X.collect()"
        )


def _column(name: str, raw: nw.Series[Any] | NDArray[Any]) -> Column:
    if isinstance(raw, np.ndarray):
        return _array_column(name, raw)
    native = nw.to_native(raw)
    as_is = getattr(native, "values", None)  # of pandas, in a tenth of the time
    if isinstance(as_is, np.ndarray) and as_is.dtype.kind in "iufb":
        return _array_column(name, as_is)
    dtype = raw.dtype
    if dtype == nw.Boolean or dtype.is_numeric():
        missing = raw.is_null().to_numpy()
        values = np.asarray(raw.cast(nw.Float64).to_numpy(), dtype=float)
        kind: Kind = "boolean" if dtype == nw.Boolean else "numeric"
        return _finished(name, kind, values, missing | np.isnan(values))
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        if getattr(getattr(native, "dtype", None), "storage", "") == "pyarrow":
            codes, found = native.factorize()  # by Arrow, which merges no texts
            check_texts(f"feature {name!r}", found.tolist())
            return _coded_column(name, codes, found)
        if dtype == nw.String:
            texts = raw.filter(raw.str.contains("\0", literal=True).fill_null(False))
        else:
            texts = raw.cat.get_categories()
        check_texts(f"feature {name!r}", texts.to_list())  # pandas would merge them
        if nw.dependencies.is_pandas_series(native):  # knows its own fastest way
            return _coded_column(name, *native.factorize())
        import pandas as pd

        values = np.asarray(native.to_numpy(), dtype=object)
        return _coded_column(name, *pd.factorize(values))
    if dtype in (nw.Object, nw.Unknown):
        return _object_column(name, np.asarray(raw.to_numpy(), dtype=object))
    raise ValueError(
        f"feature {name!r} holds {dtype}; turn it into a number, a boolean or a text "
        "category first"
    )


def _array_column(name: str, raw: NDArray[Any]) -> Column:
    if raw.dtype.kind in "iufb":
        # Neighbours in memory are read faster; what they are already is not copied.
        values = np.ascontiguousarray(raw, dtype=float).view()
        kind: Kind = "boolean" if raw.dtype.kind == "b" else "numeric"
        return _finished(name, kind, values, np.isnan(values))
    if raw.dtype.kind in "OUT":
        return _object_column(name, raw.astype(object))
    raise ValueError(
        f"feature {name!r} holds {raw.dtype}; turn it into a number, a boolean or a "
        "text category first"
    )


def _object_column(name: str, values: NDArray[Any]) -> Column:
    """Look at the values themselves: numbers, booleans or text, never a mixture."""
    import pandas as pd

    missing = np.asarray(pd.isna(values), dtype=bool)
    types = set(map(type, values[~missing]))
    if types and all(issubclass(t, (bool, np.bool_)) for t in types):
        return _finished(name, "boolean", _floats(values, missing), missing)
    if types and all(
        issubclass(t, (int, float, np.number))
        and not issubclass(t, (bool, complex, np.complexfloating))
        for t in types
    ):
        return _finished(name, "numeric", _floats(values, missing), missing)
    if all(issubclass(t, str) for t in types):
        check_texts(f"feature {name!r}", values)
        return _finished(name, "category", values, missing)
    found = sorted(t.__name__ for t in types)
    raise TypeError(
        f"feature {name!r} mixes or holds types that cannot be tested ({found}); each "
        "argument must be a string, a boolean or a number, and one kind per feature"
    )


def _coded_column(name: str, codes: Any, distinct: Any) -> Column:
    """Make a column of categories from what pandas found to be distinct."""
    levels = np.full(len(distinct) + 1, None, dtype=object)
    levels[:-1] = [_plain(name, value) for value in distinct]
    check_kinds(f"feature {name!r}", levels[:-1])
    coding = Coding(np.asarray(codes, dtype=np.int64), levels)
    return _frozen(Column.of_categories(name, coding))


def _plain(name: str, value: object) -> object:
    """Turn a category into a value that JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str | bool | int | float):
        return value
    raise TypeError(
        f"feature {name!r} has the category {value!r}; use text, numbers or booleans"
    )


def _floats(values: NDArray[Any], missing: BoolVector) -> NDArray[np.float64]:
    numbers = np.full(len(values), np.nan)
    numbers[~missing] = values[~missing].astype(float)
    return numbers


def _finished(
    name: str, kind: Kind, values: NDArray[Any], missing: BoolVector
) -> Column:
    if kind == "numeric" and np.isinf(values).any():
        rows = np.flatnonzero(np.isinf(values))
        raise ValueError(
            f"feature {name!r} has infinity in {len(rows)} rows (first: {rows[0]}); "
            "replace it by a number or by a missing value"
        )
    return _frozen(Column(name, kind, values, missing))


def _frozen(column: Column) -> Column:
    for array in (column.given, column.missing):
        if array is not None:
            array.flags.writeable = False
    return column


def _as_kind(column: Column, kind: Kind) -> Column:
    """Check a column against the kind seen in fit; read what is the same in effect."""
    if column.kind == kind:
        return column
    if column.missing.all():
        dtype = object if kind == "category" else float
        blank = np.full(len(column.missing), None if kind == "category" else np.nan)
        return Column(column.name, kind, blank.astype(dtype), column.missing)
    if kind == "numeric" and column.kind == "boolean":
        return Column(column.name, kind, column.values, column.missing)
    if kind == "boolean" and column.kind == "numeric":
        present = column.values[~column.missing]
        if np.isin(present, (0.0, 1.0)).all():
            return Column(column.name, kind, column.values, column.missing)
    raise ValueError(
        f"feature {column.name!r} was {kind} when the model was fitted and is "
        f"{column.kind} now (for example {_example(column, kind)})"
    )


def _example(column: Column, kind: Kind) -> str:
    """Name a value that does not fit: where numbers are due, the first that is none."""
    rows = np.flatnonzero(~column.missing)
    present = [*zip(rows.tolist(), column.values[rows].tolist(), strict=True)]
    if kind == "category" or column.kind != "category":
        row, value = present[0]
        return f"{value!r} in row {row}"
    for row, value in present:
        try:
            float(value)
        except (TypeError, ValueError):
            return f"{value!r} in row {row}"
    row, value = present[0]
    return f"the text {value!r} in row {row}"


def _some(items: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(map(repr, items[:most]))
    return shown if len(items) <= most else f"{shown}, ... ({len(items)} in all)"
