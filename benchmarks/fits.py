"""Whole fits: time to the linear proof, time and gap at the end, peak memory.

Each fit runs in a process of its own, so that its memory is its own.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

from benchmarks.isolated import peak_megabytes

CRITERIA = {
    "none": None,
    "opportunity": "equality_of_opportunity",
    "odds": "equalized_odds",
    "parity": "demographic_parity",
    "predictive": "predictive_equality",
    "fourfifths": "four_fifths",
}
SMALL_GROUP = 400
"""Groups of fewer people are merged where groups come from several columns."""


def _measure(
    name: str,
    criterion: str,
    epsilon: float,
    complexity: int,
    depth: int,
    limit: float,
    objective: str = "hamming",
    rates: str = "proxy",
) -> dict[str, Any]:
    from faircg import FairRuleSetClassifier
    from faircg.datasets import DATASETS
    from faircg.grouping import Grouping

    source, *columns = name.split(":")
    data = DATASETS[source]()
    sensitive = data.X[columns] if columns else data.sensitive_features
    clf = FairRuleSetClassifier(
        constraint=CRITERIA[criterion],
        epsilon=None if criterion in ("none", "fourfifths") else epsilon,
        groups=Grouping(min_group_size=SMALL_GROUP, small_groups="merge")
        if columns
        else "intersection",
        max_complexity=complexity,
        max_conditions=depth,
        time_limit=limit,
        warm_start_rules=None,
        thresholds="quantile",
        rules_for="positive",
        objective=objective,
        rates=rates,
        n_jobs=2,
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(data.X, data.y, sensitive_features=sensitive)
    seconds = time.perf_counter() - start
    certificate = clf.certificate_
    return {
        "problem": f"{' by '.join((source, *columns))}, {criterion} {epsilon:g}, "
        f"C={complexity}, D={depth}",
        "lp": certificate.lp_value,
        "lp_seconds": clf.history_[-1].seconds if certificate.lp_proven else None,
        "searched": objective,
        "loss": certificate.objective,
        "bound": certificate.lower_bound,
        "gap": certificate.gap,
        "status": certificate.status,
        "seconds": seconds,
        "errors": certificate.errors,
        "errors_bound": certificate.errors_lower_bound,
        "accuracy": clf.score(data.X, data.y),
        "within_epsilon": clf.fairness_.within_epsilon,
        "peak_megabytes": peak_megabytes(),
    }


if __name__ == "__main__":
    name, criterion, *numbers = sys.argv[1:]
    epsilon, complexity, depth, limit, *objective = numbers
    print(
        json.dumps(
            _measure(
                name,
                criterion,
                float(epsilon),
                int(complexity),
                int(depth),
                float(limit),
                *objective,
            )
        )
    )
