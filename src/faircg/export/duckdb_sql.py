"""SQL for DuckDB, which needs no other package: written from the plan, check by check.

The same text is exported and run by ``faircg predict``. Names stand in double quotes
and texts in single ones, each of which is doubled inside; nothing else has a meaning
there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from faircg.exceptions import ExportError
from faircg.export.sql_dialects import check_whole, digits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from faircg.export.plan import Check, Plan, PlannedRule
    from faircg.typing import Value


def name(text: str) -> str:
    """Return the name of a column or a table.

    Examples
    --------
    >>> print(name('5" pipe'), quoted("it's"))
    "5"" pipe" 'it''s'
    """
    return '"' + text.replace('"', '""') + '"'


def quoted(text: str) -> str:
    """Return a text; one with NUL is put together."""
    written = "'" + text.replace("'", "''") + "'"
    joined = written.replace("\0", "' || chr(0) || '")
    return written if joined == written else f"({joined})"


def literal(value: Value) -> str:
    """Return a label or another value of its own type."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int):
        check_whole(value, "the label")
        return str(value)
    if isinstance(value, float):
        return f"CAST({digits(value)} AS DOUBLE)"
    return quoted(value)


def statement(plan: Plan, parts: Sequence[str], output: str) -> str:
    """Return a SELECT that adds the prediction to each row of a table."""
    columns = {feature.name: f'"t".{name(feature.name)}' for feature in plan.inputs}
    return (
        f'SELECT\n  "t".*,\n  {prediction(plan, columns)} AS {name(output)}\n'
        f'FROM {".".join(map(name, parts))} AS "t"'
    )


def prediction(plan: Plan, columns: Mapping[str, str]) -> str:
    """Return the label of a row, whose features are given as SQL."""
    otherwise, covered = literal(plan.otherwise), literal(plan.covered)
    if not plan.rules:
        return otherwise
    cases = "".join(
        f"\n    WHEN {rule_test(rule, columns)}\n    THEN {covered}"
        for rule in plan.rules
    )
    return f"CASE{cases}\n    ELSE {otherwise}\n  END"


def rule_test(rule: PlannedRule, columns: Mapping[str, str]) -> str:
    """Return the AND of a rule's checks."""
    return " AND ".join(
        _test(check, columns[check.input.name]) for check in rule.checks
    )


def _test(check: Check, column: str) -> str:
    """Return a check; NaN counts as missing wherever a column can hold it."""
    storage, value = check.input.storage, check.value
    if storage == "mixed":
        raise ExportError(
            f"feature {check.input.name!a} has categories of several types; a column "
            "in SQL has one"
        )
    has_nan = storage in ("number", "integer")
    number = f"CAST({column} AS DOUBLE)"
    no_nan = f" AND NOT ISNAN({number})" if has_nan else ""
    match check.operator:
        case "is missing":
            or_nan = f" OR ISNAN({number})" if has_nan else ""
            return f"({column} IS NULL{or_nan})"
        case "is present":
            return f"NOT {column} IS NULL{no_nan}"
    left, right = number if storage == "number" else column, _compared(check, value)
    match check.operator:
        case ">":
            return f"{left} > {right}{no_nan}"
        case "!=":
            return f"{left} <> {right}{no_nan}"
        case _:  # no NaN is at most a number, or equal to one
            return f"{left} {check.operator} {right}"


def _compared(check: Check, value: Value) -> str:
    """Return the value of a comparison, as a type that compares exactly."""
    match check.input.storage:
        case "text":
            return quoted(cast("str", value))
        case "boolean":
            return str(bool(value)).upper()
        case "integer":
            check_whole(cast("int", value), f"a value of {check.input.name!a}")
            return str(value)
    number = float(cast("float", value))
    if number != value:
        raise ExportError(
            f"feature {check.input.name!a}: no double is exactly {value!r}"
        )
    return digits(number)
