"""PostgreSQL and Spark decide as ``predict`` does, on every row."""

import random
from decimal import Decimal

import pytest

from export.random_models import as_arrow, as_frame, random_columns, random_model
from faircg.exceptions import ExportError
from faircg.export import export_model
from reduction.servers import postgres, spark

pytestmark = pytest.mark.filterwarnings(
    "ignore::faircg.exceptions.UnseenCategoryWarning"
)
N_MODELS = 40
N_ROWS = 1000
FEWEST = 25
"""Models that a database must be able to hold; some names are too long for it."""


def cases(dialect):
    """Draw models; give the statement, rows as Arrow, and what is predicted."""
    for seed in range(N_MODELS):
        rng = random.Random(seed)
        model, columns = random_model(rng)
        data = random_columns(model, columns, rng, N_ROWS)
        try:
            sql = export_model(model, "sql", table="people", dialect=dialect)
        except ExportError:
            continue
        expected = model.predict(as_frame(columns, data), strict=False).tolist()
        yield sql, as_arrow(columns, data), expected


def same(found, expected):
    """Equal, whichever way the database writes numbers."""
    assert len(found) == len(expected)
    plain = [float(v) if isinstance(v, Decimal) else v for v in found]
    wrong = [k for k, v in enumerate(expected) if plain[k] != v]
    assert not wrong, (wrong[:5], plain[wrong[0]], expected[wrong[0]])


POSTGRES_TYPES = {
    "double": "DOUBLE PRECISION",
    "int64": "BIGINT",
    "bool": "BOOLEAN",
    "string": "TEXT",
}


def test_postgres_agrees(record_property):
    """40 models, a thousand rows each, with NULL and NaN."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    text = psycopg.sql.SQL
    agreed = 0
    with postgres() as (where, _):
        asked = {"user": where["user"], "host": where["host"], "dbname": "postgres"}
        with psycopg.connect(**asked, autocommit=True) as database:
            for sql, arrow, expected in cases("postgres"):
                if any("\0" in str(v) for c in arrow.columns for v in c.to_pylist()):
                    continue  # no text of PostgreSQL holds it
                types = [POSTGRES_TYPES[str(kind)] for kind in arrow.schema.types]
                declared = text(", ").join(
                    text("{} " + kind).format(psycopg.sql.Identifier(name))
                    for name, kind in zip(arrow.column_names, types, strict=True)
                )
                database.execute("DROP TABLE IF EXISTS people")
                # A table has no order of its own: long rows move to other pages.
                made = text('CREATE TABLE people ("row of it" BIGINT, {})')
                database.execute(made.format(declared))
                columns = [range(N_ROWS), *(c.to_pylist() for c in arrow.columns)]
                with database.cursor().copy("COPY people FROM STDIN") as copy:
                    copy.set_types(["bigint", *map(str.lower, types)])
                    for row in zip(*columns, strict=True):
                        copy.write_row(row)
                rows = sorted(database.execute(sql).fetchall(), key=lambda row: row[0])
                same([row[-1] for row in rows], expected)
                agreed += 1
    record_property("cases", agreed)
    assert agreed >= FEWEST


def test_spark_agrees(record_property):
    """The same, in the words of Spark."""
    agreed = 0
    with spark() as session:
        for sql, arrow, expected in cases("spark"):
            rows = [*zip(*(c.to_pylist() for c in arrow.columns), strict=True)]
            kinds = {"double": "double", "int64": "bigint", "bool": "boolean"}
            declared = ", ".join(
                f"`{name.replace('`', '``')}` {kinds.get(str(kind), 'string')}"
                for name, kind in zip(
                    arrow.column_names, arrow.schema.types, strict=True
                )
            )
            frame = session.createDataFrame(rows, schema=declared).coalesce(1)
            frame.createOrReplaceTempView("people")
            same([row[-1] for row in session.sql(sql).collect()], expected)
            agreed += 1
    record_property("cases", agreed)
    assert agreed >= FEWEST
