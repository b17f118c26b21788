"""All rule sets within a budget.

The *excess* of a rule set is what its rules cost, what cells covered more than once
cost, what cells covered by no rule cost, and the price of the complexity left over.
How the search works, and why its bounds hold, is told in ``docs/exact-search.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg._kernel import reference_sets
from faircg._kernel.bits import weigh, words_for
from faircg._kernel.checks import check_int, check_number
from faircg._kernel.loader import compiled
from faircg._kernel.results import StopFlag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircg._kernel.results import Rules

SLACK = 1e-9
"""Sums are rounded: sets above the budget by this share of it are returned too."""
_MOST_COMPLEXITY = 1 << 20  # keeps the kernel's ints small
_MOST_DEEP = 1000  # rules per set that the compiled search can take
_LARGEST = 1e290  # keeps its sums finite
_BLOCK = 1 << 18  # words of rule sets weighed at a time


@dataclass(frozen=True, eq=False)
class RuleSetResult:
    """All rule sets within a budget, or the honest statement that some are missing."""

    sets: Rules
    """By excess, then size, then numbers; the numbers of the rules ascend in a set."""
    excesses: NDArray[np.float64]
    """One per set."""
    is_complete: bool
    """Whether no set is missing."""
    too_many: bool
    """Whether more than ``most`` sets qualify; then none is returned."""
    nodes: int
    """How many sets of rules were extended."""


def rule_sets_below(
    covers: NDArray[np.uint64],
    *,
    costs: NDArray[np.float64],
    complexities: NDArray[np.int64],
    again: NDArray[np.float64],
    missed: NDArray[np.float64],
    max_complexity: int,
    spare_price: float,
    budget: float,
    most: int = 100_000,
    threads: int = 1,
    seconds: float = math.inf,
    stop: StopFlag | None = None,
) -> RuleSetResult:
    """Find every rule set whose excess is at most ``budget``.

    The empty set counts as a rule set. Rules of equal coverage are different rules.

    Parameters
    ----------
    covers
        Which cells each rule covers, (n_rules, n_words), packed as the bits of
        :class:`ConditionBits`.
    costs
        What each rule costs, (n_rules,); not negative.
    complexities
        Complexity of each rule, (n_rules,); at least 1.
    again
        What each further rule that covers a cell costs, (n_cells,); not negative.
    missed
        What it costs if no rule covers a cell, (n_cells,); not negative.
    max_complexity
        Most complexity of a rule set.
    spare_price
        Price of each unit of complexity below ``max_complexity``; not negative.
    budget
        The largest excess of interest.
    most
        Give up (``too_many``) when more sets than this qualify.
    threads
        Decides how fast the answer comes, never what it is.
    seconds, stop
        Stop early; the result says that sets are missing.

    Examples
    --------
    Two cells, a rule for each and one for both; both cells should be covered once.

    >>> found = rule_sets_below(
    ...     np.array([[1], [2], [3]], dtype=np.uint64),
    ...     costs=np.array([0.0, 0.5, 0.25]),
    ...     complexities=np.array([2, 2, 3]),
    ...     again=np.ones(2),
    ...     missed=np.ones(2),
    ...     max_complexity=4,
    ...     spare_price=0.0,
    ...     budget=0.75,
    ... )
    >>> found.sets, found.excesses
    (((2,), (0, 1)), array([0.25, 0.5 ]))
    """
    again = _checked_vector("again", again, np.float64)
    missed = _checked_vector("missed", missed, np.float64, len(again))
    covers = _checked_covers(covers, len(again))
    costs = _checked_vector("costs", costs, np.float64, len(covers))
    complexities = _checked_vector("complexities", complexities, np.int64, len(covers))
    if np.any(complexities < 1):
        raise ValueError("complexities must be at least 1")
    check_int("max_complexity", max_complexity, least=0)
    check_int("most", most, least=0)
    check_int("threads", threads, least=1)
    for name, value in (
        ("spare_price", spare_price),
        ("budget", budget),
        ("seconds", seconds),
    ):
        check_number(name, value)
    if not 0 <= spare_price < math.inf:
        raise ValueError(
            f"spare_price must be finite and not negative, but is {spare_price}"
        )
    if stop is not None and not isinstance(stop, StopFlag):
        raise TypeError(f"stop must be a StopFlag or None, not {type(stop).__name__}")
    # Complexity that all rules together cannot use is spare in every set.
    usable = complexities[complexities <= min(max_complexity, 1 << 62)]
    most_used = min(int(max_complexity), sum(usable.tolist()))
    if most_used > _MOST_COMPLEXITY:
        raise ValueError("complexities are too large to be summed")
    try:
        always = float(spare_price) * (int(max_complexity) - most_used)
    except OverflowError:
        always = math.inf if spare_price > 0 else 0.0
    with np.errstate(over="ignore"):
        total = np.sum([costs.sum(), missed.sum(), again.sum() * max(1, len(covers))])
        total += float(spare_price) * most_used
    if not total <= _LARGEST:
        raise ValueError("costs, again, missed and spare_price are too large")
    budget = float(budget)
    limit = budget + SLACK * abs(budget) if math.isfinite(budget) else budget
    if always == math.inf or limit - always < 0:
        return RuleSetResult((), np.empty(0), True, False, 0)
    arguments = (
        covers,
        costs,
        complexities,
        again,
        missed,
        most_used,
        float(spare_price),
        limit - always,
        min(int(most), 1 << 40),
    )
    native = getattr(compiled, "rule_sets_below", None)
    most_taken = np.count_nonzero(np.cumsum(np.sort(usable)) <= most_used)
    if native is None or most_taken > _MOST_DEEP:
        rules, starts, is_complete, too_many, nodes = reference_sets.rule_sets_below(
            *arguments, seconds=seconds, stop=stop
        )
    else:
        rules, starts, is_complete, too_many, nodes = native(
            *arguments,
            int(threads),
            float(seconds),
            None if stop is None else stop.array,
        )
    # Sets as rows of a table, padded on the right, to sort by excess, size, numbers.
    sizes = np.diff(starts)
    table = np.full((len(sizes), int(sizes.max(initial=1))), -1, dtype=np.int32)
    table[np.arange(table.shape[1]) < sizes[:, None]] = rules
    excesses = np.empty(len(table))
    step = max(1, _BLOCK // max(1, covers.shape[1]))
    for size in np.unique(sizes).tolist():
        same = np.flatnonzero(sizes == size)
        for first in range(0, len(same), step):
            block = same[first : first + step]
            numbers = table[block, :size]
            spare = most_used - complexities[numbers].sum(axis=1)
            excesses[block] = (
                _costs_of_cells(covers, numbers, again, missed)
                + costs[numbers].sum(axis=1)
                + spare_price * spare
                + always
            )
    # The compiled search rounds prices down, so that no set is lost.
    inside = np.flatnonzero(excesses <= limit)
    keys = (*table[inside].T[::-1], sizes[inside], excesses[inside])
    order = inside[np.lexsort(keys)]
    rows, lengths = table[order].tolist(), sizes[order].tolist()
    return RuleSetResult(
        tuple(tuple(row[:n]) for row, n in zip(rows, lengths, strict=True)),
        excesses[order],
        bool(is_complete),
        bool(too_many),
        int(nodes),
    )


def _costs_of_cells(
    covers: NDArray[np.uint64],
    numbers: NDArray[np.int32],
    again: NDArray[np.float64],
    missed: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Sum what sets of equal size, (n_sets, size), pay for their cells."""
    if not len(again):
        return np.zeros(len(numbers))
    uncovered = np.full((len(numbers), covers.shape[1]), ~np.uint64(0))
    uncovered[:, -1] >>= np.uint64(-len(again) % 64)
    repeated: list[
        NDArray[np.uint64]
    ] = []  # cells covered by more than 1, 2, ... rules
    for rules in numbers.T:
        carried = covers[rules] & ~uncovered
        uncovered &= ~covers[rules]
        for i, cells in enumerate(repeated):
            repeated[i], carried = cells | carried, cells & carried
        repeated.append(carried)
    total = weigh(uncovered, missed)
    for cells in repeated:
        total += weigh(cells, again)
    return total


