"""The entry, and what each format refuses or demands."""

import builtins
import dataclasses
import math
import subprocess
import sys

import numpy as np
import pytest

from certificates import certificate
from export.runners import python_function, run_onnx
from faircg.exceptions import ExportError, FairCGError
from faircg.export import FORMATS, MISSING_TEXT, export_model
from faircg.export.plan import make_plan
from faircg.fairness import GroupCounts
from faircg.model import Feature, RuleSetModel
from faircg.rules import Condition, Rule, RuleSet

MODEL = RuleSetModel(
    RuleSet((Rule((Condition("age", ">", 40),)),), label="yes"),
    (Feature("age", "numeric"), Feature("job", "category", ("cook",))),
    ("no", "yes"),
)


def model_of(condition, feature, labels=(0, 1)):
    return RuleSetModel(RuleSet((Rule((condition,)),)), (feature,), labels)


def test_formats_say_what_they_are():
    """Each format has a suffix, a description and options, and cannot be changed."""
    assert list(FORMATS) == ["json", "sql", "onnx", "python", "markdown", "latex"]
    assert len({exporter.suffix for exporter in FORMATS.values()}) == len(FORMATS)
    for name, exporter in FORMATS.items():
        assert exporter.suffix.startswith(".")
        assert exporter.description
        assert set(exporter.options) == (
            {"table", "dialect"} if name == "sql" else set()
        )
        assert isinstance(export_model(MODEL, name), bytes if name == "onnx" else str)
        with pytest.raises(dataclasses.FrozenInstanceError):
            exporter.suffix = ".exe"
    with pytest.raises(TypeError):
        FORMATS["exe"] = None


def test_an_unknown_format_is_refused():
    """The error lists the formats."""
    with pytest.raises(
        ExportError, match=r"unknown format 'pmml'; use one of \['json'"
    ):
        export_model(MODEL, "pmml")
    assert issubclass(ExportError, FairCGError)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_no_model_is_not_written(name):
    """A model put together wrongly is refused in every format."""
    endless = model_of(Condition("x", ">", 1), Feature("x", "numeric"), (0, math.inf))
    with pytest.raises(ExportError, match="no model that can be written"):
        export_model(endless, name)


