"""How the names of data files end, and what that says about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

STANDARD: Final = "-"
"""Name of standard input or output."""
PACKED: Final = (".gz", ".bz2", ".xz", ".zip")
TEXTS: Final = (".csv", ".tsv", ".txt")
ENDS: Final = {
    "text": (*TEXTS, *(f"{end}{z}" for end in TEXTS for z in PACKED), ".zip"),
    "parquet": (".parquet", ".pq"),
    "json": (".jsonl", ".ndjson", ".json"),
    "arrow": (".arrow", ".feather"),
    "excel": (".xlsx", ".xls", ".ods"),
}
"""How the names of files end, by the kind of file."""


def wrong_separator(names: Iterable[str], column: str) -> str:
    """Say which separator would give a column that is missing; nothing if none.

    Examples
    --------
    >>> wrong_separator(["age;job"], "age")
    "; the separator seems to be ';': say so with --sep"
    """
    for separator in ";\t|":
        parts = ",".join(names).split(separator)
        if column in parts and len(parts) > 1:
            return f"; the separator seems to be {separator!r}: say so with --sep"
    return ""


def kind_of(name: str) -> str:
    """Say how a file is to be read or written, by its name.

    Examples
    --------
    >>> kind_of("people.csv.gz"), kind_of("people.pq")
    ('text', 'parquet')
    """
    if name == STANDARD:
        return "text"
    for kind, ends in ENDS.items():
        if name.lower().endswith(ends):
            return kind
    raise ValueError(
        f"{name}: the name of a data file must end in {', '.join(TEXTS)} (perhaps "
        "packed: .csv.gz, .zip), .parquet, .jsonl, .arrow or .xlsx"
    )
