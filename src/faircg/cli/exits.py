"""How commands end: the exit codes, and what they mean."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from faircg.exceptions import FairCGError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

BAD_INPUT: Final = 1
NOT_MET: Final = 3
INTERRUPTED: Final = 130
TERMINATED: Final = 128 + signal.SIGTERM

EPILOG: Final = (
    "Exit codes: 0 done; 1 the data, a file or a value given cannot be used (one line "
    "says why); 2 wrong usage, such as an unknown option; 3 a target that was asked "
    "for is not met (evaluate --check, frontier --target-gap, --target-accuracy); 130 "
    "interrupted; 143 terminated. An existing output file is replaced at once when its "
    "successor is complete, never before. Shell completion: faircg "
    "--install-completion."
)


class TargetNotMetError(FairCGError):
    """Everything worked, and the answer is not the one that was demanded."""


@contextmanager
def leaving_on_sigterm() -> Iterator[None]:
    """Let SIGTERM end this program as an error does: what it began is cleared away.

    Temporary files are removed and worker processes end with it; by default Python dies
    at once, and leaves both behind. Where somebody handles the signal, they go on to.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def leave(number: int, frame: FrameType | None) -> None:
        sys.exit(TERMINATED)

    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def close_output() -> None:
    """Forget about standard output, whose reader has gone away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
