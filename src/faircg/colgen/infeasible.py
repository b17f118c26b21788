"""No rule set satisfies the constraint: what can be said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircg.exceptions import FairCGError, InfeasibleConstraintError

if TYPE_CHECKING:
    from faircg.colgen.problem import Problem


def no_rule_set(
    problem: Problem, max_conditions: int, *, is_proven: bool
) -> FairCGError:
    """Return the error to raise where no rule set was found."""
    limits = (
        f"complexity at most {problem.max_complexity} and at most {max_conditions} "
        "conditions per rule"
    )
    name = "" if problem.criterion is None else f" {problem.criterion.name}"
    if is_proven:
        return InfeasibleConstraintError(
            f"no rule set of {limits} satisfies the constraint{name} on this data; "
            "loosen it, or allow more complexity"
        )
    return FairCGError(
        f"no rule set of {limits} that satisfies the constraint{name} was found, and "
        "it is not proven that there is none; give it more time, or loosen it"
    )
