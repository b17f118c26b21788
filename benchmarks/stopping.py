"""How soon things end that are told to: seconds past a time limit or an interrupt."""

from __future__ import annotations

import threading
import time
import warnings
from typing import Any

import numpy as np

from faircg import FairRuleSetClassifier
from faircg._kernel import ConditionBits, Limits, PricedBits, StopFlag, search


def late() -> list[dict[str, Any]]:
    """Stop fits by a time limit and a search by its flag, all of them endless."""
    return [
        _fit("equality_of_opportunity"),
        _fit("equalized_odds"),
        _fit("equalized_odds", objective="zero_one"),
        _fit("equality_of_opportunity", warm_start_rules="fair_tree"),
        _search(),
    ]


def _fit(constraint: str, limit: float = 1.0, **settings: Any) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 8))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0).astype(int)
    clf = FairRuleSetClassifier(
        constraint=constraint, max_conditions=6, time_limit=limit, **settings
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(X, y, sensitive_features=rng.integers(0, 2, len(X)))
    late = time.perf_counter() - start - limit
    asked = ", ".join(["fit", constraint, *settings.values()])
    return {"run": asked, "stopped_by": "time limit", "late": late}


def _search() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    rows = rng.random((6_000, 150)) < 0.6
    priced = PricedBits(
        bits=ConditionBits.from_matrix(rows, np.arange(150)),
        prices=rng.choice([-1.0, 1.0], 6_000),
        condition_price=0.0,
        max_conditions=10,
    )
    stop, told = StopFlag(), []

    def tell() -> None:
        told.append(time.perf_counter())
        stop.set()

    threading.Timer(0.5, tell).start()
    search(priced, limits=Limits(threads=2, stop=stop))
    late = time.perf_counter() - told[0]
    return {"run": "search of the kernel", "stopped_by": "flag", "late": late}
