"""Cuts between rows: what a rule pays when it covers a row and one of its others.

A cut (:mod:`faircg.colgen.coverage`) rewards a rule that covers row ``i`` and neither
``j`` nor ``l``: a reward for covering ``i``, taken back if the rule covers one of the
others as well. By inclusion and exclusion, "``i`` and one of the others" is "``i`` and
``j``" with "``i`` and ``l``" without "all three". A conjunction holds on some rows
exactly when each of its conditions does on each of them, so each of the three is a row
of its own whose conditions are the AND of those rows. Pricing sees such *pseudo-rows*
beside the rows of the data and needs to know nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import ConditionBits, take, weigh

if TYPE_CHECKING:
    from faircg.typing import (
        BoolVector,
        FloatVector,
        IntVector,
        PackedMatrix,
    )

_BLOCK = 1 << 24
"""Cuts times rules that are looked at in one go."""


@dataclass(frozen=True, slots=True, eq=False)
class RowCuts:
    """Rows ``first[c]``, ``second[c]`` and ``third[c]``, and the price of each cut.

    The third row is the second one again where a cut is between two rows only.
    """

    first: IntVector
    second: IntVector
    third: IntVector
    prices: FloatVector

    @classmethod
    def none(cls) -> RowCuts:
        """Return no cuts."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing, np.zeros(0))

    @classmethod
    def merged(
        cls,
        first: IntVector,
        second: IntVector,
        third: IntVector,
        prices: FloatVector,
        n_rows: int,
    ) -> RowCuts:
        """Add up the prices of equal cuts; cuts that cost nothing are left out."""
        keys, member = np.unique(
            keys_of(first, second, third, n_rows), return_inverse=True
        )
        total = np.bincount(member, weights=prices, minlength=len(keys)).astype(float)
        kept = total > 0
        return cls(*rows_of(keys[kept], n_rows), total[kept])

    def __len__(self) -> int:
        return len(self.first)

    @property
    def has_third(self) -> BoolVector:
        """Which cuts are between three rows."""
        return np.asarray(self.third != self.second)

    def where(self, chosen: BoolVector | IntVector) -> RowCuts:
        """Return some of the cuts."""
        return RowCuts(
            self.first[chosen],
            self.second[chosen],
            self.third[chosen],
            self.prices[chosen],
        )

    def rounded(self, to: float) -> RowCuts:
        """Round prices to multiples; cuts that cost nothing then are left out."""
        prices = np.round(self.prices / to) * to
        return replace(self, prices=prices).where(prices > 0)

    def with_triples_first(self) -> RowCuts:
        """Return the same cuts, those between three rows first."""
        return self.where(np.argsort(~self.has_third, kind="stable"))

    def others(self, covers: PackedMatrix) -> PackedMatrix:
        """Return which rules cover one of the others of each cut, packed.

        That is quicker where the cuts between three rows come first.
        """
        found = take(covers, self.second)
        three = np.flatnonzero(self.has_third)
        if len(three):
            n_words = int(three[-1]) // 64 + 1
            found[:, :n_words] |= take(covers, self.third[: 64 * n_words])
        return found

    def scaled(self, by: float) -> RowCuts:
        """Multiply all prices."""
        return replace(self, prices=by * self.prices)

    def joined(self, other: RowCuts, n_rows: int) -> RowCuts:
        """Return the cuts of both."""
        return RowCuts.merged(
            np.concatenate([self.first, other.first]),
            np.concatenate([self.second, other.second]),
            np.concatenate([self.third, other.third]),
            np.concatenate([self.prices, other.prices]),
            n_rows,
        )

    def earned(self, n_rows: int) -> FloatVector:
        """Return what covering each row earns as the first row of cuts."""
        return _sums(self.first, self.prices, n_rows)

    def owed(self, n_rows: int) -> FloatVector:
        """Return what the cuts let each row pay for being covered beside a first."""
        owed = _sums(self.second, self.prices, n_rows)
        third = self.has_third
        return owed + _sums(self.third[third], self.prices[third], n_rows)

    def weigh(self, covers: PackedMatrix) -> FloatVector:
        """Return what each rule pays for covering a first row and one of its others."""
        paid = np.zeros(len(covers))
        step, cuts = max(1, _BLOCK // max(1, len(self))), self.with_triples_first()
        for start in range(0, len(covers) if len(self) else 0, step):
            block = covers[start : start + step]
            both = take(block, cuts.first) & cuts.others(block)
            paid[start : start + step] = weigh(both, cuts.prices)
        return paid

    def beside(self, bits: ConditionBits) -> tuple[ConditionBits, FloatVector]:
        """Return the rows of the data with the pseudo-rows, and the prices of these.

        Rows that meet nothing, and cost nothing, fill the last word of the data.
        """
        if not len(self):
            return bits, np.zeros(0)
        each = self._pseudo_rows()
        meets = take(bits.bits, each.first) & take(bits.bits, each.second)
        meets &= take(bits.bits, each.third)
        words, n_rows = np.hstack([bits.bits, meets]), 64 * bits.n_words + len(each)
        filler = np.zeros(64 * bits.n_words - bits.n_rows)
        return (
            ConditionBits(words, n_rows, bits.family),
            np.concatenate([filler, each.prices]),
        )

    def _pseudo_rows(self) -> RowCuts:
        """Return rows to be covered together, and what a rule that does so pays."""
        three = self.has_third
        if not three.any():
            return self
        first, second, third = self.first[three], self.second[three], self.third[three]
        n_rows = int(max(self.first.max(), self.second.max(), self.third.max())) + 1
        both = RowCuts.merged(
            np.concatenate([self.first, first]),
            np.concatenate([self.second, third]),
            np.concatenate([self.second, third]),
            np.concatenate([self.prices, self.prices[three]]),
            n_rows,
        )
        return RowCuts(
            np.concatenate([both.first, first]),
            np.concatenate([both.second, second]),
            np.concatenate([both.third, third]),
            np.concatenate([both.prices, -self.prices[three]]),
        )


def keys_of(
    first: IntVector, second: IntVector, third: IntVector, n_rows: int
) -> IntVector:
    """Return a number for each cut that says which rows it is between.

    Examples
    --------
    >>> rows = np.array([3]), np.array([9]), np.array([4])
    >>> keys_of(*rows, 10), rows_of(keys_of(*rows, 10), 10)
    (array([349]), (array([3]), array([4]), array([9])))
    """
    low, high = np.minimum(second, third), np.maximum(second, third)
    return np.asarray((first * n_rows + low) * n_rows + high)


def rows_of(keys: IntVector, n_rows: int) -> tuple[IntVector, IntVector, IntVector]:
    """Return the rows that cuts are between, from their numbers."""
    rest, third = np.divmod(keys, n_rows)
    return rest // n_rows, rest % n_rows, third


def _sums(rows: IntVector, amounts: FloatVector, n_rows: int) -> FloatVector:
    """Add up amounts for each row."""
    return np.bincount(rows, weights=amounts, minlength=n_rows).astype(float)
