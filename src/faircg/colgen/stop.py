"""Deadline: one object says when everything ends, by time, by work or by Ctrl-C.

It is made once per fit and handed down to every part. Parts that may take long get a
shorter view of it (:meth:`Deadline.within`), never a clock of their own.

With a limit on the *work*, every part tells what it has done, in words of 64 bits read
or what takes as long, and shares of the limit are shares of that. Nothing then depends
on how fast the machine is, until the time is up as well.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import ceil, inf, isfinite
from typing import TYPE_CHECKING, Final, TypeVar

from faircg.exceptions import FairCGError
from faircg.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType


Step = TypeVar("Step")


class OutOfTimeError(FairCGError):
    """The deadline came in the midst of a step; whoever began it goes on without."""


WORDS_PER_UNIT: Final = 300_000_000
"""Words that make a unit of work: a processor of 2024 reads them in about a second."""


class Work:
    """What was done so far, in words; never how long that took."""

    def __init__(self) -> None:
        self.words = 0


@dataclass(frozen=True, slots=True)
class Deadline:
    """When to stop: at a time on the clock, or as soon as it is ``interrupted``.

    And, with a limit on the ``work``, when so many ``words`` are done. Whoever makes
    large arrays asks its ``memory`` before.

    Examples
    --------
    >>> deadline = Deadline.after(60)
    >>> deadline.is_set()
    False
    >>> deadline.within(0).is_set()
    True
    >>> counting = Deadline.after(60, work=2.0)
    >>> counting.spend(450_000_000)
    >>> counting.remaining()
    0.5
    """

    at: float = inf
    clock: Callable[[], float] = time.monotonic
    interrupted: threading.Event = field(default_factory=threading.Event)
    work: Work | None = None
    words: float = inf
    memory: Memory = field(default_factory=Memory)

    @classmethod
    def after(
        cls,
        seconds: float,
        *,
        work: float | None = None,
        memory: Memory | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> Deadline:
        """Stop so many seconds from now, or after so many units of work."""
        ends = cls(clock() + seconds, clock, memory=memory or Memory())
        if work is None:
            return ends
        return replace(ends, work=Work(), words=work * WORDS_PER_UNIT)

    def within(self, share: float) -> Deadline:
        """Return the same deadline, but at most so many seconds from now.

        Or so many units of work, if that is limited.
        """
        if self.work is None:
            return replace(self, at=min(self.at, self.clock() + share))
        words = self.work.words + share * WORDS_PER_UNIT
        return replace(self, words=min(self.words, words))

    def but_for(self, seconds: float) -> Deadline:
        """Return the same deadline, so many seconds earlier on the clock."""
        return replace(self, at=self.at - seconds)

    def at_least(self, seconds: float) -> Deadline:
        """Return the same deadline, but not within so many seconds from now."""
        return replace(self, at=max(self.at, self.clock() + seconds))

    def by_the_clock(self) -> Deadline:
        """Return the same for what only time may cut short.

        Its work is not counted, and after Ctrl-C a rule set is worth more than haste.
        """
        return replace(self, work=None, words=inf, interrupted=threading.Event())

    def remaining(self) -> float:
        """Seconds left, or units of work if that is limited; never negative."""
        if self.work is None:
            return self.seconds()
        return max(0.0, (self.words - self.work.words) / WORDS_PER_UNIT)

    def seconds(self) -> float:
        """Seconds left on the clock; never negative."""
        return max(0.0, self.at - self.clock())

    def is_set(self) -> bool:
        """Whether to stop now."""
        is_done = self.work is not None and self.work.words >= self.words
        return self.interrupted.is_set() or is_done or self.seconds() <= 0.0

    @property
    def is_counting(self) -> bool:
        """Whether work is what cuts a search short: it is limited, and time is left."""
        return self.work is not None and self.seconds() > 0.0

    def spend(self, words: int) -> None:
        """Count work that was done, in words read or in what takes as long."""
        if self.work is not None:
            self.work.words += words

    def steps(self, words: int) -> int | None:
        """Say how many steps of so many words it takes to be done; None if any."""
        if self.work is None or not isfinite(self.words):
            return None
        return max(0, ceil((self.words - self.work.words) / words))

    def check(self) -> None:
        """Leave a step that takes long, by an error, if it is time to stop."""
        if self.is_set():
            raise OutOfTimeError("the deadline came")

    def checking(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Check before each of many steps."""
        for step in steps:
            self.check()
            yield step

    def in_time(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Give the first of many steps, and the others until it is time to stop."""
        for number, step in enumerate(steps):
            if number and self.is_set():
                return
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
