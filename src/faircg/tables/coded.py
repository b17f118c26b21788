"""Texts as codes: a column of few different texts takes one byte for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from faircg.export.duckdb_sql import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import duckdb

FIRST: Final = 5_000
"""Rows that are looked at first."""
MOST_FIRST: Final = 1_000
"""Different texts in the first rows beyond which a column is not coded."""
MOST_COLUMNS: Final = 50
"""Columns beyond which none is coded: DuckDB takes long to plan for many."""
MOST_WORDS: Final = 50_000
"""Different texts beyond which a column is not coded."""


def codes_of(
    relation: duckdb.DuckDBPyRelation, columns: Sequence[str], absent: Collection[str]
) -> dict[int, str]:
    """Return columns of few texts as SQL of a type that has just these, by position.

    Texts that are ``absent`` become NULL.
    """
    import duckdb

    if len(columns) > MOST_COLUMNS:
        return {}
    values = relation.project(
        ", ".join(f"{column} AS v{j}" for j, column in enumerate(columns))
    )
    texts = [j for j, kind in enumerate(values.types) if str(kind) == "VARCHAR"]
    first = _asked(values.limit(FIRST), [f"count(DISTINCT v{j})" for j in texts])
    few = [j for j, count in zip(texts, first, strict=True) if count <= MOST_FIRST]
    coded: dict[int, str] = {}
    try:
        found = _asked(values, [f"histogram(v{j})" for j in few])
    except duckdb.OutOfMemoryException:  # few texts first, and very many later
        return coded
    for j, counts in zip(few, found, strict=True):
        words = [word for word in counts or () if word not in absent]
        if 0 < len(words) <= MOST_WORDS and "\0" not in "".join(words):
            among = ", ".join(map(quoted, words))
            coded[j] = f"TRY_CAST({columns[j]} AS ENUM({among}))"
    return coded


def _asked(values: duckdb.DuckDBPyRelation, sums: list[str]) -> tuple[Any, ...]:
    """Return some aggregates of all rows."""
    return values.aggregate(", ".join(sums)).fetchall()[0] if sums else ()
