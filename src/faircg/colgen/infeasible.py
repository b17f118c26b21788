"""No rule set satisfies the constraint: what could be reached instead.

Limits on rates are loosened, all by the same share, until a rule set satisfies them:
bisection between a share that is proven not to be enough and one that a rule set needs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm
from typing import TYPE_CHECKING, Final

from faircg.exceptions import FairCGError, InfeasibleConstraintError
from faircg.fairness.exact_numbers import exact
from faircg.fairness.loosened import Loosened
from faircg.fairness.rates import LARGEST_SCALE, Rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from faircg.colgen.problem import Problem, Recount
    from faircg.colgen.stop import Deadline

NEAR: Final = Fraction(1, 1000)
"""Below this distance it is asked whether anything nearer can be reached at all."""


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
    least = "that" if found.enough == shown else f"{found.enough}"
    if not found.is_smallest:
        least = f"{float(found.too_little):.4g}"
    return InfeasibleConstraintError(
        f"{error}. It would be satisfied if every limit were {float(shown):g} easier "
        f"({reached}); less than {least} is proven to be out of reach",
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
    step, grid = _apart(problem), _grid(problem)
    enough, too_little = Fraction(1), Fraction(0)
    while not deadline.is_set() and enough - too_little > step:
        wide = enough - too_little > NEAR
        by = (enough + too_little) / 2 if wide else enough - step
        if grid is not None:
            by = max(by // grid * grid, too_little + grid)
            if by >= enough:
                break
        easier = replace(problem, criterion=Loosened(criterion, by))
        try:
            enough = min(by, _needed(problem, solve(easier)))
        except InfeasibleConstraintError:
            too_little = by
        except FairCGError:
            break
    if enough == 1:
        return None
    return Reachable(enough, too_little, enough - too_little <= step)


def _apart(problem: Problem) -> Fraction:
    """Return how far two different needs are apart at least.

    A need is the distance of a share of people from a limit, or of a difference or a
    ratio of two shares.
    """
    rates = [rate.rate for rate in problem.rates if isinstance(rate.rate, Rate)]
    people = int(problem.groups.positives.sum() + problem.groups.negatives.sum())
    of_one = all(rate.bound.kind in ("floor", "cap") for rate in rates)
    whole = max(people, 2) if of_one else max(people, 2) ** 2
    limits = {(rate.bound.kind, exact(rate.bound.limit)) for rate in rates}
    parts = lcm(*(limit.denominator for _, limit in limits)) if len(limits) > 1 else 1
    return Fraction(1, whole**2 * parts)


def _grid(problem: Problem) -> Fraction | None:
    """Return the steps of which a loosening must be a multiple; None if of none.

    A limit on a share of people whose number depends on the decisions is counted with
    its denominator, which has a largest one.
    """
    limits = [
        exact(rate.rate.bound.limit)
        for rate in problem.rates
        if isinstance(rate.rate, Rate) and not rate.rate.is_fixed
    ]
    if not limits:
        return None
    parts = lcm(*(limit.denominator for limit in limits))
    return Fraction(1, parts * max(1, LARGEST_SCALE // parts))


def _needed(problem: Problem, recount: Recount) -> Fraction:
    """Return by how much the limits must be loosened for this rule set."""
    needed = Fraction(0)
    for rate in problem.rates:
        measured = rate.measured(recount.missed, recount.hit)
        if not rate.holds(recount.missed, recount.hit) and measured is not None:
            needed = max(needed, rate.rate.bound.shortfall(measured))
    return needed
