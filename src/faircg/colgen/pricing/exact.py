"""Exact pricing on all data by the bitset search of ``faircg._kernel``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from faircg._kernel import SearchResult, search
from faircg.colgen.background import run
from faircg.colgen.pricing.base import (
    MOST_RULES,
    TOLERANCE,
    PricingProblem,
    PricingResult,
)


@dataclass(frozen=True, slots=True)
class ExactPricer:
    """Find the rule of least reduced cost, and a bound per unit of complexity.

    The bound comes from raising the price of complexity until nothing prices out
    (Dinkelbach's method for a ratio): with ``lambda`` raised by ``d`` and no negative
    reduced cost left, every rule has a reduced cost of at least ``-d`` per unit. Each
    further search is quicker than the one before, as dear conditions prune more. The
    answer does not depend on ``threads``; ``keep`` rules are returned.
    """

    is_exact: ClassVar[bool] = True

    threads: int = 1
    keep: int = MOST_RULES

    def price(self, asked: PricingProblem) -> PricingResult:
        """Search until done or until the deadline."""
        found = self._search(asked, self.keep)
        bound = min(0.0, found.bound) / 2.0  # every complexity is at least two
        raised, best = 0.0, found
        while best.rules and best.is_complete:
            sizes = np.array([1 + len(rule) for rule in best.rules])
            raised -= float((best.reduced_costs / sizes).min())
            dearer = replace(asked, prices=asked.prices.raised(raised, 0))
            best = self._search(dearer, 1)
            if best.is_complete and not best.rules:
                bound = -raised + min(0.0, best.bound) / 2.0
        return PricingResult(found.rules, found.reduced_costs, found.is_complete, bound)

    def _search(self, asked: PricingProblem, keep: int) -> SearchResult:
        """Run in a thread, so that Ctrl-C can be heard meanwhile."""
        priced = asked.prices.on(asked.bits, asked.max_conditions)
        return run(
            lambda limits: search(priced, cutoff=-TOLERANCE, keep=keep, limits=limits),
            asked.deadline,
            threads=self.threads,
        )
