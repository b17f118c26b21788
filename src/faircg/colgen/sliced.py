"""Counting people under many rules at once, by the bits of their counts.

Local search asks for every rule of a pool whom it would cover in addition. A row that
stands for five people of a group is listed under one and under four: rows whose count
has the same binary digit make a *slice*, and a sum over rows is then a number of bits
in each slice. No row is ever multiplied, and all sums are whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import take

if TYPE_CHECKING:
    from faircg.typing import (
        FloatMatrix,
        FloatVector,
        IntMatrix,
        IntVector,
        PackedMatrix,
    )

_BLOCK = 256
"""Rules that are looked at in one go: their bits stay in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class SlicedPeople:
    """Covers of rules (first axis), packed over the rows of each slice.

    ``starts`` has the first word of each slice, ``worth`` what a row of a slice
    (first axis) adds to each of the counts (second axis).
    """

    covers: PackedMatrix
    starts: IntVector
    worth: FloatMatrix

    @classmethod
    def slice(cls, covers: PackedMatrix, counts: IntMatrix) -> SlicedPeople:
        """Slice rows by several counts of each row, (n_counts, n_rows)."""
        rows: list[IntVector] = []
        worth: list[FloatVector] = []
        for number, count in enumerate(counts):
            for digit in range(int(count.max(initial=0)).bit_length()):
                found = np.flatnonzero(count >> digit & 1)
                if len(found):
                    rows.append(found)
                    worth.append(2.0**digit * np.eye(len(counts))[number])
        if not rows:  # nobody at all: one row that counts for nothing
            rows, worth = [np.zeros(1, np.int64)], [np.zeros(len(counts))]
        words = [-(-len(part) // 64) for part in rows]
        starts = np.cumsum([0, *words])
        packed = np.empty((len(covers), int(starts[-1])), np.uint64)
        for part, at, n_words in zip(rows, starts, words, strict=False):
            packed[:, at : at + n_words] = take(covers, part)
        return cls(packed, starts[:-1].astype(np.int64), np.array(worth))

    def covered(self, chosen: IntVector) -> PackedMatrix:
        """Return the cover of all these rules together, as one packed row."""
        return np.bitwise_or.reduce(self.covers[chosen], axis=0, keepdims=True)

    def counts(self, packed: PackedMatrix) -> FloatMatrix:
        """Count in packed rows, (n_packed, n_counts)."""
        bits = np.bitwise_count(packed)
        sums = np.add.reduceat(bits, self.starts, axis=1, dtype=np.int64)
        return np.asarray(sums @ self.worth)

    def newly_covered(self, covered: PackedMatrix) -> FloatMatrix:
        """Count for each rule whom it covers beyond those covered already."""
        free = ~covered
        blocks = range(0, len(self.covers), _BLOCK)
        parts = [self.counts(self.covers[k : k + _BLOCK] & free) for k in blocks]
        return np.vstack(parts)
