"""Exact pricing: the rules of least reduced cost, and all rules up to a cutoff.

The reduced cost of a rule is the sum of the prices of the rows it covers plus
``condition_price * (1 + number of conditions)``. How the search works, and why its
bounds hold, is told in ``docs/exact-search.md``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import reference
from faircg._kernel.bits import ConditionBits, weigh
from faircg._kernel.checks import check_int, check_number
from faircg._kernel.loader import compiled
from faircg._kernel.results import EnumerationResult, SearchResult, StopFlag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircg._kernel.results import Rules

_MOST_CONDITIONS = 1_000_000  # a rule never needs more; keeps the kernel's ints small


def search(
    bits: ConditionBits,
    prices: NDArray[np.float64],
    condition_price: float,
    max_conditions: int,
    *,
    cutoff: float = -1e-6,
    keep: int = 100,
    threads: int = 1,
    seconds: float = math.inf,
    stop: StopFlag | None = None,
) -> SearchResult:
    """Find the rule of least reduced cost, and good others met on the way.

    Parameters
    ----------
    bits
        Which rows meet which condition.
    prices
        What a rule pays for covering each row, (n_rows,); negative prices are gains.
    condition_price
        What a rule pays for each condition, and once more for itself.
    max_conditions
        Rules have 1 to this many conditions.
    cutoff
        Only rules of reduced cost below it are of interest; at most zero.
    keep
        Return at most this many rules: the best, then distinct ones.
    threads
        Decides how fast the answer comes, never what it is.
    seconds, stop
        Stop early; the bound returned is valid all the same.
    """
    prices = _checked_prices(bits, prices)
    _check_settings(condition_price, max_conditions, threads, seconds, stop)
    check_int("keep", keep, least=0)
    check_number("cutoff", cutoff)
    if cutoff > 0:
        raise ValueError(f"cutoff must not be positive, but is {cutoff}")
    depth = min(max_conditions, _MOST_CONDITIONS)
    if compiled is None:
        return reference.search(
            bits,
            prices,
            condition_price,
            depth,
            cutoff=cutoff,
            keep=keep,
            seconds=seconds,
            stop=stop,
        )
    conditions, starts, is_complete, bound, nodes = compiled.search(
        bits.bits,
        bits.n_rows,
        bits.family,
        prices,
        float(condition_price),
        depth,
        float(cutoff),
        min(keep, 1 << 40),
        threads,
        float(seconds),
        None if stop is None else stop.array,
    )
    rules, costs = _sorted_rules(bits, prices, condition_price, conditions, starts)
    good = int(np.count_nonzero(costs < cutoff))
    rules, costs = rules[:good], costs[:good]
    if len(costs):
        # The kernel's own sums are rounded; never report a bound above a known rule.
        bound = costs[0] if is_complete else min(bound, costs[0])
    return SearchResult(rules, costs, bool(is_complete), float(bound), int(nodes))


def enumerate_below(
    bits: ConditionBits,
    prices: NDArray[np.float64],
    condition_price: float,
    max_conditions: int,
    *,
    cutoff: float,
    most: int = 1_000_000,
    threads: int = 1,
    seconds: float = math.inf,
    stop: StopFlag | None = None,
) -> EnumerationResult:
    """Find every rule of reduced cost at most ``cutoff``.

    Rules have at most one condition per family and cover at least one row. Nothing
    is left out because something better exists: rules of equal coverage, and rules
    with a condition that changes nothing, are all listed.

    Parameters
    ----------
    bits, prices, condition_price, max_conditions, threads, seconds, stop
        As in :func:`search`.
    cutoff
        The largest reduced cost of interest.
    most
        Give up (``too_many``) when more rules than this qualify.
    """
    prices = _checked_prices(bits, prices)
    _check_settings(condition_price, max_conditions, threads, seconds, stop)
    check_int("most", most, least=0)
    check_number("cutoff", cutoff)
    depth = min(max_conditions, _MOST_CONDITIONS)
    if compiled is None:
        return reference.enumerate_below(
            bits,
            prices,
            condition_price,
            depth,
            cutoff=cutoff,
            most=most,
            seconds=seconds,
            stop=stop,
        )
    conditions, starts, is_complete, too_many = compiled.enumerate_below(
        bits.bits,
        bits.n_rows,
        bits.family,
        prices,
        float(condition_price),
        depth,
        float(cutoff),
        min(most, 1 << 40),
        threads,
        float(seconds),
        None if stop is None else stop.array,
    )
    rules, costs = _sorted_rules(bits, prices, condition_price, conditions, starts)
    return EnumerationResult(rules, costs, bool(is_complete), bool(too_many))


def _sorted_rules(
    bits: ConditionBits,
    prices: NDArray[np.float64],
    condition_price: float,
    conditions: NDArray[np.int32],
    starts: NDArray[np.int64],
) -> tuple[Rules, NDArray[np.float64]]:
    """Sum the reduced costs on all rows in a fixed order, and sort the rules."""
    assert compiled is not None
    n_rules = len(starts) - 1
    sizes = np.diff(starts)
    costs = np.empty(n_rules)
    step = max(1, (1 << 20) // bits.n_words)
    for first in range(0, n_rules, step):
        ends = starts[first : first + step + 1]
        flat = conditions[ends[0] : ends[-1]]
        covered = compiled.cover(bits.bits, flat, ends - ends[0])
        costs[first : first + step] = weigh(covered, prices)
    costs += condition_price * (1 + sizes)
    # Rules as rows of a table, padded on the right, to sort by cost, size, conditions.
    table = np.full((n_rules, int(sizes.max(initial=1))), -1, dtype=np.int32)
    table[np.arange(table.shape[1]) < sizes[:, None]] = conditions
    order = np.lexsort((*table.T[::-1], sizes, costs))
    rows, lengths = table[order].tolist(), sizes[order].tolist()
    rules = tuple(tuple(row[:n]) for row, n in zip(rows, lengths, strict=True))
    return rules, costs[order]


def _checked_prices(
    bits: ConditionBits, prices: NDArray[np.float64]
) -> NDArray[np.float64]:
    if not isinstance(bits, ConditionBits):
        raise TypeError(f"bits must be ConditionBits, not {type(bits).__name__}")
    prices = np.asarray(prices)
    if prices.dtype != np.float64:
        raise TypeError(f"prices must have dtype float64, not {prices.dtype}")
    if prices.shape != (bits.n_rows,):
        raise ValueError(f"prices must have shape ({bits.n_rows},), not {prices.shape}")
    if not np.isfinite(prices).all():
        raise ValueError("prices must be finite")
    with np.errstate(over="ignore"):
        if not np.isfinite(np.abs(prices).sum()):
            raise ValueError("prices are too large to be summed")
    return np.ascontiguousarray(prices)


def _check_settings(
    condition_price: float,
    max_conditions: int,
    threads: int,
    seconds: float,
    stop: StopFlag | None,
) -> None:
    check_number("condition_price", condition_price)
    if not 0 <= condition_price < math.inf:
        raise ValueError(
            f"condition_price must be finite and not negative, but is {condition_price}"
        )
    check_int("max_conditions", max_conditions, least=1)
    check_int("threads", threads, least=1)
    check_number("seconds", seconds)
    if stop is not None and not isinstance(stop, StopFlag):
        raise TypeError(f"stop must be a StopFlag or None, not {type(stop).__name__}")
