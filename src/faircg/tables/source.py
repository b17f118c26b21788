"""Tables by name: CSV, Parquet, JSON lines, Arrow and Excel as DuckDB relations."""

from __future__ import annotations

import glob
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from faircg.export.duckdb_sql import name as name_sql
from faircg.export.duckdb_sql import quoted
from faircg.tables import typed
from faircg.tables.coded import FIRST, codes_of
from faircg.tables.names import STANDARD, kind_of
from faircg.tables.text_files import (
    LONGEST_LINE,
    TextFile,
    new_file,
    no_text,
    text_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import duckdb
    import pandas as pd

T = TypeVar("T")
MANY: Final = 500
"""Columns beyond which DuckDB takes longer to plan a query than to run it."""
NOT_USED: Final = "in_clause"
"""A step of planning that is left out always.

It makes a join of a list of texts: slower, and rows lose their order.
"""
NOT_WRITTEN: Final = re.compile(r'Could not write file .*": ([^"]+)')
"""What DuckDB says of a full disk, with the words of the system at its end."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How CSV text is read where that is not found by itself.

    Examples
    --------
    >>> Reading(separator=":", decimal=",", encoding="latin-1").decimal
    ','
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None and len(self.separator) != 1:
            raise ValueError(f"a separator is one character, not {self.separator!r}")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimals begin with . or ,, not {self.decimal!r}")


@dataclass(frozen=True, eq=False)
class Source:
    """A table that is open: its columns are ``c0``, ``c1`` and so on in SQL.

    ``files`` are those of a table of CSV text, whose values are all texts.
    """

    called: str
    names: tuple[str, ...]
    relation: duckdb.DuckDBPyRelation
    files: tuple[TextFile, ...] = ()
    decimal: str | None = None

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types that the columns have in DuckDB."""
        return tuple(map(str, self.relation.types))

    def column(self, name: str) -> str:
        """Return what a column is called in SQL."""
        return f"c{self.names.index(name)}"

    def tried(self, work: Callable[[Source], T]) -> tuple[Source, T]:
        """Do something with all rows; text that DuckDB refuses is tidied for it.

        The source is returned as well, as it could be read.
        """
        import duckdb

        try:
            with in_words(self.called):
                return self, work(self)
        except duckdb.InvalidInputException:
            files = tuple(file.tidied() for file in self.files)
            if not files:
                raise
            tidy = replace(self, relation=_csv(files), files=files)
            with in_words(self.called):
                return tidy, work(tidy)

    def typed(self, texts: Collection[str] = ()) -> tuple[Source, list[str]]:
        """Return the columns as SQL that gives their values, or NULL.

        Texts are numbers, or true and false, where all of a column are; columns in
        ``texts`` stay names.
        """
        if not self.files:
            kinds = enumerate(zip(self.names, self.types, strict=True))
            return self, [
                typed.text_of(f"c{j}", kind) if name in texts else f"c{j}"
                for j, (name, kind) in kinds
            ]
        source, found = self.tried(_kinds)
        columns = []
        for j, (name, kind) in enumerate(zip(self.names, found, strict=True)):
            is_text = name in texts or kind == "VARCHAR"
            value = typed.present(f"c{j}")
            columns.append(value if is_text else _value(f"c{j}", kind, self.decimal))
        return source, columns

    def frame(
        self, texts: Collection[str] = (), *, coded: bool = False
    ) -> tuple[Source, pd.DataFrame]:
        """Return a data frame of all rows, with types as pandas would find them.

        Texts of which there are few are ``coded`` as categories, if that is asked.
        """
        source, columns = self.typed(texts)
        with in_words(self.called):
            if coded:
                columns = source.coded(columns)
            found = source.relation.project(", ".join(columns))
            with _planned_for(len(columns)):
                frame = found.df()
        frame.columns = list(self.names)
        for name, kind in frame.dtypes.items():
            if str(kind) == "category":
                frame[name] = frame[name].cat.as_unordered()
            elif str(kind) == "boolean":
                frame[name] = frame[name].astype(object)
            elif str(kind).startswith(("Int", "UInt")):
                frame[name] = frame[name].astype(float)
        return source, frame

    def coded(self, columns: Sequence[str]) -> list[str]:
        """Return typed columns as SQL, in which texts are codes where they are few."""
        plain, absent = [*columns], typed.MISSING if self.files else ()
        for j, column in enumerate(columns):
            if self.files and column == typed.present(f"c{j}"):
                plain[j] = f"c{j}"
        found = codes_of(self.relation, plain, absent)
        return [found.get(j, column) for j, column in enumerate(columns)]

    def read_as_missing(self, columns: Sequence[str]) -> dict[str, dict[str, int]]:
        """Count the texts of columns that stand for no value, such as NA."""
        found: dict[str, dict[str, int]] = {}
        if not self.files or not columns:
            return found
        absent = _long(self.relation, [self.names.index(name) for name in columns])
        absent = absent.filter(typed.among("v", typed.MISSING[1:]))
        for j, text, count in sorted(absent.aggregate("j, v, count(*)").fetchall()):
            found.setdefault(self.names[j], {})[text] = count
        return {name: found[name] for name in columns if name in found}


def _long(
    relation: duckdb.DuckDBPyRelation, columns: Sequence[int]
) -> duckdb.DuckDBPyRelation:
    """Return columns of texts as one long column ``v``, with their numbers ``j``."""
    names = ", ".join(f"c{j}" for j in columns)
    return relation.project(f"unnest([{names}]) AS v, unnest({[*columns]}) AS j")


def _value(text: str, kind: str, decimal: str | None) -> str:
    if kind == "BOOLEAN":
        return typed.boolean(text)
    if kind == "BIGINT":
        return f"CAST({text} AS BIGINT)"
    return typed.number(text, decimal)


def _kinds(source: Source) -> list[str]:
    """Find the type of each column of texts by all of its values.

    One value that is none of a type rules it out, so that the first rows settle most
    columns. The values of all columns are asked the same as one long column ``v``, for
    DuckDB takes long to plan a query of thousands of tests.
    """
    there = f"THEN NOT {typed.among('v', typed.MISSING)} END"
    is_boolean = typed.among("v", (*typed.TRUE, *typed.FALSE))
    ruled_out_by = {
        "BIGINT": "CASE WHEN is_plain THEN false ELSE TRY_CAST(v AS BIGINT) IS NULL OR "
        "v <> translate(v, '._eExXbB', '') END",
        "DOUBLE": "CASE WHEN is_plain THEN false "
        f"WHEN {typed.no_number('v', source.decimal)} {there}",
        "BOOLEAN": f"CASE WHEN is_plain THEN true WHEN NOT {is_boolean} {there}",
    }
    # Most numbers are these digits and no others, which is found out fast.
    is_plain = "coalesce(CAST(TRY_CAST(v AS BIGINT) AS VARCHAR) = v, false)"
    left = {j: set(ruled_out_by) for j in range(len(source.names))}
    for rows in (source.relation.limit(FIRST), source.relation):
        columns = [j for j in left if left[j]] or [0]
        kinds = [k for k in ruled_out_by if any(k in left[j] for j in columns)]
        asked = [f"bool_or({ruled_out_by[kind]})" for kind in kinds]
        values = _long(rows, columns).project(f"v, j, {is_plain} AS is_plain")
        for j, *found in values.aggregate(", ".join(["j", *asked]), "j").fetchall():
            left[j] -= {
                kind for kind, is_out in zip(kinds, found, strict=True) if is_out
            }
    return [next((k for k in ruled_out_by if k in left[j]), "VARCHAR") for j in left]


def open_source(name: str, reading: Reading | None = None) -> Source:
    """Open a file, several that a pattern names, or standard input."""
    how = Reading() if reading is None else reading
    kind = kind_of(name)
    paths = [name] if name == STANDARD else _paths(name)
    if kind == "excel":
        paths, kind = [str(_workbook_as_text(path)) for path in paths], "text"
        how = Reading(",")
    if kind != "text":
        with in_words(name):
            found = _opened(kind, paths)
            columns = [f"{name_sql(c)} AS c{j}" for j, c in enumerate(found.columns)]
            relation = found.project(", ".join(columns))
        return Source(name, tuple(found.columns), relation)
    files = tuple(text_file(path, how.separator, how.encoding) for path in paths)
    for file in files[1:]:
        if (file.names, file.separator) != (files[0].names, files[0].separator):
            raise ValueError(
                f"{file.called} has other columns than {files[0].called}; files that "
                "are read together have the same"
            )
    called = name if len(files) > 1 or kind_of(name) == "excel" else files[0].called
    # As pandas calls a column without a name.
    names = [n or f"Unnamed: {j}" for j, n in enumerate(files[0].names)]
    return Source(called, tuple(names), _csv(files), files, how.decimal)


def open_table(
    name: str, *, reading: Reading | None = None, texts: Collection[str] = ()
) -> duckdb.DuckDBPyRelation:
    r"""Open a table by the name of its file, with the types that its values have.

    Columns of CSV text are numbers, or true and false, where all their values are;
    ``texts`` names those that hold names nevertheless.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "people.csv"
    ...     _ = path.write_text("age;job\n31;cook\nNA;nurse\n")
    ...     open_table(str(path)).fetchall()
    [(31.0, 'cook'), (None, 'nurse')]
    """
    source, columns = open_source(name, reading).typed(texts)
    folded = [n.casefold() for n in source.names]
    if len(set(folded)) < len(folded):
        raise ValueError(
            f"{source.called} has columns whose names differ by case alone; give each "
            "a name of its own"
        )
    pairs = zip(columns, source.names, strict=True)
    return source.relation.project(
        ", ".join(f"{value} AS {name_sql(n)}" for value, n in pairs)
    )


@cache
def connection() -> duckdb.DuckDBPyConnection:
    """Return the connection of this program; nothing is installed or kept."""
    import duckdb

    return duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "memory_limit": "2GB",
            "disabled_optimizers": NOT_USED,
            "temp_directory": str(new_file().parent),
        }
    )


