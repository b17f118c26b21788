"""What a fairness criterion is: a few rates per group that must lie close together.

A rate is a count of people over a fixed number of people of one group. Every criterion
of the paper counts *missed* positives (zeta) and *covered* negatives with constant
weights, so a criterion is nothing but a list of :class:`Rate` values. From that one
object come the rows of the master, the columns of its rules and the prices of its
samples (:class:`RateRows`), and the exact gap of a rule set (``metrics.py``): they
cannot disagree, because there is only one set of weights.

The paper writes one row for each ordered pair of groups (eo1-eo4). We write, for any
number of groups, one variable ``floor`` per rate and one ranged row per group

    0 <= count_g - size_g * floor <= size_g * epsilon,

which says that all rates lie in the window from ``floor`` to ``floor + epsilon``: the
same set of rule sets, with one row per group. Rows are scaled by the group's size,
so that all coefficients on people are whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.typing import FloatMatrix, FloatVector, IntVector


def exact(epsilon: float) -> Fraction:
    """Read epsilon as the decimal number that the user wrote, without binary noise.

    Examples
    --------
    >>> exact(0.3), Fraction(0.3) == Fraction(3, 10)
    (Fraction(3, 10), False)
    """
    return Fraction(repr(float(epsilon)))


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """How many positives and negatives each group has in the training data."""

    names: tuple[str, ...]
    positives: IntVector
    negatives: IntVector


@dataclass(frozen=True, slots=True)
class Rate:
    """One rate that a criterion compares between groups.

    Parameters
    ----------
    name
        What people call it, e.g. ``"false negative rate"``.
    missed
        Weight of a missed positive in the count.
    covered
        Weight of a covered negative in the count.
    sizes
        For each group the number of people that the count is divided by.
    epsilon
        Largest allowed difference of the rate between any two groups.
    """

    name: str
    missed: int
    covered: int
    sizes: IntVector
    epsilon: float


class Criterion(Protocol):
    """A fairness criterion: the rates that it bounds.

    ``rates`` raises ``ValueError`` when a rate does not exist for some group.
    """

    @property
    def name(self) -> str:
        """Name under which the criterion is asked for."""
        ...

    @property
    def epsilon(self) -> float:
        """The largest allowed gap."""
        ...

    def rates(self, groups: GroupSizes) -> Sequence[Rate]:
        """Return the rates, with their sizes for these groups."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class RateRows:
    """The fairness rows of the master: one per rate and group.

    Row ``r`` reads ``0 <= sum missed[r, g] * (missed people of g)
    + sum covered[r, g] * (covered negatives of g) - size[r] * floor[rate[r]]
    <= size[r] * epsilon[r]``. With the Hamming proxy a negative counts once for every
    rule that covers it, with exact rates once.
    """

    missed: FloatMatrix
    covered: FloatMatrix
    rate: IntVector
    size: FloatVector
    epsilon: FloatVector
    n_rates: int

    @classmethod
    def build(cls, rates: Sequence[Rate], n_groups: int) -> RateRows:
        """Write the rows of some rates."""
        one_per_group = np.eye(n_groups)
        empty = np.zeros((0, n_groups))
        return cls(
            missed=np.vstack([empty, *(r.missed * one_per_group for r in rates)]),
            covered=np.vstack([empty, *(r.covered * one_per_group for r in rates)]),
            rate=np.repeat(np.arange(len(rates)), n_groups),
            size=np.array([s for r in rates for s in r.sizes], dtype=float),
            epsilon=np.repeat([float(r.epsilon) for r in rates], n_groups),
            n_rates=len(rates),
        )

    def __len__(self) -> int:
        return len(self.rate)

    @property
    def uses_missed(self) -> bool:
        """Whether any row counts missed positives."""
        return bool(self.missed.any())

    @property
    def uses_covered(self) -> bool:
        """Whether any row counts covered negatives."""
        return bool(self.covered.any())

    def missed_charge(self, duals: FloatVector) -> FloatVector:
        """Return what the rows charge for one missed positive of each group."""
        return -duals @ self.missed

    def covered_charge(self, duals: FloatVector) -> FloatVector:
        """Return what the rows charge for one covered negative of each group."""
        return -duals @ self.covered
