"""Files: tables from CSV, Parquet or the package, models, and atomic output."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from faircg.datasets import Dataset
    from faircg.model import RuleSetModel

STANDARD: Final = "-"
"""Name of standard input or output."""
CSV: Final = (".csv", ".csv.gz", ".csv.bz2", ".csv.xz")
PARQUET: Final = (".parquet", ".pq")
EMBEDDED: Final = ("adult", "compas", "default")


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """A table read for a command.

    Attributes
    ----------
    name
        What the user called it.
    frame
        All its columns.
    dataset
        The embedded data set, if it is one.
    """

    name: str
    frame: pd.DataFrame
    dataset: Dataset | None = None

    @property
    def description(self) -> str:
        """What the data are, if that is known."""
        return "" if self.dataset is None else self.dataset.description

    def must_have(self, columns: Iterable[str]) -> None:
        """Refuse the name of a column that is not there."""
        import difflib

        have = [str(column) for column in self.frame.columns]
        for column in columns:
            if column not in have:
                near = difflib.get_close_matches(column, have, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(
                    f"{self.name} has no column {column!r}{hint}; it has "
                    f"{', '.join(have)}"
                )

    def target(self, given: str | None) -> str:
        """Return the column to predict; an embedded data set knows its own."""
        if given is None and self.dataset is not None:
            return str(self.dataset.y.name)
        if given is None:
            raise ValueError(
                "name the column with the true label with --target; "
                f"{self.name} has {', '.join(map(str, self.frame.columns))}"
            )
        self.must_have([given])
        return given

    def sensitive(self, given: Sequence[str] | None) -> list[str]:
        """Return the columns of the groups; an embedded data set knows its own."""
        if not given and self.dataset is not None:
            return [str(self.dataset.sensitive_features.name)]
        names = list(dict.fromkeys(given or ()))
        self.must_have(names)
        return names

    def parts(self, target: str, groups: Sequence[str]) -> tuple[Any, Any, Any]:
        """Return features, labels and groups."""
        check_labels(self.frame[target], target)
        features = self.frame.drop(columns=[target])
        return features, self.frame[target].to_numpy(), self.groups(groups)

    def groups(self, names: Sequence[str]) -> pd.DataFrame | None:
        """Return the columns of the groups; None if there are none."""
        return self.frame[list(names)] if names else None


def is_embedded(name: str) -> bool:
    """Whether a name is that of a data set in the package, and of no file."""
    return name in EMBEDDED and not Path(name).exists()


def kind_of(name: str) -> str:
    """Say how a file is to be read or written: "csv" or "parquet"."""
    lower = name.lower()
    if name == STANDARD or lower.endswith(CSV):
        return "csv"
    if lower.endswith(PARQUET):
        return "parquet"
    raise ValueError(
        f"{name}: the name of a data file must end in {', '.join(CSV[:2])} or "
        f"{PARQUET[0]}"
    )


def read_people(name: str, text_columns: Iterable[str] = ()) -> People:
    """Read a whole table.

    Parameters
    ----------
    name
        A file, ``-``, or the name of an embedded data set.
    text_columns
        Columns whose values are names even where they look like numbers.
    """
    if is_embedded(name):
        from faircg.datasets import DATASETS

        data = DATASETS[name]()
        table = data.X.assign(**{str(data.y.name): data.y})
        return People(name, table, data)
    if kind_of(name) == "parquet":
        frame = _read_parquet(name)
        for column in set(text_columns) & set(frame.columns):
            frame[column] = as_text(frame[column])
    else:
        frame = read_csv(name, dict.fromkeys(text_columns, str))
    if frame.empty:
        raise ValueError(f"{name} has no rows")
    return People("standard input" if name == STANDARD else name, frame)


def read_csv(name: str, types: Mapping[str, Any]) -> pd.DataFrame:
    """Read a CSV file with a header line."""
    import pandas as pd

    source: Any = sys.stdin.buffer if name == STANDARD else must_exist(Path(name))
    try:
        with warnings.catch_warnings():
            # Pandas would take what is too much in a row for its name, or drop it.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # In one piece: the type of a column must not depend on where it is cut.
            return pd.read_csv(
                source, dtype=dict(types), low_memory=False, index_col=False
            )
    except pd.errors.ParserWarning:
        raise ValueError(
            f"{name}: rows have more values than the header has names"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as e:
        raise ValueError(f"{name} is not a CSV file that can be read: {e}") from None


def _read_parquet(name: str) -> pd.DataFrame:
    import pandas as pd

    must_exist(Path(name))
    pyarrow_parquet()
    try:
        return pd.read_parquet(name)
    except (OSError, ValueError) as error:
        raise ValueError(f"{name} is not a Parquet file: {error}") from None


def pyarrow_parquet() -> Any:
    """Return pyarrow's module for Parquet files."""
    try:
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow: install it with pip install pyarrow"
        ) from None
    return pyarrow.parquet


