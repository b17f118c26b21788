"""Files: tables from CSV, Parquet or the package, models, and atomic output."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from faircg.cli.csv_tables import PACKED, TABLES, parse, read_csv, separator_of
from faircg.cli.named_table import NamedTable, check_labels
from faircg.cli.written import Written

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import pandas as pd

    from faircg.model import RuleSetModel
    from faircg.model_parts import Feature

STANDARD: Final = "-"
"""Name of standard input or output."""
CSV: Final = (*TABLES, *(f"{end}{z}" for end in TABLES for z in PACKED), ".zip")
SPREADSHEETS: Final = (".xlsx", ".xls", ".ods", ".numbers")
PARQUET: Final = (".parquet", ".pq")
EMBEDDED: Final = ("adult", "compas", "default")


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
    if lower.endswith(SPREADSHEETS):
        raise ValueError(f"{name} is a spreadsheet; save the table as CSV text")
    raise ValueError(
        f"{name}: the name of a data file must end in {', '.join(TABLES)} (perhaps "
        f"packed: .csv.gz, .zip) or {PARQUET[0]}"
    )


def read_people(name: str, text_columns: Iterable[str] = ()) -> NamedTable:
    """Read a file, standard input or an embedded data set; text columns hold names."""
    if is_embedded(name):
        from faircg.datasets import DATASETS

        data = DATASETS[name]()
        table = data.X.assign(**{str(data.y.name): data.y})
        return NamedTable(name, table, data)
    if kind_of(name) == "parquet":
        frame = _read_parquet(name)
        for column in set(text_columns) & set(frame.columns):
            frame[column] = as_text(frame[column])
    else:
        path = None if name == STANDARD else must_exist(Path(name))
        frame = read_csv(_called(name), path, dict.fromkeys(text_columns, str))
    if frame.empty:
        raise ValueError(f"{_called(name)} has no rows")
    is_file = name != STANDARD and kind_of(name) == "csv"
    return NamedTable(_called(name), frame, csv=Path(name) if is_file else None)


def _called(name: str) -> str:
    return "standard input" if name == STANDARD else name


def read_as_missing(
    people: NamedTable, columns: Sequence[str]
) -> dict[str, tuple[int, str]]:
    """Find texts such as 'NA' that were read as missing values.

    For each column with such cells their number and the most frequent text; nothing is
    found if the table is not from a CSV file.
    """
    from collections import Counter

    frame = people.frame
    columns = [column for column in columns if frame[column].isna().any()]
    if people.csv is None or not columns:
        return {}
    texts = parse(
        people.name,
        people.csv,
        usecols=columns,
        dtype=str,
        keep_default_na=False,
        sep=separator_of(people.csv),
    )
    if len(texts) != len(frame):  # the file was changed meanwhile
        return {}
    found = {}
    for column in columns:
        cells = texts[column].to_numpy()[frame[column].isna().to_numpy()]
        counts = Counter(cells[cells != ""].tolist())
        if counts:
            found[column] = counts.total(), counts.most_common(1)[0][0]
    return found


def missing_words(count: int, text: str) -> str:
    """Say that cells are read as missing values."""
    if count == 1:
        return f"1 cell, {text!r}, is read as a missing value"
    return f"{count:,} cells such as {text!r} are read as missing values"


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
    """Read a model file; data in its place is said to be that."""
    from faircg.exceptions import ModelFormatError
    from faircg.model import RuleSetModel

    name = str(path)
    if is_embedded(name):
        raise ValueError(
            f"{name} is an embedded data set and not a faircg model; the model comes "
            "first"
        )
    try:
        return RuleSetModel.load(must_exist(path))
    except ModelFormatError as error:
        reason = str(error).removeprefix("not a faircg model: ")
        reason = reason.removeprefix(f"{path} is ")
        is_data = name.lower().endswith((*CSV, *PARQUET))
        hint = "; the model comes first" if is_data else ""
        raise ModelFormatError(
            f"{path} is not a faircg model ({reason}){hint}"
        ) from None


def read_for(model: RuleSetModel, name: str) -> NamedTable:
    """Read a table as the model needs it: its categories are names."""
    features = features_of(model)
    texts = [*_categories(features), *Written.of(model).decimals]
    people = read_people(name, texts)
    return replace(people, frame=as_known(model, features, people.frame))


def read_as_text(model: RuleSetModel) -> list[str]:
    """Return the columns of a file in which nothing is to be taken for a number."""
    return [*_categories(model.features), *Written.of(model).decimals]


def _categories(features: Iterable[Feature]) -> list[str]:
    return [f.name for f in features if f.kind == "category"]


def features_of(model: RuleSetModel) -> Collection[Feature]:
    """Return the features that the rules test, or the plain tree beside them."""
    simple = () if model.baseline is None else model.baseline.tree.features
    return {f.name: f for f in (*simple, *model.features)}.values()


def as_known(
    model: RuleSetModel, features: Iterable[Feature], frame: pd.DataFrame
) -> pd.DataFrame:
    """Give columns the type that the model knows: categories, and written numbers.

    A CSV file holds only texts, and a Parquet file may hold numbers for names.
    """
    frame = Written.of(model).read(frame)
    for feature in features:
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


def labels_of(people: NamedTable, target: str, positive: str | None) -> tuple[Any, Any]:
    """Return the target, and the value of it whose text the user gave."""
    labels = people.frame[target]
    try:
        check_labels(labels, target)
    except ValueError as error:
        found = read_as_missing(people, [target]).get(target)
        if found is None:
            raise
        raise ValueError(f"{error}; {missing_words(*found)}") from None
    values = {str(value): value for value in labels.unique().tolist()}
    if len(values) == 1:
        raise ValueError(
            f"the target {target!r} has only one value ({', '.join(values)}); two are "
            "needed"
        )
    if len(values) > 2:
        some = ", ".join(sorted(values)[:5]) + (", ..." if len(values) > 5 else "")
        raise ValueError(
            f"the target {target!r} has {len(values):,} values ({some}); two are "
            f"needed: drop or merge {'one' if len(values) == 3 else 'some'}"
        )
    if positive is None:
        return labels.to_numpy(), None
    if positive not in values:
        raise ValueError(
            f"{positive!r} is not a value of {target!r}; it has "
            f"{', '.join(sorted(values)[:5])}"
        )
    return labels.to_numpy(), values[positive]


def save(path: Path, content: str | bytes) -> None:
    """Write a file whole, or print it."""
    if str(path) == STANDARD:
        typer.echo(content, nl=isinstance(content, str) and not content.endswith("\n"))
        return
    from faircg.whole_files import replacing

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
