"""Measure by mutmut how many small changes of the code the tests notice.

``make mutation`` calls it. Targets, each with the tests that are about it, are in
pyproject.toml under ``tool.mutation``. A target is worked on in ``build/mutation`` in a
folder of its own, where mutmut can be asked further (``mutmut show NAME``). Run again,
it goes on where it was stopped.

An editable install finds ``faircg`` in ``src`` before anything else, and mutmut would
test the code that it did not change. So what finds it there is taken away, and only the
compiled kernel is kept. mutmut changes no property and nothing outside of functions.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
KERNEL = "faircg._kernel._native"
SHARED = ("src", "tests", "docs", "experiments", "README.md", "CONTRIBUTING.md")
"""What tests read, beside the settings in pyproject.toml."""


def targets() -> dict[str, dict[str, Any]]:
    """Return what is measured: patterns of files, and tests."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = tomllib.loads(text)["tool"]["mutation"]
    return found


def only_the_kernel() -> None:
    """Forget the package that is installed, and where it is, but not its kernel."""
    kernel = importlib.import_module(KERNEL)
    for name in [name for name in sys.modules if name.partition(".")[0] == "faircg"]:
        del sys.modules[name]
    sys.modules[KERNEL] = kernel
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if not hasattr(finder, "known_source_files")
    ]


def enter(target: str) -> None:
    """Make the folder of a target and go there."""
    folder = ROOT / "build" / "mutation" / target
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*SHARED, "pyproject.toml"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    os.chdir(folder)


def measure(target: str, endings: str) -> None:
    """Try the mutants of a target, or those whose number ends with these digits."""
    enter(target)
    only_the_kernel()
    asked = targets()[target]
    config = importlib.import_module("mutmut.configuration").config()
    config.only_mutate = asked["code"]
    config.pytest_add_cli_args_test_selection = asked["tests"]
    functions = asked.get("functions", ["*"] if endings else [])
    names = [f"{name}__mutmut_*{end}" for name in functions for end in endings or "*"]
    cli = importlib.import_module("mutmut.__main__").cli
    cli.main(["run", "--max-children=1", *names], standalone_mode=False)


def tell(target: str) -> None:
    """Print the share of a target's mutants that tests notice, and keep the others."""
    status = importlib.import_module("mutmut.stats").status_by_exit_code
    folder = ROOT / "build" / "mutation" / target
    counts: Counter[str] = Counter()
    missed = []
    for path in sorted((folder / "mutants" / "src").rglob("*.meta")):
        known = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
        for name, code in known.items():
            said = "not tried" if code is None else status[code]
            counts[said] += 1
            if said in ("survived", "no tests"):
                missed.append(f"{name} ({said})")
    tried = counts.total() - counts["not tried"]
    killed = tried - counts["survived"] - counts["no tests"]
    (folder / "survivors.txt").write_text("\n".join(missed) + "\n", encoding="utf-8")
    share = 100 * killed / max(1, tried)
    print(f"{target}: {killed} of {tried} mutants noticed ({share:.1f} %), {counts}")


def main() -> None:
    """Measure some targets, each in a process of its own, and tell what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="all by default")
    parser.add_argument("--endings", default="", help="16: every fifth mutant or so")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        measure(asked.targets[0], asked.endings)
        return
    wanted = asked.targets or [*targets()]
    for target in wanted:
        command = [sys.executable, __file__, target, "--one"]
        subprocess.run([*command, f"--endings={asked.endings}"], check=True)
    for target in wanted:
        tell(target)


if __name__ == "__main__":
    main()
