"""Python: the text of one function that needs no library.

Names and values become literals of plain ASCII, so that no text can be read as code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from faircg.export.plan import make_plan

if TYPE_CHECKING:
    from faircg.export.plan import Check
    from faircg.model import RuleSetModel

_OPENING: Final = '''\
def predict(row):
    """Predict the label of one row, a mapping from feature to value.

    None, NaN and their like are missing. A value that the feature cannot have, such
    as text for a number, is an error.
    """

    def category(name):
        value = row[name]
        try:
            missing = value is None or bool(value != value)
        except TypeError:  # pandas.NA will not be compared
            missing = True
        return None if missing else value

    def numeric(name):
        value = category(name)
        if value is None:
            return None
        if isinstance(value, (str, bytes)):
            raise TypeError("%r must be a number, not %r" % (name, value))
        value = float(value)
        if abs(value) == float("inf"):
            raise ValueError("%r must be finite" % (name,))
        return value

    def boolean(name):
        value = numeric(name)
        if value not in (None, 0.0, 1.0):
            raise ValueError("%r must be true or false, not %r" % (name, value))
        return None if value is None else value == 1.0
'''


def to_python(model: RuleSetModel) -> str:
    """Return the source of a function ``predict(row)``."""
    plan = make_plan(model)
    variables = {f.name: f"x{k}" for k, f in enumerate(model.features)}
    lines = [_OPENING]
    lines += [f"    {variables[f.name]} = {f.kind}({f.name!a})" for f in model.features]
    for rule in plan.rules:
        checks = [_test(variables[c.input.name], c) for c in rule.checks]
        lines += [
            "    if (",
            "        " + "\n        and ".join(checks),
            "    ):",
            f"        return {plan.covered!a}",
        ]
    lines.append(f"    return {plan.otherwise!a}\n")
    return "\n".join(lines)


def _test(variable: str, check: Check) -> str:
    match check.operator:
        case "is missing":
            return f"{variable} is None"
        case "is present":
            return f"{variable} is not None"
        case "=":
            return f"{variable} == {check.value!a}"
        case operator:
            return f"{variable} is not None and {variable} {operator} {check.value!a}"
