"""Pricing: the search for rules of negative reduced cost, several ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from faircg.colgen.pricing.base import PoolOnly as PoolOnly
from faircg.colgen.pricing.base import Pricer as Pricer
from faircg.colgen.pricing.base import PricingProblem as PricingProblem
from faircg.colgen.pricing.base import PricingResult as PricingResult
from faircg.colgen.pricing.combined import QuickFirstPricer as QuickFirstPricer
from faircg.colgen.pricing.combined import SampledPricer as SampledPricer
from faircg.colgen.pricing.confined import ConfinedPricer as ConfinedPricer
from faircg.colgen.pricing.exact import ExactPricer as ExactPricer
from faircg.colgen.pricing.greedy import GreedyPricer as GreedyPricer
from faircg.colgen.pricing.ip import IntegerPricer as IntegerPricer


def _sampled(seed: int) -> Pricer:
    whole = QuickFirstPricer(GreedyPricer(), IntegerPricer())
    return SampledPricer(whole, np.random.default_rng(seed))


PRICERS: Final[Mapping[str, Callable[[int, int], Pricer]]] = {
    "exact": lambda seed, threads: ExactPricer(threads=threads),
    "ip": lambda seed, threads: QuickFirstPricer(GreedyPricer(), IntegerPricer()),
    "ip_dash": lambda seed, threads: QuickFirstPricer(
        GreedyPricer(), IntegerPricer(disaggregated=True)
    ),
    "greedy": lambda seed, threads: GreedyPricer(),
    "sampled": lambda seed, threads: _sampled(seed),
}
"""Pricers by the name that users ask for them with, from a seed and threads."""


def pricer_by_name(pricing: str | Pricer, *, seed: int = 0, threads: int = 1) -> Pricer:
    """Look up a pricer, or take the one that is given."""
    if not isinstance(pricing, str):
        return pricing
    if pricing not in PRICERS:
        raise ValueError(
            f"pricing={pricing!r} is not known; use one of {sorted(PRICERS)} or a "
            "pricer"
        )
    return PRICERS[pricing](seed, threads)


def threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` asks for, as in scikit-learn."""
    if n_jobs is None:
        return 1
    if n_jobs < 0:
        import os

        return max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    return max(1, n_jobs)
