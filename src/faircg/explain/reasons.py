"""Explanation: why one row got its decision, as values, words and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from faircg.printable import spoken_value
from faircg.rules import Condition, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from faircg.explain.changes import Change
    from faircg.typing import Value

ChangeStatus: TypeAlias = Literal["found", "impossible", "not asked"]


@dataclass(frozen=True, slots=True)
class FailedCondition:
    """A condition that a row does not meet, and the row's own value.

    The value is None where it is missing; ``is_unseen`` if it is a category that the
    training data did not have.
    """

    condition: Condition
    value: Value
    is_unseen: bool = False

    def __str__(self) -> str:
        own = _own(self.condition.feature, self.value)
        note = ", never seen in training" if self.is_unseen else ""
        return f"{self.condition} fails ({own}{note})"

    def to_dict(self) -> dict[str, Any]:
        """Return the condition and the value as plain JSON values."""
        return {
            "condition": self.condition.to_dict(),
            "text": str(self.condition),
            "value": self.value,
            "is_unseen": self.is_unseen,
        }


@dataclass(frozen=True, slots=True)
class NearRule:
    """A rule that does not cover a row, what fails, and the smallest change.

    The change is None if no change that is allowed meets the rule.
    """

    rule: Rule
    failed: tuple[FailedCondition, ...]
    change: Change | None

    def to_dict(self) -> dict[str, Any]:
        """Return rule and failures as plain JSON values."""
        return {
            "rule": _rule_dict(self.rule),
            "failed": [failed.to_dict() for failed in self.failed],
            "change": None if self.change is None else self.change.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one row got its decision.

    ``row`` is its position in the table from zero; ``decision`` the label predicted and
    ``other`` the other one; ``values`` are the row's own of all features that rules
    test, and ``fired`` the rules that cover it. Where none does there are the
    ``closest`` rules: fewest failed conditions first, then smallest change. ``change``
    is the smallest one that flips the decision, ``change_status`` says ``"found"``,
    ``"impossible"`` or ``"not asked"``, and ``kept`` in words what the search for it
    had to leave as it is.
    """

    row: int
    decision: Value
    other: Value
    is_positive: bool
    values: Mapping[str, Value]
    fired: tuple[Rule, ...]
    closest: tuple[NearRule, ...]
    change: Change | None
    change_status: ChangeStatus
    kept: str = ""

    @property
    def change_text(self) -> str:
        """The smallest change in words; empty when it was not asked for."""
        if self.change_status == "not asked":
            return ""
        if self.change is not None:
            return str(self.change)
        return f"no change{self.kept} gives {spoken_value(self.other)}"

    def __str__(self) -> str:
        lines = [f"Row {self.row}: predicted {spoken_value(self.decision)}"]
        if not self.fired:
            lines[0] += ", as no rule covers it"
        for rule in self.fired:
            names = dict.fromkeys(c.feature for c in rule.conditions)
            own = ", ".join(_own(name, self.values[name]) for name in names)
            lines += [f"  because {rule}", f"    here {own}"]
        for near in self.closest:
            lines.append(f"  close: {near.rule}")
            lines += [f"    {failed}" for failed in near.failed]
        if self.change is not None:
            other = spoken_value(self.other)
            lines.append(f"  smallest change to get {other}: {self.change}")
        elif self.change_status == "impossible":
            lines.append(f"  {self.change_text}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain JSON values."""
        return {
            "row": self.row,
            "decision": self.decision,
            "is_positive": self.is_positive,
            "values": dict(self.values),
            "fired": [_rule_dict(rule) for rule in self.fired],
            "closest": [near.to_dict() for near in self.closest],
            "change": None if self.change is None else self.change.to_dict(),
            "change_status": self.change_status,
            "text": str(self),
        }


def _own(name: str, value: Value) -> str:
    return str(Condition(name, "is missing" if value is None else "=", value))


def _rule_dict(rule: Rule) -> dict[str, Any]:
    return {
        "text": str(rule),
        "conditions": [condition.to_dict() for condition in rule.conditions],
    }
