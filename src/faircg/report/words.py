"""Words: numbers, conditions, gaps and certificates as plain sentences."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from faircg.fairness import exact

if TYPE_CHECKING:
    from faircg.colgen.certificate import Certificate
    from faircg.evaluate import Gap, PartResult, RuleResult
    from faircg.explain import Explanation
    from faircg.rules import Condition, Rule, RuleSet
    from faircg.typing import Value

LONGEST: Final = 120
"""Characters of a name or value that are shown; longer ones lose their middle."""
NOTHING: Final = "-"
"""What stands for a share of nobody."""
CRITERIA: Final = {
    "equality_of_opportunity": (
        "Equality of opportunity",
        "the share of missed people (false negative rate) may differ between any two "
        "groups by at most epsilon",
    ),
    "equalized_odds": (
        "Equalized odds",
        "the share of missed people (false negative rate) and the share of wrongly "
        "covered people (false positive rate) may each differ between any two groups "
        "by at most epsilon",
    ),
}
"""What the criteria demand, in words."""


def shown(text: object, longest: int = LONGEST) -> str:
    r"""Return a text on one line, short enough to read.

    Characters that do not print are escaped; the middle of a long text is left out.

    Examples
    --------
    >>> print(shown("a\nb"))
    a\nb
    >>> shown("x" * 500, 20)
    'xxxxxxxxxx … xxxxxxx (500 characters)'
    """
    raw = str(text)
    if len(raw) > longest:
        tail = longest // 2 - 3
        raw_shown = f"{raw[: longest // 2]} … {raw[-tail:]} ({len(raw)} characters)"
    else:
        raw_shown = raw
    printed = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in raw_shown)
    return printed if printed.strip() else f'"{printed}"'


def number(value: float) -> str:
    """Return a number as people write it.

    Examples
    --------
    >>> number(5278), number(0.25), number(1e300)
    ('5,278', '0.25', '1e+300')
    """
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        return f"{int(value):,}" if abs(value) < 1e15 else f"{float(value):g}"
    return f"{value:,.10g}"


def percent(value: float | Fraction | None, digits: int = 1) -> str:
    """Return a share in percent, or a dash for a share of nobody.

    Examples
    --------
    >>> percent(0.669), percent(None)
    ('66.9 %', '-')
    """
    if value is None or math.isnan(value):
        return NOTHING
    return f"{100 * float(value):.{digits}f} %"


def plural(count: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "rule"), plural(1200, "person")
    ('1 rule', '1,200 people')
    """
    many = {"person": "people"}.get(noun, f"{noun}s")
    return f"{count:,} {noun if count == 1 else many}"


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


