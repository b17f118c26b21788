"""Predictions for files of any length: read, decide and write in pieces.

A CSV file is passed on as it is, byte for byte, with one value added to each row. Only
the columns that rules test are parsed, so that this costs little more than reading.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from faircg.cli.files import (
    STANDARD,
    is_embedded,
    kind_of,
    must_exist,
    pyarrow_parquet,
    with_categories,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pandas as pd
    from numpy.typing import NDArray

    from faircg.model import RuleSetModel
    from faircg.table import Table
    from faircg.typing import BoolVector

PIECE: Final = 8 * 2**20
"""Bytes of a CSV file that are looked at together."""
ROWS: Final = 65_536
"""Rows of a Parquet file that are looked at together."""
_COMMA, _NEWLINE, _QUOTE, _RETURN = b',\n"\r'


@dataclass(eq=False)
class Scorer:
    """Decides rows piece by piece, and counts.

    Attributes
    ----------
    model
        The rules.
    strict
        Whether a category never seen in training is an error.
    n_rows, n_positive
        Rows so far, and those that a rule covers.
    unseen
        For each feature the rows with unseen categories, and an example.
    """

    model: RuleSetModel
    strict: bool = False
    n_rows: int = 0
    n_positive: int = 0
    unseen: dict[str, tuple[int, object]] = field(default_factory=dict)

    def decide(self, frame: pd.DataFrame) -> BoolVector:
        """Say for each row whether a rule covers it."""
        from faircg.table import read_table

        kinds = {feature.name: feature.kind for feature in self.model.features}
        try:
            table = read_table(with_categories(self.model, frame), kinds=kinds)
        except (ValueError, TypeError) as error:
            if not self.n_rows:
                raise
            rows = f"rows {self.n_rows} to {self.n_rows + len(frame) - 1}"
            raise ValueError(f"in {rows}, counted anew from 0: {error}") from None
        self._count_unseen(table)
        covered = self.model.rule_set.covers(table)
        self.n_rows += len(covered)
        self.n_positive += int(covered.sum())
        return covered

    def _count_unseen(self, table: Table) -> None:
        for feature in self.model.features:
            if feature.kind != "category":
                continue
            column, known = table[feature.name], set(feature.categories)
            new = [v for v in column.values[~column.missing].tolist() if v not in known]
            if new and self.strict:
                raise ValueError(
                    f"feature {feature.name!r}: {len(new)} of the rows from "
                    f"{self.n_rows} on hold categories never seen in training (for "
                    f"example {new[0]!r})"
                )
            if new:
                count, example = self.unseen.get(feature.name, (0, new[0]))
                self.unseen[feature.name] = count + len(new), example


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is written beside the predictions.

    Attributes
    ----------
    column
        Name of the new column.
    keep
        Columns of the input to write; None for all.
    """

    column: str
    keep: tuple[str, ...] | None = None


def predict_csv(
    scorer: Scorer,
    source: str,
    out: BinaryIO,
    wanted: Wanted,
    *,
    on_piece: Callable[[int], None] = lambda _: None,
) -> None:
    """Add a column to a CSV file.

    Parameters
    ----------
    scorer
        Decides and counts.
    source
        A file, or ``-``.
    out
        Where to write.
    wanted
        The columns to write.
    on_piece
        Told the number of rows so far.
    """
    with _open(source) as stream:
        pieces = _records(stream, source)
        header = next(pieces, None)
        if header is None:
            raise ValueError(f"{source} is empty; a header line is needed")
        head, names = header.text, _names(header.text, source)
        _check_names(scorer.model, names, wanted, source)
        ends = [_cell(label) for label in scorer.model.labels]
        line_end = b"\r\n" if head.endswith(b"\r\n") else b"\n"
        head = head.rstrip(b"\r\n")
        kept = wanted.keep
        if kept is None:
            out.write(head + b"," + _cell(wanted.column) + line_end)
        else:
            out.write(b",".join(map(_cell, (*kept, wanted.column))) + line_end)
        for piece in pieces:
            rows = piece.rows(len(names), scorer.n_rows, source)
            if not rows:
                continue
            text = head + b"\n" + piece.text
            covered = _decide(scorer, text, len(rows), source)
            tails = [b"," + end + line_end for end in ends]
            if kept is None:
                added = [tails[c] for c in covered.tolist()]
                lines: list[bytes] = [b""] * (2 * len(rows))
                lines[::2], lines[1::2] = rows, added
                out.write(b"".join(lines))
            else:
                frame = _parse(text, source, usecols=list(kept), as_text=True)
                frame = frame[list(kept)].assign(**{wanted.column: ""})
                frame[wanted.column] = np.array(
                    [*map(_shown, scorer.model.labels)], dtype=object
                )[covered.astype(int)]
                end = line_end.decode()
                out.write(
                    frame.to_csv(index=False, header=False, lineterminator=end).encode()
                )
            on_piece(scorer.n_rows)


