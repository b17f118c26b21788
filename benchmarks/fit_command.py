"""``faircg fit`` of Adult from CSV, against the fit itself, in turns in one run.

Each process is new. Beyond the fit a command starts Python and imports what is needed,
reads the file, looks at its columns, and writes the model. Starting and importing is
measured apart, as every program that fits pays for it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from faircg.datasets import load_adult

OPTIONS = {
    "constraint": "equality_of_opportunity",
    "epsilon": 0.05,
    "max_complexity": 20,
    "max_conditions": 3,
}
IMPORTS = "import sys, time, pandas, duckdb, highspy, sklearn.tree, faircg.classifier\n"
FIT = f"""{IMPORTS}
people = pandas.read_csv(sys.argv[1])
X, y, sex = people.drop(columns="income"), people["income"], people["sex"]
clf = faircg.classifier.FairRuleSetClassifier(exclude=["sex"], **{OPTIONS!r})
began = time.perf_counter()
clf.fit(X, y, sensitive_features=sex)
print(time.perf_counter() - began)
"""


def beyond_the_fit(rounds: int) -> list[dict[str, Any]]:
    """Return medians of seconds: of the command, the fit, starting, and the rest."""
    with tempfile.TemporaryDirectory() as directory:
        data, model = Path(directory) / "adult.csv", Path(directory) / "model.json"
        adult = load_adult()
        adult.X.assign(income=adult.y).to_csv(data, index=False)
        faircg = Path(sys.executable).with_name("faircg")
        options = [
            f"--{name.replace('_', '-')}={value}" for name, value in OPTIONS.items()
        ]
        roles = ["--target", "income", "--sensitive", "sex"]
        seconds: list[tuple[float, float, float]] = []
        for _ in range(rounds + 1):
            command, _ = _run(faircg, "fit", data, *roles, *options, "-o", model, "-q")
            starting, _ = _run(sys.executable, "-c", IMPORTS)
            _, printed = _run(sys.executable, "-c", FIT, data)
            seconds.append((command, starting, float(printed)))
    # The first round compiles what is imported.
    columns = zip(*seconds[1:], strict=True)
    command, starting, fit = (statistics.median(column) for column in columns)
    return [
        {
            "measured": "Adult from CSV",
            "command": command,
            "fit": fit,
            "starting": starting,
            "beyond": command - fit,
            "beyond and not starting": command - fit - starting,
            "ratio": command / fit,
        }
    ]


def _run(*arguments: object) -> tuple[float, str]:
    """Return the seconds of a process, and what it printed."""
    compiled = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    done = subprocess.run(
        [str(argument) for argument in arguments],
        capture_output=True,
        text=True,
        check=True,
        env=compiled,
    )
    return time.perf_counter() - began, done.stdout
