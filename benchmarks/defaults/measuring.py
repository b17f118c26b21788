"""One unit of work: a method on a fold of a data set, counted; kept in a file."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks.defaults.data import SOURCES
from benchmarks.defaults.methods import CUTS, METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.defaults.data import People

RECORDS: Final = Path("build/defaults/records.jsonl")
FOLDS: Final = 3
SEED: Final = 0


def folds(people: People) -> Iterator[tuple[People, People]]:
    """Split people three times, so that everybody is in one test part."""
    both = people.y.astype(str) + people.groups.astype(str)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    for train, test in splitter.split(people.X, both):
        yield people.take(train), people.take(test)


def measure(name: str, method: str, fold: int) -> dict[str, Any]:
    """Learn on the training part of a fold, and count the test part by group."""
    train, test = list(folds(SOURCES[name].load()))[fold]
    began, worked = time.perf_counter(), time.process_time()
    decide = {**METHODS, **CUTS}[method].learn(train)
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    chance, is_positive = decide(test), test.y.to_numpy() == 1
    right = np.where(is_positive, chance, 1 - chance)
    missed = {}
    for group in sorted(test.groups.unique()):
        those = is_positive & (test.groups == group).to_numpy()
        missed[str(group)] = [float((1 - chance[those]).sum()), int(those.sum())]
    return {
        "data": name,
        "method": method,
        "fold": fold,
        "right": float(right.sum()),
        "people": len(test.y),
        "missed": missed,
        "seconds": seconds,
        "cpu_seconds": cpu,
    }


def records() -> list[dict[str, Any]]:
    """Read what was measured before."""
    if not RECORDS.exists():
        return []
    lines = RECORDS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def measure_all(names: list[str], methods: list[str], n_folds: int) -> None:
    """Measure what was not measured before; can be stopped at any time."""
    done = {(r["data"], r["method"], r["fold"]) for r in records()}
    RECORDS.parent.mkdir(parents=True, exist_ok=True)
    for name in names:
        for method in methods:
            for fold in range(n_folds):
                if (name, method, fold) in done:
                    continue
                record = measure(name, method, fold)
                with RECORDS.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record) + "\n")
                print(f"{name}, {method}, fold {fold}: {record['seconds']:.1f} s")
