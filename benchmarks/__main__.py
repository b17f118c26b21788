"""``make bench``: one command, a table in the terminal and a JSON file.

All comparisons are ratios, side by side in one run, because machines are noisy.
``--quick`` leaves out what takes minutes and writes no file; ``--only TITLE`` measures
one part anew and leaves the others of the file as they are. The file says of each part
when and with which versions it was measured.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks import deadlines, fit_command, growth, kernel, predict, stopping
from benchmarks.instances import pricing_problem
from benchmarks.isolated import isolated, peak_megabytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.kernel import NamedProblem

RESULTS = Path(__file__).parent / "results.json"
HEADLINE = [
    ("compas", "opportunity", 0.05, 15, 6, 60),
    ("adult", "opportunity", 0.05, 20, 4, 300),
    ("adult", "odds", 0.05, 20, 4, 300),
    ("default", "opportunity", 0.025, 15, 3, 300),
    ("default", "opportunity", 0.025, 15, 4, 300),
]
GRID = [
    ("compas", criterion, epsilon, complexity, 6, 60)
    for criterion, epsilons in (
        ("none", (1,)),
        ("opportunity", (0, 0.01, 0.05, 0.1, 1)),
        ("odds", (0, 0.01, 0.05, 0.1, 1)),
    )
    for epsilon in epsilons
    for complexity in (5, 10, 15, 20, 30)
]

ERRORS = [
    ("compas", criterion, epsilon, complexity, 6, 60)
    for criterion, epsilons in (
        ("none", (1,)),
        ("opportunity", (0.01, 0.05, 0.1)),
        ("odds", (0.01, 0.05, 0.1)),
        ("parity", (0.01, 0.05, 0.1)),
        ("predictive", (0.01, 0.05, 0.1)),
    )
    for epsilon in epsilons
    for complexity in (5, 10, 15, 20, 30)
]
"""Wrong predictions, proven, and beside them what the Hamming engine returns."""
SCALE = [
    ("adult", "opportunity", 0.05, 20, 4, 300, "zero_one"),
    ("default", "fourfifths", 0.8, 15, 3, 300, "zero_one"),
    ("adult:sex:race", "parity", 0.05, 20, 3, 300),
]
"""Large tables; people of Adult by sex and race, small groups merged."""


def _pricing(quick: bool) -> list[dict[str, Any]]:
    stages = [("compas", "first", 45), ("compas", "last", 45), ("adult", "first", 20)]
    if not quick:
        stages += [("adult", "last", 20), ("default", "first", 20)]
    return [r for stage in stages for r in isolated("benchmarks.pricing", *stage)]


def _adult(quick: bool) -> NamedProblem:
    return pricing_problem("adult", "first" if quick else "last")


def _compiled(quick: bool) -> list[dict[str, Any]]:
    compas = [pricing_problem("compas", stage) for stage in ("first", "last")]
    return kernel.compiled_against_numpy([*compas, _adult(quick)], seconds=20.0)


def _grown(quick: bool) -> list[dict[str, Any]]:
    factors = (1, 3) if quick else (1, 3, 10, 30, 35)
    grown = kernel.growth_with_rows(_adult(quick).with_depth(3), factors)
    for record in grown:
        record["peak_megabytes_so_far"] = peak_megabytes()
    return grown


def _fits(cases: Sequence[tuple[object, ...]]) -> list[dict[str, Any]]:
    return [isolated("benchmarks.fits", *case) for case in cases]


SECTIONS: Final[dict[str, Callable[[bool], list[dict[str, Any]]]]] = {
    "pricing the same duals": _pricing,
    "compiled against NumPy": _compiled,
    "threads": lambda quick: kernel.threads([_adult(quick)]),
    "growth with D": lambda quick: kernel.growth_with_depth(_adult(quick)),
    "growth with rows (Adult perturbed, D=3)": _grown,
    "predict against reading the CSV file": lambda quick: predict.against_reading(
        100_000 if quick else 1_000_000, 5
    ),
    "fit from CSV against the fit itself": lambda quick: fit_command.beyond_the_fit(
        2 if quick else 7
    ),
    "growth": lambda quick: growth.growth(quick=quick),
    "seconds late when told to stop": lambda quick: stopping.late(),
    "time limits and memory": lambda quick: deadlines.deadlines(quick=quick),
    "whole fits": lambda quick: _fits(HEADLINE[: 2 if quick else None]),
    "COMPAS, every criterion": lambda quick: _fits(GRID[:: 7 if quick else 1]),
    "COMPAS, wrong predictions": lambda quick: [
        _both(*case) for case in ERRORS[:: 9 if quick else 1]
    ],
    "COMPAS by race and sex, wrong predictions": lambda quick: [
        _both("compas:race:sex", "odds", 0.05, 15, 6, 60)
    ],
    "wrong predictions at scale": lambda quick: _fits(SCALE[: 1 if quick else None]),
}
"""What is measured, in this order, and how."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="append", choices=SECTIONS, metavar="TITLE")
    asked = parser.parse_args()
    console = Console(width=140)
    results: dict[str, Any] = {"about": {}}
    if asked.only:
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    for title in asked.only or SECTIONS:
        records = SECTIONS[title](asked.quick)
        results[title], results["about"][title] = records, _about(asked.quick)
        _print(console, title, records)
        if not asked.quick:
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    console.print(_about(asked.quick))
    if not asked.quick:
        console.print(f"Wrote {RESULTS.relative_to(Path.cwd())}")


def _both(*case: object) -> dict[str, Any]:
    """Search by wrong predictions, and beside it by Hamming loss in the same time."""
    proven, beside = (
        isolated("benchmarks.fits", *case, objective, "exact")
        for objective in ("zero_one", "hamming")
    )
    return {
        **proven,
        "hamming_errors": beside["errors"],
        "hamming_seconds": beside["seconds"],
    }


def _about(quick: bool) -> dict[str, Any]:
    names = ("faircg", "highspy", "numpy", "scikit-learn", "scipy")
    return {
        "date": date.today().isoformat(),
        "command": "python -m benchmarks" + (" --quick" if quick else ""),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in names},
        "cores": os.cpu_count(),
        "processor": platform.machine(),
    }


def _print(console: Console, title: str, records: list[dict[str, Any]]) -> None:
    columns = list(dict.fromkeys(key for record in records for key in record))
    table = Table(*columns, title=title)
    for record in records:
        table.add_row(*(_text(record.get(column)) for column in columns))
    console.print(table)


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
