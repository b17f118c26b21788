"""Condition, Rule, RuleSet: the learned model as plain, immutable values.

A condition is one test on one feature of the user's table, a rule the AND of its
conditions, a rule set the OR of its rules. They know original names and values, print
as people speak, compare and hash by content, and travel as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import total_ordering
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from faircg.exceptions import ModelFormatError
from faircg.notebook import list_html
from faircg.parsing import is_finite, listed, mapping
from faircg.printable import spoken_name, spoken_value
from faircg.typing import RulesFor

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from faircg.table import Column, Table
    from faircg.typing import BoolVector, Value

Operator: TypeAlias = Literal["<=", ">", "=", "!=", "is missing", "is present"]

_OPERATORS: tuple[Operator, ...] = get_args(Operator)


@total_ordering
@dataclass(frozen=True, slots=True)
class Condition:
    """One test on one feature.

    A missing value meets neither side of a comparison; it meets only
    ``is missing``. A category that was never seen meets every ``!=``.

    Parameters
    ----------
    feature
        Name of the column.
    operator
        ``<=`` and ``>`` compare numbers, ``=`` and ``!=`` categories and booleans.
    value
        What the feature is compared with; ``None`` for the two tests of presence.
    is_yes_or_no
        Whether the feature is a number that is always 0 or 1: then the condition reads
        like a boolean. It compares numbers all the same.

    Examples
    --------
    >>> print(Condition("age", ">", 45.0))
    age > 45
    >>> print(Condition("employed", "=", True), "/", Condition("employed", "=", False))
    employed / not employed
    >>> print(Condition("married", "<=", 0, is_yes_or_no=True))
    not married
    >>> print(Condition("job title", "!=", "head of sales"))
    job title != "head of sales"
    """

    feature: str
    operator: Operator
    value: Value = None
    is_yes_or_no: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        feature: object = self.feature
        value: object = self.value
        if isinstance(value, np.generic):
            object.__setattr__(self, "value", value.item())
        if not isinstance(feature, str):
            raise ValueError(f"a condition's feature must be text, not {feature!r}")
        if self.operator not in _OPERATORS:
            raise ValueError(
                f"unknown operator {self.operator!r}; use one of {list(_OPERATORS)}"
            )
        if self.operator in ("<=", ">") and not _is_finite_number(self.value):
            raise ValueError(
                f"condition on {self.feature!r}: {self.operator} needs a finite "
                f"number, not {self.value!r}"
            )
        if self.operator in ("is missing", "is present") and self.value is not None:
            raise ValueError(
                f"condition on {self.feature!r}: '{self.operator}' takes no value"
            )
        if self.operator in ("=", "!=") and not (
            isinstance(self.value, str | bool) or _is_finite_number(self.value)
        ):
            raise ValueError(
                f"condition on {self.feature!r}: {self.operator} needs a text, a "
                f"boolean or a finite number, not {self.value!r}"
            )

    @property
    def sort_key(self) -> tuple[str, int, str, Any]:
        """A total order over all conditions, whatever the types of their values."""
        kind = type(self.value).__name__
        kind = "number" if kind in ("int", "float") else kind
        value = "" if self.value is None else self.value
        return self.feature, _OPERATORS.index(self.operator), kind, value

    def __lt__(self, other: Condition) -> bool:
        return self.sort_key < other.sort_key

    def holds(self, column: Column) -> BoolVector:
        """Say for each row of the feature's column whether the test is met."""
        match self.operator:
            case "<=":
                met = column.values <= self.value
            case ">":
                met = column.values > self.value
            case "=":
                met = column.equals(self.value)
            case "!=":
                met = ~column.equals(self.value) & ~column.missing
            case "is missing":
                met = column.missing.copy()
            case "is present":
                met = ~column.missing
        return cast("BoolVector", np.asarray(met, dtype=bool))

    def __str__(self) -> str:
        name = spoken_name(self.feature)
        if self.value is None:
            return f"{name} {self.operator}"
        if isinstance(self.value, bool):
            return name if self.value == (self.operator == "=") else f"not {name}"
        if self.is_yes_or_no and 0 <= cast("float", self.value) < 1:
            return name if self.operator == ">" else f"not {name}"
        return f"{name} {self.operator} {spoken_value(self.value)}"

    def to_dict(self) -> dict[str, Value]:
        """Return the condition as plain JSON values."""
        return {"feature": self.feature, "operator": self.operator, "value": self.value}

    @classmethod
    def from_dict(cls, data: object) -> Condition:
        """Rebuild a condition from :meth:`to_dict`; refuse anything else."""
        entry = mapping(data, "a condition", {"feature", "operator", "value"})
        feature, operator, value = (entry[k] for k in ("feature", "operator", "value"))
        if not isinstance(feature, str) or not isinstance(operator, str):
            raise ModelFormatError("a condition's feature and operator must be text")
        if not isinstance(value, str | int | float | bool | None):
            raise ModelFormatError(f"a condition's value cannot be {value!r}")
        try:
            return cls(feature, cast("Operator", operator), value)
        except ValueError as error:
            raise ModelFormatError(str(error)) from None


def _is_finite_number(value: Value) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and is_finite(cast("float", value))


