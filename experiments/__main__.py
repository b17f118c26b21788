"""Run a protocol and write its results: ``python -m experiments --help``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from experiments.check import check
from experiments.protocol import PROTOCOLS
from experiments.sources import MODULES, all_tasks
from experiments.tasks import progress, run_tasks
from experiments.write import render, write_records
from faircg.cli.exits import leaving_on_sigterm

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "results.md"
PAGE_PROTOCOL = "standard"
"""The protocol that the results page is made from."""


def duration(seconds: float) -> str:
    """Write a time in minutes or hours.

    Examples
    --------
    >>> duration(90), duration(36_000)
    ('2 minutes', '10.0 hours')
    """
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"


def main(arguments: list[str] | None = None) -> int:
    """Run what was asked for; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description="The paper's tables and figures, and the peers, on the same folds.",
    )
    parser.add_argument("protocol", choices=PROTOCOLS)
    parser.add_argument(
        "--only", nargs="*", default=[], choices=MODULES, help="sources"
    )
    parser.add_argument("--data", nargs="*", default=[], help="data sets")
    parser.add_argument("--jobs", type=int, default=2, help="tasks at a time")
    parser.add_argument(
        "--minutes", type=float, help="start no task after so long; run again to go on"
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument(
        "--render",
        action="store_true",
        help="run nothing; write tables, figures and the page from the CSV files",
    )
    asked = parser.parse_args(arguments)
    protocol = PROTOCOLS[asked.protocol]
    folder = asked.results / protocol.name
    tasks = all_tasks(protocol)
    chosen = [
        task
        for task in all_tasks(protocol, asked.only)
        if not asked.data or getattr(task, "data", "compas") in asked.data
    ]
    if not asked.render:
        state = progress(chosen, folder)
        print(
            f"protocol {protocol.name}: {state.n_done} of {state.n_tasks} tasks are "
            f"done ({duration(state.seconds_done)} of work); the rest takes at most "
            f"about {duration(state.most_seconds_left / asked.jobs)} with {asked.jobs} "
            "at a time, and less where a search ends by proof. Stop at any time and "
            "run again to go on.",
            flush=True,
        )
        with leaving_on_sigterm():
            run_tasks(chosen, folder, n_jobs=asked.jobs, minutes=asked.minutes)
        state = progress(tasks, folder)
        if state.n_done < state.n_tasks:
            left = state.n_tasks - state.n_done
            print(f"{left} of {state.n_tasks} tasks are left; run again to go on")
            return 0
        write_records(protocol, tasks, folder)
    is_published = protocol.name == PAGE_PROTOCOL and asked.results == RESULTS
    render(folder, PAGE if is_published else folder / "results.md")
    problems = check(protocol, folder)
    for problem in problems:
        print(f"wrong: {problem}", file=sys.stderr)
    if not problems:
        print(f"every table and figure is in {folder}, and every cell was recounted")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
