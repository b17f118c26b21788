"""The reliability matrix: which tests stand for which row, counted as they run.

``make test`` and ``make test-long`` print it and keep their counts under ``build``;
``python tests/matrix.py`` writes ``docs/reliability.md`` from both.
"""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "matrix"
PAGE = ROOT / "docs" / "reliability.md"
RUNS = {
    run: f"make {run}" for run in ("test", "test-long", "test-oldest", "test-newest")
}
"""The runs that are kept, and what starts each."""
OUTCOMES = ("passed", "failed", "skipped")


@dataclass(frozen=True)
class Row:
    """One row: what is looked at, in which files, or why there are none."""

    name: str
    what: str
    files: tuple[str, ...] = ()
    elsewhere: str = ""


ROWS = (
    Row(
        "A",
        "answers and certificates against a list of all rule sets",
        (
            "colgen/test_oracle.py",
            "colgen/test_every_criterion.py",
            "colgen/test_ways_to_stop.py",
            "colgen/test_coverage.py",
            "colgen/test_paper_examples.py",
            "colgen/test_compas.py",
            "fairness/test_guide_criteria.py",
            "test_policy.py",
            "test_policy_price.py",
            "test_sides.py",
        ),
    ),
    Row(
        "B",
        "pricing and the kernel against a list of all rules",
        (
            "colgen/test_pricing.py",
            "colgen/test_sliced.py",
            "colgen/test_signatures.py",
            "kernel/test_arguments.py",
            "kernel/test_bits.py",
            "kernel/test_enumerate.py",
            "kernel/test_rule_sets.py",
            "kernel/test_search.py",
        ),
    ),
    Row(
        "C",
        "bounds and duals against the solver and against enumeration",
        (
            "colgen/test_costs.py",
            "colgen/test_duals.py",
            "colgen/test_equal_rates.py",
            "colgen/test_large.py",
            "colgen/test_prove.py",
            "colgen/test_recounted.py",
        ),
    ),
    Row(
        "D",
        "a second solver (SCIP) on the same masters, presolve on and off, three seeds",
        ("solver/test_second_solver.py",),
    ),
    Row(
        "E",
        "rates and gaps recounted exactly, against fractions and fairlearn",
        (
            "evaluate/test_counts.py",
            "evaluate/test_weights.py",
            "fairness/test_metrics.py",
            "fairness/test_rates.py",
            "report/test_counting.py",
        ),
    ),
    Row(
        "F",
        "scikit-learn's checks of estimators, and life with scikit-learn",
        (
            "classifier/test_scikit_learn.py",
            "search/test_scikit_learn.py",
            "test_estimator_checks.py",
        ),
    ),
    Row(
        "G",
        "bad input: type and words of each error",
        (
            "cli/test_awkward_files.py",
            "cli/test_edges.py",
            "test_bad_input.py",
            "test_told_apart.py",
        ),
    ),
    Row(
        "H",
        "faults: solver, signals, processes, disks, clocks",
        (
            "classifier/test_checkpoint.py",
            "classifier/test_stopping.py",
            "cli/test_faults.py",
            "cli/test_interrupts.py",
            "kernel/test_stopping.py",
            "search/test_cluster.py",
            "test_fault_injection.py",
            "test_processes.py",
            "test_stop.py",
        ),
    ),
    Row(
        "I",
        "properties of random data",
        ("colgen/test_properties.py", "test_properties.py"),
    ),
    Row(
        "J",
        "exports decide as predict does",
        (
            "export/test_agreement.py",
            "export/test_agreement_on_servers.py",
            "export/test_formats.py",
            "export/test_sql.py",
        ),
    ),
    Row(
        "K",
        "hostile names and values stay text",
        ("export/test_injection.py", "report/test_rendering.py"),
    ),
    Row(
        "L",
        "model files: golden ones of every version, damaged ones",
        (
            "cli/test_golden_models.py",
            "export/test_json_model.py",
            "test_model.py",
        ),
    ),
    Row(
        "M",
        "the same answer for threads, hash seeds, locales, order and place of rows",
        (
            "classifier/test_sameness.py",
            "reduction/test_distinct_people.py",
            "reduction/test_where_tables_live.py",
        ),
    ),
    Row(
        "N",
        "deadlines: every stage looks at the clock",
        ("colgen/test_deadlines.py", "colgen/test_first.py"),
        "seconds and memory are measured by `make bench`, never by a test",
    ),
    Row(
        "O",
        "intervals cover the true value on simulated populations",
        ("evaluate/test_intervals.py",),
    ),
    Row(
        "P",
        "the paper's tables: committed results recounted cell by cell",
        ("experiments/test_committed.py", "experiments/test_counting.py"),
        "the fits themselves are run by `make paper`, in hours",
    ),
    Row(
        "Q",
        "several fits at once, nested joblib",
        ("classifier/test_at_once.py",),
    ),
    Row(
        "R",
        "lowest and newest versions of what is needed",
        (),
        "`make test-oldest` and `make test-newest` run these tests in environments of "
        "their own",
    ),
    Row(
        "S",
        "mutants of the code that no test notices",
        (),
        "`make mutation` asks mutmut; tests noticed 281 of all 296 in certificates, "
        "and of samples 298 of 317 in fairness, 77 of 82 in the recount, 54 of 59 in "
        "proofs and 146 of 159 in exports; but for the recount, tests were added for "
        "what these samples showed, so that the rest may do worse",
    ),
    Row(
        "T",
        "snippets of the guide, its build, the public interface",
        (
            "docs/test_build.py",
            "docs/test_snippets.py",
            "test_project.py",
            "test_public_api.py",
        ),
    ),
    Row("E1-E9", "sharp edges of the solver", ("solver/test_highs.py",)),
)
_ROW_OF = {f"tests/{file}": row.name for row in ROWS for file in row.files}


