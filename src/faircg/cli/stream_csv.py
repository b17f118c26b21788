"""Predictions for CSV files of any length: read, decide and write in pieces.

The file is passed on as it is, byte for byte, with one value added to each row. Only
the columns that rules test are parsed. Pieces are worked on side by side, one thread
for each: parsing, which takes most of the time, lets other threads run.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import sys
import warnings
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

import numpy as np

from faircg.cli.csv_tables import HEAD, opener_of, parse, separator_in
from faircg.cli.decisions import Decisions, check_names, label_text
from faircg.cli.files import (
    STANDARD,
    is_embedded,
    kind_of,
    must_exist,
    read_as_text,
)
from faircg.cli.records import csv_line, records
from faircg.cli.written import Written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

    import pandas as pd

    from faircg.cli.decisions import Tally, Wanted
    from faircg.cli.records import Piece
    from faircg.model import Feature, RuleSetModel

A = TypeVar("A")
B = TypeVar("B")
MOST_THREADS: Final = 4
"""Splitting and joining lines lets no other thread run: more than this wait."""


def predict_csv(
    model: RuleSetModel,
    tally: Tally,
    source: str,
    out: BinaryIO,
    wanted: Wanted,
    *,
    on_piece: Callable[[int], None] = lambda _: None,
) -> None:
    """Add a column to a CSV file, or to standard input.

    ``on_piece`` is told the number of rows so far.
    """
    import pandas as pd

    with _open(source) as stream, warnings.catch_warnings():
        # A column of mixed types is read once more, see _Sheet._frame.
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        head = stream.peek(HEAD)[:HEAD]
        separator = separator_in(source, head)
        if separator != "," or (b"\r" in head and b"\n" not in head):
            _predict_whole(model, tally, source, stream.read(), separator, out, wanted)
            return
        pieces = records(stream, source)
        header = next(pieces, None)
        if header is None:
            raise ValueError(f"{source} is empty; a header line is needed")
        names = _names(header.text, source)
        check_names(model, names, wanted, source)
        sheet = _Sheet(
            model,
            wanted,
            header.text.rstrip(b"\r\n"),
            len(names),
            b"\r\n" if header.text.endswith(b"\r\n") else b"\n",
            source,
        )
        out.write(sheet.header())
        decided = _in_order(sheet.decide, pieces)
        while True:
            with tally.locating(source):
                item = next(decided, None)
            if item is None:
                return
            decisions, text = item
            tally.add(decisions)
            out.write(text)
            on_piece(tally.n_rows)


def _predict_whole(
    model: RuleSetModel,
    tally: Tally,
    source: str,
    text: bytes,
    separator: str,
    out: BinaryIO,
    wanted: Wanted,
) -> None:
    """Add a column to a file of other separators or line ends, all at once."""
    texts = parse(
        source, io.BytesIO(text), sep=separator, dtype=str, keep_default_na=False
    )
    check_names(model, [*map(str, texts.columns)], wanted, source)
    names = dict.fromkeys(read_as_text(model), str)
    frame = parse(source, io.BytesIO(text), sep=separator, dtype=names)
    decisions = Decisions.without_rules(model, len(frame))
    if model.features and len(frame):
        decisions = Decisions.on(model, frame)
    tally.add(decisions)
    labels = np.array([*map(label_text, model.labels)], dtype=object)
    kept = texts if wanted.keep is None else texts[list(wanted.keep)]
    added = kept.assign(**{wanted.column: labels[decisions.accepted.astype(int)]})
    content: str = added.to_csv(index=False, sep=separator, lineterminator="\n")
    out.write(content.encode())


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What does not change from piece to piece; ``head`` is the header line."""

    model: RuleSetModel
    wanted: Wanted
    head: bytes
    n_columns: int
    line_end: bytes
    source: str

    def header(self) -> bytes:
        """Return the first line of the output."""
        kept, column = self.wanted.keep, self.wanted.column
        if kept is None:
            return self.head + b"," + _cell(column) + self.line_end
        return b",".join(map(_cell, (*kept, column))) + self.line_end

    def decide(self, piece: Piece) -> tuple[Decisions, bytes | bytearray]:
        """Return the decisions on a piece, and its lines with the new column."""
        lines = piece.lines(self.n_columns)
        if not self.model.features or not len(lines):
            decisions = Decisions.without_rules(self.model, len(lines))
        else:
            frame = self._frame(piece)
            if len(frame) != len(lines):
                raise ValueError(
                    f"{len(lines)} lines were found and {len(frame)} rows read; check "
                    "the line ends of the file"
                )
            decisions = Decisions.on(self.model, frame)
        if self.wanted.keep is not None:
            return decisions, self._selected(piece, decisions)
        no, yes = (b"," + _cell(label) + self.line_end for label in self.model.labels)
        return decisions, lines.with_values(decisions.accepted, (no, yes))

    def _frame(self, piece: Piece) -> pd.DataFrame:
        """Parse what the rules test.

        Pandas is fastest when it may guess types, for a few rows at a time. Where a
        guess is not the kind that the model knows (numbers for names, or a mixture),
        all rows of the piece are read once more, without guesses about names.
        """
        features = self.model.features
        text = self.head + b"\n" + piece.text
        columns = [f.name for f in features]
        names: dict[str, Any] = dict.fromkeys(read_as_text(self.model), str)
        is_plain = not Written.of(self.model).decimals
        if is_plain and not any(map(_holds_number, features)):
            frame = _parse(text, self.source, usecols=columns)
            if all(_is_as_known(frame[f.name].dtype, f) for f in features):
                return frame
        return _parse(text, self.source, usecols=columns, dtype=names, low_memory=False)

    def _selected(self, piece: Piece, decisions: Decisions) -> bytes:
        """Return the lines of the columns that were asked for."""
        kept = list(self.wanted.keep or ())
        frame = _parse(
            self.head + b"\n" + piece.text,
            self.source,
            usecols=kept,
            dtype=str,
            keep_default_na=False,
        )
        labels = np.array([*map(label_text, self.model.labels)], dtype=object)
        frame = frame[kept].assign(
            **{self.wanted.column: labels[decisions.accepted.astype(int)]}
        )
        end = self.line_end.decode()
        text: str = frame.to_csv(index=False, header=False, lineterminator=end)
        return text.encode()


