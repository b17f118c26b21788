"""Shares of people with exact intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from faircg.fairness import GroupCounts

CONFIDENCE: Final = 0.95
"""Confidence of all intervals, unless another is asked for."""
RATES: Final[Mapping[str, Callable[[GroupCounts], tuple[int, int]]]] = {
    "accuracy": lambda c: (c.true_positives + c.true_negatives, c.total),
    "false negative rate": lambda c: (c.false_negatives, c.positives),
    "false positive rate": lambda c: (c.false_positives, c.negatives),
    "selection rate": lambda c: (c.true_positives + c.false_positives, c.total),
    "precision": lambda c: (c.true_positives, c.true_positives + c.false_positives),
    "true positive rate": lambda c: (c.true_positives, c.positives),
    "true negative rate": lambda c: (c.true_negatives, c.negatives),
}
"""The rates by name: people counted, and people that they are a share of."""
USUAL: Final = tuple(RATES)[:5]
"""Rates of every result; the others are one minus one of these."""


@dataclass(frozen=True, slots=True)
class Share:
    """A number of people out of others, with an exact interval for the share.

    The interval is Clopper and Pearson's; 0 and 1 when there is nobody to count.
    """

    count: int
    size: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """The share itself; None of nobody."""
        return self.count / self.size if self.size else None


@lru_cache(maxsize=8192)
def share_of(
    count: int, size: int, confidence: float = CONFIDENCE, parts: int = 1
) -> Share:
    """Return a share with its exact (Clopper-Pearson) interval.

    Where people are counted in ``parts``, so many to each, the interval is that of the
    people, of whom there are fewer.

    Examples
    --------
    >>> half = share_of(5, 10)
    >>> half.value, round(half.low, 3), round(half.high, 3)
    (0.5, 0.187, 0.813)
    >>> share_of(0, 0).value is None
    True
    """
    if not size:
        return Share(count, size, 0.0, 1.0)
    from scipy.special import betaincinv

    # Quantiles of the beta distribution: what scipy.stats.binomtest finds by search.
    tail, hits, misses = (1 - confidence) / 2, count / parts, (size - count) / parts
    low = betaincinv(hits, misses + 1, tail) if hits else 0.0
    high = betaincinv(hits + 1, misses, 1 - tail) if misses else 1.0
    return Share(count, size, float(low), float(high))


def shares_of(
    counts: GroupCounts, rates: Iterable[str] = USUAL, parts: int = 1
) -> dict[str, Share]:
    """Return rates of a group by name."""
    return {rate: share_of(*RATES[rate](counts), parts=parts) for rate in rates}
