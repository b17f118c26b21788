"""Greedy growth: the heuristic of the paper (section 4), after Dash et al.

All rules of one condition are priced, the best 20 are grown by one condition, the best
20 of those again, and so on up to five conditions. Every rule of negative reduced cost
met on the way is an answer. It proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from faircg._kernel import weigh
from faircg.colgen.pricing.base import (
    TOLERANCE,
    PricingProblem,
    PricingResult,
    best_rules,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircg._kernel import ConditionBits
    from faircg.typing import Conditions


WORDS_PER_CONDITION = 500
"""Work of one condition beside that of weighing it, in words of bits."""


@dataclass(frozen=True, slots=True)
class GreedyPricer:
    """Grow the best few rules of each size, ``width`` at a time, up to ``depth``."""

    is_exact: ClassVar[bool] = False

    width: int = 20
    depth: int = 5

    def price(self, asked: PricingProblem) -> PricingResult:
        """Search until the largest size is reached or until the deadline."""
        bits, prices = asked.bits, asked.prices
        n_conditions = bits.n_conditions
        met: set[Conditions] = set()
        parents: list[Conditions] = [()]
        for size in range(1, min(self.depth, asked.max_conditions) + 1):
            if asked.deadline.is_set():
                break
            children: dict[Conditions, float] = {}
            for parent in parents:
                asked.deadline.spend(
                    WORDS_PER_CONDITION * n_conditions + bits.bits.size
                )
                cover = bits.bits & _cover(bits, parent)
                costs = weigh(cover, prices.rows) + prices.condition * (1 + size)
                for j in range(n_conditions):
                    if j not in parent:
                        child = tuple(sorted((*parent, j)))
                        children[child] = float(costs[j])
            met.update(rule for rule, cost in children.items() if cost < -TOLERANCE)
            ranked = sorted(children, key=lambda rule: (children[rule], rule))
            parents = ranked[: self.width]
        return best_rules(asked, met, is_complete=False)


def _cover(bits: ConditionBits, rule: Conditions) -> NDArray[np.uint64]:
    """Return the packed coverage; the empty conjunction covers everybody."""
    return bits.cover([rule]) if rule else np.full((1, 1), ~np.uint64(0))
