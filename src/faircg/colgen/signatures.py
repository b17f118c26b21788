"""Packed covers, and the rows that they do not tell apart: samples, cells, signatures.

A matrix of rows by rules, unpacked, would be the largest thing in memory. So covers
stay packed. To merge equal rows, 64 rules at a time become a word of each row; words
are numbered in their order, and the numbers are the digits of a longer one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from faircg._kernel import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from faircg.typing import BoolMatrix, BoolVector, IntVector, PackedMatrix

_BITS: Final = 1 << 24
"""Bits unpacked at a time."""
_BLOCK: Final = 64
"""Rules that make a word."""
_LARGEST: Final = 2**62
"""Numbers of rows stay below this."""


def merge_codes(
    keys: Iterable[tuple[IntVector, int]], n_rows: int
) -> tuple[IntVector, IntVector]:
    """Return where each distinct row occurs first, and for each row its distinct row.

    A key has a number of each row, and how many numbers there may be. Distinct rows are
    sorted, the first key being the one that counts most.

    Examples
    --------
    >>> keys = (np.array([1, 0, 1, 1]), 2), (np.array([0, 2, 0, 1]), 3)
    >>> merge_codes(keys, 4)
    (array([1, 0, 3]), array([1, 0, 1, 2]))
    """
    rows, size = np.zeros(n_rows, dtype=np.int64), 1
    for codes, n_codes in keys:
        if size * n_codes >= _LARGEST:
            distinct, rows = np.unique(rows, return_inverse=True)
            size = len(distinct)
            if size == n_rows:
                break  # all are told apart, and the keys to come change no order
        rows = rows * n_codes + codes
        size *= n_codes
    if size <= n_rows:
        return _merge_few(rows, size)
    _, first, member = np.unique(rows, return_index=True, return_inverse=True)
    return first.astype(np.int64), member.astype(np.int64)


def _merge_few(rows: IntVector, size: int) -> tuple[IntVector, IntVector]:
    """Merge rows of fewer numbers than rows, without sorting them."""
    places = np.full(size, -1, dtype=np.int64)
    places[rows[::-1]] = np.arange(len(rows) - 1, -1, -1)  # the first one stays
    is_met = places >= 0
    number = np.cumsum(is_met) - 1
    return places[is_met], number[rows]


def merge_equal(covers: PackedMatrix, n_rows: int) -> tuple[IntVector, IntVector]:
    """Merge rows that the same rules cover, as :func:`merge_codes` does.

    Examples
    --------
    >>> merge_equal(np.array([[0b101]], dtype=np.uint64), 3)
    (array([1, 0]), array([1, 0, 1]))
    """
    return merge_codes(signature_codes(covers, n_rows), n_rows)


def signature_codes(
    covers: PackedMatrix, n_rows: int
) -> Iterator[tuple[IntVector, int]]:
    """Give the signatures of a few rules at a time numbers, in their order."""
    for start in range(0, len(covers), _BLOCK):
        octets = _octets(covers[start : start + _BLOCK])
        words = np.zeros((n_rows, 8), dtype=np.uint8)
        step = _BITS // 64
        for row in range(0, n_rows, step):
            some = octets[:, row // 8 : (row + step) // 8]
            n_some = min(step, n_rows - row)
            met = np.unpackbits(some, axis=1, count=n_some, bitorder="little")
            packed = np.packbits(np.ascontiguousarray(met.T), axis=1)
            words[row : row + n_some, : packed.shape[1]] = packed
        values, codes = np.unique(words.view(">u8")[:, 0], return_inverse=True)
        yield codes, len(values)


def rows_at(covers: PackedMatrix, rows: IntVector) -> BoolMatrix:
    """Say which rules cover some of the rows, (len(rows), n_rules)."""
    octets = _octets(covers)[:, rows >> 3]
    octets >>= (rows & 7).astype(np.uint8)
    octets &= 1
    return octets.view(np.bool_).T


def sparse_rows(covers: PackedMatrix, rows: IntVector) -> sparse.csr_array:
    """Return :func:`rows_at` as numbers, a few rows at a time."""
    step = max(64, _BITS // max(1, len(covers)))
    parts = [
        sparse.csr_array(rows_at(covers, rows[k : k + step]).astype(float))
        for k in range(0, len(rows), step)
    ]
    if not parts:
        return sparse.csr_array((0, len(covers)))
    return sparse.csr_array(sparse.vstack(parts, format="csr"))


def covered(covers: PackedMatrix, n_rows: int) -> BoolVector:
    """Say which rows some rule covers."""
    anywhere = np.bitwise_or.reduce(covers, axis=0, keepdims=True)
    met: BoolVector = unpack(anywhere, n_rows)[0]
    return met


def _octets(covers: PackedMatrix) -> NDArray[np.uint8]:
    little = covers.astype(np.dtype("<u8"), copy=False)
    return np.ascontiguousarray(little).view(np.uint8)