@total_ordering
@dataclass(frozen=True, slots=True)
class Rule:
    """A conjunction: it covers a sample that meets every condition.

    Conditions are kept sorted, so that two rules with the same conditions are equal.

    Examples
    --------
    >>> rule = Rule((Condition("priors", ">", 3), Condition("age", "<=", 45)))
    >>> print(rule)
    age <= 45 and priors > 3
    >>> rule.complexity
    3
    """

    conditions: tuple[Condition, ...]

    def __post_init__(self) -> None:
        if not self.conditions:
            raise ValueError("a rule needs at least one condition")
        unique = tuple(sorted(set(self.conditions)))
        object.__setattr__(self, "conditions", unique)

    @property
    def complexity(self) -> int:
        """One plus the number of conditions (``c_k`` in the paper)."""
        return 1 + len(self.conditions)

    @property
    def sort_key(self) -> tuple[int, tuple[Any, ...]]:
        """Shorter rules first, then by their conditions."""
        return len(self.conditions), tuple(c.sort_key for c in self.conditions)

    def __lt__(self, other: Rule) -> bool:
        return self.sort_key < other.sort_key

    def covers(self, table: Table) -> BoolVector:
        """Say for each row of the table whether it meets every condition."""
        met = np.ones(table.n_rows, dtype=bool)
        for condition in self.conditions:
            met &= condition.holds(table[condition.feature])
        return met

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A disjunction: it predicts the label that it is for where any rule covers.

    The empty rule set covers nobody.

    Parameters
    ----------
    rules
        The rules, kept sorted and without repetition.
    label
        How the label of covered people is called when the rule set is printed.
    rules_for
        Whether that is the positive label or the negative one: rules for the negative
        one say whom to refuse.

    Examples
    --------
    >>> few = Rule((Condition("priors", ">", 3), Condition("age", "<=", 45)))
    >>> many = Rule((Condition("priors", ">", 20),))
    >>> print(RuleSet((few, many), label="reoffends"))
    Predict reoffends if
        priors > 20
     or age <= 45 and priors > 3
    >>> print(RuleSet((), label="reoffends"))
    Never predict reoffends (the empty rule set)
    >>> RuleSet.from_dict(RuleSet((few, many)).to_dict()) == RuleSet((many, few))
    True
    """

    rules: tuple[Rule, ...]
    label: str = "positive"
    rules_for: RulesFor = "positive"

    def __post_init__(self) -> None:
        if self.rules_for not in get_args(RulesFor):
            raise ValueError(
                f"rules_for={self.rules_for!r} is not known; use one of "
                f"{list(get_args(RulesFor))}"
            )
        object.__setattr__(self, "rules", tuple(sorted(set(self.rules))))

    @property
    def complexity(self) -> int:
        """Sum over the rules of one plus their number of conditions."""
        return sum(rule.complexity for rule in self.rules)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that some rule tests, sorted."""
        return tuple(sorted({c.feature for rule in self for c in rule.conditions}))

    def reading(self, *, yes_or_no: Collection[str]) -> RuleSet:
        """Return the same rules, in which these numbers read like booleans."""
        rules = (
            Rule(tuple(replace(c, is_yes_or_no=c.feature in yes_or_no) for c in rule))
            for rule in (rule.conditions for rule in self.rules)
        )
        return replace(self, rules=tuple(rules))

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def covers(self, table: Table) -> BoolVector:
        """Say for each row of the table whether any rule covers it."""
        met = np.zeros(table.n_rows, dtype=bool)
        for rule in self.rules:
            met |= rule.covers(table)
        return met

    def turned(self, rows: BoolVector) -> BoolVector:
        """Turn rows that rules cover into those that get the positive label.

        And rows with the positive label into those with the label that rules are for,
        which is the same for rules for the positive label.
        """
        return rows if self.rules_for == "positive" else ~rows

    def accepts(self, table: Table) -> BoolVector:
        """Say for each row of the table whether it gets the positive label."""
        return self.turned(self.covers(table))

    def __str__(self) -> str:
        label = spoken_name(self.label)
        if not self.rules:
            return f"Never predict {label} (the empty rule set)"
        lines = [f"    {self.rules[0]}", *(f" or {rule}" for rule in self.rules[1:])]
        return "\n".join([f"Predict {label} if", *lines])

    def _repr_html_(self) -> str:
        head = str(self).partition("\n")[0]
        return list_html(head, map(str, self.rules))

    def to_dict(self) -> dict[str, Any]:
        """Return the rule set as plain JSON values."""
        rules = [[c.to_dict() for c in rule.conditions] for rule in self.rules]
        entries: dict[str, Any] = {"label": self.label, "rules": rules}
        if self.rules_for != "positive":
            entries["rules_for"] = self.rules_for
        return entries

    @classmethod
    def from_dict(cls, data: object) -> RuleSet:
        """Rebuild a rule set from :meth:`to_dict`; refuse anything else."""
        keys = {"label", "rules"}
        if isinstance(data, dict) and "rules_for" in data:
            keys.add("rules_for")
        entry = mapping(data, "a rule set", keys)
        label, rules = entry["label"], entry["rules"]
        if not isinstance(label, str):
            raise ModelFormatError("a rule set's label must be text")
        rules_for = entry.get("rules_for", "positive")
        if rules_for not in get_args(RulesFor):
            raise ModelFormatError(f"a rule set's rules_for cannot be {rules_for!r}")
        parsed = []
        for conditions in listed(rules, "rules"):
            entries = [Condition.from_dict(c) for c in listed(conditions, "a rule")]
            if not entries:
                raise ModelFormatError("a rule needs at least one condition")
            parsed.append(Rule(tuple(entries)))
        return cls(tuple(parsed), label, cast("RulesFor", rules_for))
