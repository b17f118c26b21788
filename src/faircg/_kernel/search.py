"""Exact pricing: the rules of least reduced cost, and all rules up to a cutoff.

How the search works, and why its bounds hold, is told in ``docs/exact-search.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import reference
from faircg._kernel.bits import weigh
from faircg._kernel.checks import check_int, check_number
from faircg._kernel.limits import NO_LIMITS, Limits
from faircg._kernel.loader import compiled
from faircg._kernel.results import EnumerationResult, SearchResult, in_order, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircg._kernel.priced_bits import PricedBits
    from faircg._kernel.results import Rules

_MOST = 1 << 40  # more rules than any search finds; fits the kernel's ints


def search(
    priced: PricedBits,
    *,
    cutoff: float = -1e-6,
    keep: int = 100,
    limits: Limits = NO_LIMITS,
) -> SearchResult:
    """Find the rule of least reduced cost, and good others met on the way.

    Only rules of reduced cost below ``cutoff`` are of interest; at most ``keep`` are
    returned, the best and then distinct ones. The bound is valid however it ends.
    """
    check_int("keep", keep, least=0)
    check_number("cutoff", cutoff)
    if cutoff > 0:
        raise ValueError(f"cutoff must not be positive, but is {cutoff}")
    if compiled is None:
        return reference.search(priced, cutoff=cutoff, keep=keep, limits=limits)
    with limits.native() as given:
        conditions, starts, is_complete, bound, nodes = compiled.search(
            priced.native(), cutoff, min(keep, _MOST), given
        )
    rules, costs = _sorted_rules(priced, conditions, starts)
    good = int(np.count_nonzero(costs < cutoff))
    rules, costs = rules[:good], costs[:good]
    if len(costs):
        # The kernel's own sums are rounded; never report a bound above a known rule.
        bound = costs[0] if is_complete else min(bound, costs[0])
    return SearchResult(rules, costs, is_complete, float(bound), nodes)


def enumerate_below(
    priced: PricedBits,
    *,
    cutoff: float,
    most: int = 1_000_000,
    limits: Limits = NO_LIMITS,
) -> EnumerationResult:
    """Find every rule of reduced cost at most ``cutoff``, or give up at ``most``.

    Rules have at most one condition per family and cover at least one row. Nothing
    is left out because something better exists: rules of equal coverage, and rules
    with a condition that changes nothing, are all listed. When the limits end the
    search, the result says that rules are missing.
    """
    check_int("most", most, least=0)
    check_number("cutoff", cutoff)
    if compiled is None:
        return reference.enumerate_below(
            priced, cutoff=cutoff, most=most, limits=limits
        )
    with limits.native() as given:
        conditions, starts, is_complete, too_many, _ = compiled.enumerate_below(
            priced.native(), cutoff, min(most, _MOST), given
        )
    rules, costs = _sorted_rules(priced, conditions, starts)
    return EnumerationResult(rules, costs, is_complete, too_many)


def _sorted_rules(
    priced: PricedBits,
    conditions: NDArray[np.int32],
    starts: NDArray[np.int64],
) -> tuple[Rules, NDArray[np.float64]]:
    """Sum the reduced costs on all rows in a fixed order, and sort the rules."""
    assert compiled is not None
    bits = priced.bits
    table, sizes = padded(conditions, starts)
    costs = np.empty(len(table))
    step = max(1, (1 << 20) // bits.n_words)
    for first in range(0, len(table), step):
        ends = starts[first : first + step + 1]
        flat = conditions[ends[0] : ends[-1]]
        covered = compiled.cover(bits.bits, flat, ends - ends[0])
        costs[first : first + step] = weigh(covered, priced.prices)
    costs += priced.condition_price * (1 + sizes)
    return in_order(table, sizes, costs)
