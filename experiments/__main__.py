"""Run a protocol, and write its tables and figures: ``python -m experiments --help``."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments.protocol import PROTOCOLS
from experiments.tasks import progress, run_tasks
from experiments.sources import grid

RESULTS = Path(__file__).parent / "results"

if __name__ == "__main__":
    import sys

    p = PROTOCOLS[sys.argv[1]]
    todo = grid.tasks(p)
    if len(sys.argv) > 2:
        todo = [t for t in todo if t.data in sys.argv[2].split(",")]
    folder = RESULTS / p.name
    print(progress(todo, folder))
    run_tasks(todo, folder, n_jobs=2)
