"""What is particular to SQL: numbers, names, tables, and the types of columns."""

import math
import random
import sqlite3
import struct
from fractions import Fraction

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from export.runners import run_duckdb, run_sqlite
from faircg.exceptions import ExportError
from faircg.export import DIALECTS, export_model
from faircg.export.sql import reads_back, sql_tree
from faircg.export.sql_numbers import _rounded, double
from faircg.model import Feature, RuleSetModel
from faircg.rules import Condition, Rule, RuleSet


def model_of(*rules, labels=(0, 1), categories=("a", "b"), kind="category"):
    """Return a model whose rules have one condition each."""
    conditions = [Condition(*rule) for rule in rules]
    names = dict.fromkeys(c.feature for c in conditions)
    seen = categories if kind == "category" else ()
    return RuleSetModel(
        RuleSet(tuple(Rule((c,)) for c in conditions)),
        tuple(Feature(name, kind, tuple(seen)) for name in names),
        labels,
    )


def random_double(rng):
    while not math.isfinite(
        number := struct.unpack("d", rng.getrandbits(64).to_bytes(8))[0]
    ):
        pass
    return number


def test_sqlite_reads_every_number_exactly():
    """SQLite's own reading of decimals is off by one bit in one number of 200."""
    rng = random.Random(0)
    numbers = [random_double(rng) for _ in range(1_500)]
    numbers += [round(rng.uniform(-1e6, 1e6), rng.randint(0, 12)) for _ in range(1_500)]
    numbers += [0.0, 5e-324, -5e-324, 2.0**-1022, 1.7976931348623157e308, 1e22, 1e23]
    connection = sqlite3.connect(":memory:")
    for number in numbers:
        sql = double(number, DIALECTS["sqlite"]).sql("sqlite")
        [(read,)] = connection.execute(f"SELECT {sql}").fetchall()
        assert read == number, sql
    connection.close()


def test_duckdb_reads_every_number_exactly():
    """Numbers with an exponent are doubles, to the last bit."""
    rng = random.Random(1)
    numbers = [random_double(rng) for _ in range(1_000)]
    numbers += [round(rng.uniform(-1e6, 1e6), rng.randint(0, 12)) for _ in range(1_000)]
    written = [double(number, DIALECTS["duckdb"]).sql("duckdb") for number in numbers]
    with duckdb.connect() as connection:
        [row] = connection.execute(f"SELECT {', '.join(written)}").fetchall()
    assert list(row) == numbers
    assert all(isinstance(value, float) for value in row)


def test_short_decimals_stay_readable_in_sqlite():
    """Cut points that people choose look as they wrote them."""
    for number in (0.5, 40.5, 25.0, 0.1, 0.05, 1.25, 123.456, 1e6):
        text = double(number, DIALECTS["sqlite"]).sql("sqlite")
        assert text == f"{number!r}".removesuffix(".0") + "e0"


@pytest.mark.parametrize("bits", [53, 64])
def test_rounding_to_bits(bits):
    """Rounding agrees with what the machine does with 53 bits, and is idempotent."""
    rng = random.Random(bits)
    for _ in range(500):
        exact = Fraction(rng.getrandbits(80) + 1, rng.getrandbits(70) + 1)
        rounded = _rounded(exact, bits)
        assert _rounded(rounded, bits) == rounded
        assert abs(rounded - exact) <= exact / 2**bits
        if bits == 53:
            assert rounded == Fraction(float(exact))


def test_whole_numbers_as_categories_are_exact():
    """Two codes that share a double are two codes."""
    big = 2**53
    model = model_of(("code", "=", big + 1), categories=(big, big + 1))
    table = pa.table({"code": pa.array([big, big + 1, None], type=pa.int64())})
    assert run_duckdb(model, table) == run_sqlite(model, table) == [0, 1, 0]
    with pytest.raises(ExportError, match="too large to be compared exactly"):
        export_model(model, "onnx")


def test_booleans_as_categories():
    """Categories that are true and false are a boolean column."""
    model = model_of(("x", "!=", True), categories=(True, False))
    table = pa.table({"x": [True, False, None]})
    assert run_duckdb(model, table) == run_sqlite(model, table) == [0, 1, 0]


@pytest.mark.parametrize(
    "change",
    [
        lambda sql: sql.replace("'cook'", "'Cook'"),
        lambda sql: sql.replace('"job"', '"Job"'),
        lambda sql: sql.replace("=", "<>"),
        lambda sql: f"{sql}; SELECT 1",
        lambda sql: f"{sql} WHERE TRUE",
        lambda sql: sql[:-1],
        lambda sql: sql.replace("THEN 1", "THEN 1 + 0"),
    ],
    ids=range(7),
)
def test_another_statement_does_not_read_back(change, monkeypatch):
    """Whatever differs from the tree is seen, and then nothing is written."""
    model = model_of(("job", "=", "cook"))
    tree = sql_tree(model, table="data", dialect="postgres")
    sql = tree.sql("postgres")
    assert reads_back(sql, tree, "postgres")
    assert change(sql) != sql
    assert not reads_back(change(sql), tree, "postgres")
    write = type(tree).sql
    monkeypatch.setattr(
        type(tree), "sql", lambda self, *a, **k: change(write(self, *a, **k))
    )
    with pytest.raises(ExportError, match="cannot be written safely in postgres"):
        export_model(model, "sql", dialect="postgres")


def test_booleans_may_be_stored_as_numbers():
    """Columns of 0 and 1 will do, as they do for predict."""
    model = model_of(("member", "=", True), kind="boolean")
    numbers = pa.table({"member": pa.array([1, 0, None], type=pa.int64())})
    assert run_duckdb(model, numbers) == run_sqlite(model, numbers) == [1, 0, 0]


