"""SQL: one SELECT that adds the prediction to each row of a table.

For DuckDB it is written from the plan. For other databases it is built as a tree, and
what was written is read back before it is given out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from faircg.exceptions import ExportError
from faircg.export.duckdb_sql import statement
from faircg.export.plan import make_plan
from faircg.export.sql_dialects import DIALECTS, check_name, check_names, check_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from faircg.export.plan import Plan
    from faircg.export.sql_dialects import Dialect
    from faircg.model import RuleSetModel

OUTPUT: Final = "prediction"
"""Name of the column with the predicted label."""


def to_sql(
    model: RuleSetModel,
    *,
    table: str | Sequence[str] = "data",
    dialect: str = "duckdb",
) -> str:
    """Return a SELECT over a table whose columns are called like the features.

    Numeric features may be stored as any type of number, boolean ones as booleans (or 0
    and 1 where the database has none), categories as the type that they have.
    """
    if dialect == "duckdb":
        plan, parts = _planned(model, table, DIALECTS[dialect])
        return statement(plan, parts, OUTPUT)
    tree = sql_tree(model, table=table, dialect=dialect)
    # While lines are broken, sqlglot marks line breaks in texts with a word of its own;
    # a text that holds this word needs the plain form.
    for pretty in (True, False):
        text: str = tree.sql(dialect, pretty=pretty)
        if reads_back(text, tree, dialect):
            return text
    raise ExportError(f"a name or a value cannot be written safely in {dialect}")


def sql_tree(
    model: RuleSetModel,
    *,
    table: str | Sequence[str],
    dialect: str,
    output: str = OUTPUT,
) -> Any:
    """Return the statement as a tree of sqlglot."""
    try:
        from sqlglot import exp
    except ImportError:
        raise ImportError(
            "SQL for other databases than DuckDB needs sqlglot: pip install "
            "'faircg[export]'"
        ) from None
    from faircg.export.sql_tests import ALIAS, identifier, label, rule_test

    target = DIALECTS.get(dialect)
    if target is None:
        raise ExportError(f"unknown dialect {dialect!r}; use one of {list(DIALECTS)}")
    plan, parts = _planned(model, table, target)
    named = zip(("this", "db", "catalog"), reversed(parts), strict=False)
    source = exp.Table(**{part: identifier(name) for part, name in named})
    prediction = label(plan.otherwise, target)
    if plan.rules:
        prediction = exp.Case(
            ifs=[
                exp.If(this=rule_test(rule, target), true=label(plan.covered, target))
                for rule in plan.rules
            ],
            default=prediction,
        )
    return exp.select(
        exp.Column(this=exp.Star(), table=identifier(ALIAS)),
        exp.alias_(prediction, output, quoted=True),
    ).from_(exp.alias_(source, ALIAS, table=True, quoted=True))


def _planned(
    model: RuleSetModel, table: str | Sequence[str], target: Dialect
) -> tuple[Plan, list[str]]:
    """Return the plan and the parts of the table's name, if the database can have them.

    Every text of the plan is looked at.
    """
    parts = [table] if isinstance(table, str) else [*table]
    if not 1 <= len(parts) <= 3:
        raise ExportError("a table has a name, and at most a schema and a catalog")
    for part in parts:
        check_name(part, target)
    plan = make_plan(model)
    names = [feature.name for feature in plan.inputs]
    check_names(names, target)
    for feature in model.features:
        if feature.name in names and "" in feature.categories:
            check_text("", f"a category of {feature.name!a},", target)
    for label in (plan.otherwise, plan.covered):
        if isinstance(label, str):
            check_text(label, "the label", target)
    for check in (check for rule in plan.rules for check in rule.checks):
        if isinstance(check.value, str):
            check_text(check.value, "the text", target)
    return plan, parts


def reads_back(text: str, tree: Any, dialect: str) -> bool:
    """Say whether a text is one statement: the tree, with every name and value."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        statements = sqlglot.parse(text, read=dialect)
    except SqlglotError:
        return False
    shapes = [[*_shape(statement, dialect)] for statement in statements]
    return shapes == [[*_shape(tree, dialect)]]


def _shape(tree: Any, dialect: str) -> Iterator[tuple[str, str]]:
    """Name each node, and say what it holds.

    Left out is what differs between dialects in writing alone: the names of types,
    parentheses, and whether a cast that fails is an error.
    """
    from sqlglot import exp

    for node in tree.dfs(prune=lambda node: isinstance(node, exp.DataType)):
        if isinstance(node, exp.Cast):
            yield "Cast", ""
        elif isinstance(node, exp.Identifier):
            # T-SQL reads the # of a temporary table as a mark, not a letter.
            yield "Identifier", node.sql(dialect)
        elif isinstance(node, (exp.Literal, exp.National)):
            yield type(node).__name__, node.name
        elif not isinstance(node, (exp.DataType, exp.Paren)):
            yield type(node).__name__, ""
