"""Every format decides as ``predict`` does, on every row."""

import random
import re

import numpy as np
import pandas as pd
import pytest
import sqlglot

from export.random_models import as_arrow, as_frame, random_columns, random_model
from export.runners import (
    run_command,
    run_duckdb,
    run_onnx,
    run_python,
    run_sqlite,
)
from faircg.exceptions import ExportError
from faircg.export import DIALECTS, FORMATS, export_model
from faircg.export.sql import sql_tree
from faircg.model import RuleSetModel

pytestmark = pytest.mark.filterwarnings(
    "ignore::faircg.exceptions.UnseenCategoryWarning"
)
N_MODELS = 40
N_ROWS = 1000


@pytest.fixture(scope="module", params=range(N_MODELS))
def case(request):
    """Return a model, its columns, rows, and what it predicts for them."""
    rng = random.Random(request.param)
    model, columns = random_model(rng)
    data = random_columns(model, columns, rng, N_ROWS)
    frame = as_frame(columns, data)
    return model, columns, data, frame, model.predict(frame, strict=False).tolist()


def same(found, expected):
    """Equal label for label, and of one type unless the target lacks booleans."""
    wrong = [
        k
        for k, pair in enumerate(zip(found, expected, strict=True))
        if pair[0] != pair[1]
    ]
    assert not wrong, (wrong[:5], found[wrong[0]], expected[wrong[0]])


def test_json_agrees(case):
    """The model file decides as the model does."""
    model, _, _, frame, expected = case
    again = RuleSetModel.from_json(export_model(model, "json"))
    assert again.predict(frame, strict=False).tolist() == expected


def test_duckdb_agrees(case):
    """DuckDB decides as the model does, on NaN and on NULL."""
    model, columns, data, _, expected = case
    found = run_duckdb(model, as_arrow(columns, data))
    same(found, expected)
    assert {*map(type, found)} == {*map(type, expected)}


def test_the_command_agrees(case, tmp_path):
    """``faircg predict`` decides on a file as the model does on a frame."""
    model, columns, data, _, expected = case
    same(run_command(model, as_arrow(columns, data), tmp_path / "t.parquet"), expected)


def test_sqlite_agrees(case):
    """SQLite decides as the model does."""
    model, columns, data, _, expected = case
    same(run_sqlite(model, as_arrow(columns, data)), expected)


def test_onnx_agrees(case):
    """The graph decides as the model does, and names the first rule that covers."""
    model, columns, data, frame, expected = case
    labels, rules = run_onnx(model, columns, data)
    same(labels, expected)
    assert {*map(type, labels)} == {*map(type, expected)}
    first = np.full(N_ROWS, -1)
    for position, rule in reversed([*enumerate(model.rule_set)]):
        alone = RuleSetModel(type(model.rule_set)((rule,)), model.features, (0, 1))
        first[alone.covers(frame, strict=False)] = position
    assert rules == first.tolist()


MISSING = [None, float("nan"), np.nan, pd.NA, pd.NaT, np.float64("nan")]


def test_python_agrees(case):
    """The function decides as the model does, however a missing value is written."""
    model, columns, data, _, expected = case
    rng = random.Random(7)
    rows = [
        {
            name: rng.choice(MISSING) if value is None else value
            for name, value in zip(columns, row, strict=True)
        }
        for row in zip(*data.values(), strict=True)
    ]
    found = run_python(model, rows)
    same(found, expected)
    assert {*map(type, found)} == {*map(type, expected)}


def test_documents_show_every_rule(case):
    """Markdown and LaTeX have one row per rule."""
    model = case[0]
    markdown, latex = (export_model(model, name) for name in ("markdown", "latex"))
    for k in range(len(model.rule_set)):
        assert f"\n| {k + 1} | " in markdown
        assert f"\n{k + 1} & " in latex


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_read_back(case, dialect):
    """What is written in a dialect is, read in it, one statement of the same parts."""
    model = case[0]
    try:
        text = export_model(model, "sql", dialect=dialect)
    except ExportError as error:
        # A database without such names, texts or numbers; never a failed reading.
        if not re.match(f"{dialect} (has no|takes)", str(error)):
            raise
        return
    [read] = sqlglot.parse(text, read=dialect)
    tree = sql_tree(model, table="data", dialect=dialect)
    for kind in (sqlglot.exp.Identifier, sqlglot.exp.Literal, sqlglot.exp.Binary):
        assert [*map(summary, read.find_all(kind, bfs=False))] == [
            *map(summary, tree.find_all(kind, bfs=False))
        ]


def summary(node):
    held = isinstance(node, sqlglot.exp.Identifier | sqlglot.exp.Literal)
    return type(node), node.name if held else ""


def test_exports_are_the_same_twice(case):
    """The same model gives the same bytes."""
    for name in FORMATS:
        assert export_model(case[0], name) == export_model(case[0], name)
