"""Values of a column as SQL: what is missing, a number, true or false, or a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from faircg.export.duckdb_sql import quoted
from faircg.written_numbers import OTHERS, SHAPES, SIGNS, SPACES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faircg.written_numbers import Decimal

MISSING: Final = (  # noqa: SIM905
    "|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|"
    "None|n/a|nan|null"
).split("|")
"""Texts that stand for no value, as pandas has them."""
TRUE: Final = ("True", "TRUE", "true")
FALSE: Final = ("False", "FALSE", "false")


def among(value: str, texts: Iterable[str]) -> str:
    """Return the test whether a value is one of some texts."""
    return f"({value} IN ({', '.join(map(quoted, texts)) or 'NULL'}))"


def present(column: str, words: Iterable[str] = ()) -> str:
    """Return a text that is there, else NULL; some more words may mean nothing."""
    texts = (*MISSING, *words)
    longest = max(len(text.encode()) for text in texts)  # a quick test before many
    return (
        f"CASE WHEN strlen({column}) > {longest} THEN {column} "
        f"WHEN {among(column, texts)} THEN NULL ELSE {column} END"
    )


def number(text: str, decimal: str | None = None) -> str:
    """Return a text as a double; NULL if it is no number, or not a number."""
    value = cast(text, decimal)
    return f"CASE WHEN NOT (contains({text}, '_') OR isnan({value})) THEN {value} END"


def no_number(text: str, decimal: str | None = None) -> str:
    """Return the test for what is no number; DuckDB takes 1_000 for one."""
    return f"({cast(text, decimal)} IS NULL OR contains({text}, '_'))"


def cast(text: str, decimal: str | None = None) -> str:
    """Return a text as what DuckDB takes for a double."""
    digits = f"translate({text}, ',.', '.x')" if decimal == "," else text
    return f"TRY_CAST({digits} AS DOUBLE)"


def boolean(text: str) -> str:
    """Return a text as true or false; NULL if it is neither."""
    yes, no = among(text, TRUE), among(text, FALSE)
    return f"CASE WHEN {yes} THEN true WHEN {no} THEN false END"


def written_number(text: str, decimal: Decimal) -> str:
    """Return a number as people write it, see :mod:`faircg.written_numbers`."""
    marks = quoted(f"{SIGNS}|{SPACES}")
    bare = f"replace(regexp_replace({text}, {marks}, '', 'g'), '\N{MINUS SIGN}', '-')"
    owed = f"(starts_with({bare}, '(') AND ends_with({bare}, ')'))"
    inner = f"CASE WHEN {owed} THEN ({bare})[2:-2] ELSE {bare} END"
    shape = f"regexp_full_match({inner}, {quoted(SHAPES[decimal].pattern)})"
    plain = f"replace(replace({inner}, '{OTHERS[decimal]}', ''), '{decimal}', '.')"
    value = f"TRY_CAST({plain} AS DOUBLE) * CASE WHEN {owed} THEN -1 ELSE 1 END"
    return f"CASE WHEN {shape} THEN {value} END"


def text_of(column: str, kind: str) -> str:
    """Return names for what a column of some type of DuckDB holds: 3.0 is '3'."""
    if kind == "BOOLEAN":
        return f"CASE WHEN {column} THEN 'True' WHEN NOT {column} THEN 'False' END"
    text = f"CAST({column} AS VARCHAR)"
    if kind not in ("DOUBLE", "FLOAT"):
        return text
    whole = f"CAST(TRY_CAST({column} AS BIGINT) AS VARCHAR)"
    return (
        f"CASE WHEN isnan({column}) THEN NULL WHEN {column} = TRY_CAST({column} AS "
        f"BIGINT) THEN {whole} ELSE {text} END"
    )
