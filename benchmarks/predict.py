"""``faircg predict`` on a million rows, against only reading them.

Both are measured as a user meets them, as commands with start-up, and without it, in
turns in one run. The rows are drawn from Adult, with its 14 columns.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from faircg import Condition, Rule, RuleSet, RuleSetModel
from faircg.datasets import load_adult
from faircg.model import Feature
from faircg.tables.at_once import write_at_once
from faircg.tables.decide import Decisions
from faircg.tables.source import open_source
from faircg.tables.write import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable

READ = "import sys, pandas; pandas.read_csv(sys.argv[1])"
NUMBERS = ("age", "capital_gain", "capital_loss", "education_num", "hours_per_week")


def against_reading(n_rows: int, rounds: int) -> list[dict[str, Any]]:
    """Return medians of seconds, and their ratio."""
    with tempfile.TemporaryDirectory() as directory:
        data, out = Path(directory) / "people.csv", Path(directory) / "out.csv"
        file = Path(directory) / "model.json"
        adult = load_adult().X
        model = rules_on_adult(adult)
        model.save(file)
        adult.sample(n_rows, replace=True, random_state=0).to_csv(data, index=False)
        faircg = Path(sys.executable).with_name("faircg")

        def predict() -> None:
            decisions = Decisions(model, open_source(str(data)))
            write_at_once(decisions, Wanted("prediction"), str(out), out)

        pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
            "commands": (
                lambda: _run(sys.executable, "-c", READ, data),
                lambda: _run(faircg, "predict", file, data, "-o", out, "-q"),
            ),
            "without start-up": (lambda: pd.read_csv(data), predict),
        }
        return [
            {"measured": name, "rows": n_rows, "columns": adult.shape[1]}
            | _in_turns(*pair, rounds)
            for name, pair in pairs.items()
        ]


def rules_on_adult(adult: pd.DataFrame) -> RuleSetModel:
    """Return four rules on seven columns, as long as a fit to Adult gives."""
    married = Condition("marital_status", "=", "Married-civ-spouse")
    schooled = Condition("education_num", ">", 11)
    rules = (
        (Condition("age", ">", 30), Condition("capital_gain", ">", 0), schooled),
        (Condition("age", ">", 37), Condition("capital_loss", ">", 0), married),
        (
            Condition("capital_gain", ">", 0),
            Condition("hours_per_week", ">", 35),
            Condition("education_num", ">", 7),
            married,
        ),
        (
            Condition("age", ">", 26),
            Condition("hours_per_week", ">", 24),
            Condition("occupation", "!=", "Other-service"),
            schooled,
            married,
        ),
    )
    names = ("marital_status", "occupation")
    features = (
        *(Feature(name, "numeric") for name in NUMBERS),
        *(
            Feature(name, "category", tuple(sorted(adult[name].dropna().unique())))
            for name in names
        ),
    )
    return RuleSetModel(RuleSet(tuple(Rule(r) for r in rules)), features, (0, 1))


def _run(*command: object) -> None:
    subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)


def _in_turns(
    read: Callable[[], object], predict: Callable[[], object], rounds: int
) -> dict[str, Any]:
    seconds: dict[str, list[float]] = {"read": [], "predict": []}
    for _ in range(rounds + 1):
        for name, work in (("read", read), ("predict", predict)):
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    # The first round fills caches.
    reading, predicting = (statistics.median(s[1:]) for s in seconds.values())
    return {
        "read_seconds": reading,
        "predict_seconds": predicting,
        "ratio": predicting / reading,
    }


if __name__ == "__main__":
    for record in against_reading(1_000_000, 7):
        print(record)
