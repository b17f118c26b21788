"""Checks of plain arguments that all searches share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def check_int(name: str, value: Any, *, least: int) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an int, not {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, but is {value}")


def check_number(name: str, value: Any) -> None:
    """Refuse what is not a number; infinity is one."""
    if isinstance(value, bool) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        raise TypeError(f"{name} must be a number, not {value!r}")
    if math.isnan(value):
        raise ValueError(f"{name} must be a number, not NaN")


def check_price(name: str, value: Any) -> None:
    """Refuse what is not a finite number of at least zero."""
    check_number(name, value)
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} must be finite and not negative, but is {value}")


def checked_array(
    name: str, values: Any, dtype: type[np.generic], shape: tuple[int | None, ...]
) -> NDArray[Any]:
    """Return a contiguous array; None stands for any size along an axis.

    >>> checked_array("prices", np.ones(3), np.float64, (2,))
    Traceback (most recent call last):
    ValueError: prices must have shape (2,), not (3,)
    """
    values = np.asarray(values)
    if values.dtype != dtype:
        raise TypeError(f"{name} must have dtype {dtype.__name__}, not {values.dtype}")
    if values.ndim != len(shape) or any(
        size not in (None, found)
        for size, found in zip(shape, values.shape, strict=True)
    ):
        wanted = str(shape).replace("None", "any")
        raise ValueError(f"{name} must have shape {wanted}, not {values.shape}")
    return np.ascontiguousarray(values)


def checked_bits(name: str, values: Any, n_rows: int) -> NDArray[np.uint64]:
    """Return packed bits, with zeros beyond the last of ``n_rows`` rows."""
    bits = checked_array(name, values, np.uint64, (None, words_for(n_rows)))
    tail = n_rows % 64
    if tail and np.any(bits[:, -1] >> np.uint64(tail)):
        raise ValueError(f"{name} must be zero beyond the last row")
    return bits


def words_for(n_rows: int) -> int:
    """How many 64-bit words hold ``n_rows`` bits."""
    return -(-n_rows // 64)
