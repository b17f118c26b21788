"""Values of a column as SQL: what is missing, a number, true or false, or a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MISSING: Final = (
    "",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "None",
    "n/a",
    "nan",
    "null",
)
"""Texts that stand for no value, as pandas has them."""
TRUE: Final = ("True", "TRUE", "true")
FALSE: Final = ("False", "FALSE", "false")


def quoted(text: str) -> str:
    """Return a text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def name(text: str) -> str:
    """Return the name of a column as SQL has it."""
    return '"' + text.replace('"', '""') + '"'


def among(value: str, texts: Iterable[str]) -> str:
    """Return the test whether a value is one of some texts."""
    return f"{value} IN ({', '.join(map(quoted, texts))})"


def present(column: str) -> str:
    """Return a text that is there, else NULL."""
    return f"CASE WHEN {among(column, MISSING)} THEN NULL ELSE {column} END"


def number(text: str, decimal: str | None = None) -> str:
    """Return a text as a double; NULL if it is no number."""
    digits = text
    if decimal == ",":
        digits = f"translate({text}, ',.', '.x')"
    # DuckDB takes 1_000 for a number.
    cast = f"TRY_CAST({digits} AS DOUBLE)"
    return f"CASE WHEN contains({text}, '_') THEN NULL ELSE {cast} END"


def boolean(text: str) -> str:
    """Return a text as true or false; NULL if it is neither."""
    yes, no = among(text, TRUE), among(text, FALSE)
    return f"CASE WHEN {yes} THEN true WHEN {no} THEN false END"
