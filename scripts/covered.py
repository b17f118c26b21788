"""Print the shares of lines and branches that tests run, from coverage's JSON file.

``make coverage`` calls it. It ends with an error below the shares that we ask for.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

LEAST = {"lines": 95.0, "branches": 90.0}
"""Percent of each that tests must run."""
SHOWN = 10
"""Files with the most missed lines that are named."""


def shares(totals: dict[str, Any]) -> dict[str, float]:
    """Return the percent of lines and of branches that ran."""
    counts = {
        "lines": (totals["covered_lines"], totals["num_statements"]),
        "branches": (totals["covered_branches"], totals["num_branches"]),
    }
    return {what: 100 * ran / max(1, all_) for what, (ran, all_) in counts.items()}


def main(path: str) -> None:
    """Print the shares and the files that miss most."""
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    files = found["files"].items()
    most = sorted(files, key=lambda file: -len(file[1]["missing_lines"]))[:SHOWN]
    print(f"{'missed':>6} {'branches':>8}  file")
    for name, file in most:
        missed = file["summary"]["missing_branches"]
        print(f"{len(file['missing_lines']):6} {missed:8}  {name}")
    ran = shares(found["totals"])
    for what, share in ran.items():
        print(f"{what}: {share:.2f} % ran, {LEAST[what]:g} % asked")
    if any(share < LEAST[what] for what, share in ran.items()):
        raise SystemExit("tests run less of the code than we ask for")


if __name__ == "__main__":
    main(sys.argv[1])
