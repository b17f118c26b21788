"""The protocol of a pricer, its answer, and what pricers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faircg._kernel import ConditionBits
    from faircg.colgen.duals import Prices
    from faircg.colgen.stop import Deadline
    from faircg.typing import Conditions, FloatVector

TOLERANCE = 1e-6
"""A reduced cost above minus this is not negative: duals come from a solver."""
MOST_RULES = 100
"""How many rules come back from one pricing (paper, section 4)."""


@dataclass(frozen=True, slots=True, eq=False)
class PricingResult:
    """Rules of negative reduced cost, the most negative first.

    ``is_complete`` says that it is proven that no rule has a lower reduced cost than
    the first one here, or, if there is none here, that no rule has a negative one.
    ``bound`` is a proven lower bound on the reduced cost of every rule *per unit of its
    complexity*; minus infinity when nothing was proven. The master over all rules is
    worth at least ``prices.value + C * min(0, bound)``, because complexities sum to at
    most ``C``.
    """

    rules: tuple[Conditions, ...]
    reduced_costs: FloatVector
    is_complete: bool
    bound: float


@dataclass(frozen=True, slots=True, eq=False)
class PricingProblem:
    """The question to a pricer: which rules have a negative reduced cost.

    Rules have at least one condition and at most ``max_conditions``.
    """

    bits: ConditionBits
    prices: Prices
    max_conditions: int
    deadline: Deadline


class Pricer(Protocol):
    """Finds rules of negative reduced cost.

    A pricer sees prices, never fairness. ``is_complete`` in its answer is a proof.
    """

    @property
    def is_exact(self) -> bool:
        """Whether each answer is a proof, and quick enough to ask again and again.

        Only then a fit without ``max_conditions`` goes deeper step by step, and a
        search generates rules at every point of its fine grid. A pricer without this
        property counts as not exact.
        """
        ...

    def price(self, asked: PricingProblem) -> PricingResult:
        """Search until done or until the deadline."""
        ...


@dataclass(frozen=True, slots=True)
class PoolOnly:
    """A pricer that finds nothing, so that the engine uses the rules it is given."""

    is_exact: ClassVar[bool] = False

    def price(self, asked: PricingProblem) -> PricingResult:
        """Return no rules, and prove nothing."""
        return PricingResult((), np.zeros(0), is_complete=False, bound=-np.inf)


def best_rules(
    asked: PricingProblem,
    rules: Iterable[Conditions],
    *,
    is_complete: bool,
    bound: float = -np.inf,
    most: int = MOST_RULES,
) -> PricingResult:
    """Price rules on all data and keep the most negative ones."""
    candidates = sorted({tuple(sorted(set(rule))) for rule in rules})
    if not candidates:
        return PricingResult((), np.zeros(0), is_complete, bound)
    sizes = np.array([len(rule) for rule in candidates], dtype=np.int64)
    costs = asked.prices.reduced_costs(asked.bits.cover(candidates), 1 + sizes)
    order = np.lexsort((np.arange(len(costs)), sizes, costs))
    order = order[costs[order] < -TOLERANCE][:most]
    return PricingResult(
        tuple(candidates[k] for k in order), costs[order], is_complete, bound
    )
