r"""Bounds counted again, from prices that come from anywhere, such as a file.

A dual solution has a price for each row (``p``), for each unit of complexity
(``lambda``) and for each cut between rows (``pi``), and multipliers of the fairness
rows (``f``). Let a rule set cover row ``i`` with ``n_i`` rules, and ``u_i`` say whether
``n_i > 0``. Fairness rows, the limit ``C`` and the cuts hold for every feasible rule
set; with their multipliers they turn its loss into

    loss >= constant(f) - lambda C + sum of reduced costs
            + sum_i (A_i u_i + B_i n_i - q_i c_i)

    A_i = what covering row i costs, with f, + sum of pi where i is first
                                             - sum of pi where i is one of the others
    B_i = what each rule pays for row i - p_i - sum of pi where i is first

with ``q`` what each unit of complexity pays for a row, and ``c_i`` the complexity of
the rules that cover it, from two for each of them up to ``C``. Each term of the last
sum is least for no rule, one rule or as many as fit (``H``), and one end of ``c_i``. So
whatever the prices are, and wherever they are from, this counts what they prove once no
rule has a negative reduced cost; and that is what one pricing says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.coverage.row_costs import rate_ends
from faircg.colgen.duals import DualBound
from faircg.colgen.pricing.base import PricingProblem

if TYPE_CHECKING:
    from faircg.colgen.duals import Duals
    from faircg.colgen.pricing.base import Pricer
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatVector

SMALLEST = 2.0
"""Complexity of the shortest rule."""
ROUNDING = 1e-12
"""Share of all that is added up that sums in another order may differ by."""
STRICTER = 1e3
"""Prices are so many times as high when they are priced again, and so is what a search
takes for nothing."""


def recounted(problem: Problem, duals: Duals) -> Duals:
    """Return a dual solution whose value is at most what its prices prove."""
    prices = duals.prices
    first, owed = duals.cuts.earned(problem.n_rows), duals.cuts.owed(problem.n_rows)
    once, each = _row_costs(problem, duals.fairness)
    once, each = once + first - owed, each - prices.rows - first
    most = max(1.0, problem.max_complexity // 2)
    fewest, all_of_it = np.minimum(once + each, once + most * each), once * 0.0
    if prices.units is not None:
        # Of a negative price nothing is sure but that each rule has two units or more.
        all_of_it = np.maximum(prices.units, 0.0) * problem.max_complexity
        all_of_it += np.minimum(prices.units, 0.0) * SMALLEST
    least = np.minimum(0.0, fewest - all_of_it)
    constants = (
        float(problem.miss_costs.sum()),
        _rate_value(problem, duals.fairness),
        -prices.condition * problem.max_complexity,
    )
    value = sum(constants) + float(least.sum())
    size = sum(map(abs, constants)) + float(np.abs(least).sum())
    if not prices.condition >= 0 or not np.isfinite(value):
        value = -np.inf
    elif value >= prices.value - ROUNDING * size:
        return duals
    return replace(duals, prices=replace(prices, value=value))


def priced_again(
    problem: Problem, bound: DualBound, pricer: Pricer, deadline: Deadline
) -> DualBound | None:
    """Return a bound as far as it can be proven now; None if nothing can.

    The prices are multiplied, so that rules which price out by less than the tolerance
    of a search are found.
    """
    duals, D = recounted(problem, bound.duals), bound.max_conditions
    if duals.prices.value == -np.inf:
        return None
    bits, of_sizes = duals.posed(problem, D)
    lowest = 0.0
    for size, prices in of_sizes:
        dear = replace(
            prices, rows=STRICTER * prices.rows, condition=STRICTER * prices.condition
        )
        found = pricer.price(PricingProblem(bits, dear, size, deadline))
        if found.rules or not found.is_complete:
            lowest = min(lowest, found.bound / STRICTER)
    if not np.isfinite(lowest):
        return None
    return DualBound(duals.raised(-lowest, problem.max_complexity), D)


def _row_costs(
    problem: Problem, fairness: FloatVector
) -> tuple[FloatVector, FloatVector]:
    """Return what covering each row costs once, and what for each rule that does.

    By the proxy of the paper fairness counts negatives once for each rule.
    """
    rows = problem.rate_rows
    once, each = problem.coverage_costs.astype(float), problem.rule_row_costs
    if not len(rows):
        return once, each
    once = once - rows.missed_charge(fairness) @ problem.positives
    charged = rows.hit_charge(fairness) @ problem.negatives
    return (once, each + charged) if problem.uses_proxy else (once + charged, each)


def _rate_value(problem: Problem, fairness: FloatVector) -> float:
    """Return what the fairness rows add, whatever their levels are."""
    rows = problem.rate_rows
    used = fairness != 0
    value = float(fairness[used] @ np.where(fairness > 0, *rate_ends(problem))[used])
    gains = -np.bincount(rows.of, weights=fairness * rows.weight)
    most = max(1.0, problem.max_complexity / 2) if problem.uses_proxy else 1.0
    least = np.where(rows.counts_down, -most, 0.0) if problem.uses_proxy else 0.0
    return value + float(np.minimum(gains * most, gains * least).sum())