def cases_of(parameters: Mapping[str, Any]) -> int:
    """Say how many cases a test looks at: its ``count``, or one for each seed."""
    if "count" in parameters:
        return int(parameters["count"])
    return len(parameters.get("seeds", (0,)))


class Matrix:
    """Counts cases by row and outcome; a test that looks at many says how many.

    It is parametrised by ``count`` or by ``seeds``, or it says so itself by
    ``record_property("cases", number)``; others count once.
    """

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {row.name: Counter() for row in ROWS}

    def add(self, nodeid: str, outcome: str, cases: int = 1) -> None:
        """Count one test; those of no row are left out."""
        row = _ROW_OF.get(nodeid.partition("::")[0])
        if row is not None:
            self.counts[row][outcome] += cases

    def lines(self) -> list[str]:
        """Return the matrix as text."""
        header = f"{'row':6}{'passed':>8}{'failed':>8}{'skipped':>8}  what"
        return [header] + [
            f"{row.name:6}"
            + "".join(f"{self.counts[row.name][outcome]:8}" for outcome in OUTCOMES)
            + f"  {row.what}{f' ({row.elsewhere})' if row.elsewhere else ''}"
            for row in ROWS
        ]

    def keep(self, run: str) -> None:
        """Keep the counts of a run for the page."""
        KEPT.mkdir(parents=True, exist_ok=True)
        kept = {"about": about(), "counts": self.counts}
        text = json.dumps(kept, indent=1, sort_keys=True)
        (KEPT / f"{run}.json").write_text(text + "\n", encoding="utf-8")


def about() -> str:
    """Say when and where tests run."""
    packages = ("faircg", "highspy", "numpy", "pandas", "scikit-learn", "scipy")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return (
        f"{date.today():%Y-%m-%d}, Python {platform.python_version()}, {versions}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    )


def page(kept: dict[str, Any]) -> str:
    """Return the page on the counts of the runs that were kept."""
    runs = " | ".join(f"`{RUNS[run]}`" for run in kept)
    lines = [
        "---",
        "orphan: true",
        "---",
        "# Reliability",
        "",
        "What is tested, row by row, with the cases that the last runs counted. A case",
        "is one test, or one of many instances that a test makes up and compares.",
        "Written by `make reliability` from what the runs counted; do not edit.",
        "",
        *(f"* `{RUNS[run]}`: {known['about']}" for run, known in kept.items()),
        "",
        f"| row | what | {runs} | failures |",
        f"| --- | --- | {'---: | ' * len(kept)}---: |",
    ]
    for row in ROWS:
        counts = [known["counts"].get(row.name, {}) for known in kept.values()]
        passed = " | ".join(f"{known.get('passed', 0):,}" for known in counts)
        failed = sum(known.get("failed", 0) for known in counts)
        skipped = sum(known.get("skipped", 0) for known in counts)
        words = [row.what, row.elsewhere, f"{skipped:,} skipped" if skipped else ""]
        if not (row.elsewhere or passed.strip("0 |")):
            words.append("absent: no test ran")
        said = "; ".join(filter(None, words))
        lines.append(f"| {row.name} | {said} | {passed} | {failed:,} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page."""
    kept = {
        run: json.loads((KEPT / f"{run}.json").read_text(encoding="utf-8"))
        for run in RUNS
        if (KEPT / f"{run}.json").exists()
    }
    if not kept:
        raise SystemExit("no run was kept; run make test first")
    PAGE.write_text(page(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
