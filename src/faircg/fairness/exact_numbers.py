"""Limits as the numbers that people mean: what prints as equal is equal."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Final

MOST_DIGITS: Final = 6
"""Digits of the largest denominator that a float may stand for."""


def exact(number: float | Fraction) -> Fraction:
    """Read a limit as the number that was meant, without binary noise.

    A float stands for the simplest fraction that is the same float, with a denominator
    of at most a million: ``1 / 3`` is one third, ``0.3`` three tenths. A float that is
    no such fraction is the decimal number that it prints as.

    Examples
    --------
    >>> exact(0.3), exact(1 / 3), Fraction(0.3) == Fraction(3, 10)
    (Fraction(3, 10), Fraction(1, 3), False)
    """
    if isinstance(number, Fraction):
        return number
    value = float(number)
    if not isfinite(value):
        raise ValueError(f"a limit must be a finite number, not {number!r}")
    binary = Fraction(value)
    for digits in range(MOST_DIGITS + 1):
        simple = binary.limit_denominator(10**digits)
        if float(simple) == value:
            return simple
    return Fraction(repr(value))


def typed(number: float | Fraction) -> str:
    """Write a number as it would be typed, so that it reads back as the same one.

    Examples
    --------
    >>> typed(0.05), typed(1.0), typed(Fraction(1, 3)), typed(1 / 3)
    ('0.05', '1', '1/3', '1/3')
    """
    value = exact(number)
    rounded = float(value)
    text = str(int(rounded)) if rounded.is_integer() else repr(rounded)
    return text if Fraction(text) == value else str(value)


def read_typed(text: str) -> float | Fraction:
    """Read a number as it is typed: ``0.05`` or ``1/3``; another is a ValueError.

    Examples
    --------
    >>> read_typed("0.05"), read_typed("1/3")
    (0.05, Fraction(1, 3))
    """
    if "/" not in text:
        return float(text)
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by zero") from None
