"""Rows: the bounds of all rates as rows of the master, and what they charge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.fairness.rates import GroupRate
    from faircg.typing import BoolVector, FloatMatrix, FloatVector, IntVector


@dataclass(frozen=True, slots=True, eq=False)
class RateRows:
    """The fairness rows of the master.

    Row ``r`` reads ``lower[r] <= sum_g missed[r, g] * (missed people of part g)
    + sum_g hit[r, g] * (hit people of part g) + constant[r] + weight[r] * level[of[r]]
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
    def build(cls, rates: Sequence[GroupRate], n_parts: int) -> RateRows:
        """Write the rows of some rates of so many parts."""
        bounds = [rate.bound.told_apart(rate.sizes.tolist()) for rate in rates]
        rows = [
            (number, group, row)
            for number, rate in enumerate(rates)
            for group, size in enumerate(rate.sizes)
            for row in bounds[number].rows(int(size))
        ]
        of = np.array([number for number, _, _ in rows], dtype=np.int64)
        member = np.array(
            [rates[n].members[g] for n, g, _ in rows], dtype=float
        ).reshape(len(rows), n_parts)
        ends = np.array([row for _, _, row in rows], dtype=float).reshape(-1, 3)
        weights = np.array([(r.form.missed, r.form.hit) for r in rates], dtype=float)
        weights = weights.reshape(-1, 2)
        return cls(
            rates=tuple(rates),
            missed=weights[of, :1] * member,
            hit=weights[of, 1:] * member,
            constant=np.array(
                [rates[n].form.constant[g] for n, g, _ in rows], dtype=float
            ),
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
        return np.array([r.form.hit < 0 for r in self.rates], dtype=bool)

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
        """Return what the rows charge for one missed positive of each part."""
        return -duals @ self.missed

    def hit_charge(self, duals: FloatVector) -> FloatVector:
        """Return what the rows charge for one hit negative of each part."""
        return -duals @ self.hit
