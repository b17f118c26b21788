"""Threads that begin, or say that they cannot."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE: Final = 10.0
"""Seconds that a thread may take to begin, on a busy machine too."""


class Worker(threading.Thread):
    """A thread in the background, whose start fails where there is no memory for it.

    Python itself waits without end for a thread that fails before its first line: a
    fit within a limit on memory stood still for ever.
    """

    def __init__(self, work: Callable[[], object], name: str) -> None:
        super().__init__(target=work, name=name, daemon=True)
        self._started = _Begun()

    def start(self) -> None:
        """Begin to work."""
        try:
            super().start()
        except RuntimeError as error:  # the system has no place for one more
            raise MemoryError(f"{error}; is there memory left?") from None


class _Begun(threading.Event):
    """What ``Thread.start`` waits for."""

    def wait(self, timeout: float | None = None) -> bool:
        if not super().wait(PATIENCE if timeout is None else timeout):
            raise MemoryError("a thread could not begin; is there memory left?")
        return True
