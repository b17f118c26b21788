"""Plan: the rules as simple checks that every format can write down one by one.

What :class:`~faircg.rules.Condition` leaves to the meaning of Python's comparisons is
decided here once: numbers are floats, a boolean is true or false, and a rule that no
row can meet is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from faircg.model import RuleSetModel
from faircg.rules import RuleSet
from faircg.table import Table

if TYPE_CHECKING:
    from faircg.model import Feature
    from faircg.rules import Condition, Operator
    from faircg.typing import Value

Storage: TypeAlias = Literal["number", "integer", "boolean", "text", "mixed"]


@dataclass(frozen=True, slots=True)
class Input:
    """A feature that some rule tests, and the type of column that holds it.

    ``integer`` and ``mixed`` occur among categories only: whole numbers that are
    compared exactly, and categories of which some are text and some are not.
    """

    name: str
    storage: Storage
    is_category: bool


@dataclass(frozen=True, slots=True)
class Check:
    """One test; a comparison with a missing value is false."""

    input: Input
    operator: Operator
    value: Value


@dataclass(frozen=True, slots=True)
class PlannedRule:
    """A rule that some row can meet, with its position in the rule set."""

    position: int
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a format has to write: inputs, rules, and two labels.

    Rows that some rule covers get the label ``covered``, all others ``otherwise``.
    """

    inputs: tuple[Input, ...]
    rules: tuple[PlannedRule, ...]
    otherwise: Value
    covered: Value


def make_plan(model: RuleSetModel) -> Plan:
    """Plan a model.

    Examples
    --------
    >>> from faircg.model import Feature
    >>> from faircg.rules import Condition, Rule
    >>> rules = RuleSet((Rule((Condition("member", "!=", True),)),))
    >>> model = RuleSetModel(rules, (Feature("member", "boolean"),), (0, 1))
    >>> [check] = make_plan(model).rules[0].checks
    >>> check.operator, check.value
    ('=', False)
    """
    tested = set(model.rule_set.features)
    inputs = {
        feature.name: Input(
            feature.name,
            _storage(feature, model.rule_set),
            feature.kind == "category",
        )
        for feature in model.features
        if feature.name in tested
    }
    rules = []
    for position, rule in enumerate(model.rule_set):
        checks = [_check(inputs[c.feature], c) for c in rule.conditions]
        possible = tuple(check for check in checks if check is not None)
        if len(possible) == len(checks):
            rules.append(PlannedRule(position, possible))
    otherwise, covered = _labels(model)
    if model.rule_set.rules_for == "negative":
        otherwise, covered = covered, otherwise
    return Plan(tuple(inputs.values()), tuple(rules), otherwise, covered)


def _labels(model: RuleSetModel) -> tuple[Value, Value]:
    """Return the labels as ``predict`` gives them, for it may unify their types."""
    one_row = Table({}, 1)
    low, high = model.labels
    first, second = (
        RuleSetModel(RuleSet(()), (), labels).predict(one_row).tolist()[0]
        for labels in ((low, high), (high, low))
    )
    return first, second


def _storage(feature: Feature, rule_set: RuleSet) -> Storage:
    if feature.kind != "category":
        return "number" if feature.kind == "numeric" else "boolean"
    tested = {
        condition.value
        for rule in rule_set
        for condition in rule.conditions
        if condition.feature == feature.name
    }
    # A list: in a set, True would hide 1.
    values = [v for v in (*feature.categories, *tested) if v is not None]
    types = set(map(type, values))
    if types <= {str}:
        return "text"
    if str in types:
        return "mixed"
    if types == {bool}:
        return "boolean"
    return "integer" if types == {int} else "number"


def _check(feature: Input, condition: Condition) -> Check | None:
    """Return the check of a condition; None if no row can meet it."""
    operator, value = condition.operator, condition.value
    if operator in ("<=", ">") and value is not None:
        return Check(feature, operator, float(value))
    if operator in ("is missing", "is present") or feature.is_category:
        return Check(feature, operator, value)
    # A boolean column holds only 0 and 1: nothing else is equal to any of them.
    if value not in (0, 1):
        return None if operator == "=" else Check(feature, "is present", None)
    return Check(feature, "=", bool(value) == (operator == "="))
