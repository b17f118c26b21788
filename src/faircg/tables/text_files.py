"""CSV files as people have them, made plain: one regular file of UTF-8 text.

DuckDB reads regular files by itself. What is packed or in another encoding is written
once more, and so is a file that DuckDB refuses: rows that end early, blank lines, mixed
line ends or quotes in words are read by Python, which says in one line what is wrong.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from faircg.tables.names import STANDARD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST_LINE: Final = 2_000_000
"""Bytes of a record beyond which a file is no table of people."""
SEPARATORS: Final = ",;\t|"
DAMAGES: Final = (
    EOFError,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What is raised while a damaged archive is unpacked."""
OPENERS: Final[dict[str, Callable[..., Any]]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": lambda path, _: _only_file(path),
}
"""What opens a packed file, by the end of its name."""
NO_CSV: Final = {
    b"PK\x03\x04": "a spreadsheet or another ZIP archive; name it .xlsx or .zip, or "
    "save the table as CSV text",
    b"\xd0\xcf\x11\xe0": "a spreadsheet; save the table as CSV text",
    b"PAR1\x15": "a Parquet file; give it a name that ends in .parquet",
    b"\x1f\x8b": "packed by gzip; give it a name that ends in .csv.gz",
}
"""First bytes of files that are no CSV text, and what those are."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A plain file of records; the first has the ``names`` of the columns.

    Errors name it as it is ``called``. It is ``tidy`` once it was written by Python.
    """

    called: str
    path: Path
    separator: str
    names: tuple[str, ...]
    is_tidy: bool = False

    def tidied(self) -> TextFile:
        """Write the file again with as many values in each record as it has names."""
        if self.is_tidy:
            raise ValueError(f"{self.called} is not a CSV file that can be read")
        clean = new_file()
        with (
            self.path.open(encoding="utf-8-sig", newline="") as file,
            clean.open("w", encoding="utf-8", newline="") as out,
            _in_words(self.called),
        ):
            csv.field_size_limit(LONGEST_LINE)
            writer = csv.writer(out, delimiter=self.separator)
            writer.writerows(self._records(file))
        return replace(self, path=clean, is_tidy=True)

    def _records(self, file: Any) -> Iterator[list[str]]:
        """Yield the header and all records that are not blank, each with all values."""
        n_names, end, row = len(self.names), "\0end of the file", -1
        lines = chain(iter(lambda: _line(file, self.called), ""), [end])
        for record in csv.reader(lines, delimiter=self.separator):
            if not record or (len(record) == 1 < n_names and not record[0].strip()):
                continue
            if record == [end]:
                return
            if any(record[n_names:]):
                raise ValueError(
                    f"{self.called}: row {row} has {len(record)} values and the header "
                    f"has {n_names} names"
                )
            yield (record + [""] * n_names)[:n_names]
            row += 1
        raise ValueError(f"{self.called}: a quote is opened and never closed")


def text_file(name: str, separator: str | None, encoding: str | None) -> TextFile:
    """Return a file, or standard input, as plain text; look at its first bytes."""
    called = "standard input" if name == STANDARD else name
    path = Path(name)
    if name == STANDARD:
        path = _copied(sys.stdin.buffer, called)
    elif path.suffix.lower() in OPENERS:
        with _in_words(called), OPENERS[path.suffix.lower()](path, "rb") as packed:
            path = _copied(packed, called)
    head = _head(path)
    for start, problem in NO_CSV.items():
        if head.startswith(start):
            raise ValueError(f"{called} is {problem}")
    if encoding is None and head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    if encoding is not None:
        with _in_words(called), path.open("rb") as file:
            path = _copied(codecs.EncodedFile(file, "utf-8", encoding), called)
        head = _head(path)
    text = head.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise ValueError(f"{called} is empty; a header line is needed")
    if "\0" in text:
        raise ValueError(f"{called} is not a CSV file: it holds NUL bytes")
    separator = separator or _separator(text)
    names = _first_records(text, separator)[0]
    if "\ufffd" in "".join(names):
        raise no_text(called)
    _check_names(called, names)
    found = TextFile(called, path, separator, tuple(names))
    # DuckDB takes the first line for the header and a blank line for a value, and
    # leaves a space before a quote out.
    is_plain = (
        len(names) > 1
        and text[0] not in "\r\n"
        and "\n" not in "".join(names)
        and f'{separator} "' not in text
    )
    return found if is_plain else found.tidied()


def new_file() -> Path:
    """Return a new file, which is removed when the program ends."""
    handle, name = tempfile.mkstemp(dir=_scratch().name)
    open(handle).close()
    return Path(name)


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="faircg-")


def _line(file: Any, called: str) -> str:
    """Return the next line; one that is too long is an error."""
    line: str = file.readline(LONGEST_LINE + 1)
    if len(line) > LONGEST_LINE:
        raise _too_long(called)
    return line


def _too_long(called: str) -> ValueError:
    return ValueError(f"{called} has a line of more than {LONGEST_LINE:,} characters")


def _copied(stream: Any, called: str) -> Path:
    """Copy a stream into a file, as long as it has lines."""
    path = new_file()
    with path.open("wb") as out, _in_words(called):
        while block := stream.read(LONGEST_LINE):
            if len(block) == LONGEST_LINE and b"\n" not in block.replace(b"\r", b"\n"):
                raise _too_long(called)
            out.write(block)
    return path


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LONGEST_LINE)


@contextmanager
def _in_words(called: str) -> Iterator[None]:
    """Turn what can go wrong while a file is read into one line."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise no_text(called, error.encoding) from None
    except LookupError as error:
        raise ValueError(f"{called}: {error}") from None
    except DAMAGES as error:
        raise ValueError(f"{called} cannot be unpacked: {error}") from None
    except csv.Error as error:
        raise ValueError(f"{called} is no CSV file: {error}") from None


def no_text(called: str, encoding: str = "utf-8") -> ValueError:
    """Return the error of a file in another encoding."""
    return ValueError(
        f"{called} is not {encoding.upper()} text; say what it is, for example with "
        "--encoding cp1252 or --encoding latin-1"
    )


def _only_file(path: Path) -> Any:
    """Open the one file in a ZIP archive."""
    archive = zipfile.ZipFile(path)
    names = [name for name in archive.namelist() if not name.endswith("/")]
    if len(names) != 1:
        raise ValueError(
            f"{path} holds {len(names)} files; unpack it and name one of them"
        )
    return archive.open(names[0])


def _separator(text: str) -> str:
    """Return what separates values, by the first two records of a file."""
    first = _first_records(text, ",")
    for separator in SEPARATORS[1:]:
        others = _first_records(text, separator)
        if (
            len(others[0]) > len(first[0])
            and len(set(map(len, others))) == 1
            and (len(first[0]) == 1 or len(set(map(len, first))) > 1)
        ):
            return separator
    return ","


def _first_records(text: str, separator: str) -> list[list[str]]:
    """Return the header and the first row, if it is there."""
    found: list[list[str]] = []
    # A value may be too long for this reader, such as one whose quote never ends.
    with suppress(csv.Error):
        for row in csv.reader(_lines(text), delimiter=separator):
            if "".join(row).strip():
                found.append(row)
            if len(found) == 2:
                break
    return found or [[""]]


def _lines(text: str) -> Any:
    """Return what reads a text by lines, without a look at those that follow."""
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")


def _check_names(called: str, names: list[str]) -> None:
    """Refuse columns that cannot be told apart."""
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    if twice:
        raise ValueError(
            f"{called} has more than one column called "
            f"{', '.join(map(repr, twice))}; give each a name of its own"
        )
