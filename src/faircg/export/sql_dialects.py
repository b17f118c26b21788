"""SQL dialects: where databases differ in what a comparison means or a name may be.

How each dialect quotes and spells is sqlglot's business. Here is what changes the
answer: NaN, text that compares equal without being equal, and names that a database
would cut, fold or refuse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from faircg.exceptions import ExportError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Nan: TypeAlias = Literal["none", "function", "equality"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one database does differently; its name is the one that sqlglot has."""

    name: str
    nan: Nan = "none"
    """How to find NaN in a column: there is none, a function, or NaN equals itself."""
    booleans_are_digits: bool = False
    compares_bytes: bool = False
    """Whether the usual order of texts ignores case or trailing spaces."""
    has_empty_text: bool = True
    """Whether the empty text is a text, not a missing value."""
    reads_decimals: bool = True
    """Whether a decimal is read as the nearest double, however many digits it has."""
    number_range: tuple[float, float] = (0.0, math.inf)
    """The smallest and the largest number that can be written, besides zero."""
    ignores_case: bool = False
    """Whether two columns cannot differ by case alone."""
    longest_name: int | None = None
    """In characters, or in bytes of UTF-8."""
    counts_bytes: bool = False
    forbidden: str = ""
    """Characters that no name may hold, besides NUL."""
    allows_empty_name: bool = False
    basic_plane_only: bool = False
    """Whether names hold no characters beyond U+FFFF, and do not end in a space."""


_ALL: Final = (
    Dialect(
        name="bigquery",
        nan="function",
        ignores_case=True,
        longest_name=300,
        forbidden='!"$()*,./;?@[\\]^`{}~\n',
    ),
    # Inside quoted names, too, a backslash begins an escape.
    Dialect(name="clickhouse", nan="function", forbidden="\\"),
    Dialect(name="databricks", nan="function", ignores_case=True, longest_name=255),
    Dialect(name="duckdb", nan="function", ignores_case=True),
    Dialect(
        name="mysql",
        compares_bytes=True,
        ignores_case=True,
        longest_name=64,
        basic_plane_only=True,
    ),
    Dialect(
        name="oracle",
        nan="equality",
        booleans_are_digits=True,
        has_empty_text=False,
        number_range=(1e-120, 1e120),
        longest_name=128,
        counts_bytes=True,
        forbidden='"',
    ),
    Dialect(name="postgres", nan="equality", longest_name=63, counts_bytes=True),
    Dialect(name="presto", nan="function", ignores_case=True),
    Dialect(name="snowflake", nan="equality", longest_name=255),
    Dialect(name="spark", nan="function", ignores_case=True),
    Dialect(
        name="sqlite",
        reads_decimals=False,
        ignores_case=True,
        allows_empty_name=True,
    ),
    Dialect(name="trino", nan="function", ignores_case=True),
    Dialect(
        name="tsql",
        booleans_are_digits=True,
        compares_bytes=True,
        ignores_case=True,
        longest_name=128,
    ),
)

DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {dialect.name: dialect for dialect in _ALL}
)
"""The databases that SQL can be written for, by name."""


def check_names(names: Iterable[str], dialect: Dialect) -> None:
    """Refuse names of columns that the database cannot tell apart, or cannot have.

    Examples
    --------
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


def check_whole(value: int, what: str) -> None:
    """Refuse a whole number of more than 64 bits."""
    if not -(2**63) <= value < 2**63:
        raise ExportError(f"{what} is {value}: SQL integers have 64 bits")


def digits(value: float) -> str:
    """Return a double; with an exponent it is no decimal in most databases.

    Examples
    --------
    >>> digits(-40.5), digits(1e300)
    ('-40.5e0', '1e+300')
    """
    text = repr(value).removesuffix(".0")
    return text if "e" in text else f"{text}e0"


def _short(text: str) -> str:
    return ascii(text if len(text) <= 60 else f"{text[:57]}...")
