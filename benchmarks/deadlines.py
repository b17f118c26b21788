"""Time limits and memory on tables of eight shapes: what a fit takes beyond its limit.

A fit may end ``max(1 s, 5 %)`` after its limit, within 4 GB, with a rule set that makes
at most as many mistakes as the more frequent label for everybody. Each case runs in a
process of its own; making the table is not counted. One alone:

    python -m benchmarks.deadlines wide_numbers 5
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.growth import made_up, perturbed
from benchmarks.isolated import isolated, peak_megabytes

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    People = tuple[pd.DataFrame, Any, Any]

LIMITS: Final = (1, 5, 20)
MOST_MEGABYTES: Final = 4096


def _embedded(name: str) -> People:
    from faircg import datasets

    data = getattr(datasets, f"load_{name}")()
    return data.X, data.y, data.sensitive_features


def _numbers(n_rows: int, n_columns: int) -> People:
    import pandas as pd

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows) > 0.5).astype(int)
    names = [f"x{j}" for j in range(n_columns)]
    return pd.DataFrame(X, columns=names), y, rng.integers(0, 2, n_rows)


def _texts(n_rows: int, n_columns: int) -> People:
    import pandas as pd

    rng = np.random.default_rng(0)
    texts = {
        f"t{j}": [f"{word:016x}" for word in rng.integers(1 << 62, size=n_rows)]
        for j in range(n_columns)
    }
    y = (rng.random(n_rows) < 0.3).astype(int)
    return pd.DataFrame(texts), y, rng.integers(0, 2, n_rows)


def _answers(n_rows: int, n_columns: int) -> People:
    frame = made_up(n_rows, n_columns)
    return frame.drop(columns=["income", "sex"]), frame["income"], frame["sex"]


def _many() -> People:
    frame = perturbed(31)
    return frame.drop(columns=["income", "sex"]), frame["income"], frame["sex"]


SHAPES: Final[dict[str, Callable[[], People]]] = {
    "compas": lambda: _embedded("compas"),
    "adult": lambda: _embedded("adult"),
    "default": lambda: _embedded("default"),
    "wide_numbers": lambda: _numbers(5_000, 3_000),
    "long_numbers": lambda: _numbers(300_000, 200),
    "texts": lambda: _texts(5_000, 6),
    "short": lambda: _numbers(40, 10_000),
    "million": _many,
}
OTHERS: Final[dict[str, Callable[[], People]]] = {
    "wide_answers": lambda: _answers(5_000, 3_000)
}
BESIDES: Final[list[tuple[str, int, dict[str, Any]]]] = [
    ("adult", 5, {"objective": "zero_one", "constraint": "equalized_odds"}),
    ("adult", 1, {"warm_start_rules": "fair_tree"}),
    ("wide_answers", 5, {}),
    ("adult", 5, {"n_thresholds": 10**9, "thresholds": "quantile"}),
    ("adult", 5, {"max_conditions": None, "max_complexity": 100}),
    ("adult", 1, {"objective": "zero_one", "constraint": "equalized_odds"}),
    ("adult", 5, {"rules_for": "auto"}),
    ("wide_numbers", 1, {"warm_start_rules": "fair_tree"}),
    ("texts", 1, {"warm_start_rules": "fair_tree"}),
    ("long_numbers", 5, {"objective": "zero_one"}),
    ("million", 5, {"warm_start_rules": "fair_tree"}),
]
"""Searches that take other ways; each was late once, or is much like one that was."""


def deadlines(*, quick: bool = False) -> list[dict[str, Any]]:
    """Measure all cases, or those of one second."""
    limits = LIMITS[: 1 if quick else None]
    cases: list[tuple[str, int, dict[str, Any]]] = []
    cases += [(shape, limit, {}) for shape in SHAPES for limit in limits]
    cases += [] if quick else BESIDES
    return [
        isolated("benchmarks.deadlines", shape, limit, json.dumps(settings))
        for shape, limit, settings in cases
    ]


def main(shape: str, limit: str, settings: str = "{}") -> dict[str, Any]:
    """Measure one case."""
    from faircg import FairRuleSetClassifier

    X, y, groups = {**SHAPES, **OTHERS}[shape]()
    asked = {"constraint": "equality_of_opportunity", **json.loads(settings)}
    clf = FairRuleSetClassifier(**asked, time_limit=float(limit), random_state=0)
    before, start = peak_megabytes(), time.perf_counter()
    worked = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(X, y, sensitive_features=groups)
    seconds = time.perf_counter() - start
    y = np.asarray(y)
    majority = int(min((y == label).sum() for label in np.unique(y)))
    errors = int((clf.predict(X) != y).sum())
    late = seconds - float(limit)
    return {
        "table": " ".join([shape, *map(str, json.loads(settings).values())]),
        "limit": float(limit),
        "seconds": seconds,
        "ratio": seconds / float(limit),
        "processor_seconds": time.process_time() - worked,
        "megabytes_before": before,
        "peak_megabytes": peak_megabytes(),
        "errors": errors,
        "majority_errors": majority,
        "in_time": late <= max(1.0, 0.05 * float(limit)),
        "in_memory": peak_megabytes() <= MOST_MEGABYTES,
        "no_worse": errors <= majority,
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
