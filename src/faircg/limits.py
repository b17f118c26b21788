"""Limits of a fit, on time and on work, and how they are said."""

from __future__ import annotations

from math import inf
from typing import Final

DEFAULT_SECONDS: Final = 60.0
"""Seconds for a fit without any limit."""


def seconds_of(
    time_limit: float | None,
    work_limit: float | None,
    default: float = DEFAULT_SECONDS,
) -> float:
    """Return the seconds that a fit may take; any number, if only work is limited.

    Examples
    --------
    >>> seconds_of(None, None), seconds_of(5, 2.0), seconds_of(None, 2.0)
    (60.0, 5.0, inf)
    """
    if time_limit is not None:
        return float(time_limit)
    return default if work_limit is None else inf


def limit_words(time_limit: float | None, work_limit: float | None) -> str:
    """Say how far a fit may go.

    Examples
    --------
    >>> limit_words(5, None), limit_words(None, 2.5)
    ('5 s', '2.5 units of work')
    """
    seconds = seconds_of(time_limit, work_limit)
    words = [] if seconds == inf else [f"{seconds:g} s"]
    if work_limit is not None:
        words.append(f"{work_limit:g} units of work")
    return " or ".join(words)
