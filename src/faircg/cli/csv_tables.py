"""CSV files read as a whole, and plain words for what is not one."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import sys
import warnings
import zlib
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pandas as pd

TABLES: Final = (".csv", ".tsv", ".txt")
"""How the names of text files with tables end."""
PACKED: Final = (".gz", ".bz2", ".xz")
"""How they end if they are packed."""
SEPARATORS: Final = {";": "';'", "\t": "a tab", "|": "'|'"}
"""What other files have where commas should be, and its name."""
HEAD: Final = 2**20
"""Bytes at the start of a CSV file that are looked at before it is read."""
NO_CSV: Final = {
    b"PK\x03\x04": "a spreadsheet or another ZIP archive; save the table as CSV text",
    b"\xd0\xcf\x11\xe0": "a spreadsheet; save the table as CSV text",
    b"PAR1\x15": "a Parquet file; give it a name that ends in .parquet",
    b"\x1f\x8b": "packed by gzip; give it a name that ends in .csv.gz",
    b"\xff\xfe": "UTF-16 text; convert it, for example with iconv -f utf-16 -t utf-8",
    b"\xfe\xff": "UTF-16 text; convert it, for example with iconv -f utf-16 -t utf-8",
}
"""First bytes of files that are no CSV text, and what those are."""


def read_csv(called: str, path: Path | None, types: Mapping[str, Any]) -> pd.DataFrame:
    """Read a CSV file with a header line; ``path`` is None for standard input.

    Errors name it as it is ``called``; ``types`` are those of some columns.
    """
    source: Any = path
    try:
        if path is None:
            source = io.BytesIO(sys.stdin.buffer.read())
            head = source.getvalue()[:HEAD]
        else:
            with opener_of(path)(path, "rb") as file:
                head = file.read(HEAD)
        separator = separator_in(called, head)
        _check_names(called, head, separator)
        return parse(called, source, dtype=dict(types), sep=separator)
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(f"{called} cannot be unpacked: {error}") from None


def parse(called: str, source: Any, **options: Any) -> pd.DataFrame:
    """Read the whole of a CSV file by pandas; its errors become plain words."""
    import pandas as pd

    try:
        with warnings.catch_warnings():
            # Pandas would take what is too much in a row for its name, or drop it.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # In one piece: the type of a column must not depend on where it is cut.
            frame: pd.DataFrame = pd.read_csv(
                source, low_memory=False, index_col=False, **options
            )
    except pd.errors.ParserWarning:
        raise ValueError(
            f"{called}: rows have more values than the header has names"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(
            f"{called} is not UTF-8 text; convert it, for example with iconv -f latin1 "
            "-t utf-8"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as e:
        raise ValueError(f"{called} is not a CSV file that can be read: {e}") from None
    return frame


def opener_of(path: Path) -> Callable[..., Any]:
    """Return what opens a file, unpacked as its name says."""
    openers: dict[str, Callable[..., Any]] = {
        ".gz": gzip.open,
        ".bz2": bz2.open,
        ".xz": lzma.open,
        ".zip": _open_zip,
    }
    return openers.get(path.suffix.lower(), open)


def _open_zip(path: Path, mode: str) -> Any:
    """Open the one file in a ZIP archive."""
    import zipfile

    try:
        archive = zipfile.ZipFile(path)
        names = [name for name in archive.namelist() if not name.endswith("/")]
        if len(names) == 1 and not names[0].lower().endswith(TABLES):
            raise ValueError(f"{path} holds {names[0]}, which is no CSV text")
        if len(names) != 1:
            raise ValueError(
                f"{path} holds {len(names)} files; unpack it and name one of them"
            )
        return archive.open(names[0], mode[0])  # type: ignore[arg-type]
    except zipfile.BadZipFile as error:
        raise ValueError(f"{path} cannot be unpacked: {error}") from None


def separator_of(path: Path) -> str:
    """Return what separates the values of a file that can be read."""
    with opener_of(path)(path, "rb") as file:
        return separator_in(str(path), file.read(HEAD))


def separator_in(called: str, head: bytes) -> str:
    """Return what separates values, by the first bytes of a file.

    What pandas would read as something else without a word is an error.
    """
    for start, problem in NO_CSV.items():
        if head.startswith(start):
            raise ValueError(f"{called} is {problem}")
    text = head.decode("utf-8-sig", errors="replace")
    if not text.strip():
        raise ValueError(f"{called} is empty; a header line is needed")
    first = _first_records(text, ",")
    for separator in SEPARATORS:
        others = _first_records(text, separator)
        if (
            len(others[0]) > len(first[0])
            and len(set(map(len, others))) == 1
            and (len(first[0]) == 1 or len(set(map(len, first))) > 1)
        ):
            return separator
    return ","


def _check_names(called: str, head: bytes, separator: str) -> None:
    """Refuse names that pandas would change without a word."""
    if len(head) == HEAD and b"\n" not in head:
        return  # more names than can be looked at
    text = head.decode("utf-8-sig", errors="replace")
    names = Counter(_first_records(text, separator)[0])
    twice = [name for name, count in names.items() if name and count > 1]
    if twice:
        raise ValueError(
            f"{called} has more than one column called "
            f"{', '.join(map(repr, twice))}; give each a name of its own"
        )


def separator_words(separator: str) -> str:
    """Say that a file is not separated by commas."""
    return (
        f"the separator seems to be {SEPARATORS[separator]}; save the file with commas"
    )


def _first_records(text: str, separator: str) -> list[list[str]]:
    """Return the header and the first row, if it is there."""
    found: list[list[str]] = []
    # A value may be too long for this reader, such as one whose quote never ends.
    with suppress(csv.Error):
        for row in csv.reader(io.StringIO(text, newline=None), delimiter=separator):
            if "".join(row).strip():
                found.append(row)
            if len(found) == 2:
                break
    return found or [[""]]
