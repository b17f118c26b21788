"""How commands end: the exit codes, and what they mean."""

from __future__ import annotations

import os
import sys
from typing import Final

from faircg.exceptions import FairCGError

BAD_INPUT: Final = 1
NOT_MET: Final = 3
INTERRUPTED: Final = 130

EPILOG: Final = (
    "Exit codes: 0 done; 1 the data, a file or a value given cannot be used (one line "
    "says why); 2 wrong usage, such as an unknown option; 3 a target that was asked "
    "for is not met (evaluate --check, frontier --target-gap, --target-accuracy); 130 "
    "interrupted. An existing output file is replaced at once when its successor is "
    "complete, never before. Shell completion: faircg --install-completion."
)


class TargetNotMetError(FairCGError):
    """Everything worked, and the answer is not the one that was demanded."""


def close_output() -> None:
    """Forget about standard output, whose reader has gone away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