@contextmanager
def _planned_for(n_columns: int) -> Iterator[None]:
    """Leave out what compares each of very many columns with all others."""
    if n_columns <= MANY:
        yield
        return
    setting = "SET disabled_optimizers = "
    connection().execute(setting + quoted(f"{NOT_USED},common_subexpressions"))
    try:
        yield
    finally:
        connection().execute(setting + quoted(NOT_USED))


def _paths(name: str) -> list[str]:
    """Return the files of a name, which may be a pattern such as ``data/*.parquet``."""
    found = [name] if Path(name).is_file() else sorted(glob.glob(name))
    if not found:
        raise ValueError(f"there is no file {name}")
    return found


def _opened(kind: str, paths: Sequence[str]) -> duckdb.DuckDBPyRelation:
    """Open files whose columns have types."""
    files = ", ".join(quoted(glob.escape(path)) for path in paths)
    if kind == "parquet":
        return connection().sql(f"FROM read_parquet([{files}])")
    if kind == "json":
        return connection().sql(f"FROM read_json([{files}], sample_size = -1)")
    try:
        from pyarrow import dataset  # type: ignore[import-untyped]
    except ImportError:
        raise ImportError("Arrow files need pyarrow: pip install pyarrow") from None
    return connection().from_arrow(dataset.dataset(list(paths), format="ipc"))


