"""Names and texts in SQL: refuse what a database would cut, fold or lose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircg.exceptions import ExportError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faircg.export.sql_dialects import Dialect


def check_names(names: Iterable[str], dialect: Dialect) -> None:
    """Refuse names of columns that the database cannot tell apart, or cannot have.

    Examples
    --------
    >>> from faircg.export.sql_dialects import DIALECTS
    >>> check_names(["Age", "age"], DIALECTS["postgres"])
    >>> check_names(["Age", "age"], DIALECTS["duckdb"])
    Traceback (most recent call last):
    ...
    faircg.exceptions.ExportError: duckdb ignores case, so that the names 'Age' and
    'age' are one
    """
    seen: dict[str, str] = {}
    for name in names:
        check_name(name, dialect)
        other = seen.setdefault(name.casefold(), name)
        if dialect.ignores_case and other != name:
            raise ExportError(
                f"{dialect.name} ignores case, so that the names {_short(other)} and "
                f"{_short(name)} are one"
            )


def check_name(name: str, dialect: Dialect) -> None:
    """Refuse a name that no column or table of the database can have."""
    check_text(name, "the name", dialect)
    if not name and not dialect.allows_empty_name:
        raise ExportError(f"{dialect.name} has no columns or tables without a name")
    length = len(name.encode() if dialect.counts_bytes else name)
    if dialect.longest_name is not None and length > dialect.longest_name:
        unit = "bytes" if dialect.counts_bytes else "characters"
        raise ExportError(
            f"{dialect.name} has names of at most {dialect.longest_name} {unit}; "
            f"{_short(name)} has {length}"
        )
    bad = next((c for c in name if c in dialect.forbidden), None)
    if bad is not None:
        raise ExportError(
            f"{dialect.name} has no names with {bad!a}, as in {_short(name)}"
        )
    if dialect.basic_plane_only and (name.endswith(" ") or max(name) > "\uffff"):
        raise ExportError(
            f"{dialect.name} has no names that end in a space or hold characters "
            f"beyond U+FFFF, as in {_short(name)}"
        )


def check_text(text: str, what: str, dialect: Dialect) -> None:
    """Refuse text that SQL cannot hold."""
    if "\0" in text:
        raise ExportError(
            f"SQL cannot hold the character NUL, as in {what} {_short(text)}"
        )
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ExportError(
            f"SQL cannot hold half a surrogate pair, as in {what} {_short(text)}"
        )
    if not text and what != "the name" and not dialect.has_empty_text:
        raise ExportError(f"{dialect.name} takes {what} '' for a missing value")


def _short(text: str) -> str:
    return ascii(text if len(text) <= 60 else f"{text[:57]}...")
