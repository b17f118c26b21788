"""Run what was exported, each in its own world, and give the labels as a list."""

import sqlite3

import duckdb
import onnxruntime
import pyarrow.parquet

from export.random_models import as_tensors
from faircg.export import MISSING_TEXT, export_model
from faircg.tables.decide import Decisions
from faircg.tables.source import open_source
from faircg.tables.write import Wanted, write_decisions


def run_duckdb(model, arrow, table="data"):
    """Run the statement over an Arrow table; rows keep their order."""
    sql = export_model(model, "sql", table=table, dialect="duckdb")
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("source", arrow)
        name = '"' + table.replace('"', '""') + '"'
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM source")
        result = connection.execute(sql)
        assert result.description[-1][0].startswith("prediction")
        return [row[-1] for row in result.fetchall()]


def run_command(model, arrow, path):
    """Decide as ``faircg predict`` does, on a Parquet file."""
    pyarrow.parquet.write_table(arrow, path)
    source = open_source(str(path))
    decisions = Decisions(model, source)
    counted = decisions.count(strict=False)
    out = path.with_name("o.parquet")
    write_decisions(decisions, Wanted("+"), out.name, out, counted.rows)
    found = pyarrow.parquet.read_table(out).column("+").to_pylist()
    if len({*map(type, model.labels)}) > 1:  # a column has one type: text
        labels = {"" if label is None else str(label): label for label in model.labels}
        found = [labels[text] for text in found]
    assert counted.positive == found.count(model.labels[1])
    return found


SQLITE_TYPES = {
    "double": "REAL",
    "int64": "INTEGER",
    "bool": "INTEGER",
    "string": "TEXT",
}


def run_sqlite(model, arrow, table="data"):
    """Run the statement over a table of SQLite."""
    sql = export_model(model, "sql", table=table, dialect="sqlite")
    quoted = ['"' + n.replace('"', '""') + '"' for n in (table, *arrow.column_names)]
    types = [SQLITE_TYPES[str(t)] for t in arrow.schema.types]
    declared = ", ".join(map(" ".join, zip(quoted[1:], types, strict=True)))
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE TABLE {quoted[0]} ({declared})")
        rows = zip(*(c.to_pylist() for c in arrow.columns), strict=True)
        marks = ", ".join("?" for _ in types)
        connection.executemany(f"INSERT INTO {quoted[0]} VALUES ({marks})", rows)
        return [row[-1] for row in connection.execute(sql).fetchall()]
    finally:
        connection.close()


def run_onnx(model, columns, data):
    """Run the graph; the position of the rule must agree with the label."""
    graph = export_model(model, "onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        graph, options, providers=["CPUExecutionProvider"]
    )
    tensors = as_tensors(columns, data, MISSING_TEXT)
    feed = {i.name: tensors[i.name] for i in session.get_inputs()}
    labels, rules = session.run(None, feed)
    return labels.tolist(), rules.tolist()


def python_function(model):
    """Return the exported function."""
    namespace = {}
    exec(compile(export_model(model, "python"), "exported.py", "exec"), namespace)
    return namespace["predict"]


def run_python(model, rows):
    """Call the exported function for each row."""
    predict = python_function(model)
    return [predict(row) for row in rows]
