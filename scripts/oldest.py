"""Print the lowest version that pyproject.toml allows of each package, as pip's pins.

``make test-oldest`` installs these: ``numpy>=2.0`` is tested with 2.0.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

LOWEST = re.compile(r"([\w.-]+)(?:\[[\w,.-]+\])?[>~]=([\w.]+)")


def pins(project: dict[str, Any]) -> list[str]:
    """Return a pin for each requirement of the package and of its extras."""
    needed = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        needed += extra
    found = [match.groups() for match in map(LOWEST.match, needed) if match]
    # Where two extras differ, both get what the more demanding one needs.
    lowest = dict(sorted(found, key=lambda pin: [*map(int, pin[1].split("."))]))
    return sorted(map("==".join, lowest.items()))


if __name__ == "__main__":
    text = Path("pyproject.toml").read_text(encoding="utf-8")
    print(*pins(tomllib.loads(text)["project"]), sep="\n")