def _csv(files: Sequence[TextFile]) -> duckdb.DuckDBPyRelation:
    """Read text files without any guess: all values are texts."""
    paths = ", ".join(quoted(glob.escape(str(file.path))) for file in files)
    columns = ", ".join(f"'c{j}': 'VARCHAR'" for j in range(len(files[0].names)))
    return connection().sql(
        f"FROM read_csv([{paths}], auto_detect = false, header = true, quote = '\"', "
        f"delim = {quoted(files[0].separator)}, escape = '\"', "
        f"max_line_size = {LONGEST_LINE}, columns = {{{columns}}})"
    )


def _workbook_as_text(path: str) -> Path:
    """Write the first sheet of a workbook as CSV."""
    import pandas as pd

    try:
        cells = pd.read_excel(path, engine="calamine", dtype=object, na_filter=False)
    except ImportError:
        raise ImportError(
            "Excel files need python-calamine: pip install 'faircg[excel]'"
        ) from None
    except Exception as error:  # calamine has errors of its own
        raise ValueError(f"{path} is not a workbook: {error}") from None
    text = new_file().with_suffix(".csv")
    cells.to_csv(text, index=False)
    return text


@contextmanager
def in_words(called: str, done: str = "read") -> Iterator[None]:
    """Turn what DuckDB says about a file into one line, and Ctrl-C into itself."""
    import duckdb

    try:
        yield
    except (duckdb.InterruptException, RuntimeError) as error:
        if "interrupt" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except duckdb.Error as error:
        lines = str(error).strip().splitlines()
        if "Invalid unicode" in str(error):
            raise no_text(called) from None
        if isinstance(error, duckdb.InvalidInputException) and "CSV" in lines[0]:
            raise
        system = NOT_WRITTEN.search(lines[0])
        reason = system[1] if system else lines[0]
        raise ValueError(f"{called} cannot be {done}: {reason}") from None
