"""Numbers in SQL: each is read back as exactly the double that it was."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from faircg.exceptions import ExportError
from faircg.export.sql_dialects import check_whole, digits

if TYPE_CHECKING:
    from faircg.export.sql_dialects import Dialect

_STEP: Final = 62
"""Powers of two are written as whole numbers of 64 bits at most."""


def double(value: float, dialect: Dialect) -> Any:
    """Return an expression for a double.

    Examples
    --------
    >>> from faircg.export.sql_dialects import DIALECTS
    >>> double(-40.5, DIALECTS["duckdb"]).sql()
    '-40.5e0'
    >>> double(0.30000000000000004, DIALECTS["sqlite"]).sql("sqlite")
    'CAST(1351079888211149 AS REAL) / 4503599627370496'
    """
    size = abs(value)
    smallest, largest = dialect.number_range
    if size and not smallest <= size <= largest:
        raise ExportError(f"{dialect.name} has no literal for the number {value!r}")
    if not dialect.reads_decimals and not _is_read_exactly(size):
        return _product(value)
    positive = exp.Literal.number(digits(size))
    return exp.Neg(this=positive) if math.copysign(1.0, value) < 0 else positive


def whole(value: int, what: str) -> Any:
    """Return an expression for a whole number of 64 bits."""
    check_whole(value, what)
    positive = exp.Literal.number(str(abs(value)))
    return exp.Neg(this=positive) if value < 0 else positive


def _is_read_exactly(size: float) -> bool:
    """Say whether a reader that divides by a power of ten finds the double.

    SQLite before 3.43 divides the digits by a power of ten, in extended precision where
    the machine has it. Both numbers are exact while they are small; then the quotient
    is right if it is rounded once, and here it is also right if rounded twice.
    """
    digits, _, exponent = repr(size).partition("e")
    places = len(digits.partition(".")[2]) - int(exponent or 0)
    number = int(digits.replace(".", ""))
    if number >= 2**53 or not -22 <= places <= 22:
        return False
    exact = Fraction(number) / Fraction(10) ** places
    return float(_rounded(exact, 64)) == size


def _rounded(number: Fraction, bits: int) -> Fraction:
    """Round to so many significant bits."""
    if not number:
        return number
    scale = bits - (number.numerator.bit_length() - number.denominator.bit_length())
    unit = Fraction(2) ** -scale
    while number / unit >= 2**bits:
        unit *= 2
    return round(number / unit) * unit


def _product(value: float) -> Any:
    """Write a double as its 53 bits, times or divided by powers of two."""
    part, exponent = math.frexp(value)
    bits = int(part * 2**53)
    zeros = (bits & -bits).bit_length() - 1
    exponent += zeros - 53
    number: exp.Expression = exp.cast(whole(bits >> zeros, "a number"), "double")
    while exponent:
        step = min(_STEP, abs(exponent))
        factor = exp.Literal.number(str(2**step))
        if exponent > 0:
            number = exp.Mul(this=number, expression=factor)
        else:
            # SQLite divides so anyhow; sqlglot need not add casts.
            number = exp.Div(this=number, expression=factor, typed=True, safe=True)
        exponent += step if exponent < 0 else -step
    return number
