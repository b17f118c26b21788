"""Packed covers, and the rows that they do not tell apart: samples, cells, signatures.

A matrix of rows by rules, unpacked, would be the largest thing in memory. So covers
stay packed. To merge equal rows, 64 rules at a time become a word of each row; words
are numbered in their order, and the numbers are the digits of a longer one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from faircg._kernel import row_words, take, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from faircg.colgen.stop import Deadline
    from faircg.typing import BoolMatrix, BoolVector, IntVector, PackedMatrix

_BITS: Final = 1 << 24
"""Bits unpacked at a time."""
_BLOCK: Final = 64
"""Rules that make a word."""
_LARGEST: Final = 2**62
"""Numbers of rows stay below this."""
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
"""Mixes the bits of a product: odd, and without a pattern."""


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


def merge_alike(
    sides: Sequence[PackedMatrix], n_rows: int, deadline: Deadline
) -> tuple[IntVector, IntVector]:
    """Merge rows that are alike in all these covers, whatever the order.

    Rows are compared by a number that is computed from all of a row's words, and looked
    at again: of very many rules that is far quicker than sorting by each word. A
    deadline ends it by an error.

    Examples
    --------
    >>> from faircg.colgen.stop import Deadline
    >>> covers = np.array([[0b101]], dtype=np.uint64)
    >>> merge_alike([covers], 3, Deadline.after(60.0))
    (array([0, 1]), array([0, 1, 0]))
    """
    numbers = np.zeros(n_rows, dtype=np.uint64)
    for side in sides:
        for words in deadline.checking(_signature_words(side, n_rows)):
            numbers = (numbers ^ words) * _FACTOR
            numbers ^= numbers >> np.uint64(29)
    _, first, member = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    first, member = first[order].astype(np.int64), place[member].astype(np.int64)
    again = np.flatnonzero(first[member] != np.arange(n_rows))
    like = first[member[again]]
    if all(np.array_equal(take(side, again), take(side, like)) for side in sides):
        return first, member
    return np.arange(n_rows), np.arange(n_rows)  # two that differ had the same number


def signature_codes(
    covers: PackedMatrix, n_rows: int
) -> Iterator[tuple[IntVector, int]]:
    """Give the signatures of a few rules at a time numbers, in their order."""
    for words in _signature_words(covers, n_rows):
        values, codes = np.unique(words, return_inverse=True)
        yield codes, len(values)


def _signature_words(covers: PackedMatrix, n_rows: int) -> Iterator[NDArray[np.uint64]]:
    """Give a word of each row that says which of 64 rules cover it, rules in turn."""
    for start in range(0, len(covers), _BLOCK):
        yield row_words(covers[start : start + _BLOCK], n_rows)


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
