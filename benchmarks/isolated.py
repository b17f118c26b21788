"""Measure in a process of its own: its memory and its leftover threads end with it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any


def peak_megabytes() -> float:
    """Return the largest memory of this process so far.

    Linux hands the peak of a parent process on to its children in ``ru_maxrss``, so
    its own account is read where there is one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def isolated(module: str, *arguments: object) -> Any:
    """Run ``python -m module arguments`` and read the JSON of its last line."""
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])
