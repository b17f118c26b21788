"""Rates: shares of the people of a group, and the one place that evaluates them.

A rate names the kinds of people that it counts and the people that it counts them
among, so every rate is a share. With the missed positives and the hit negatives of a
group it is affine,

    (constant + missed weight * missed + hit weight * hit) / size,

and the constant follows from the names: whoever counts true positives counts the
positives less the missed ones. :class:`GroupRate` works that out for given groups. The
rows of the master and the prices (:class:`RateRows`), the local search, the recount and
every gap that a criterion bounds ask it, so that they cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircg.fairness.bounds import exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.fairness.bounds import Bound
    from faircg.typing import BoolVector, FloatMatrix, FloatVector, IntVector

AMONG: Final = {
    "true_positives": "positives",
    "false_negatives": "positives",
    "false_positives": "negatives",
    "true_negatives": "negatives",
}
"""The kinds of people that a rate can count, and whom they are among."""
MIRRORED: Final = {
    "true_positives": "true_negatives",
    "true_negatives": "true_positives",
    "false_positives": "false_negatives",
    "false_negatives": "false_positives",
    "positives": "negatives",
    "negatives": "positives",
}
"""What each kind of people is called when the other label is the positive one."""


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """How many positives and negatives each group has."""

    names: tuple[str, ...]
    positives: IntVector
    negatives: IntVector


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of the people of each group, and what is asked of it.

    Parameters
    ----------
    name
        What people call it, e.g. ``"false negative rate"``.
    counted
        Whom it counts: some of ``"true_positives"``, ``"false_negatives"``,
        ``"false_positives"`` and ``"true_negatives"``.
    among
        Whom it counts them among: ``"positives"``, ``"negatives"``, or both.
    bound
        What is asked of the rates of all groups.

    Examples
    --------
    >>> from faircg.fairness import Difference
    >>> selected = Rate(
    ...     "selection rate",
    ...     counted=("true_positives", "false_positives"),
    ...     among=("positives", "negatives"),
    ...     bound=Difference(0.05),
    ... )
    >>> groups = GroupSizes(("a", "b"), np.array([3, 4]), np.array([5, 6]))
    >>> selected.of(groups).values(missed=np.array([1, 2]), hit=np.array([2, 0]))
    (Fraction(1, 2), Fraction(1, 5))
    """

    name: str
    counted: tuple[str, ...]
    among: tuple[str, ...]
    bound: Bound

    def __post_init__(self) -> None:
        unknown = [kind for kind in self.counted if AMONG.get(kind) not in self.among]
        if not self.counted or unknown or set(self.among) - set(AMONG.values()):
            raise ValueError(
                f"a rate counts some of {list(AMONG)} among the people that they "
                f"belong to, not {list(self.counted)} among {list(self.among)}"
            )

    @property
    def missed(self) -> int:
        """Weight of a missed positive: it is no true positive any more."""
        return self._counts("false_negatives") - self._counts("true_positives")

    @property
    def hit(self) -> int:
        """Weight of a covered negative: it is no true negative any more."""
        return self._counts("false_positives") - self._counts("true_negatives")

    def _counts(self, kind: str) -> int:
        return int(kind in self.counted)

    def mirrored(self) -> Rate:
        """Return the same statement when the other label is called positive."""
        return replace(
            self,
            counted=tuple(MIRRORED[kind] for kind in self.counted),
            among=tuple(MIRRORED[kind] for kind in self.among),
        )

    def of(self, groups: GroupSizes) -> GroupRate:
        """Return the rate of certain groups.

        A group that has nobody to count among is a ``ValueError``.
        """
        sizes = np.zeros(len(groups.names), dtype=np.int64)
        for people in self.among:
            sizes = sizes + getattr(groups, people)
        for g in np.flatnonzero(sizes == 0):
            kind = f"{self.among[0].removesuffix('s')} " if len(self.among) == 1 else ""
            raise ValueError(
                f"group {groups.names[g]!r} has no {kind}sample "
                f"({groups.positives[g]} positive, {groups.negatives[g]} negative), so "
                f"its {self.name} is undefined; merge it with another group, leave its "
                "rows out, or drop the constraint"
            )
        constant = (
            self._counts("true_positives") * groups.positives
            + self._counts("true_negatives") * groups.negatives
        )
        return GroupRate(self, sizes, constant)


