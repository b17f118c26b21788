"""When a search stops early, and on how many threads it runs."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from faircg._kernel.checks import check_int, check_number
from faircg._kernel.loader import compiled

if TYPE_CHECKING:
    from collections.abc import Callable


class StopFlag:
    """Ask a running search to stop, from another thread or a signal handler."""

    def __init__(self) -> None:
        self._is_set = False
        self.native: Any = None if compiled is None else compiled.StopFlag()

    def set(self) -> None:
        """Stop every search that was given this flag."""
        self._is_set = True
        if self.native is not None:
            self.native.set()

    def is_set(self) -> bool:
        """Whether :meth:`set` was called."""
        return self._is_set


@dataclass(frozen=True, eq=False, kw_only=True)
class Limits:
    """When to stop early, and on how many threads to run until then."""

    threads: int = 1
    """Decides how fast the answer comes, never what it is."""
    seconds: float = math.inf
    stop: StopFlag | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_int("threads", self.threads, least=1)
        check_number("seconds", self.seconds)
        if self.stop is not None and not isinstance(self.stop, StopFlag):
            raise TypeError(
                f"stop must be a StopFlag or None, not {type(self.stop).__name__}"
            )

    def native(self) -> Any:
        """Return the same for the compiled kernel."""
        assert compiled is not None
        stop = None if self.stop is None else self.stop.native
        return compiled.Limits(min(int(self.threads), 1 << 20), self.seconds, stop)

    def clock(self) -> Callable[[], bool]:
        """Start a clock: a function that tells whether to stop."""
        end = time.monotonic() + self.seconds

        def is_over() -> bool:
            if self.stop is not None and self.stop.is_set():
                return True
            return time.monotonic() >= end

        return is_over


NO_LIMITS = Limits()
"""One thread, until done."""
