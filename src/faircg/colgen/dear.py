"""Rule sets inside a large budget, of which most rules cost more than half.

Such a rule is *dear*. A rule set inside the budget ``B`` has at most one. Beside
it are rules that are not dear, and their own excess is small: let the dear rule cover
all that is missed, for nothing, and take its complexity away, so that neither links nor
what is left over count it. Of what :mod:`faircg.colgen.excess` adds up each term is
then no more than in the whole rule set, and the dear rule pays over ``B / 2``. So the
others pay at most ``B / 2``. Mostly no rules pay so little when they leave so much
complexity to one rule; then no rule set inside the budget has a dear rule, and it is
enough to combine the others. Or else the least that they pay says how dear a rule can
be. docs/certificate.md has the proof.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg._kernel import rule_sets_below
from faircg.colgen.background import run

if TYPE_CHECKING:
    from faircg._kernel import RuleSetProblem, RuleSetResult
    from faircg.colgen.stop import Deadline

SMALLEST: Final = 2
"""Complexity of a rule with one condition."""


def least_beside(
    posed: RuleSetProblem,
    longest: int,
    budget: float,
    most: int,
    deadline: Deadline,
    threads: int = 1,
) -> float:
    """Return the least excess of rules beside one more of complexity up to ``longest``.

    That one pays nothing here. Infinity if no rules have an excess inside the budget;
    zero, which bounds it, if too many have.
    """
    least = np.inf
    for complexity in range(SMALLEST, min(longest, posed.max_complexity) + 1):
        beside = replace(
            posed,
            missed=np.zeros_like(posed.missed),
            max_complexity=posed.max_complexity - complexity,
        )
        found = sets_below(beside, min(budget, least), most, deadline, threads)
        deadline.check()
        if not found.is_complete:
            return 0.0
        least = min(least, float(found.excesses.min(initial=np.inf)))
    return least


def sets_below(
    posed: RuleSetProblem,
    budget: float,
    most: int,
    deadline: Deadline,
    threads: int = 1,
) -> RuleSetResult:
    """Enumerate the rule sets whose excess is inside the budget, if not too many."""
    return run(
        lambda limits: rule_sets_below(posed, budget=budget, most=most, limits=limits),
        deadline,
        threads=threads,
    )
