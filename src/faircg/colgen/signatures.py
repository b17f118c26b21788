"""Equal rows of a boolean matrix, found once: samples, cells and signatures merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import unpack

if TYPE_CHECKING:
    from faircg.typing import BoolMatrix, IntVector, PackedMatrix

_BLOCK = 1_024  # rules unpacked at a time


def merge_equal(rows: BoolMatrix) -> tuple[IntVector, IntVector]:
    """Return where each distinct row occurs first, and for each row its distinct row.

    Distinct rows are sorted.

    Examples
    --------
    >>> merge_equal(np.array([[True], [False], [True]]))
    (array([1, 0]), array([1, 0, 1]))
    """
    if rows.shape[1] == 0:  # nothing tells any row apart
        first = np.zeros(min(len(rows), 1), dtype=np.int64)
        return first, np.zeros(len(rows), dtype=np.int64)
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, member = np.unique(keys, return_index=True, return_inverse=True)
    return first.astype(np.int64), member.astype(np.int64)


def signatures(covers: PackedMatrix, n_rows: int, rows: IntVector) -> BoolMatrix:
    """Say which rules cover some of the rows, (len(rows), n_rules).

    Covers are unpacked a block of rules at a time, so that no matrix of all rows by
    all rules is ever made.
    """
    found = np.empty((len(rows), len(covers)), dtype=bool)
    for start in range(0, len(covers), _BLOCK):
        block = slice(start, start + _BLOCK)
        found[:, block] = unpack(covers[block], n_rows)[:, rows].T
    return found
