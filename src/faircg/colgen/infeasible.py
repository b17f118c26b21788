"""No rule set satisfies the constraint: what could be reached instead.

Limits on rates are loosened, all by the same share, until a rule set satisfies them:
bisection between a share that is proven not to be enough and one that a rule set needs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Final

from faircg.exceptions import FairCGError, InfeasibleConstraintError
from faircg.fairness.loosened import Loosened
from faircg.fairness.rates import Rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from faircg.colgen.problem import Problem, Recount
    from faircg.colgen.stop import Deadline

NEAR: Final = Fraction(1, 1000)
"""Below this distance it is asked whether anything nearer can be reached at all."""
STEP: Final = Fraction(1, 1000)
"""Steps of limits on shares of people whose number depends on the decisions."""


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
            f"no rule set of {limits} satisfies the constraint{name} on this data"
        )
    return FairCGError(
        f"no rule set of {limits} that satisfies the constraint{name} was found, and "
        "it is not proven that there is none; give it more time, or loosen it"
    )


@dataclass(frozen=True, slots=True)
class Reachable:
    """How far all limits must be loosened: enough, and proven to be too little."""

    enough: Fraction
    too_little: Fraction
    is_smallest: bool


def explained(
    error: InfeasibleConstraintError, problem: Problem, found: Reachable | None
) -> InfeasibleConstraintError:
    """Add to an error what could be reached."""
    if found is None or problem.criterion is None:
        return error
    rates = problem.criterion.rates()
    shown = Fraction(ceil(10_000 * found.enough), 10_000)
    reached = "; ".join(
        rate.bound.loosened(shown).demand(rate.name)
        for rate in rates
        if isinstance(rate, Rate)
    )
    proof = "less than that is proven to be out of reach"
    if not found.is_smallest:
        proof = f"less than {float(found.too_little):.4g} is proven to be out of reach"
    return InfeasibleConstraintError(
        f"{error}. It would be satisfied if every limit were {float(shown):g} easier "
        f"({reached}); {proof}",
        loosen_by=found.enough,
    )


def smallest_loosening(
    problem: Problem, solve: Callable[[Problem], Recount], deadline: Deadline
) -> Reachable | None:
    """Find by how much limits must be loosened; None if nothing is known of it.

    ``solve`` returns the recount of a rule set that satisfies an easier constraint, or
    raises :class:`InfeasibleConstraintError` if it is proven that there is none.
    """
    criterion = problem.criterion
    if criterion is None:
        return None
    is_coarse = not all(
        isinstance(rate, Rate) and rate.is_fixed for rate in criterion.rates()
    )
    people = int(problem.groups.positives.sum() + problem.groups.negatives.sum())
    # Two different gaps of so many people are at least this far apart.
    step = STEP if is_coarse else Fraction(1, max(people, 2) ** 4)
    enough, too_little = Fraction(1), Fraction(0)
    while not deadline.is_set() and enough - too_little > step:
        wide = enough - too_little > NEAR
        by = (enough + too_little) / 2 if wide else enough - step
        if is_coarse:
            by = Fraction(int(by / STEP), STEP.denominator)
        easier = replace(problem, criterion=Loosened(criterion, by))
        try:
            enough = min(by, _needed(problem, solve(easier)))
        except InfeasibleConstraintError:
            too_little = by
            if not wide:
                return Reachable(enough, by, is_smallest=True)
        except FairCGError:
            break
    if enough == 1:
        return None
    return Reachable(enough, too_little, enough - too_little <= step)


def _needed(problem: Problem, recount: Recount) -> Fraction:
    """Return by how much the limits must be loosened for this rule set."""
    needed = Fraction(0)
    for rate in problem.rates:
        measured = rate.measured(recount.missed, recount.hit)
        if not rate.holds(recount.missed, recount.hit) and measured is not None:
            needed = max(needed, rate.rate.bound.shortfall(measured))
    return needed