def _checked_covers(covers: NDArray[np.uint64], n_cells: int) -> NDArray[np.uint64]:
    covers = np.asarray(covers)
    if covers.dtype != np.uint64:
        raise TypeError(f"covers must have dtype uint64, not {covers.dtype}")
    if covers.ndim != 2 or covers.shape[1] != words_for(n_cells):
        raise ValueError(
            f"covers must have shape (n_rules, {words_for(n_cells)}), "
            f"not {covers.shape}"
        )
    tail = n_cells % 64
    if tail and np.any(covers[:, -1] >> np.uint64(tail)):
        raise ValueError("covers must be zero beyond the last cell")
    return np.ascontiguousarray(covers)


def _checked_vector(
    name: str, values: NDArray[Any], dtype: type, size: int | None = None
) -> NDArray[Any]:
    values = np.asarray(values)
    if values.dtype != dtype:
        raise TypeError(f"{name} must have dtype {dtype.__name__}, not {values.dtype}")
    if values.ndim != 1 or (size is not None and len(values) != size):
        raise ValueError(
            f"{name} must have shape ({'n' if size is None else size},), "
            f"not {values.shape}"
        )
    if not np.isfinite(values).all() or np.any(values < 0):
        raise ValueError(f"{name} must be finite and not negative")
    return np.ascontiguousarray(values)