def _holds_number(feature: Feature) -> bool:
    """Say whether pandas would take a category for a number."""
    for category in feature.categories:
        try:
            float(str(category))
        except ValueError:
            continue
        return True
    return False


def _is_as_known(dtype: Any, feature: Feature) -> bool:
    """Say whether pandas found names where the model knows names, else numbers.

    Only the type of text is sure to hold nothing but text; objects may be a mixture.
    """
    if feature.kind == "category":
        return str(dtype) == "str"
    return dtype.kind in "iufb"


def _in_order(function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
    """Apply a function in several threads; few results wait, and none overtakes."""
    n_threads = min(MOST_THREADS, os.cpu_count() or 1)
    waiting: deque[Future[B]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


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
    try:
        with opener_of(path)(path, "rb") as file:
            yield file
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise ValueError(f"{source} cannot be unpacked: {error}") from None


def _parse(text: bytes, source: str, **options: Any) -> pd.DataFrame:
    import pandas as pd

    try:
        frame: pd.DataFrame = pd.read_csv(io.BytesIO(text), **options)
    except (pd.errors.ParserError, UnicodeDecodeError) as e:
        raise ValueError(f"{source} is not a CSV file that can be read: {e}") from None
    return frame


def _names(head: bytes, source: str) -> list[str]:
    """Return the names of the columns as pandas has them."""
    return [str(name) for name in _parse(head, source, nrows=0).columns]


def _cell(value: object) -> bytes:
    """Return one value as a CSV file holds it."""
    return csv_line([label_text(value)]).encode()
