"""Checks in SQL: one condition each, with the meaning that it has in a rule.

A comparison with NULL is NULL, and CASE takes it for false, as rules do. Numbers are
compared as doubles, since a table to predict is read so, and NaN counts as missing
wherever the database has it. This module is loaded when SQL is written, as it needs
sqlglot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from sqlglot import exp

from faircg.exceptions import ExportError
from faircg.export.sql_numbers import double, whole

if TYPE_CHECKING:
    from faircg.export.plan import Check, Input, PlannedRule
    from faircg.export.sql_dialects import Dialect
    from faircg.typing import Value

ALIAS: Final = "t"
"""The table in front of each column.

SQLite takes a quoted name that is no column for a text, unless it is qualified.
"""


def identifier(name: str) -> Any:
    """Return a quoted name."""
    return exp.to_identifier(name, quoted=True)


def label(value: Value, dialect: Dialect) -> Any:
    """Return a label of its own type."""
    if value is None:
        return exp.Null()
    if isinstance(value, bool):
        return _boolean(value, dialect)
    if isinstance(value, int):
        return whole(value, "the label")
    if isinstance(value, float):
        return exp.cast(double(value, dialect), _double_type(dialect))
    return exp.Literal.string(value)


def rule_test(rule: PlannedRule, dialect: Dialect) -> Any:
    """Return the AND of a rule's checks."""
    tests = [test for check in rule.checks for test in _tests(check, dialect)]
    return exp.and_(*tests, copy=False)


def _tests(check: Check, dialect: Dialect) -> list[Any]:
    """Return the tests that make up a check: one, or two where NaN would meet one."""
    feature = check.input
    if feature.storage == "mixed":
        raise ExportError(
            f"feature {feature.name!a} has categories of several types; a column in "
            "SQL has one"
        )
    column = _value(feature, dialect)
    is_null = exp.Is(this=column, expression=exp.Null())
    is_nan = _nan_test(feature, column, dialect)
    no_nan = [] if is_nan is None else [exp.Not(this=is_nan)]
    is_spelled = dialect.name == "sqlite" and feature.storage == "boolean"
    if is_spelled and check.operator in ("=", "!="):
        return [_is_spelled(column, bool(check.value) == (check.operator == "="))]
    match check.operator:
        case "is missing":
            return [is_null if is_nan is None else exp.or_(is_null, is_nan)]
        case "is present":
            return [exp.Not(this=is_null), *no_nan]
        case "<=":
            # No NaN is at most a number: it is above all of them, or beside them.
            return [exp.LTE(**_sides(check, column, dialect))]
        case ">":
            return [exp.GT(**_sides(check, column, dialect)), *no_nan]
        case "=":
            return [exp.EQ(**_sides(check, column, dialect))]
        case "!=":
            return [exp.NEQ(**_sides(check, column, dialect)), *no_nan]


def _value(feature: Input, dialect: Dialect) -> Any:
    """Return the value of a feature.

    SQLite has no types to rely on: its shell imports a CSV file as texts, with '' for
    what is missing and 'True' for true.
    """
    column = exp.Column(this=identifier(feature.name), table=identifier(ALIAS))
    if dialect.name == "sqlite" and feature.storage in ("number", "boolean"):
        return exp.Nullif(this=column, expression=exp.Literal.string(""))
    return column


def _is_spelled(column: Any, value: bool) -> Any:
    """Return a test for a boolean in SQLite, as a number or as a text."""
    texts = ("true", "1", "1.0") if value else ("false", "0", "0.0")
    return exp.In(
        this=exp.Lower(this=exp.cast(column, "TEXT")),
        expressions=[exp.Literal.string(text) for text in texts],
    )


def _sides(check: Check, column: Any, dialect: Dialect) -> dict[str, Any]:
    """Return the two sides of a comparison, as types that compare exactly."""
    value = check.value
    match check.input.storage:
        case "text":
            literal = exp.Literal.string(cast("str", value))
            if dialect.compares_bytes:
                return _bytes(column, literal, dialect)
        case "boolean":
            literal = _boolean(bool(value), dialect)
        case "integer":
            literal = whole(cast("int", value), f"a value of {check.input.name!a}")
        case _:
            number = float(cast("float", value))
            if number != value:
                raise ExportError(
                    f"feature {check.input.name!a}: no double is exactly {value!r}"
                )
            literal = double(number, dialect)
            column = exp.cast(column, _double_type(dialect))
    return {"this": column, "expression": literal}


def _bytes(column: Any, literal: Any, dialect: Dialect) -> dict[str, Any]:
    """Compare the bytes of two texts: equal then means equal."""
    kind = "BINARY"
    if dialect.name == "tsql":
        kind = "VARBINARY(MAX)"
        column = exp.cast(column, "NVARCHAR(MAX)", dialect="tsql")
        literal = exp.National(this=literal.name)
    return {
        "this": exp.cast(column, kind, dialect=dialect.name),
        "expression": exp.cast(literal, kind, dialect=dialect.name),
    }


def _nan_test(feature: Input, column: Any, dialect: Dialect) -> Any:
    """Return a test for NaN; None if the column cannot hold it."""
    if feature.storage not in ("number", "integer") or dialect.nan == "none":
        return None
    number = exp.cast(column, _double_type(dialect))
    if dialect.nan == "function":
        return exp.IsNan(this=number)
    nan = exp.cast(exp.Literal.string("NaN"), _double_type(dialect))
    return exp.EQ(this=number, expression=nan)


def _double_type(dialect: Dialect) -> Any:
    if dialect.name == "oracle":
        # The standard's DOUBLE PRECISION is a decimal number in Oracle.
        return exp.DataType.build("BINARY_DOUBLE", udt=True)
    return exp.DataType.build("DOUBLE")


def _boolean(value: bool, dialect: Dialect) -> Any:
    if dialect.booleans_are_digits:
        return exp.Literal.number(str(int(value)))
    return exp.Boolean(this=value)
