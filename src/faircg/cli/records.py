"""CSV files as pieces of whole records, byte for byte.

A quoted value may hold commas and line ends, so that a file cannot be cut just
anywhere. What is found on the way, where records end and how many values each has, is
what adding a column to the file needs.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircg.cli.decisions import RowError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from faircg.typing import BoolVector

PIECE: Final = 8 * 2**20
"""Bytes of a file that are looked at together."""
LONGEST_VALUE: Final = 64 * 2**20
"""Characters beyond which a value is taken for a quote that was never closed."""
_COMMA, _NEWLINE, _QUOTE, _RETURN = b',\n"\r'


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Whole records of a CSV file; ``quoted`` says which bytes are inside of quotes."""

    text: bytes
    quoted: BoolVector | None = None

    def lines(self, n_columns: int) -> Lines:
        """Look at each record; one with more values than columns is an error."""
        ends, n_values = self._layout()
        for k in np.flatnonzero(n_values > n_columns)[:1].tolist():
            raise RowError(
                k, f"has {n_values[k]} values and the header has {n_columns} names"
            )
        text = self.text
        if (
            n_columns > 1
            and (n_values == n_columns).all()
            and b"\r" not in text
            and (self.quoted is None or text.count(b"\n") == len(ends))
        ):
            return Lines(text, ends)
        starts = [0, *(ends[:-1] + 1).tolist()]
        rows = [text[a:b] for a, b in zip(starts, ends.tolist(), strict=True)]
        if b"\r" in text:
            rows = [row.removesuffix(b"\r") for row in rows]
        for k in np.flatnonzero(n_values < n_columns).tolist():
            if rows[k].strip():  # what is left out at the end is missing
                rows[k] += b"," * int(n_columns - n_values[k])
        if n_columns == 1 or (n_values == 1).any():
            rows = [row for row in rows if row.strip()]
        return Lines(rows=rows)

    def _layout(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where records end, and how many values each has."""
        array = np.frombuffer(self.text, dtype=np.uint8)
        ends, commas = array == _NEWLINE, array == _COMMA
        if self.quoted is not None:
            ends &= ~self.quoted
            commas &= ~self.quoted
        at = np.flatnonzero(ends)
        starts = np.concatenate(([0], at[:-1] + 1))
        # The small type is the fast one, and holds the commas of all but giant records.
        is_small = int((at - starts).max(initial=0)) < 2**16
        n_commas = np.add.reduceat(
            commas.view(np.uint8), starts, dtype=np.uint16 if is_small else np.int64
        )
        return at, n_commas.astype(np.int64) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Records, to each of which a value can be added.

    Where they are regular (all have all their values, and each is on a line of its own
    that ends in LF) ``ends`` says where they end in ``text``, which holds no NUL;
    ``rows`` are other records one by one, without their line ends.
    """

    text: bytes = b""
    ends: NDArray[np.int64] | None = None
    rows: Sequence[bytes] = ()

    def __len__(self) -> int:
        """Return the number of records that are not blank."""
        return len(self.rows if self.ends is None else self.ends)

    def with_values(
        self, chosen: BoolVector, tails: tuple[bytes, bytes]
    ) -> bytes | bytearray:
        """End each record with the first tail, or with the second where chosen.

        A tail holds the line end, too. Of regular lines the ends of the chosen ones are
        marked by NUL, and both kinds of ends are replaced.
        """
        negative, positive = tails
        if self.ends is not None and b"\0" not in negative:
            marked = bytearray(self.text)
            np.frombuffer(marked, dtype=np.uint8)[self.ends[chosen]] = 0
            return marked.replace(b"\n", negative).replace(b"\0", positive)
        rows = self.rows if self.ends is None else self.text.split(b"\n")[:-1]
        parts: list[bytes] = [b""] * (2 * len(rows))
        parts[::2] = rows
        parts[1::2] = [tails[c] for c in chosen.tolist()]
        return b"".join(parts)


def records(stream: Any, source: str) -> Iterator[Piece]:
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
        quoted = None
        if b'"' in text:
            quoted = _quoted(text)
            if quoted is None:
                yield from _regular(text, stream, source, is_first=is_first)
                return
        start, stop = 0, _last_end(text, quoted)
        if is_first:
            start = _header_end(text, quoted)
            if start:
                yield Piece(text[:start].lstrip())
                is_first = False
            else:
                stop = 0
        if start < stop:
            yield Piece(
                text[start:stop], None if quoted is None else quoted[start:stop]
            )
        rest = text[stop:]
        if not block:
            if rest.strip():
                raise ValueError(f"{source}: a quote is opened and never closed")
            return


def _last_end(text: bytes, quoted: BoolVector | None) -> int:
    """Return where the last whole record ends."""
    if quoted is None:
        return text.rfind(b"\n") + 1
    newlines = np.frombuffer(text, dtype=np.uint8) == _NEWLINE
    ends = np.flatnonzero(newlines & ~quoted)
    return int(ends[-1]) + 1 if len(ends) else 0


def _header_end(text: bytes, quoted: BoolVector | None) -> int:
    """Return where the first record that is not blank ends; 0 if it does not."""
    end = -1
    while (end := text.find(b"\n", end + 1)) >= 0:
        if text[: end + 1].strip() and (quoted is None or not quoted[end]):
            break
    return end + 1


def _quoted(text: bytes) -> BoolVector | None:
    """Say which bytes are inside of quotes; None if quotes stand in words."""
    array = np.frombuffer(text, dtype=np.uint8)
    is_quote = array == _QUOTE
    quoted = np.logical_xor.accumulate(is_quote)
    opening = np.flatnonzero(is_quote & quoted)
    before = array[opening[opening > 0] - 1]
    if not np.isin(before, (_COMMA, _NEWLINE, _RETURN, _QUOTE)).all():
        return None
    return quoted


def _regular(
    start: bytes, stream: Any, source: str, *, is_first: bool
) -> Iterator[Piece]:
    """Rewrite a file with quotes inside of words so that every quote is a mark."""
    csv.field_size_limit(LONGEST_VALUE)

    def lines() -> Iterable[str]:
        whole = io.BufferedReader(_Joined(start, stream))
        yield from io.TextIOWrapper(whole, encoding="utf-8", newline="")

    lines_of_piece: list[str] = []
    size = 0
    try:
        for record in csv.reader(lines()):
            if not record:
                continue
            line = csv_line(record) + "\n"
            lines_of_piece.append(line)
            size += len(line)
            if is_first or size >= PIECE:
                yield _whole("".join(lines_of_piece))
                lines_of_piece.clear()
                size, is_first = 0, False
    except csv.Error as error:
        raise ValueError(
            f"{source} is not a CSV file that can be read: {error}"
        ) from None
    if lines_of_piece:
        yield _whole("".join(lines_of_piece))


def csv_line(values: Iterable[str]) -> str:
    """Return a record as a CSV file holds it, without its line end."""
    buffer = io.StringIO()
    # Only characters of the line end make it put quotes around a value.
    csv.writer(buffer, lineterminator="\r\n").writerow(values)
    return buffer.getvalue().removesuffix("\r\n")


def _whole(text: str) -> Piece:
    data = text.encode()
    quoted = _quoted(data)
    assert quoted is not None, "a CSV writer puts quotes around fields only"
    return Piece(data, quoted)


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