def must_exist(path: Path) -> Path:
    """Return the path of a file that is there."""
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path


def check_output(path: Path | None) -> None:
    """Refuse an output whose directory is not there before any work is done."""
    if path is None or str(path) == STANDARD:
        return
    if not path.parent.is_dir():
        raise ValueError(f"there is no directory {path.parent}")
    if path.is_dir():
        raise ValueError(f"{path} is a directory; name a file")


def load_model(path: Path) -> RuleSetModel:
    """Read a model file."""
    from faircg.model import RuleSetModel

    return RuleSetModel.load(must_exist(path))


def read_for(model: RuleSetModel, name: str) -> People:
    """Read a table as the model needs it: its categories are names."""
    people = read_people(name, [f.name for f in model.features if f.kind == "category"])
    return People(people.name, with_categories(model, people.frame), people.dataset)


def with_categories(model: RuleSetModel, frame: pd.DataFrame) -> pd.DataFrame:
    """Give categories the type that the model knows, text or not.

    A CSV file holds only texts, and a Parquet file may hold numbers for names.
    """
    for feature in model.features:
        if feature.kind != "category" or feature.name not in frame.columns:
            continue
        column = frame[feature.name]
        if all(isinstance(value, str) for value in feature.categories):
            if column.dtype.kind in "iufb":
                frame[feature.name] = as_text(column)
            continue
        values = {str(value): value for value in feature.categories}
        known = column.astype(object).map(lambda v, values=values: values.get(v, v))
        frame[feature.name] = known.astype("category")
    return frame


def as_text(column: pd.Series) -> pd.Series:
    """Return names for number codes: 3 is "3", also where missing values made it 3.0.

    Examples
    --------
    >>> import pandas as pd
    >>> as_text(pd.Series([3.0, None])).tolist()
    ['3', None]
    """
    texts = [
        str(int(value)) if isinstance(value, float) and value.is_integer() else value
        for value in column.astype(object).where(column.notna(), None).tolist()
    ]
    import pandas as pd

    named = [None if text is None else str(text) for text in texts]
    return pd.Series(named, index=column.index, dtype=object)


def labels_of(people: People, target: str, positive: str | None) -> tuple[Any, Any]:
    """Return the target, and the value of it whose text the user gave."""
    labels = people.frame[target]
    check_labels(labels, target)
    if positive is None:
        return labels.to_numpy(), None
    values = {str(value): value for value in labels.unique().tolist()}
    if positive not in values:
        raise ValueError(
            f"{positive!r} is not a value of {target!r}; it has "
            f"{', '.join(sorted(values)[:5])}"
        )
    return labels.to_numpy(), values[positive]


def check_labels(labels: pd.Series, target: str) -> None:
    """Refuse missing labels."""
    if labels.isna().any():
        rows = labels.index[labels.isna()]
        raise ValueError(
            f"the target {target!r} is missing in {len(rows)} rows (first: {rows[0]})"
        )


def save(path: Path, content: str | bytes) -> None:
    """Write a file whole, or print it."""
    if str(path) == STANDARD:
        typer.echo(content, nl=isinstance(content, str) and not content.endswith("\n"))
        return
    from faircg.model import replacing

    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def to_json(values: Any) -> str:
    """Return results as JSON text; numbers are exact, and not a number is null."""
    return json.dumps(finite(values), indent=2, ensure_ascii=False, allow_nan=False)


def finite(values: Any) -> Any:
    """Replace what JSON cannot hold: NaN and infinities by null, NumPy by Python."""
    import math

    if isinstance(values, dict):
        return {str(key): finite(item) for key, item in values.items()}
    if isinstance(values, list | tuple):
        return [finite(item) for item in values]
    if hasattr(values, "item") and not isinstance(values, str):
        values = values.item()
    if isinstance(values, float) and not math.isfinite(values):
        return None
    return values