def test_labels_keep_their_type():
    """A label is the label, not its text; None is NULL."""
    table = pa.table({"x": ["a", "b", None]})
    for labels in [(None, 1), (False, True), (0.1, 1e300), ("", "'"), (-3, 4)]:
        model = model_of(("x", "=", "a"), labels=labels)
        low, high = labels
        assert run_duckdb(model, table) == [high, low, low]
        assert run_sqlite(model, table) == [high, low, low]


def test_the_empty_rule_set_gives_one_label():
    """No rule, no CASE."""
    model = RuleSetModel(RuleSet(()), (), ("no", "yes"))
    table = pa.table({"x": [1, 2]})
    assert run_duckdb(model, table) == run_sqlite(model, table) == ["no", "no"]


def test_a_table_in_a_schema():
    """A sequence of names is a path to the table."""
    model = model_of(("x", "=", "a"))
    sql = export_model(model, "sql", table=("memory", "s", "people.all"))
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA s")
        connection.execute("CREATE TABLE s.\"people.all\" AS SELECT 'a' AS x")
        assert connection.execute(sql).fetchall() == [("a", 1)]
    with pytest.raises(ExportError, match="at most a schema and a catalog"):
        export_model(model, "sql", table=("a", "b", "c", "d"))


def test_an_absent_column_is_an_error_in_sqlite():
    """SQLite takes an unknown quoted name for a text; a qualified one it refuses."""
    sql = export_model(model_of(("nobody", "=", "nobody")), "sql", dialect="sqlite")
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE data (x)")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        connection.execute(sql)
    connection.close()


@pytest.mark.parametrize(
    ("dialect", "rules", "options", "message"),
    [
        ("dbase", [("x", "=", "a")], {}, "unknown dialect 'dbase'"),
        ("duckdb", [("Age", "=", "a"), ("age", "=", "a")], {}, "duckdb ignores case"),
        ("oracle", [("x", "=", "")], {}, "oracle takes the text '' for a missing"),
        ("oracle", [("x", "=", "b")], {"categories": ("", "b")}, "a category of 'x'"),
        ("postgres", [("é" * 32, "=", "a")], {}, "at most 63 bytes; .* has 64"),
        ("tsql", [("x" * 129, "=", "a")], {}, "at most 128 characters; .* has 129"),
        ("duckdb", [("x", "=", "a")], {"categories": ("a", 1)}, "of several types"),
        ("duckdb", [("x", "=", 2**63)], {"categories": (1,)}, "integers have 64 bits"),
        (
            "duckdb",
            [("x", "=", 2**53 + 1)],
            {"categories": (0.5,)},
            "no double is exactly 9007199254740993",
        ),
        ("duckdb", [("x", "=", "a")], {"labels": (None, 2**63)}, "the label is 92"),
        (
            "oracle",
            [("x", ">", 1e200)],
            {"kind": "numeric"},
            r"no literal for the number 1e\+200",
        ),
    ],
)
def test_what_a_database_cannot_hold_is_refused(dialect, rules, options, message):
    """One sentence names what and why."""
    with pytest.raises(ExportError, match=message):
        export_model(model_of(*rules, **options), "sql", dialect=dialect)


def test_names_that_differ_by_case_where_case_counts():
    """PostgreSQL tells Age from age."""
    model = model_of(("Age", "=", "a"), ("age", "=", "a"))
    sql = export_model(model, "sql", dialect="postgres")
    assert '"t"."Age"' in sql
    assert '"t"."age"' in sql


def test_text_is_compared_as_bytes_where_the_database_ignores_case():
    """MySQL and SQL Server would take Cook, or cook and a space, for cook."""
    model = model_of(("job", "=", "cook"))
    mysql, tsql = (export_model(model, "sql", dialect=d) for d in ("mysql", "tsql"))
    assert "CAST(`t`.`job` AS BINARY) = CAST('cook' AS BINARY)" in mysql
    assert (
        "CAST(CAST([t].[job] AS NVARCHAR(MAX)) AS VARBINARY(MAX)) = "
        "CAST(N'cook' AS VARBINARY(MAX))"
    ) in tsql


def test_a_csv_file_imported_as_texts_by_sqlite():
    """The shell's .import makes every column text, with '' for what is missing."""
    rules = RuleSet(
        (
            Rule((Condition("member", "=", True), Condition("years", "<=", 0))),
            Rule((Condition("member", "!=", True), Condition("years", ">", 9))),
            Rule((Condition("years", "is missing"), Condition("member", "=", False))),
            Rule((Condition("member", "is missing"), Condition("years", ">", 3))),
        )
    )
    features = (Feature("member", "boolean"), Feature("years", "numeric"))
    model = RuleSetModel(rules, features, (0, 1))
    values = [None, True, False], [None, -1.0, 0.0, 4.5, 10.0]
    rows = [(m, y) for m in values[0] for y in values[1]]
    expected = model.predict(pd.DataFrame(rows, columns=["member", "years"])).tolist()
    sql = export_model(model, "sql", table="people", dialect="sqlite")
    spellings = [
        lambda v: "" if v is None else str(v),
        lambda v: "" if v is None else str(v).lower(),
        lambda v: "" if v is None else str(int(v) if v in (0, 1) else v),
        lambda v: None if v is None else float(v),
        lambda v: v,
    ]
    for spell in spellings:
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE TABLE people (member, years)")
        texts = [(spell(m), spell(y)) for m, y in rows]
        connection.executemany("INSERT INTO people VALUES (?, ?)", texts)
        found = [row[-1] for row in connection.execute(sql).fetchall()]
        connection.close()
        assert found == expected
