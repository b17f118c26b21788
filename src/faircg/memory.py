"""Memory: how much a fit may take; large arrays ask before they are made.

What is needed is worked out from sizes, so that a table which is too large ends with
one line that says what to do, and not with the process killed by the system.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final

from faircg.exceptions import MemoryLimitError

GIGABYTE: Final = 10**9
SHARE: Final = 0.5
"""Part of the free memory that a fit may take unless it is told another limit."""
FREE: Final = Path("/proc/meminfo")
GROUPS: Final = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)
"""Files with the limit and the use of a container, of both kinds that there are."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that a fit may take beside the table that it is given.

    Examples
    --------
    >>> memory = Memory.of(2)
    >>> memory.check(1_000_000_000, "the conditions", "exclude features")
    >>> memory.check(3_500_000_000, "the conditions", "exclude features")
    Traceback (most recent call last):
    faircg.exceptions.MemoryLimitError: the conditions need about 3.5 GB, and the memory
    limit is 2 GB; exclude features, or raise memory_limit
    """

    limit: float = inf

    @classmethod
    def of(cls, gigabytes: float | None) -> Memory:
        """Return a limit in gigabytes; None is a share of what is free."""
        return cls(SHARE * free_bytes() if gigabytes is None else gigabytes * GIGABYTE)

    def check(self, needed: float, what: str, instead: str) -> None:
        """Refuse what needs more bytes than there may be."""
        if needed > self.limit:
            raise MemoryLimitError(
                f"{what} need about {_said(needed)}, and the memory limit is "
                f"{_said(self.limit)}; {instead}, or raise memory_limit"
            )


def _said(size: float) -> str:
    """Say a number of bytes."""
    if size < GIGABYTE / 10:
        return f"{1000 * size / GIGABYTE:.3g} MB"
    return f"{size / GIGABYTE:.3g} GB"


def free_bytes() -> float:
    """Return how much memory this process could still take; infinity if unknown."""
    found = [_free_of_machine()]
    for most, used in GROUPS:
        limit, use = _number(most), _number(used)
        if limit is not None and use is not None:
            found.append(max(0.0, limit - use))
    return min(found)


def _free_of_machine() -> float:
    """Return what is free, or where nobody says that, all there is."""
    with suppress(OSError, ValueError):
        lines = dict(line.split(":", 1) for line in FREE.read_text().splitlines())
        if "MemAvailable" in lines:
            return 1024.0 * int(lines["MemAvailable"].split()[0])
    with suppress(AttributeError, OSError, ValueError):
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return inf


def _number(file: Path) -> float | None:
    try:
        return float(int(file.read_text()))
    except (OSError, ValueError):  # no such container, or no limit ("max")
        return None
