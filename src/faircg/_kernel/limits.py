"""When a search stops early, and on how many threads it runs."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from faircg._kernel.checks import check_int, check_number
from faircg._kernel.loader import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MOST_WORDS = 1 << 62  # more than any search reads; fits the kernel's ints


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


class Meter:
    """Counts the words that a search reads, and ends it after ``most`` of them.

    So it ends at the same rule on every machine; it must run on one thread.
    """

    def __init__(self, most: int) -> None:
        check_int("most", most, least=0)
        self.most, self.words = int(most), 0

    @property
    def is_full(self) -> bool:
        """Whether all words are read."""
        return self.words >= self.most


@dataclass(frozen=True, eq=False, kw_only=True)
class Limits:
    """When to stop early, and on how many threads to run until then."""

    threads: int = 1
    """Decides how fast the answer comes, never what it is."""
    seconds: float = math.inf
    stop: StopFlag | None = field(default=None, repr=False)
    meter: Meter | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_int("threads", self.threads, least=1)
        check_number("seconds", self.seconds)
        if self.stop is not None and not isinstance(self.stop, StopFlag):
            raise TypeError(
                f"stop must be a StopFlag or None, not {type(self.stop).__name__}"
            )
        if self.meter is not None and self.threads > 1:
            raise ValueError("a search whose words are counted runs on one thread")

    @contextmanager
    def native(self) -> Iterator[Any]:
        """Give the same to the compiled kernel, and read its meter after that."""
        assert compiled is not None
        stop = None if self.stop is None else self.stop.native
        most = -1 if self.meter is None else min(self.meter.most, _MOST_WORDS)
        threads = min(int(self.threads), 1 << 20)
        given = compiled.Limits(threads, self.seconds, stop, most)
        yield given
        if self.meter is not None:
            self.meter.words += given.words

    def clock(self) -> Callable[[int], bool]:
        """Start a clock: a function that is told words read, and says when to stop."""
        end = time.monotonic() + self.seconds

        def is_over(words: int) -> bool:
            if self.meter is not None:
                if self.meter.is_full:
                    return True
                self.meter.words += words
            if self.stop is not None and self.stop.is_set():
                return True
            return time.monotonic() >= end

        return is_over


NO_LIMITS = Limits()
"""One thread, until done."""
