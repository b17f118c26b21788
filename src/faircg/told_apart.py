"""Values that are taken for one another: refused before they are counted as one.

Texts end at a NUL character in many programs, pandas' tables of distinct texts among
them; true, 1, 1.0 and "1" are one value in some programs and four in others; whole
numbers above 2^53 are not all floats; and the values below the mask of a masked array
are not there.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_EXACT: Final = 2**53
"""Whole numbers up to this are exact as floats."""


def check_texts(what: str, values: Iterable[object]) -> None:
    r"""Refuse texts with a NUL character.

    Examples
    --------
    >>> check_texts("feature 'job'", ["cook", "cook" + chr(0)])
    Traceback (most recent call last):
    ValueError: feature 'job' holds the text 'cook\x00' with a NUL character, where
    other programs end a text; remove it
    """
    values = values if isinstance(values, list) else list(values)
    with suppress(TypeError):  # not all are texts
        if "\0" not in "".join(values):  # type: ignore[arg-type]
            return  # in a tenth of the time
    for value in values:
        if isinstance(value, str) and "\0" in value:
            raise ValueError(
                f"{what} holds the text {value!r} with a NUL character, where other "
                "programs end a text; remove it"
            )


def check_kinds(what: str, values: Iterable[object]) -> None:
    """Refuse values of several kinds: texts, numbers and booleans are not mixed.

    Examples
    --------
    >>> check_kinds("y", [1, 2.0, 1])
    >>> check_kinds("y", [1, True])
    Traceback (most recent call last):
    ValueError: y mixes numbers and booleans, such as 1 and True, which are easily taken
    for one another; make them all texts, or all numbers
    """
    found: dict[str, object] = {}
    for value in values:
        found.setdefault(_kind(value), value)
    if len(found) > 1:
        (one, first), (other, second), *_ = found.items()
        raise ValueError(
            f"{what} mixes {one} and {other}, such as {first!r} and {second!r}, which "
            "are easily taken for one another; make them all texts, or all numbers"
        )


def check_whole(what: str, numbers: np.ndarray[Any, Any]) -> None:
    """Refuse whole numbers that would be rounded; others are floats already."""
    if numbers.dtype.kind == "O":
        whole = [n for n in numbers.tolist() if isinstance(n, int) and n is not True]
    else:
        is_whole = numbers.dtype.kind in "iu" and len(numbers)
        whole = [int(numbers.min()), int(numbers.max())] if is_whole else []
    largest = max(whole, key=abs, default=0)
    if abs(largest) > MOST_EXACT:
        raise ValueError(
            f"{what} holds {largest}: whole numbers above 2^53 are rounded when they "
            "are compared; write them as texts, or in a larger unit"
        )


def check_unmasked(**given: object) -> None:
    """Refuse masked arrays, whose masks nobody would see.

    Examples
    --------
    >>> check_unmasked(y=np.ma.masked_array([1, 2], mask=[False, True]))
    Traceback (most recent call last):
    ValueError: y is a masked array; fill it, for example with y.filled(np.nan)
    """
    for name, data in given.items():
        if isinstance(data, np.ma.MaskedArray) and np.ma.getmaskarray(data).any():
            raise ValueError(
                f"{name} is a masked array; fill it, for example with "
                f"{name}.filled(np.nan)"
            )


def _kind(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "booleans"
    return "texts" if isinstance(value, str) else "numbers"
