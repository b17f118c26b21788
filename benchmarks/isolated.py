"""Measure in a process of its own: its memory and its leftover threads end with it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def isolated(module: str, *arguments: object) -> Any:
    """Run ``python -m module arguments`` and read the JSON of its last line."""
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])
