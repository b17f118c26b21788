"""Pricing where some conditions may not be combined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

from faircg._kernel import ConditionBits
from faircg.colgen.pricing.base import (
    Pricer,
    PricingProblem,
    PricingResult,
    best_rules,
)

if TYPE_CHECKING:
    from faircg.typing import Conditions


@dataclass(frozen=True, slots=True)
class ConfinedPricer:
    """Asks another pricer about each part of the conditions, one after the other.

    Every rule that is allowed lies in one of the parts, and every rule of a part is
    allowed. So the least reduced cost of all parts is the least of all allowed rules,
    and the lowest bound of all parts bounds them: the answer is as exact as those of
    the other pricer.
    """

    inner: Pricer
    parts: tuple[Conditions, ...]

    @property
    def is_exact(self) -> bool:
        """Whether the other pricer is."""
        return bool(getattr(self.inner, "is_exact", False))

    def price(self, asked: PricingProblem) -> PricingResult:
        """Search part by part, until done or until the deadline."""
        bits, is_complete, bound = asked.bits, True, inf
        rules: set[Conditions] = set()
        for part in self.parts:
            numbers = list(part)
            inside = ConditionBits(
                bits.bits[numbers], bits.n_rows, bits.family[numbers]
            )
            found = self.inner.price(replace(asked, bits=inside))
            rules.update(tuple(part[j] for j in rule) for rule in found.rules)
            is_complete = is_complete and found.is_complete
            bound = min(bound, found.bound)
        return best_rules(asked, rules, is_complete=is_complete, bound=bound)
