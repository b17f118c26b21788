"""Pairs of rows: what a rule pays when it covers both.

A pair cut (:mod:`faircg.colgen.coverage`) rewards a rule that covers row ``i`` and not
row ``j``: a reward for covering ``i``, taken back if the rule covers both. A
conjunction holds on both rows exactly when each of its conditions does, so "both" is a
row of its own whose conditions are the AND of the two. Pricing sees such *pseudo-rows*
beside the rows of the data and needs to know nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import ConditionBits, take, weigh

if TYPE_CHECKING:
    from faircg.typing import (
        FloatVector,
        IntVector,
        PackedMatrix,
    )

_BLOCK = 1 << 24
"""Pairs times rules that are looked at in one go."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Rows ``first[p]`` and ``second[p]``, and what covering both costs."""

    first: IntVector
    second: IntVector
    prices: FloatVector

    @classmethod
    def none(cls) -> Pairs:
        """Return no pairs."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, np.zeros(0))

    @classmethod
    def merged(
        cls, first: IntVector, second: IntVector, prices: FloatVector, n_rows: int
    ) -> Pairs:
        """Add up the prices of equal pairs; pairs that cost nothing are left out."""
        keys, member = np.unique(first * n_rows + second, return_inverse=True)
        total = np.bincount(member, weights=prices, minlength=len(keys)).astype(float)
        kept = total > 0
        return cls(keys[kept] // n_rows, keys[kept] % n_rows, total[kept])

    def __len__(self) -> int:
        return len(self.first)

    def scaled(self, by: float) -> Pairs:
        """Multiply all prices."""
        return Pairs(self.first, self.second, by * self.prices)

    def joined(self, other: Pairs, n_rows: int) -> Pairs:
        """Return the pairs of both."""
        return Pairs.merged(
            np.concatenate([self.first, other.first]),
            np.concatenate([self.second, other.second]),
            np.concatenate([self.prices, other.prices]),
            n_rows,
        )

    def weigh(self, covers: PackedMatrix) -> FloatVector:
        """Return what each rule pays for the pairs that it covers."""
        paid = np.zeros(len(covers))
        step = max(1, _BLOCK // max(1, len(self)))
        for start in range(0, len(covers) if len(self) else 0, step):
            block = covers[start : start + step]
            both = take(block, self.first) & take(block, self.second)
            paid[start : start + step] = weigh(both, self.prices)
        return paid

    def beside(self, bits: ConditionBits) -> ConditionBits:
        """Return the rows of the data, some rows that meet nothing, and the pairs.

        Rows that meet nothing fill the last word of the data.
        """
        if not len(self):
            return bits
        both = take(bits.bits, self.first) & take(bits.bits, self.second)
        n_rows = 64 * bits.n_words + len(self)
        words = np.hstack([bits.bits, both])
        return ConditionBits(words, n_rows, bits.family)

    def priced(self, rows: FloatVector, n_words: int) -> FloatVector:
        """Return the prices of all rows that :meth:`beside` makes."""
        if not len(self):
            return rows
        filler = np.zeros(64 * n_words - len(rows))
        return np.concatenate([rows, filler, self.prices])
