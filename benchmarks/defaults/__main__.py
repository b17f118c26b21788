"""``make bench-defaults``: measure the plain call, and write docs/defaults.md.

Can be stopped at any time and goes on when run again. ``--quick`` takes one fold of the
small data sets and writes no page; ``--again`` forgets what was measured of a method.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from unittest.mock import patch

from benchmarks.defaults.data import SOURCES
from benchmarks.defaults.measuring import FOLDS, RECORDS, measure_all, records
from benchmarks.defaults.methods import CUTS, METHODS
from benchmarks.defaults.page import page
from faircg import question
from faircg.colgen.stop import Deadline

PAGE = Path("docs/defaults.md")
QUICK = ("german", "loans", "law")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.defaults", description=__doc__
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--again", choices=[*METHODS], action="append", default=[])
    parser.add_argument("--cuts", action="store_true", help="other cut points too")
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="count the time limit of our fits in seconds of processor time, for a "
        "machine that others use too",
    )
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.again:
        kept = [r for r in records() if r["method"] not in asked.again]
        RECORDS.write_text("".join(json.dumps(r) + "\n" for r in kept), "utf-8")
    if asked.processor_time:
        after = partial(Deadline.after, clock=time.process_time)
        counting = type("Deadline", (), {"after": staticmethod(after)})
        patch.object(question, "Deadline", counting).start()  # an error if not there
    names = [*QUICK] if asked.quick else [*SOURCES]
    methods = [*METHODS, *(CUTS if asked.cuts else ())]
    measure_all(names, methods, 1 if asked.quick else FOLDS)
    if not asked.quick:
        command = "make bench-defaults"
        if sys.argv[1:]:
            command += f' OPTIONS="{" ".join(sys.argv[1:])}"'
        PAGE.write_text(page(records(), command), "utf-8")
        print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
