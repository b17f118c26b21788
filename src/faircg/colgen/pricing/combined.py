"""Pricers made of pricers: try the quick one first, or look at a sample only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from faircg._kernel import ConditionBits
from faircg.colgen.duals import Prices
from faircg.colgen.pricing.base import Pricer, PricingProblem, PricingResult, best_rules
from faircg.colgen.signatures import rows_at


@dataclass(frozen=True, slots=True)
class QuickFirstPricer:
    """Ask the quick pricer; only when it finds nothing, ask the thorough one.

    The paper runs its heuristic for the first rounds and the integer program to
    finish. Here the heuristic's own failure is the signal to switch.
    """

    is_exact: ClassVar[bool] = False

    quick: Pricer
    thorough: Pricer

    def price(self, asked: PricingProblem) -> PricingResult:
        """Search quickly, then thoroughly."""
        found = self.quick.price(asked)
        if found.rules or asked.deadline.is_set():
            return found
        return self.thorough.price(asked)


@dataclass(slots=True)
class SampledPricer:
    """Price on a random part of the rows and conditions (paper, section 4).

    Rules found there by the ``inner`` pricer are priced again on all data, so their
    reduced costs are true; but nothing is proven unless the data were small enough to
    be taken whole.
    """

    is_exact: ClassVar[bool] = False

    inner: Pricer
    rng: np.random.Generator
    rows: int = 2_000
    nonzeros: int = 100_000

    def price(self, asked: PricingProblem) -> PricingResult:
        """Draw a sample, search there, price the answer on all data."""
        bits, prices = asked.bits, asked.prices
        rows = self._draw(bits.n_rows, self.rows)
        matrix = rows_at(bits.bits, rows)
        density = max(matrix.mean(), 1e-9)
        conditions = self._draw(
            bits.n_conditions, int(self.nonzeros / (density * len(rows)))
        )
        if len(rows) == bits.n_rows and len(conditions) == bits.n_conditions:
            return self.inner.price(asked)
        part = ConditionBits.from_matrix(matrix[:, conditions], bits.family[conditions])
        scale = bits.n_rows / len(rows)
        part_prices = Prices(prices.rows[rows] * scale, prices.condition, prices.value)
        found = self.inner.price(replace(asked, bits=part, prices=part_prices))
        rules = [tuple(int(conditions[j]) for j in rule) for rule in found.rules]
        return best_rules(asked, rules, is_complete=False)

    def _draw(self, population: int, size: int) -> np.ndarray[tuple[int], np.dtype]:
        if size >= population:
            return np.arange(population)
        return np.sort(self.rng.choice(population, size=max(size, 1), replace=False))
