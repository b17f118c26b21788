"""Counting by slices of bits: the same sums as row by row, whatever the counts."""

from __future__ import annotations

import numpy as np
import pytest

from faircg._kernel import ConditionBits, unpack
from faircg.colgen.sliced import SlicedPeople


def drawn(seed: int, n_rules: int, n_rows: int, most: int):
    """Draw covers of rules, and two counts of each row."""
    rng = np.random.default_rng(seed)
    meets = rng.random((n_rows, n_rules)) < 0.4
    covers = ConditionBits.from_matrix(meets, np.zeros(n_rules, np.int32)).bits
    counts = rng.integers(0, most + 1, (2, n_rows)) * (rng.random((2, n_rows)) < 0.7)
    return covers, counts


@pytest.mark.parametrize("most", [0, 1, 6, 2**40])
@pytest.mark.parametrize("n_rows", [1, 64, 200])
def test_sums_are_those_of_the_rows(n_rows, most):
    """Nobody, single people, and weights that no list of people could hold."""
    covers, counts = drawn(n_rows + most, 300, n_rows, most)
    people = SlicedPeople.slice(covers, counts)
    met = unpack(covers, n_rows)
    for chosen in ([], [3], [0, 7, 299]):
        covered = people.covered(np.array(chosen, dtype=np.int64))
        anywhere = met[chosen].any(axis=0)
        assert people.counts(covered)[0].tolist() == (counts @ anywhere).tolist()
        more = (met & ~anywhere) @ counts.T
        assert people.newly_covered(covered).tolist() == more.tolist()