def points_of(gap: Fraction | float, epsilon: float | None = None) -> str:
    """Return a gap in percentage points, with digits enough to compare with epsilon.

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
        if (Fraction(text) <= allowed) == (value <= allowed):
            return text
    return text


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
    points = points_of(gap.value, gap.epsilon)
    text = (
        f"The {gap.rate} differs by {points} percentage points between "
        f"{shown(gap.highest)} and {shown(gap.lowest)}"
    )
    if gap.value == 0:
        text = f"The {gap.rate} is the same in all groups"
    if gap.epsilon is None:
        return f"{text}; no limit was set."
    if not gap.is_bounded:
        return f"{text}; every difference is allowed."
    allowed = number(100 * gap.epsilon) if gap.epsilon else "none"
    return f"{text}; {allowed} {'is' if allowed in ('1', 'none') else 'are'} allowed."


def group_notes(part: PartResult) -> list[str]:
    """Say which groups of the training data are not here, and which are new."""
    notes = []
    if part.absent:
        notes.append(
            f"{_named(part.absent)} of the training data has nobody in “"
            f"{shown(part.name, 40)}”: what is not there is not compared, so that "
            "nothing can be said to be satisfied."
        )
    if part.unknown:
        notes.append(
            f"{_named(part.unknown)} in “{shown(part.name, 40)}” was not in the "
            "training data."
        )
    return notes


def _named(groups: tuple[str, ...]) -> str:
    names = ", ".join(shown(group, 60) for group in groups)
    return f"The group {names}" if len(groups) == 1 else f"Each of the groups {names}"


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
        "everybody: "
        "what it tests may stand in for the group."
    )


def certificate_words(certificate: Certificate | None, loss: int | None) -> str:
    """Say what was proven, and how far this very rule set can be from the best.

    Parameters
    ----------
    certificate
        What was proven; None if the model does not say.
    loss
        The loss of the rule set shown; None if the training data are not at hand.
    """
    if certificate is None:
        return (
            "The model carries no certificate, so nothing is known about better ones."
        )
    text = _proof_words(certificate, loss)
    if certificate.status in ("time_limit", "interrupted"):
        text += f" The search was {status_words(certificate)}."
    return text


def _proof_words(c: Certificate, loss: int | None) -> str:
    name = "Hamming loss" if c.loss == "hamming" else "0-1 loss"
    scope = (
        f"No rule set of complexity at most {number(c.max_complexity)} with at most "
        f"{plural(c.max_conditions, 'condition')} per rule"
    )
    if c.constraint is not None and c.epsilon is not None and c.epsilon < 1:
        kind = " (as the search counts)" if c.rates == "proxy" else ""
        spoken = c.constraint.replace("_", " ")
        scope += f" that keeps {spoken} within {number(c.epsilon)}{kind}"
    if c.lower_bound <= 0:
        return (
            f"No bound was proven: better rule sets may exist. The lowest {name} found "
            f"on the training data is {number(c.objective)}."
        )
    bound = number(round(c.lower_bound, 3))
    text = f"{scope} has a {name} below {bound} on the training data."
    if loss is None:
        loss = round(c.returned_loss)
    if loss < c.lower_bound - 1e-6 and c.rates != "proxy":
        return f"{text} This one is recorded with {number(loss)}, which contradicts it."
    if loss < c.lower_bound - 1e-6:
        return (
            f"{text} This one has {number(loss)}: it satisfies the constraint itself, "
            "but not as the search counts, so that the bound does not speak about it."
        )
    if loss <= c.lower_bound + 1e-6:
        return f"{text} This one has exactly that: none is better."
    near = _near((loss - c.lower_bound) / c.lower_bound)
    text = f"{text} This one has {number(loss)}, within {near} of it"
    if c.objective < loss - 1e-6:
        text += (
            f"; another found has {number(c.objective)}, and this one was preferred "
            "because it makes fewer wrong decisions"
        )
    return f"{text}."


def _near(above: float) -> str:
    return percent(above, 1 if above >= 0.001 else 2)


def status_words(certificate: Certificate | None) -> str:
    """Say how the search ended."""
    if certificate is None:
        return "not recorded"
    return {
        "optimal": "finished; the lowest loss possible is proven, and the certificate "
        "says how near the rule set shown is to it",
        "feasible": "finished; the distance to the bound remains open",
        "time_limit": "stopped by its time limit; the best rule set so far was kept",
        "interrupted": "interrupted; the best rule set so far was kept",
    }.get(certificate.status, shown(certificate.status))


def what_it_does(rule_set: RuleSet, positive: str, negative: str) -> str:
    """Say in a sentence what the rule set decides."""
    if not rule_set.rules:
        return f"It never predicts “{positive}”: everybody is “{negative}”."
    if len(rule_set) == 1:
        return (
            f"It predicts “{positive}” for whoever meets its one rule, and "
            f"“{negative}” for everybody else."
        )
    return (
        f"It predicts “{positive}” for whoever meets at least one of its "
        f"{len(rule_set)} rules, and “{negative}” for everybody else."
    )


def reason(explanation: Explanation, order: tuple[Rule, ...]) -> str:
    """Say why a person gets the decision, naming rules by their number.

    Parameters
    ----------
    explanation
        From :func:`faircg.explain.explain`.
    order
        The rules in the order in which the report numbers them.
    """
    e = explanation
    if e.is_positive:
        rules = [f"rule {order.index(r) + 1} ({rule_words(r)})" for r in e.fired]
        return f"Meets {' and '.join(rules)}."
    if not e.closest:
        return "There is no rule to meet."
    near = e.closest[0]
    failed = "; ".join(
        f"{' '.join(condition_words(f.condition))}, but here it is "
        f"{value_words(f.value)}" + (", never seen in training" * f.is_unseen)
        for f in near.failed
    )
    text = f"Meets no rule. Closest is rule {order.index(near.rule) + 1}, which needs: "
    text += f"{failed}."
    if e.change_status != "not asked":
        text += f" Smallest change: {shown(e.change_text, 400)}."
    return text
