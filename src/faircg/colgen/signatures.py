"""Equal rows of a boolean matrix, found once: samples, cells and signatures merge."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from faircg._kernel import ConditionBits, unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircg.colgen.stop import Deadline
    from faircg.typing import BoolMatrix, IntVector, PackedMatrix

    Octets: TypeAlias = NDArray[np.uint8]

_BLOCK = 1_024  # rules unpacked at a time: whole octets


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
    return merge_packed(np.packbits(rows, axis=1))


def merge_packed(packed: Octets) -> tuple[IntVector, IntVector]:
    """Do the same with rows whose bits are packed."""
    packed = np.ascontiguousarray(packed)
    keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, member = np.unique(keys, return_index=True, return_inverse=True)
    return first.astype(np.int64), member.astype(np.int64)


def signatures(
    covers: PackedMatrix, n_rows: int, rows: IntVector, deadline: Deadline
) -> Octets:
    """Say which rules cover some of the rows, (len(rows), n_rules), in packed bits.

    Covers are unpacked a block of rules at a time, so that no matrix of all rows by
    all rules is ever made; a deadline ends it between two blocks by an error.
    """
    found = np.empty((len(rows), -(-len(covers) // 8)), dtype=np.uint8)
    for start in range(0, len(covers), _BLOCK):
        deadline.check()
        met = unpack(covers[start : start + _BLOCK], n_rows)[:, rows]
        octets = np.packbits(np.ascontiguousarray(met.T), axis=1)
        found[:, start // 8 : start // 8 + octets.shape[1]] = octets
    return found


def by_rule(octets: Octets, n_rules: int) -> PackedMatrix:
    """Turn signatures around: pack for each rule which rows it covers."""
    found = np.zeros((n_rules, -(-len(octets) // 64)), dtype=np.uint64)
    for start in range(0, n_rules, _BLOCK):
        block = octets[:, start // 8 : (start + _BLOCK) // 8]
        count = min(_BLOCK, n_rules - start)
        rows = np.unpackbits(block, axis=1, count=count).view(np.bool_)
        one_family = np.zeros(count, dtype=np.int32)
        found[start : start + count] = ConditionBits.from_matrix(rows, one_family).bits
    return found
