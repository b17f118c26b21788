from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from faircg._kernel import ConditionBits, count, row_words, unpack, weigh

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = np.random.default_rng(3).random((130, 5)) < 0.5
FAMILY = np.arange(5, dtype=np.int32)


def bits() -> ConditionBits:
    return ConditionBits.from_matrix(ROWS, FAMILY)


@pytest.mark.parametrize("n_rows", [1, 7, 63, 64, 65, 128, 2047, 2048, 2049, 5000])
def test_packing_and_unpacking_give_back_the_matrix(n_rows: int) -> None:
    """Also at the borders of words and of the blocks that are packed at a time."""
    rows = np.random.default_rng(n_rows).random((n_rows, 3)) < 0.4
    packed = ConditionBits.from_matrix(rows, [0, 1, 2])
    np.testing.assert_array_equal(unpack(packed.bits, n_rows), rows.T)


def test_row_i_is_bit_i_of_its_word() -> None:
    """The layout is part of the contract: row 64 w + i is bit i of word w."""
    rows = np.zeros((130, 1), dtype=bool)
    rows[[0, 65, 129]] = True
    packed = ConditionBits.from_matrix(rows, [0])
    assert packed.bits.tolist() == [[1, 2, 2]]


def test_a_rule_covers_the_rows_that_meet_all_its_conditions() -> None:
    """Conjunction, in any order of the conditions, repeated ones included."""
    rules = [(0,), (1, 3), (4, 2, 0), (1, 1)]
    expected = [ROWS[:, list(rule)].all(axis=1) for rule in rules]
    np.testing.assert_array_equal(unpack(bits().cover(rules), 130), expected)


def test_no_rules_have_no_coverage() -> None:
    """An empty list is not an error."""
    assert bits().cover([]).shape == (0, 3)
    assert weigh(bits().cover([]), np.ones(130)).shape == (0,)


@pytest.mark.parametrize("n_rules", [0, 1, 5, 63, 64])
@pytest.mark.parametrize("n_rows", [1, 64, 130, 3000])
def test_words_of_rows_order_them_as_their_rules_do(n_rows: int, n_rules: int) -> None:
    """The first rule counts most, so that words are in the order of the rows."""
    met = np.random.default_rng(n_rows).random((n_rows, 64)) < 0.3
    packed = ConditionBits.from_matrix(met, np.arange(64)).bits[:n_rules]
    powers = [1 << (63 - rule) for rule in range(n_rules)]
    expected = [
        sum(power for power, is_met in zip(powers, row, strict=False) if is_met)
        for row in met[:, :n_rules].tolist()
    ]
    assert row_words(packed, n_rows).tolist() == expected


def test_a_word_has_room_for_64_rules() -> None:
    """One more is an error, whatever implements it."""
    with pytest.raises(ValueError, match="room for 64 rules, not 65"):
        row_words(np.zeros((65, 1), dtype=np.uint64), 3)


def test_weights_are_summed_over_covered_rows() -> None:
    """One weight per row, or several."""
    weights = np.random.default_rng(0).normal(size=(130, 4))
    packed = bits().cover([(0,), (1, 2)])
    covered = unpack(packed, 130).astype(float)
    np.testing.assert_allclose(weigh(packed, weights), covered @ weights, atol=1e-12)
    one = np.ascontiguousarray(weights[:, 1])
    np.testing.assert_allclose(weigh(packed, one), covered @ one, atol=1e-12)
    assert weigh(packed, weights[:, :0]).shape == (2, 0)


def test_counts_are_counts_of_rows() -> None:
    """The same as weighing with ones."""
    packed = bits().cover([(0,), (1, 2), (0, 1, 2, 3, 4)])
    np.testing.assert_array_equal(count(packed), weigh(packed, np.ones(130)))


def test_bits_cannot_be_changed() -> None:
    """Frozen data may be shared by threads."""
    with pytest.raises(ValueError, match="read-only"):
        bits().bits[0, 0] = 0


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: ConditionBits.from_matrix(ROWS.astype(int), FAMILY),
            TypeError,
            "bool",
        ),
        (lambda: ConditionBits.from_matrix(ROWS[0], FAMILY), ValueError, "matrix"),
        (lambda: ConditionBits.from_matrix(ROWS, FAMILY[1:]), ValueError, "family"),
        (lambda: ConditionBits.from_matrix(ROWS, FAMILY / 2), TypeError, "family"),
        (lambda: ConditionBits.from_matrix(ROWS[:0], FAMILY), ValueError, "n_rows"),
        (
            lambda: ConditionBits(bits().bits, 200, FAMILY),
            ValueError,
            "bits must have shape",
        ),
        (lambda: ConditionBits(bits().bits, 129.0, FAMILY), TypeError, "n_rows"),  # type: ignore[arg-type]
        (lambda: ConditionBits(~bits().bits, 130, FAMILY), ValueError, "beyond"),
        (
            lambda: ConditionBits(bits().bits.astype(int), 130, FAMILY),
            TypeError,
            "uint",
        ),
        (lambda: bits().cover([(0, 5)]), ValueError, "condition 5 does not exist"),
        (lambda: bits().cover([(-1,)]), ValueError, "condition -1 does not exist"),
        (lambda: bits().cover([()]), ValueError, "at least one condition"),
        (lambda: bits().cover([(0.5,)]), TypeError, "integers"),  # type: ignore[list-item]
        (lambda: unpack(bits().bits, 1000), ValueError, "packed must have shape"),
        (lambda: unpack(bits().bits[0], 130), ValueError, "packed must have shape"),
        (lambda: weigh(bits().bits, np.ones(64)), ValueError, "packed must have shape"),
        (lambda: weigh(bits().bits, np.ones(130, dtype=int)), TypeError, "float64"),
        (
            lambda: weigh(bits().bits, np.ones((130, 1, 1))),
            ValueError,
            "weights must have shape",
        ),
        (lambda: count(bits().bits.astype(float)), TypeError, "uint64"),
    ],
)
def test_bad_arrays_raise(
    call: Callable[[], Any], error: type[Exception], match: str
) -> None:
    """With a sentence that says what is wrong."""
    with pytest.raises(error, match=match):
        call()
