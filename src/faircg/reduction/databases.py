"""Tables where they live: what answers SQL about one table, called ``people``.

SQL is written once, in DuckDB's words; ibis says it in those of another database.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import narwhals.stable.v2 as nw

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

    from faircg.table import Kind

logger = logging.getLogger(__name__)


class Database(Protocol):
    """A table that is asked by SQL."""

    def kinds(self, names: Iterable[str]) -> Mapping[str, Kind]:
        """Return the kinds of some columns."""

    def type_of(self, name: str) -> Any:
        """Return the type of a column, as the database knows it."""

    def ask(self, sql: str, /, **types: Any) -> pd.DataFrame:
        """Return the answer to a query of the table ``people``.

        ``types`` are those of its columns: of this table, or of a kind.
        """


@dataclass(frozen=True, slots=True)
class DuckDBSource:
    """A relation of DuckDB."""

    relation: Any

    def kinds(self, names: Iterable[str]) -> Mapping[str, Kind]:
        """Return the kinds of some columns."""
        return {name: _duckdb_kind(name, str(self.type_of(name))) for name in names}

    def type_of(self, name: str) -> Any:
        """Return the type of a column."""
        return self.relation.types[self.relation.columns.index(name)]

    def ask(self, sql: str, /, **types: Any) -> pd.DataFrame:
        """Return the answer to a query; DuckDB knows its types."""
        logger.debug("asks for %s: %s", ", ".join(types), sql)
        found: pd.DataFrame = self.relation.query("people", sql).df()
        return found


@dataclass(frozen=True, slots=True)
class IbisSource:
    """A table of ibis, in any database that it knows."""

    table: Any

    def kinds(self, names: Iterable[str]) -> Mapping[str, Kind]:
        """Return the kinds of some columns."""
        return {name: _ibis_kind(name, self.type_of(name)) for name in names}

    def type_of(self, name: str) -> Any:
        """Return the type of a column."""
        return self.table.schema()[name]

    def ask(self, sql: str, /, **types: Any) -> pd.DataFrame:
        """Return the answer to a query, asked in the words of the database.

        As all types are known, ibis makes no view to find them out: reading is enough.
        """
        import ibis
        import sqlglot

        database = self.table.get_backend()
        said = sqlglot.transpile(sql, read="duckdb", write=database.dialect)[0]
        whole = f"WITH people AS ({ibis.to_sql(self.table)}) {said}"
        logger.debug("asks for %s: %s", ", ".join(types), whole)
        found: pd.DataFrame = database.sql(whole, schema=types).to_pandas()
        return found


def database_of(table: Any) -> Database | None:
    """Return what answers SQL about a table; None if it is in memory."""
    import duckdb

    if isinstance(table, duckdb.DuckDBPyRelation):
        return DuckDBSource(table)
    if nw.dependencies.is_ibis_table(table):
        return IbisSource(table)
    return None


def _duckdb_kind(name: str, dtype: str) -> Kind:
    if dtype == "BOOLEAN":
        return "boolean"
    if dtype == "VARCHAR" or dtype.startswith("ENUM"):
        return "category"
    numbers = ("INT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
    if any(number in dtype for number in numbers) and not dtype.endswith("]"):
        return "numeric"
    raise _no_kind(name, dtype)


def _ibis_kind(name: str, dtype: Any) -> Kind:
    if dtype.is_boolean():
        return "boolean"
    if dtype.is_string():
        return "category"
    if dtype.is_numeric():
        return "numeric"
    raise _no_kind(name, str(dtype))


def _no_kind(name: str, dtype: str) -> ValueError:
    return ValueError(
        f"column {name!r} holds {dtype}; turn it into a number, a boolean or a text "
        "first, or leave it out by naming the features"
    )
