"""What the searches return, and the flag that stops them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rules = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best rules found by one pricing, and how good any other rule can be."""

    rules: Rules
    """By reduced cost, then size, then conditions; conditions ascend in a rule."""
    reduced_costs: NDArray[np.float64]
    """One per rule, summed over all rows; each below the cutoff."""
    is_complete: bool
    """Whether no rule beats both the cutoff and the first rule returned."""
    bound: float
    """No rule of at most ``max_conditions`` conditions that is below the cutoff has a
    reduced cost below this."""
    nodes: int
    """How many rules were weighed."""


@dataclass(frozen=True, eq=False)
class EnumerationResult:
    """All rules up to a cutoff, or the honest statement that some are missing."""

    rules: Rules
    """By reduced cost, then size, then conditions; conditions ascend in a rule."""
    reduced_costs: NDArray[np.float64]
    is_complete: bool
    """Whether no rule is missing."""
    too_many: bool
    """Whether more than ``most`` rules qualify; then none is returned."""


@dataclass(frozen=True, eq=False)
class StopFlag:
    """Ask a running search to stop, from another thread or a signal handler."""

    array: NDArray[np.uint8] = field(
        default_factory=lambda: np.zeros(1, dtype=np.uint8), repr=False
    )
    """The one byte that the compiled search reads while it runs."""

    def set(self) -> None:
        """Stop every search that was given this flag."""
        self.array[0] = 1

    def is_set(self) -> bool:
        """Whether :meth:`set` was called."""
        return bool(self.array[0])
