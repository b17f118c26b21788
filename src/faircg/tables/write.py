"""Tables with one more column, written in the format that a file's name says."""

from __future__ import annotations

import csv
import io
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from faircg.export.duckdb_sql import name, quoted
from faircg.tables.names import kind_of, wrong_separator
from faircg.tables.source import connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from faircg.tables.decide import Decisions
    from faircg.tables.source import Source


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is written: the new column, and some of the input's or all (None)."""

    column: str
    keep: tuple[str, ...] | None = None

    def check(
        self, called: str, names: Sequence[str], features: tuple[str, ...]
    ) -> None:
        """Refuse a table without the columns that are needed, or with the new one."""
        has = f"it has {', '.join(names)}"
        absent = [feature for feature in features if feature not in names]
        if absent:
            hint = wrong_separator(names, absent[0])
            raise ValueError(
                f"{called} lacks the column {absent[0]!r}, which the rules "
                f"test{hint or f'; {has}'}"
            )
        kept = names if self.keep is None else self.keep
        unknown = [column for column in kept if column not in names]
        if unknown:
            raise ValueError(f"{called} has no column {unknown[0]!r}; {has}")
        if self.column.casefold() in map(str.casefold, kept):
            raise ValueError(
                f"{called} already has a column {self.column!r}; choose another "
                "with --column"
            )


def check_writable(output: str) -> str:
    """Return the kind of a file that can be written; refuse others."""
    kind = kind_of(output)
    if kind == "excel" or output.lower().endswith((".bz2", ".xz", ".zip")):
        raise ValueError(
            f"{output}: tables are written as .csv, .csv.gz, .parquet, .jsonl or "
            ".arrow; give it such a name"
        )
    return kind


def write_decisions(
    decisions: Decisions, wanted: Wanted, output: str, to: Path, n_rows: int
) -> None:
    """Write a table and the decisions about it into a new file.

    The name of the ``output`` says how; values are passed on as they are.
    """
    kind, (no, yes) = check_writable(output), decisions.model.labels
    if kind == "text":
        label = decisions.label(*text_labels(decisions))
        copy_text(decisions, wanted, output, to, label, is_empty=not n_rows)
        return
    if type(no) is not type(yes):
        no, yes = text_labels(decisions)
    label, source = decisions.label(no, yes), decisions.source
    _, values = source.typed()
    named = [f"{values[j]} AS {name(source.names[j])}" for j in _kept(source, wanted)]
    rows = _select(decisions, [*named, f"{label} AS {name(wanted.column)}"])
    if kind == "arrow":
        _write_arrow(rows, to)
    else:
        _copy(rows, to, kind)


def text_labels(decisions: Decisions) -> tuple[str, str]:
    """Return the labels as a text file holds them."""
    no, yes = ("" if x is None else str(x) for x in decisions.model.labels)
    return no, yes


def copy_text(
    decisions: Decisions,
    wanted: Wanted,
    output: str,
    to: Path,
    label: str,
    *,
    is_empty: bool = False,
) -> int:
    """Write a table and ``label``, which is SQL, as CSV; return the number of rows."""
    source = decisions.source
    columns = _kept(source, wanted)
    given = source.files[0].names if source.files else source.names
    separator = separator_of(source, output)
    header = _header([*(given[j] for j in columns), wanted.column], separator)
    # Lines are ended by what comes next: by the next one, or by the suffix.
    first = quoted(header if is_empty else f"{header}\n")
    packed = "gzip" if output.lower().endswith(".gz") else "none"
    return _copy(
        _select(decisions, [*(f"CAST(c{j} AS VARCHAR)" for j in columns), label]),
        to,
        f"csv, HEADER false, PREFIX {first}, SUFFIX '\n', "
        f"DELIMITER {quoted(separator)}, COMPRESSION {packed}",
    )


def separator_of(source: Source, output: str) -> str:
    """Return what stands between the values of a text file that is written."""
    if ".tsv" in output.lower():
        return "\t"
    return source.files[0].separator if source.files else ","


def _kept(source: Source, wanted: Wanted) -> list[int]:
    kept = source.names if wanted.keep is None else wanted.keep
    return [source.names.index(column) for column in kept]


def _select(decisions: Decisions, columns: list[str]) -> str:
    decisions.relation.create_view("decided", replace=True)
    return f"SELECT {', '.join(columns)} FROM decided"


def _header(names: list[str], separator: str) -> str:
    """Return the first line; DuckDB would change names that differ by case alone."""
    header = io.StringIO()
    csv.writer(header, delimiter=separator, lineterminator="").writerow(names)
    return header.getvalue()


def _copy(rows: str, to: Path, form: str) -> int:
    copy = f"COPY ({rows}) TO {quoted(str(to))} (FORMAT {form}, USE_TMP_FILE false)"
    [[n_rows]] = connection().execute(copy).fetchall()
    return int(n_rows)


def _write_arrow(rows: str, to: Path) -> None:
    import pyarrow as pa  # type: ignore[import-untyped]

    batches = connection().sql(rows).fetch_record_batch()
    with pa.OSFile(str(to), "wb") as sink, pa.ipc.new_file(sink, batches.schema) as out:
        for batch in batches:
            out.write_batch(batch)


@contextmanager
def telling(told: Callable[[float], None]) -> Iterator[None]:
    """Tell meanwhile which share of a query is done."""
    done = threading.Event()
    connection().execute(
        "SET enable_progress_bar = true; SET enable_progress_bar_print = false"
    )

    def tell() -> None:
        while not done.wait(0.2):
            told(max(0.0, connection().query_progress() / 100))

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
