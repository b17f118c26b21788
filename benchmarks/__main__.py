"""``make bench``: one command, a table in the terminal and a JSON file.

All comparisons are ratios, side by side in one run, because machines are noisy.
``--quick`` leaves out what takes minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import growth, kernel, predict, stopping
from benchmarks.instances import pricing_problem
from benchmarks.isolated import isolated, peak_megabytes

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


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    console = Console(width=140)
    results: dict[str, Any] = {"about": _about()}
    console.print(results["about"])

    def section(title: str, records: list[dict[str, Any]]) -> None:
        results[title] = records
        _print(console, title, records)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")

    limit = 20.0
    stages = [("compas", "first", 45), ("compas", "last", 45), ("adult", "first", 20)]
    if not quick:
        stages += [("adult", "last", 20), ("default", "first", 20)]
    section(
        "pricing the same duals",
        [r for stage in stages for r in isolated("benchmarks.pricing", *stage)],
    )
    compas = [pricing_problem("compas", stage) for stage in ("first", "last")]
    adult = pricing_problem("adult", "first" if quick else "last")
    section(
        "compiled against NumPy",
        kernel.compiled_against_numpy([*compas, adult], seconds=limit),
    )
    section("threads", kernel.threads([adult]))
    section("growth with D", kernel.growth_with_depth(adult))
    shallow = adult.with_depth(3)
    factors = (1, 3) if quick else (1, 3, 10, 30, 35)
    grown = kernel.growth_with_rows(shallow, factors)
    for record in grown:
        record["peak_megabytes_so_far"] = peak_megabytes()
    section("growth with rows (Adult perturbed, D=3)", grown)
    section(
        "predict against reading the CSV file",
        predict.against_reading(100_000 if quick else 1_000_000, 5),
    )
    section("growth", growth.growth(quick=quick))
    section("seconds late when told to stop", stopping.late())
    headline = HEADLINE[:2] if quick else HEADLINE
    section("whole fits", [isolated("benchmarks.fits", *case) for case in headline])
    grid = GRID[::7] if quick else GRID
    section(
        "COMPAS, every criterion", [isolated("benchmarks.fits", *case) for case in grid]
    )
    errors = ERRORS[::9] if quick else ERRORS
    section("COMPAS, wrong predictions", [_both(*case) for case in errors])
    four = _both("compas:race:sex", "odds", 0.05, 15, 6, 60)
    section("COMPAS by race and sex, wrong predictions", [four])
    section(
        "wrong predictions at scale",
        [isolated("benchmarks.fits", *case) for case in SCALE[: 1 if quick else None]],
    )
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


def _about() -> dict[str, Any]:
    names = ("faircg", "highspy", "numpy", "scikit-learn", "scipy")
    return {
        "date": date.today().isoformat(),
        "command": "make bench",
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
