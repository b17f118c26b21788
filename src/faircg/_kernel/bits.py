"""Coverage as packed bits: which rows meet a condition, which rows a rule covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from faircg._kernel.checks import check_int, checked_array, checked_bits, words_for
from faircg._kernel.loader import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_ROWS = 2048  # rows packed at a time
_BLOCK = 1 << 24  # bits unpacked at a time by the NumPy implementation


@dataclass(frozen=True, eq=False)
class ConditionBits:
    """Which rows meet which condition, packed.

    Two conditions of one family are nested (one implies the other, as ``age <= 30``
    and ``age <= 40``) or exclude each other (``color = red``, ``color = blue``), so
    that no useful rule contains both. The search relies on it.

    >>> rows = np.array([[True, False], [True, True], [False, True]])
    >>> bits = ConditionBits.from_matrix(rows, family=[0, 1])
    >>> unpack(bits.cover([(0,), (0, 1)]), bits.n_rows)
    array([[ True,  True, False],
           [False,  True, False]])
    """

    bits: NDArray[np.uint64]
    """(n_conditions, n_words); bit ``i`` of word ``w`` is row ``64 * w + i``."""
    n_rows: int
    family: NDArray[np.int32]
    """(n_conditions,)"""

    def __post_init__(self) -> None:
        check_int("n_rows", self.n_rows, least=1)
        bits = checked_bits("bits", self.bits, self.n_rows)
        family = checked_array("family", self.family, np.int32, (len(bits),))
        bits, family = bits.view(), family.view()
        bits.flags.writeable = False
        family.flags.writeable = False
        object.__setattr__(self, "bits", bits)
        object.__setattr__(self, "family", family)

    @classmethod
    def from_matrix(
        cls, rows: NDArray[np.bool_], family: Sequence[int] | NDArray[Any]
    ) -> Self:
        """Pack a boolean matrix of shape (n_rows, n_conditions)."""
        rows = np.asarray(rows)
        if rows.dtype != np.bool_:
            raise TypeError(f"rows must be boolean, not {rows.dtype}")
        if rows.ndim != 2:
            raise ValueError(f"rows must be a matrix, not {rows.ndim}-dimensional")
        n_rows, n_conditions = rows.shape
        families = np.asarray(family)
        if families.size == 0:
            families = families.astype(np.int32)
        if families.dtype.kind not in "iu":
            raise TypeError(f"family must be integers, not {families.dtype}")
        packed = np.zeros((n_conditions, 8 * words_for(n_rows)), dtype=np.uint8)
        for start in range(0, n_rows, _ROWS):  # small enough to transpose in the cache
            block = np.ascontiguousarray(rows[start : start + _ROWS].T)
            octets = np.packbits(block, axis=1, bitorder="little")
            packed[:, start // 8 : start // 8 + octets.shape[1]] = octets
        bits = packed.view(np.dtype("<u8")).astype(np.uint64, copy=False)
        return cls(bits, int(n_rows), families.astype(np.int32))

    @classmethod
    def from_columns(
        cls,
        columns: Iterable[NDArray[np.bool_]],
        n_rows: int,
        family: NDArray[np.int32],
    ) -> Self:
        """Pack the rows that meet each condition, one condition after the other."""
        packed = np.zeros((len(family), 8 * words_for(n_rows)), dtype=np.uint8)
        for row, column in zip(packed, columns, strict=True):
            octets = np.packbits(column, bitorder="little")
            row[: len(octets)] = octets
        bits = packed.view(np.dtype("<u8")).astype(np.uint64, copy=False)
        return cls(bits, int(n_rows), family)

    @property
    def n_conditions(self) -> int:
        """How many conditions there are."""
        return int(self.bits.shape[0])

    @property
    def n_words(self) -> int:
        """How many words hold one condition."""
        return int(self.bits.shape[1])

    def cover(self, rules: Sequence[tuple[int, ...]]) -> NDArray[np.uint64]:
        """Packed coverage of each rule, (n_rules, n_words)."""
        sizes = np.fromiter((len(rule) for rule in rules), np.int64, len(rules))
        if np.any(sizes == 0):
            raise ValueError("a rule needs at least one condition")
        flat = np.array([j for rule in rules for j in rule])
        if len(flat) and flat.dtype.kind not in "iu":
            raise TypeError(f"conditions must be integers, not {flat.dtype}")
        outside = (flat < 0) | (flat >= self.n_conditions)
        if np.any(outside):
            raise ValueError(
                f"condition {flat[outside][0]} does not exist: there are "
                f"{self.n_conditions} conditions, numbered from 0"
            )
        conditions = flat.astype(np.int32)
        starts = np.zeros(len(rules) + 1, dtype=np.int64)
        np.cumsum(sizes, out=starts[1:])
        if compiled is not None:
            covered: NDArray[np.uint64] = compiled.cover(self.bits, conditions, starts)
            return covered
        if not len(rules):
            return np.zeros((0, self.n_words), dtype=np.uint64)
        result = np.empty((len(rules), self.n_words), dtype=np.uint64)
        for k, rule in enumerate(rules):
            np.bitwise_and.reduce(self.bits[list(rule)], axis=0, out=result[k])
        return result


def unpack(packed: NDArray[np.uint64], n_rows: int) -> NDArray[np.bool_]:
    """Packed coverage as a boolean matrix of shape (n_rules, n_rows)."""
    packed = checked_array("packed", packed, np.uint64, (None, words_for(n_rows)))
    octets = packed.astype(np.dtype("<u8"), copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_rows, bitorder="little").view(np.bool_)


def weigh(
    packed: NDArray[np.uint64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum of the weights of the rows each rule covers.

    Parameters
    ----------
    packed
        Coverage, (n_rules, n_words).
    weights
        One weight per row (n_rows,), or several (n_rows, m).

    Returns
    -------
    (n_rules,) or (n_rules, m); the order of summation is fixed.
    """
    axes = np.ndim(weights)
    weights = checked_array(
        "weights", weights, np.float64, (None,) * max(1, min(axes, 2))
    )
    packed = checked_array("packed", packed, np.uint64, (None, words_for(len(weights))))
    columns = np.ascontiguousarray(weights.reshape(len(weights), -1))
    sums: NDArray[np.float64]
    if compiled is not None:
        sums = compiled.weigh(packed, columns)
    else:
        sums = np.empty((len(packed), columns.shape[1]))
        step = max(1, _BLOCK // max(1, len(weights)))
        for start in range(0, len(packed), step):
            block = slice(start, start + step)
            sums[block] = unpack(packed[block], len(weights)).astype(float) @ columns
    return sums[:, 0] if weights.ndim == 1 else sums


def take(packed: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the coverage of some rows, in their order, packed again.

    Examples
    --------
    >>> take(np.array([[0b101]], dtype=np.uint64), np.array([2, 1, 0]))
    array([[5]], dtype=uint64)
    """
    packed = checked_array("packed", packed, np.uint64, (None, None))
    rows = checked_array("rows", rows, np.int64, (None,))
    n_known = 64 * packed.shape[1]
    if len(rows) and not 0 <= rows.min() <= rows.max() < n_known:
        raise ValueError(f"a row does not exist: there are {n_known}")
    if compiled is not None:
        some: NDArray[np.uint64] = compiled.take(packed, rows)
        return some
    taken = np.zeros((len(packed), 8 * words_for(len(rows))), dtype=np.uint8)
    octets = packed.astype(np.dtype("<u8"), copy=False).view(np.uint8)
    place, shift = rows >> 3, (rows & 7).astype(np.uint8)
    step = max(1, _BLOCK // max(1, len(rows)))
    for start in range(0, len(packed), step):
        block = slice(start, start + step)
        met = octets[block][:, place] >> shift & 1
        bits = np.packbits(met, axis=1, bitorder="little")
        taken[block, : bits.shape[1]] = bits
    return taken.view(np.dtype("<u8")).astype(np.uint64, copy=False)


def row_words(packed: NDArray[np.uint64], n_rows: int) -> NDArray[np.uint64]:
    """Return a word of each row: which of up to 64 rules cover it, the first on top.

    Examples
    --------
    >>> row_words(np.array([[0b101], [0b001]], dtype=np.uint64), 3) >> np.uint64(62)
    array([3, 0, 2], dtype=uint64)
    """
    packed = checked_bits("packed", packed, n_rows)
    if len(packed) > 64:
        raise ValueError(f"a word has room for 64 rules, not {len(packed)}")
    if compiled is not None:
        words: NDArray[np.uint64] = compiled.row_words(packed)
        return words[:n_rows]
    octets = packed.astype(np.dtype("<u8"), copy=False).view(np.uint8)
    found = np.zeros((n_rows, 8), dtype=np.uint8)
    step = _BLOCK // 64
    for row in range(0, n_rows, step):
        some, n_some = octets[:, row // 8 : (row + step) // 8], min(step, n_rows - row)
        met = np.unpackbits(some, axis=1, count=n_some, bitorder="little")
        bits = np.packbits(np.ascontiguousarray(met.T), axis=1)
        found[row : row + n_some, : bits.shape[1]] = bits
    return found.view(">u8")[:, 0].astype(np.uint64)


def count(packed: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many rows each rule covers."""
    packed = checked_array("packed", packed, np.uint64, (None, None))
    counts: NDArray[np.int64] = np.bitwise_count(packed).sum(axis=1, dtype=np.int64)
    return counts
