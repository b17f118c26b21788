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

if TYPE_CHECKING:
    from collections.abc import Mapping

Nan: TypeAlias = Literal["none", "function", "equality"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one database does differently.

    Parameters
    ----------
    name
        As sqlglot calls it.
    nan
        How to find NaN in a column: there is none, there is a function, or NaN equals
        itself.
    booleans_are_digits
        True and false are written 1 and 0.
    compares_bytes
        Text has to be compared as bytes, since the usual order of the database ignores
        case or trailing spaces.
    has_empty_text
        The empty text is a text, not a missing value.
    reads_decimals
        A decimal number is read as the nearest double, however many digits it has.
    number_range
        The smallest and the largest number that can be written, besides zero.
    ignores_case
        Two columns cannot differ by case alone.
    longest_name, counts_bytes
        The longest name of a column, in characters or in bytes of UTF-8.
    forbidden
        Characters that no name may hold, besides NUL.
    allows_empty_name
        A column may have no name.
    basic_plane_only
        Names hold no characters beyond U+FFFF, and do not end in a space.
    """

    name: str
    nan: Nan = "none"
    booleans_are_digits: bool = False
    compares_bytes: bool = False
    has_empty_text: bool = True
    reads_decimals: bool = True
    number_range: tuple[float, float] = (0.0, math.inf)
    ignores_case: bool = False
    longest_name: int | None = None
    counts_bytes: bool = False
    forbidden: str = ""
    allows_empty_name: bool = False
    basic_plane_only: bool = False


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
