"""Checks of plain arguments that all searches share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


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
