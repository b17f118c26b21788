"""Packed covers: what is taken and merged is what the unpacked rows say."""

import numpy as np
import pytest

from faircg._kernel import ConditionBits, take, unpack
from faircg.colgen import signatures
from faircg.colgen.signatures import merge_codes, merge_equal, rows_at, sparse_rows

SIZES = [(1, 0), (1, 1), (70, 9), (200, 65), (130, 200)]


@pytest.mark.parametrize(("n_rows", "n_rules"), SIZES)
def test_packed_rows_are_the_unpacked_ones(n_rows, n_rules, monkeypatch):
    """Equal rows are merged in the order of their bits; blocks change nothing."""
    monkeypatch.setattr(signatures, "_BITS", 64 * 64)
    rng = np.random.default_rng(n_rows)
    rows = rng.random((n_rows, n_rules)) < 0.5
    rows[rng.random(n_rows) < 0.5] = rows[0]
    covers = ConditionBits.from_matrix(rows, np.zeros(n_rules, np.int32)).bits
    some = rng.integers(n_rows, size=50)
    assert (rows_at(covers, some) == rows[some]).all()
    assert (sparse_rows(covers, some).toarray() == rows[some]).all()
    assert (unpack(take(covers, some), len(some)) == rows[some].T).all()
    first, member = merge_equal(covers, n_rows)
    distinct = sorted({tuple(row) for row in rows.tolist()})
    assert [tuple(row) for row in rows[first].tolist()] == distinct
    assert (rows[first][member] == rows).all()
    assert all((member[:k] != member[k]).all() for k in first)


def test_rows_that_are_all_told_apart_need_no_further_keys():
    """Of 44,000 conditions on Adult the first few hundred tell everybody apart."""
    n_rows, asked = 50, []

    def keys():
        for number in range(40):
            asked.append(number)
            yield np.random.default_rng(number).permutation(n_rows), n_rows

    first, member = merge_codes(keys(), n_rows)
    assert len(asked) < 20
    order = np.random.default_rng(0).permutation(n_rows)
    assert (member == order).all()
    assert (order[first] == np.arange(n_rows)).all()


@pytest.mark.parametrize("n_codes", [1, 2, 30, 400])
def test_few_numbers_are_merged_as_many_are(n_codes):
    """Numbers that are fewer than the rows are not sorted; nothing else changes."""
    rng = np.random.default_rng(n_codes)
    codes = rng.integers(n_codes, size=500)
    first, member = merge_codes([(codes, n_codes)], 500)
    _, firsts, members = np.unique(codes, return_index=True, return_inverse=True)
    assert (first == firsts).all()
    assert (member == members).all()
    assert first.dtype == member.dtype == np.int64
    assert [*map(len, merge_codes([], 0))] == [0, 0]
