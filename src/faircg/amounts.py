"""Amounts: weights and costs as whole multiples of one part, exactly.

Counting is exact only in whole numbers. A weight of 0.25 is one of four parts of a
person, so all weights are counted in the largest part of which each is a multiple.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from faircg.typing import FloatVector, IntVector

MOST_PARTS: Final = 10**6
"""Largest denominator of an amount: six decimals."""
MOST_COMMON_PARTS: Final = 10**9
"""Largest denominator that all amounts together may need."""
LARGEST_SUM: Final = 2**53
"""Sums below this are exact as floats."""


@dataclass(frozen=True, slots=True, eq=False)
class Amounts:
    """Numbers that are ``whole / parts``; whole numbers have one part each."""

    whole: IntVector
    parts: int = 1

    def times(self, counts: IntVector) -> Amounts:
        """Return the amounts of so many each."""
        if float(self.whole.astype(float) @ counts) >= LARGEST_SUM:
            raise ValueError("there are too many people to be counted exactly")
        return Amounts(self.whole * counts, self.parts)


def exact(number: float) -> Fraction:
    """Return the simplest fraction that is this number as a float.

    What was typed, such as 0.1 or 1/3, and not the binary number that stands for it.

    Examples
    --------
    >>> exact(0.1), exact(1 / 3), exact(2.0)
    (Fraction(1, 10), Fraction(1, 3), Fraction(2, 1))
    >>> exact(2**0.5)
    Traceback (most recent call last):
    ValueError: 1.4142135623730951 has too many digits: at most 6 decimals, or a
    fraction with a denominator of at most 1,000,000, are counted exactly
    """
    found = Fraction(number).limit_denominator(MOST_PARTS)
    if float(found) != float(number):
        raise ValueError(
            f"{number} has too many digits: at most 6 decimals, or a fraction with a "
            f"denominator of at most {MOST_PARTS:,}, are counted exactly"
        )
    return found


def in_parts(name: str, numbers: FloatVector) -> Amounts:
    """Count numbers, none of them negative, in the largest part that they share.

    Examples
    --------
    >>> amounts = in_parts("sample_weight", np.array([0.5, 1.25, 3.0]))
    >>> amounts.whole, amounts.parts
    (array([ 2,  5, 12]), 4)
    """
    distinct, of = np.unique(numbers, return_inverse=True)
    if (distinct < 0).any():
        row = int(np.argmax(numbers < 0))
        raise ValueError(
            f"{name} must not be negative; found {numbers[row]:g} in row {row}"
        )
    if distinct.sum() >= LARGEST_SUM:
        raise ValueError(f"{name} is too large to be counted exactly")
    try:
        fractions = [exact(number) for number in distinct.tolist()]
    except ValueError as error:
        raise ValueError(f"{name}: {error}; round it") from None
    parts = math.lcm(*(fraction.denominator for fraction in fractions))
    if parts > MOST_COMMON_PARTS:
        raise ValueError(
            f"{name} holds fractions whose common denominator, {parts:,}, is above "
            f"{MOST_COMMON_PARTS:,}; round it, for example to 3 decimals"
        )
    whole = np.array([int(fraction * parts) for fraction in fractions], dtype=object)
    if float((np.bincount(of.ravel()) * whole).sum()) >= LARGEST_SUM:
        raise ValueError(f"{name} is too large to be counted exactly")
    counted: IntVector = whole.astype(np.int64)[of.ravel()]
    return Amounts(counted, parts)
