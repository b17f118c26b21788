"""Words: numbers, conditions, gaps and certificates as plain sentences."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from faircg.fairness import exact
from faircg.fairness.constraint import criterion_at
from faircg.fairness.metrics import LIMIT_WORDS
from faircg.printable import number, percent, shown

if TYPE_CHECKING:
    from faircg.evaluate import Gap, RuleResult
    from faircg.explain import Explanation
    from faircg.rules import Condition, Rule, RuleSet
    from faircg.typing import Value

_SMALL: Final = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def criterion_words(name: str) -> str:
    """Say what a criterion demands, if it is known by this name.

    Examples
    --------
    >>> print(criterion_words("equalized_odds"))
    Equalized odds: the false negative rate and the false positive rate may each differ
    between any two groups by at most epsilon
    """
    try:
        rates = criterion_at(name, 1.0).rates()  # type: ignore[union-attr]
    except ValueError:
        return shown(name)
    gaps = [rate.name for rate in rates if rate.bound.kind == "difference"]
    demands = [rate.bound.demand(rate.name) for rate in rates if rate.name not in gaps]
    if gaps:
        each = "each " if len(gaps) > 1 else ""
        demands.insert(
            0,
            f"the {' and the '.join(gaps)} may {each}differ between any two groups by "
            "at most epsilon",
        )
    spoken = name.replace("_", " ").replace("=", " ").capitalize()
    return f"{spoken}: {'; '.join(demands)}"


def value_words(value: Value) -> str:
    """Return a value as it is shown in a table or a sentence."""
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return shown(value)
    return number(value)


def condition_words(condition: Condition) -> tuple[str, str]:
    """Return the feature, and what the condition demands of it.

    Examples
    --------
    >>> from faircg.rules import Condition
    >>> condition_words(Condition("priors", ">", 3.0))
    ('priors', 'is more than 3')
    >>> condition_words(Condition("employed", "!=", True))
    ('employed', 'is false')
    """
    name, value = shown(condition.feature), condition.value
    if condition.is_yes_or_no:
        return name, "is yes" if condition.operator == ">" else "is no"
    match condition.operator:
        case "<=":
            return name, f"is at most {value_words(value)}"
        case ">":
            return name, f"is more than {value_words(value)}"
        case "is missing" | "is present":
            return name, condition.operator
        case operator:
            if isinstance(value, bool):
                return name, f"is {value_words(value == (operator == '='))}"
            spoken = value_words(value)
            spoken = f"“{spoken}”" if isinstance(value, str) else spoken
            return name, f"is {spoken}" if operator == "=" else f"is not {spoken}"


def rule_words(rule: Rule) -> str:
    """Return a rule as one phrase."""
    return " and ".join(" ".join(condition_words(c)) for c in rule.conditions)


def points_of(
    gap: Fraction | float, epsilon: float | None = None, *, is_least: bool = False
) -> str:
    """Return a gap in percentage points, with digits enough to compare with epsilon.

    Epsilon is the most that it may be, or the least.

    Examples
    --------
    >>> points_of(Fraction(487, 10000), 0.05)
    '4.87'
    >>> points_of(Fraction(50004, 1000000), 0.05)
    '5.0004'
    """
    value = 100 * Fraction(gap)
    for digits in range(2, 9):
        text = f"{float(value):.{digits}f}"
        if epsilon is None:
            return text
        allowed = 100 * exact(epsilon)
        if _is_on_its_side(Fraction(text), value, allowed, is_least):
            return text
    return text


def _is_on_its_side(
    told: Fraction, value: Fraction, limit: Fraction, is_least: bool
) -> bool:
    """Say whether a rounded number keeps to a limit just if the number itself does."""
    if is_least:
        return (told >= limit) == (value >= limit)
    return (told <= limit) == (value <= limit)


def verdict(within: bool | None) -> str:
    """Say whether the constraint is satisfied on some data."""
    if within is None:
        return "Cannot be said on this data"
    if within:
        return "Satisfies the constraint on this data"
    return "Does not satisfy the constraint on this data"


def gap_words(gap: Gap) -> str:
    """Say between which groups a rate differs, and by how much."""
    if gap.value is None:
        return f"The gap is not estimable: {shown(gap.reason, 300)}."
    if gap.kind != "difference":
        return _bound_words(gap)
    points = points_of(gap.value, gap.limit)
    text = (
        f"The {gap.rate} differs by {points} percentage points between "
        f"{shown(gap.highest)} and {shown(gap.lowest)}"
    )
    if gap.value == 0:
        text = f"The {gap.rate} is the same in all groups"
    if gap.limit is None:
        return f"{text}; no limit was set."
    if not gap.is_bounded:
        return f"{text}; every difference is allowed."
    allowed = number(100 * gap.limit) if gap.limit else "none"
    return f"{text}; {allowed} {'is' if allowed in ('1', 'none') else 'are'} allowed."


def _bound_words(gap: Gap) -> str:
    """Say what was measured of a rate whose bound is no difference, and its limit."""
    assert gap.value is not None
    assert gap.limit is not None
    group = shown(gap.highest if gap.kind == "cap" else gap.lowest)
    title = f"The {gap.title}"
    match gap.kind:
        case "margin":
            return f"{title} leaves {gap_value(gap)} people of room in {group}."
        case "ratio":
            told = f"{title} is {gap_value(gap)} ({group} against {shown(gap.highest)})"
        case _:
            told = f"{title} is {gap_value(gap)} ({group})"
    return f"{told}; {gap_limit(gap)} is asked."


def gap_value(gap: Gap) -> str:
    """Return what was measured with digits enough to compare it with the limit.

    Examples
    --------
    >>> from faircg.evaluate import Gap
    >>> gap_value(Gap("precision", Fraction(69996, 100000), limit=0.7, kind="floor"))
    '69.996 %'
    """
    if gap.value is None:
        return "-"
    if gap.kind == "margin":
        return number(float(gap.value))
    is_least = gap.kind in ("ratio", "floor")
    points = points_of(gap.value, gap.limit, is_least=is_least)
    return points if gap.kind == "difference" else f"{points} %"


def gap_limit(gap: Gap) -> str:
    """Return the limit as it stands in a table.

    Examples
    --------
    >>> from faircg.evaluate import Gap
    >>> gap_limit(Gap("precision", Fraction(1, 2), limit=0.7, kind="floor"))
    'at least 70 %'
    """
    if gap.limit is None or not gap.is_bounded:
        return "no limit"
    limit = number(100 * gap.limit)
    if gap.kind == "difference":
        return limit
    if gap.kind == "margin":
        return "at least 0"
    return f"{LIMIT_WORDS[gap.kind]} {limit} %"


def one_sided_words(entry: RuleResult) -> str:
    """Say that nearly all people of a rule are of one group; nothing if they are not.

    The rule need not test the group for that: something else may stand in for it.
    """
    name = entry.one_sided
    if name is None:
        return ""
    inside, covered = entry.groups[name], entry.covered
    return (
        f"{percent(inside.count / covered.count)} of the people whom this rule covers "
        f"are {shown(name, 60)}, who are {percent(inside.size / covered.size)} of "
        "everybody: what it tests may stand in for the group."
    )


def outcomes(rule_set: RuleSet, names: tuple[str, str]) -> tuple[str, str]:
    """Return what whoever meets a rule is called, and what everybody else is.

    ``names`` are those of the negative and of the positive label.
    """
    negative, positive = names
    if rule_set.rules_for == "negative":
        return negative, positive
    return positive, negative


def what_it_does(rule_set: RuleSet, names: tuple[str, str]) -> str:
    """Say in a sentence what the rule set decides; names as for :func:`outcomes`."""
    covered, otherwise = outcomes(rule_set, names)
    if not rule_set.rules:
        return f"It never predicts “{covered}”: everybody is “{otherwise}”."
    whom = "its one rule"
    if len(rule_set) > 1:
        whom = f"at least one of its {spelled(len(rule_set))} rules"
    return (
        f"It predicts “{covered}” for whoever meets {whom}, and “{otherwise}” for "
        "everybody else."
    )


def spelled(count: int) -> str:
    """Return a small number as a word.

    Examples
    --------
    >>> spelled(4), spelled(40)
    ('four', '40')
    """
    return _SMALL[count] if count < len(_SMALL) else number(count)


def reason(explanation: Explanation, order: tuple[Rule, ...]) -> str:
    """Say why a row gets the decision, naming rules by their number in this order."""
    e = explanation
    if e.fired:
        rules = [f"rule {order.index(r) + 1} ({rule_words(r)})" for r in e.fired]
        return f"Meets {' and '.join(rules)}.{_change_words(e)}"
    if not e.closest:
        return "There is no rule to meet."
    near = e.closest[0]
    failed = "; ".join(
        f"{' '.join(condition_words(f.condition))}, but here it is "
        f"{value_words(f.value)}" + (", never seen in training" * f.is_unseen)
        for f in near.failed
    )
    text = f"Meets no rule. Closest is rule {order.index(near.rule) + 1}, which needs: "
    return f"{text}{failed}.{_change_words(e)}"


def _change_words(explanation: Explanation) -> str:
    if explanation.change_status == "not asked":
        return ""
    return f" Smallest change: {shown(explanation.change_text, 400)}."
