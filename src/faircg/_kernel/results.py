"""What the searches return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rule = tuple[int, ...]
Rules = tuple[Rule, ...]


@dataclass(frozen=True, eq=False)
class PricedRules:
    """Rules with their reduced costs."""

    rules: Rules
    """By reduced cost, then size, then conditions; conditions ascend in a rule."""
    reduced_costs: NDArray[np.float64]
    """One per rule, summed over all rows."""
    is_complete: bool
    """Whether nothing that was asked for can be missing."""


@dataclass(frozen=True, eq=False)
class SearchResult(PricedRules):
    """The best rules found by one pricing, and how good any other rule can be.

    It is complete if no rule beats both the cutoff and the first rule returned.
    """

    bound: float
    """No rule of at most ``max_conditions`` conditions that is below the cutoff has a
    reduced cost below this."""
    nodes: int
    """How many rules were weighed."""


@dataclass(frozen=True, eq=False)
class EnumerationResult(PricedRules):
    """All rules up to a cutoff, or the honest statement that some are missing."""

    too_many: bool
    """Whether more than ``most`` rules qualify; then none is returned."""


@dataclass(frozen=True, eq=False)
class RuleSetResult:
    """All rule sets within a budget, or the honest statement that some are missing."""

    sets: Rules
    """By excess, then size, then numbers; the numbers of the rules ascend in a set."""
    excesses: NDArray[np.float64]
    is_complete: bool
    too_many: bool
    """Whether more than ``most`` sets qualify; then none is returned."""
    nodes: int
    """How many sets of rules were extended."""


def padded(
    numbers: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the lists of the compiled kernel as rows of a table, and their sizes.

    >>> padded(np.array([4, 2, 7], dtype=np.int32), np.array([0, 1, 3]))
    (array([[ 4, -1],
           [ 2,  7]], dtype=int32), array([1, 2]))
    """
    sizes = np.diff(starts)
    table = np.full((len(sizes), int(sizes.max(initial=1))), -1, dtype=np.int32)
    table[np.arange(table.shape[1]) < sizes[:, None]] = numbers
    return table, sizes


def in_order(
    table: NDArray[np.int32], sizes: NDArray[np.int64], costs: NDArray[np.float64]
) -> tuple[Rules, NDArray[np.float64]]:
    """Sort lists by cost, then size, then numbers."""
    order = np.lexsort((*table.T[::-1], sizes, costs))
    rows, lengths = table[order].tolist(), sizes[order].tolist()
    lists = tuple(tuple(row[:n]) for row, n in zip(rows, lengths, strict=True))
    return lists, costs[order]
