"""Deadline: one object says when everything ends, by time or by Ctrl-C.

It is made once per fit and handed down to every part. Parts that may take long get a
shorter view of it (:meth:`Deadline.within`), never a clock of their own.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, TypeVar

from faircg.exceptions import FairCGError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType


Step = TypeVar("Step")


class OutOfTimeError(FairCGError):
    """The deadline came in the midst of a step; whoever began it goes on without."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """When to stop: at a time on the clock, or as soon as it is ``interrupted``.

    Examples
    --------
    >>> deadline = Deadline.after(60)
    >>> deadline.is_set()
    False
    >>> deadline.within(0).is_set()
    True
    """

    at: float = inf
    clock: Callable[[], float] = time.monotonic
    interrupted: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def after(
        cls, seconds: float, *, clock: Callable[[], float] = time.monotonic
    ) -> Deadline:
        """Stop so many seconds from now."""
        return cls(clock() + seconds, clock)

    def within(self, seconds: float) -> Deadline:
        """Return the same deadline, but at most so many seconds from now."""
        return Deadline(
            min(self.at, self.clock() + seconds), self.clock, self.interrupted
        )

    def remaining(self) -> float:
        """Seconds left; never negative."""
        return max(0.0, self.at - self.clock())

    def is_set(self) -> bool:
        """Whether to stop now."""
        return self.interrupted.is_set() or self.remaining() <= 0.0

    def check(self) -> None:
        """Leave a step that takes long, by an error, if it is time to stop."""
        if self.is_set():
            raise OutOfTimeError("the deadline came")

    def checking(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Check before each of many steps."""
        for step in steps:
            self.check()
            yield step

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Turn the first Ctrl-C into a stop; a second one interrupts as usual.

        Only Python's main thread receives signals; elsewhere this does nothing. Nor
        does it where another program runs Python and handles the signal itself.
        """
        is_main = threading.current_thread() is threading.main_thread()
        before = signal.getsignal(signal.SIGINT)
        if not is_main or before is None:
            yield
            return

        def on_interrupt(number: int, frame: FrameType | None) -> None:
            if self.interrupted.is_set():
                raise KeyboardInterrupt
            self.interrupted.set()

        signal.signal(signal.SIGINT, on_interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