@pytest.mark.parametrize(
    ("name", "package", "options"),
    [("sql", "sqlglot", {"dialect": "postgres"}), ("onnx", "onnx", {})],
)
def test_a_missing_extra_is_named(name, package, options, monkeypatch):
    """Without the extra, the error says how to install it; DuckDB needs none."""
    real = builtins.__import__

    def without(module, *args, **kwargs):
        if module.split(".")[0] == package:
            raise ImportError(module)
        return real(module, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'faircg\[export\]'"):
        export_model(MODEL, name, **options)
    assert export_model(MODEL, "sql", dialect="duckdb").startswith("SELECT")


def test_importing_the_exports_is_cheap():
    """Neither sqlglot nor onnx is loaded before it is needed."""
    code = (
        "import sys; from faircg.export import FORMATS;"
        "assert not {'sqlglot', 'onnx', 'sklearn', 'highspy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("condition", "operator", "value"),
    [
        (("=", True), "=", True),
        (("!=", True), "=", False),
        (("=", 0), "=", False),
        (("!=", 0.0), "=", True),
        (("!=", "yes"), "is present", None),
        (("!=", 0.5), "is present", None),
    ],
)
def test_booleans_are_true_or_false(condition, operator, value):
    """Whatever a boolean is compared with, the check says true, false or present."""
    model = model_of(Condition("m", *condition), Feature("m", "boolean"))
    [rule] = make_plan(model).rules
    [check] = rule.checks
    assert (check.operator, check.value) == (operator, value)


def test_a_rule_that_nobody_meets_is_left_out_but_counted():
    """A boolean is never a text; the other rule keeps its position."""
    impossible = Rule((Condition("m", "=", "yes"),))
    other = Rule((Condition("m", "=", True), Condition("m", "is present")))
    model = RuleSetModel(
        RuleSet((impossible, other)), (Feature("m", "boolean"),), ("no", "yes")
    )
    assert [rule.position for rule in make_plan(model).rules] == [1]
    columns = {"m": "member"}
    labels, rules = run_onnx(model, columns, {"m": [True, False, None]})
    assert (labels, rules) == (["yes", "no", "no"], [1, -1, -1])
    alone = RuleSetModel(RuleSet((impossible,)), model.features, ("no", "yes"))
    assert run_onnx(alone, columns, {"m": [True]}) == (["no"], [-1])
    assert python_function(alone)({"m": True}) == "no"


@pytest.mark.parametrize(
    ("condition", "feature", "labels", "message"),
    [
        (("=", "a"), Feature("x", "category", ("a", 1)), (0, 1), "several types"),
        (("=", "a"), Feature("x", "category", (MISSING_TEXT,)), (0, 1), "stands for"),
        (("=", MISSING_TEXT), Feature("x", "category"), (0, 1), "the missing text"),
        (("=", "a"), Feature("x", "category"), (None, 1), "no type for the labels"),
        (("=", "a"), Feature("x", "category"), (2**70, 2**71), "beyond the integers"),
        (("=", "a"), Feature("", "category"), (0, 1), "needs a name"),
    ],
)
def test_what_a_graph_cannot_hold_is_refused(condition, feature, labels, message):
    """One sentence names what and why."""
    model = model_of(Condition(feature.name, *condition), feature, labels)
    with pytest.raises(ExportError, match=message):
        export_model(model, "onnx")


def test_a_graph_needs_an_input():
    """The empty rule set tests nothing."""
    with pytest.raises(ExportError, match="tests no feature"):
        export_model(RuleSetModel(RuleSet(()), (), (0, 1)), "onnx")


def test_python_checks_what_it_is_given():
    """Where predict raises, so does the function."""
    predict = python_function(MODEL)
    row = {"age": 50, "job": "cook"}
    assert predict(row) == "yes"
    assert predict({**row, "age": True}) == "no"
    assert predict({**row, "age": np.int64(41)}) == "yes"
    for value, error in [
        ("50", TypeError),
        (b"50", TypeError),
        (math.inf, ValueError),
        (-math.inf, ValueError),
        ([], TypeError),
        (1j, TypeError),
    ]:
        with pytest.raises(error):
            predict({**row, "age": value})
    with pytest.raises(KeyError):
        predict({"age": 50})
    boolean = model_of(Condition("m", "=", True), Feature("m", "boolean"))
    assert [python_function(boolean)({"m": m}) for m in (1, 0, np.True_)] == [1, 0, 1]
    with pytest.raises(ValueError, match="must be true or false"):
        python_function(boolean)({"m": 2})


def test_python_knows_categories_of_several_types():
    """A text and a number are told apart; True is 1, as in a table."""
    model = model_of(Condition("x", "=", 1), Feature("x", "category", ("1", 1)))
    predict = python_function(model)
    assert [predict({"x": x}) for x in (1, "1", 1.0, True, None)] == [1, 0, 1, 1, 0]


def test_documents_tell_certificate_and_groups():
    """Counts, rates, and the entries of the certificate are in the tables."""
    model = dataclasses.replace(
        MODEL,
        certificate=certificate(status="optimal", gap=0.0, epsilon=None),
        groups={"f": GroupCounts(3, 1, 0, 0)},
    )
    markdown = export_model(model, "markdown")
    for line in ("| status | optimal |", "| gap | 0 |", "| epsilon | none |"):
        assert line in markdown.splitlines()
    assert "| f | 3 | 1 | 0 | 0 | 0.750 | no such people |" in markdown
    counted = certificate(errors=4, errors_lower_bound=3, any_classifier_errors=2)
    card = export_model(dataclasses.replace(model, certificate=counted), "markdown")
    said, details = card.split("## Certificate")[1].split("## Details")
    assert "4 wrong predictions; no rule set makes fewer than 3" in said
    assert "amming" not in said
    assert "| loss | hamming |" in details
    latex = export_model(model, "latex")
    assert r"f & 3 & 1 & 0 & 0 & 0.750 & no such people \\" in latex
    assert "Predict yes if any rule holds, no otherwise." in markdown
    empty = RuleSetModel(RuleSet((), label="a_b"), (), ("no", "a_b"))
    assert r"Never predict a\_b (the empty rule set)." in export_model(
        empty, "markdown"
    )
    assert r"Never predict a\_b (the empty rule set)." in export_model(empty, "latex")
