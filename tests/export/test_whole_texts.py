"""Texts for people, whole: what is in ``whole`` was read word by word.

The same small model as Markdown, LaTeX and Python; and numbers of SQL by hand.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from certificates import certificate
from faircg.exceptions import ExportError
from faircg.export import export_model
from faircg.export.document import make_document
from faircg.export.sql_dialects import DIALECTS, check_name, check_names, check_text
from faircg.export.sql_numbers import double, whole
from faircg.fairness import GroupCounts
from faircg.model import Feature, RuleSetModel
from faircg.rules import Condition, Rule, RuleSet

WHOLE = Path(__file__).parent / "whole"
MODEL = RuleSetModel(
    RuleSet(
        (
            Rule((Condition("age", ">", 40.5), Condition("job", "=", "cook"))),
            Rule((Condition("is_new", "=", True),)),
        ),
        label="yes",
    ),
    (
        Feature("age", "numeric"),
        Feature("job", "category", ("cook", "driver")),
        Feature("is_new", "boolean"),
    ),
    ("no", "yes"),
    certificate(seconds=None, lp_value=1890.50004, errors=110, errors_lower_bound=100),
    {"f": GroupCounts(6, 2, 1, 9), "m_1": GroupCounts(0, 0, 3, 1)},
)


@pytest.mark.parametrize("name", ["markdown", "latex", "python"])
def test_the_whole_text(name):
    """Every word and every sign of it."""
    expected = (WHOLE / f"{name}.txt").read_text(encoding="utf-8")
    assert export_model(MODEL, name) == expected


def test_rules_that_refuse_and_no_rules_at_all():
    refuses = RuleSet(MODEL.rule_set.rules, label="no", rules_for="negative")
    rules, *_ = make_document(replace(MODEL, rule_set=refuses))
    assert rules.title == "Rules"
    assert rules.sentence == (
        "Predict no if any rule holds, yes otherwise. A comparison with a missing "
        "value does not hold."
    )
    empty = replace(MODEL, rule_set=RuleSet((), label="yes"), certificate=None)
    nothing, groups = make_document(replace(empty))
    assert nothing.title == "Rules"
    assert nothing.sentence == "Never predict yes (the empty rule set)."
    assert (nothing.header, nothing.rows) == ((), ())
    assert groups.title == "Groups"
    numbers = replace(MODEL, labels=(0, 1), rule_set=RuleSet(refuses.rules, label="1"))
    assert make_document(numbers)[0].sentence.startswith(
        "Predict 1 if any rule holds, 0"
    )


def test_a_long_rule_is_not_cut_short():
    """On a terminal it would be; here nobody could read the rest elsewhere."""
    long = "cook" * 100
    rule = Rule((Condition("job", "=", long),))
    model = RuleSetModel(
        RuleSet((rule,), label=long), (Feature("job", "category", (long,)),), (0, long)
    )
    (rules,) = make_document(model)
    assert rules.rows == (("1", f"job = {long}"),)
    assert rules.sentence.startswith(f"Predict {long} if")


NUMBERS = [
    (0.0, "0e0"),
    (-0.0, "-0e0"),
    (0.1, "0.1e0"),
    (-40.5, "-40.5e0"),
    (1e22, "1e+22"),
    (9007199254740.99, "9007199254740.99e0"),
    # More digits than a double has for certain: bits, and powers of two.
    (2.0**53, "CAST(1 AS REAL) * 9007199254740992"),
    (2.0**53 - 1, "CAST(9007199254740991 AS REAL)"),
    (1e23, "CAST(2980232238769531 AS REAL) * 33554432"),
    (-0.1 - 0.2, "CAST(-1351079888211149 AS REAL) / 4503599627370496"),
    (2.0**-70, "CAST(1 AS REAL) / 4611686018427387904 / 256"),
    (
        (2.0**53 - 1) * 2.0**100,
        "CAST(9007199254740991 AS REAL) * 4611686018427387904 * 274877906944",
    ),
]


@pytest.mark.parametrize(("number", "text"), NUMBERS)
def test_numbers_for_a_reader_that_divides(number, text):
    """SQLite reads few decimals exactly; the others are put together from bits."""
    assert double(number, DIALECTS["sqlite"]).sql("sqlite") == text
    product = text.replace("CAST(", "float(").replace(" AS REAL", "")
    assert eval(product) == number


def test_numbers_outside_of_what_a_database_has():
    oracle = DIALECTS["oracle"]
    assert double(1e120, oracle).sql() == "1e+120"
    assert double(-1e-120, oracle).sql() == "-1e-120"
    assert double(0.0, oracle).sql() == "0e0"
    for number in (1e121, -1e-121):
        words = rf"^oracle has no literal for the number {number!r}$".replace(
            "+", r"\+"
        )
        with pytest.raises(ExportError, match=words):
            double(number, oracle)


def test_whole_numbers_have_64_bits():
    assert whole(-5, "a label").sql() == "-5"
    assert whole(0, "a label").sql() == "0"
    assert whole(2**63 - 1, "a label").sql() == str(2**63 - 1)
    with pytest.raises(ExportError, match="a label"):
        whole(2**63, "a label")


def test_names_that_no_database_takes_are_shown_shortened():
    """Sixty characters are shown; of more the first 57."""
    duckdb, postgres = DIALECTS["duckdb"], DIALECTS["postgres"]
    check_names(["a", "b", "a"], duckdb)
    with pytest.raises(ExportError, match="the names 'a' and 'A' are one"):
        check_names(["a", "A"], duckdb)
    check_name("n" * postgres.longest_name, postgres)
    words = rf"{postgres.longest_name} bytes; 'n{{57}}\.\.\.' has 64$"
    with pytest.raises(ExportError, match=words):
        check_name("n" * 64, postgres)
    with pytest.raises(ExportError, match=r"NUL, as in the label 'a\\x00'$"):
        check_text("a\0", "the label", duckdb)
    with pytest.raises(ExportError, match=rf"the label '{'x' * 59}\\x00'$"):
        check_text("x" * 59 + "\0", "the label", duckdb)