def predict_parquet(
    scorer: Scorer,
    source: str,
    output: Path,
    out: BinaryIO,
    wanted: Wanted,
    *,
    on_piece: Callable[[int], None] = lambda _: None,
) -> None:
    """Add a column to a Parquet file; the output is Parquet, or CSV by its name."""
    import pyarrow as pa  # type: ignore[import-untyped]

    parquet = pyarrow_parquet()
    must_exist(Path(source))
    as_csv = str(output) == STANDARD or output.suffix.lower() == ".csv"
    labels = scorer.model.labels
    if len(set(map(type, labels))) > 1:
        labels = (_shown(labels[0]), _shown(labels[1]))
    try:
        file = parquet.ParquetFile(source)
    except (OSError, ValueError) as error:
        raise ValueError(f"{source} is not a Parquet file: {error}") from None
    _check_names(scorer.model, file.schema_arrow.names, wanted, source)
    columns = None if wanted.keep is None else list(wanted.keep)
    writer, is_first = None, True
    for batch in file.iter_batches(batch_size=ROWS):
        table = pa.Table.from_batches([batch])
        frame = table.to_pandas()
        covered = scorer.decide(frame)
        if columns is not None:
            table = table.select(columns)
        added = pa.array([labels[c] for c in covered.tolist()], pa.array(labels).type)
        table = table.append_column(wanted.column, added)
        if as_csv:
            text = table.to_pandas().to_csv(
                index=False, header=is_first, lineterminator="\n"
            )
            out.write(text.encode())
        else:
            writer = writer or parquet.ParquetWriter(out, table.schema)
            writer.write_table(table)
        is_first = False
        on_piece(scorer.n_rows)
    if writer is not None:
        writer.close()
    elif is_first:
        raise ValueError(f"{source} has no rows")


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Whole records of a CSV file.

    Attributes
    ----------
    text
        Their bytes.
    ends
        Positions of the line ends that end a record.
    quoted
        For each byte whether it is inside quotes; None if none is.
    """

    text: bytes
    ends: NDArray[np.int64]
    quoted: BoolVector | None

    def rows(self, n_columns: int, first: int, source: str) -> list[bytes]:
        """Return the records without their line ends and without empty ones."""
        text = self.text
        if text.count(b"\n") == len(self.ends):
            rows = text.split(b"\n")
            rows.pop()
        else:  # some line ends are inside of quotes
            ends = self.ends.tolist()
            starts = [0, *(self.ends[:-1] + 1).tolist()]
            rows = [text[a:b] for a, b in zip(starts, ends, strict=True)]
        if b"\r" in text:
            rows = [row.removesuffix(b"\r") for row in rows]
        array = np.frombuffer(text, dtype=np.uint8)
        commas = array == _COMMA
        if self.quoted is not None:
            commas &= ~self.quoted
        before = np.searchsorted(np.flatnonzero(commas), self.ends)
        values = np.diff(before, prepend=0) + 1
        for k in np.flatnonzero(values > n_columns)[:1].tolist():
            raise ValueError(
                f"{source}: row {first + k} has {values[k]} values and the header has "
                f"{n_columns} names"
            )
        for k in np.flatnonzero(values < n_columns).tolist():
            if rows[k].strip():  # what is left out at the end is missing
                rows[k] += b"," * int(n_columns - values[k])
        if n_columns == 1 or (values == 1).any():
            return [row for row in rows if row.strip()]
        return rows


@contextmanager
def _open(source: str) -> Iterator[Any]:
    if source == STANDARD:
        yield sys.stdin.buffer
        return
    if is_embedded(source):
        from importlib.resources import as_file, files

        with (
            as_file(files("faircg.datasets") / f"{source}.csv.gz") as packed,
            gzip.open(packed, "rb") as file,
        ):
            yield file
        return
    kind_of(source)
    path = must_exist(Path(source))
    opener: Any = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.get(
        path.suffix.lower(), open
    )
    try:
        with opener(path, "rb") as file:
            yield file
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise ValueError(f"{source} cannot be unpacked: {error}") from None


def _records(stream: Any, source: str) -> Iterator[_Piece]:
    """Cut a file into pieces of whole records; the first is the header alone."""
    rest, is_first = b"", True
    while True:
        block = stream.read(PIECE)
        if is_first:
            block = block.removeprefix(b"\xef\xbb\xbf")
        text = rest + block
        if not block and text and not text.endswith(b"\n"):
            text += b"\n"
        if b"\0" in text:
            raise ValueError(f"{source} is not a CSV file: it holds NUL bytes")
        ends, quoted = _record_ends(text)
        if ends is None:
            yield from _regular(text, stream, is_first=is_first)
            return
        if is_first:
            # Blank lines before the header are no header.
            lengths = np.diff(ends, prepend=-1)
            full = [
                k
                for k in range(min(len(ends), 1000))
                if lengths[k] > 1 and text[ends[k] - lengths[k] + 1 : ends[k]].strip()
            ]
            if full:
                start, stop = (
                    int(ends[full[0]] - lengths[full[0]] + 1),
                    int(ends[full[0]] + 1),
                )
                yield _Piece(text[start:stop], np.array([stop - start - 1]), None)
                is_first = False
                text = text[stop:]
                quoted = None if quoted is None else quoted[stop:]
                ends = ends[full[0] + 1 :] - stop
        if not is_first and len(ends):
            cut = int(ends[-1]) + 1
            yield _Piece(text[:cut], ends, None if quoted is None else quoted[:cut])
            text = text[cut:]
        rest = text
        if not block:
            if rest.strip():
                raise ValueError(f"{source}: a quote is opened and never closed")
            return


def _record_ends(
    text: bytes,
) -> tuple[NDArray[np.int64] | None, BoolVector | None]:
    """Return where records end, and what is quoted; None if quotes stand in words."""
    array = np.frombuffer(text, dtype=np.uint8)
    newlines = array == _NEWLINE
    is_quote = array == _QUOTE
    if not is_quote.any():
        return np.flatnonzero(newlines), None
    quoted = np.logical_xor.accumulate(is_quote)
    opening = np.flatnonzero(is_quote & quoted)
    before = array[opening[opening > 0] - 1]
    if not np.isin(before, (_COMMA, _NEWLINE, _RETURN, _QUOTE)).all():
        return None, None
    return np.flatnonzero(newlines & ~quoted), quoted


def _regular(start: bytes, stream: Any, *, is_first: bool) -> Iterator[_Piece]:
    """Rewrite a file with quotes inside of words so that every quote is a mark."""

    def lines() -> Iterable[str]:
        whole = io.BufferedReader(_Joined(start, stream))
        yield from io.TextIOWrapper(whole, encoding="utf-8", newline="")

    buffer, n_records = io.StringIO(), 0
    writer = csv.writer(buffer, lineterminator="\n")
    for record in csv.reader(lines()):
        if not record:
            continue
        writer.writerow(record)
        n_records += 1
        if is_first or buffer.tell() >= PIECE:
            yield _whole(buffer.getvalue())
            buffer.seek(0)
            buffer.truncate()
            is_first = False
    if buffer.tell():
        yield _whole(buffer.getvalue())


def _whole(text: str) -> _Piece:
    data = text.encode()
    ends, quoted = _record_ends(data)
    assert ends is not None, "a CSV writer puts quotes around fields only"
    return _Piece(data, ends, quoted)


class _Joined(io.RawIOBase):
    """Some bytes, then the rest of a stream."""

    def __init__(self, start: bytes, stream: Any) -> None:
        self._start, self._stream = start, stream

    def readable(self) -> bool:
        """Say that this can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        data = self._start[: len(buffer)] or self._stream.read(len(buffer))
        self._start = self._start[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def _decide(scorer: Scorer, text: bytes, n_rows: int, source: str) -> BoolVector:
    features = scorer.model.features
    if not features:
        scorer.n_rows += n_rows
        return np.zeros(n_rows, dtype=bool)
    frame = _parse(
        text,
        source,
        usecols=[f.name for f in features],
        dtype={f.name: str for f in features if f.kind == "category"},
    )
    if len(frame) != n_rows:
        raise ValueError(
            f"{source}: after row {scorer.n_rows}, {n_rows} lines were found and "
            f"{len(frame)} rows read; check the line ends of the file"
        )
    return scorer.decide(frame)


def _parse(
    text: bytes, source: str, *, as_text: bool = False, **options: Any
) -> pd.DataFrame:
    import pandas as pd

    if as_text:
        options |= {"dtype": str, "keep_default_na": False}
    try:
        frame: pd.DataFrame = pd.read_csv(io.BytesIO(text), low_memory=False, **options)
    except (pd.errors.ParserError, UnicodeDecodeError) as e:
        raise ValueError(f"{source} is not a CSV file that can be read: {e}") from None
    return frame


def _names(head: bytes, source: str) -> list[str]:
    """Return the names of the columns as pandas has them."""
    return [str(name) for name in _parse(head, source, nrows=0).columns]


def _check_names(
    model: RuleSetModel, names: list[str], wanted: Wanted, source: str
) -> None:
    absent = [f.name for f in model.features if f.name not in names]
    if absent:
        raise ValueError(
            f"{source} lacks the column {absent[0]!r}, which the rules test; it has "
            f"{', '.join(names)}"
        )
    unknown = [name for name in wanted.keep or () if name not in names]
    if unknown:
        raise ValueError(
            f"{source} has no column {unknown[0]!r}; it has {', '.join(names)}"
        )
    if wanted.column in (names if wanted.keep is None else wanted.keep):
        raise ValueError(
            f"{source} already has a column {wanted.column!r}; choose another with "
            "--column"
        )


def _shown(label: object) -> str:
    return "" if label is None else str(label)


def _cell(value: object) -> bytes:
    """Return one value as a CSV file holds it."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow([_shown(value)])
    text = buffer.getvalue()
    return text.encode()
