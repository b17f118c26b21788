"""Files: tables from the disk or the package, models, and atomic output."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from faircg.cli.addresses import refuse_address
from faircg.cli.named_table import NamedTable, check_labels
from faircg.cli.written import Written
from faircg.tables.names import ENDS, STANDARD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import pandas as pd

    from faircg.model import RuleSetModel
    from faircg.model_parts import Feature
    from faircg.tables.source import Reading

EMBEDDED: Final = ("adult", "compas", "default")
FORMULA_STARTS: Final = tuple("=+-@\t\r\n")
"""What spreadsheets take for the start of a formula, or leave out before one."""


def is_embedded(name: str) -> bool:
    """Whether a name is that of a data set in the package, and of no file."""
    return name in EMBEDDED and not Path(name).exists()


def embedded_path(name: str) -> str:
    """Return the file of a data set in the package; other names stay as they are."""
    if not is_embedded(name):
        return name
    from importlib.resources import files

    return str(files("faircg.datasets") / f"{name}.csv.gz")


def read_people(
    name: str,
    text_columns: Iterable[str] = (),
    reading: Reading | None = None,
    *,
    coded: bool = False,
) -> NamedTable:
    """Read a file, standard input or an embedded data set; text columns hold names.

    Texts of which a column has few may be ``coded`` as categories.
    """
    if is_embedded(name):
        from faircg.datasets import DATASETS

        data = DATASETS[name]()
        table = data.X.assign(**{str(data.y.name): data.y})
        return NamedTable(name, table, data)
    refuse_address(name)
    from faircg.tables.source import open_source

    source = open_source(name, reading)
    source, frame = source.frame(list(text_columns), coded=coded)
    if frame.empty:
        raise ValueError(f"{source.called} has no rows")
    return NamedTable(source.called, frame, source=source)


def read_as_missing(
    people: NamedTable, columns: Sequence[str]
) -> dict[str, tuple[int, str]]:
    """Find texts such as 'NA' that were read as missing values.

    For each column with such cells their number and the most frequent text; nothing is
    found if the table is not from a CSV file.
    """
    if people.source is None:
        return {}
    return {
        column: (sum(counts.values()), max(counts, key=counts.__getitem__))
        for column, counts in people.source.read_as_missing(columns).items()
    }


def missing_words(count: int, text: str) -> str:
    """Say that cells are read as missing values."""
    if count == 1:
        return f"1 cell, {text!r}, is read as a missing value"
    return f"{count:,} cells such as {text!r} are read as missing values"


def must_exist(path: Path) -> Path:
    """Return the path of a file that is there."""
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path


def check_output(path: Path | None) -> None:
    """Refuse an output that cannot be written before any work is done."""
    if path is None or str(path) == STANDARD:
        return
    if not path.parent.is_dir():
        raise ValueError(f"there is no directory {path.parent}")
    if path.is_dir():
        raise ValueError(f"{path} is a directory; name a file")
    from faircg.whole_files import check_can_write

    try:
        check_can_write(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}") from None


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
        is_data = name.lower().endswith((*ENDS["text"], *ENDS["parquet"]))
        hint = "; the model comes first" if is_data else ""
        raise ModelFormatError(
            f"{path} is not a faircg model ({reason}){hint}"
        ) from None


def read_for(
    model: RuleSetModel, name: str, reading: Reading | None = None
) -> NamedTable:
    """Read a table as the model needs it: its categories are names."""
    features = features_of(model)
    categories = [f.name for f in features if f.kind == "category"]
    people = read_people(name, [*categories, *Written.of(model).decimals], reading)
    return replace(people, frame=as_known(model, features, people.frame))


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
    return labels.to_numpy(), positive_of(labels, target, positive)


def positive_of(labels: pd.Series, target: str, positive: str | None) -> Any:
    """Return the one of two labels whose text the user gave; None if none."""
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
        return None
    if positive not in values:
        raise ValueError(
            f"{positive!r} is not a value of {target!r}; it has "
            f"{', '.join(sorted(values)[:5])}"
        )
    return values[positive]


def save(path: Path, content: str | bytes) -> None:
    """Write a file whole, or print it."""
    if str(path) == STANDARD:
        typer.echo(content, nl=isinstance(content, str) and not content.endswith("\n"))
        return
    from faircg.whole_files import replacing

    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """Return a new file that is printed, or takes the place of another, at the end."""
    from faircg import whole_files

    if str(path) != STANDARD:
        with whole_files.replacement(path) as new:
            yield new
        return
    from faircg.tables.text_files import new_file

    yield (new := new_file())
    with new.open("rb") as file:
        shutil.copyfileobj(file, typer.get_binary_stream("stdout"))


def to_csv(frame: pd.DataFrame) -> str:
    """Return a table as CSV text in which no text starts a formula of a spreadsheet.

    A quote is put before such a text, as in spreadsheets, unless it is a number.

    Examples
    --------
    >>> import pandas as pd
    >>> print(to_csv(pd.DataFrame({"@a": ["=1+2", "-3", "b"], "c": [-1, 2, 3]})))
    '@a,c
    '=1+2,-1
    -3,2
    b,3
    """
    plain = frame.map(_no_formula).rename(columns=_no_formula)
    return str(plain.to_csv(index=False, lineterminator="\n"))


def _no_formula(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith(FORMULA_STARTS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


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