@dataclass(frozen=True, slots=True, eq=False)
class GroupRate:
    """A rate of certain groups: the one evaluator.

    ``sizes`` are the people that a count is divided by, ``constant`` whom the rate
    counts when nobody is missed and nobody hit.
    """

    rate: Rate
    sizes: IntVector
    constant: IntVector

    @property
    def name(self) -> str:
        """What people call the rate."""
        return self.rate.name

    @property
    def bound(self) -> Bound:
        """What is asked of it."""
        return self.rate.bound

    def counts(self, missed: Any, hit: Any) -> Any:
        """Return whom it counts in each group (last axis)."""
        return self.constant + self.rate.missed * missed + self.rate.hit * hit

    def values(self, missed: IntVector, hit: IntVector) -> tuple[Fraction, ...]:
        """Return the rate of each group, exactly."""
        return tuple(
            Fraction(int(count), int(size))
            for count, size in zip(self.counts(missed, hit), self.sizes, strict=True)
        )

    def gap(self, missed: IntVector, hit: IntVector) -> Fraction:
        """Return the largest difference between two groups, exactly."""
        values = self.values(missed, hit)
        return max(values) - min(values)

    def holds(self, missed: IntVector, hit: IntVector) -> bool:
        """Say whether the bound holds, exactly."""
        values, limit = self.values(missed, hit), exact(self.bound.limit)
        return bool(self.bound.violation(min(values), max(values), limit) <= 0)

    def violations(self, missed: FloatMatrix, hit: FloatMatrix) -> FloatVector:
        """Say for many counts (first axis) how far the limit is exceeded, as floats."""
        values = self.counts(missed, hit) / self.sizes
        found = self.bound.violation(
            values.min(axis=1), values.max(axis=1), float(self.bound.limit)
        )
        return np.asarray(found, dtype=float)


def all_hold(rates: Sequence[GroupRate], missed: IntVector, hit: IntVector) -> bool:
    """Say whether every bound holds, exactly."""
    return all(rate.holds(missed, hit) for rate in rates)


@dataclass(frozen=True, slots=True, eq=False)
class RateRows:
    """The fairness rows of the master.

    Row ``r`` reads ``lower[r] <= sum_g missed[r, g] * (missed people of g)
    + sum_g hit[r, g] * (hit people of g) + constant[r] + weight[r] * level[of[r]]
    <= upper[r]``. With the Hamming proxy a negative counts once for every rule that
    covers it, with exact rates once.
    """

    rates: tuple[GroupRate, ...]
    missed: FloatMatrix
    hit: FloatMatrix
    constant: FloatVector
    of: IntVector
    weight: FloatVector
    lower: FloatVector
    upper: FloatVector

    @classmethod
    def build(cls, rates: Sequence[GroupRate], n_groups: int) -> RateRows:
        """Write the rows of some rates."""
        rows = [
            (number, group, row)
            for number, rate in enumerate(rates)
            for group, size in enumerate(rate.sizes)
            for row in rate.bound.rows(int(size))
        ]
        of = np.array([number for number, _, _ in rows], dtype=np.int64)
        groups = np.array([group for _, group, _ in rows], dtype=np.int64)
        member = np.eye(n_groups)[groups].reshape(len(rows), n_groups)
        ends = np.array([row for _, _, row in rows], dtype=float).reshape(-1, 3)
        weights = np.array([(r.rate.missed, r.rate.hit) for r in rates], dtype=float)
        weights = weights.reshape(-1, 2)
        return cls(
            rates=tuple(rates),
            missed=weights[of, :1] * member,
            hit=weights[of, 1:] * member,
            constant=np.array([rates[n].constant[g] for n, g, _ in rows], dtype=float),
            of=of,
            weight=ends[:, 0],
            lower=ends[:, 1],
            upper=ends[:, 2],
        )

    def __len__(self) -> int:
        return len(self.of)

    @property
    def n_levels(self) -> int:
        """Number of level variables: one for each rate."""
        return len(self.rates)

    @property
    def counts_down(self) -> BoolVector:
        """For each rate whether hits lower it; by the proxy it can fall below zero."""
        return np.array([r.rate.hit < 0 for r in self.rates], dtype=bool)

    @property
    def uses_missed(self) -> bool:
        """Whether any row counts missed positives."""
        return bool(self.missed.any())

    @property
    def uses_hit(self) -> bool:
        """Whether any row counts hit negatives."""
        return bool(self.hit.any())

    def levels(self, missed: FloatVector, hit: FloatVector) -> FloatVector:
        """Return the levels at which all rows hold, if the bounds do."""
        values = [rate.counts(missed, hit) / rate.sizes for rate in self.rates]
        return np.array(
            [
                rate.bound.level(float(value.min()), float(value.max()))
                for rate, value in zip(self.rates, values, strict=True)
            ]
        )

    def missed_charge(self, duals: FloatVector) -> FloatVector:
        """Return what the rows charge for one missed positive of each group."""
        return -duals @ self.missed

    def hit_charge(self, duals: FloatVector) -> FloatVector:
        """Return what the rows charge for one hit negative of each group."""
        return -duals @ self.hit
