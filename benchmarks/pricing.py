"""The same duals priced by exact search, integer programs and greedily."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from benchmarks.instances import DEPTH, prices_of, problem_of
from faircg.colgen.pricing import ExactPricer, GreedyPricer, IntegerPricer
from faircg.colgen.stop import Deadline

PRICERS = {
    "exact search": ExactPricer(threads=2),
    "paper's integer program": IntegerPricer(),
    "Dash et al.": IntegerPricer(disaggregated=True),
    "greedy": GreedyPricer(),
}


def side_by_side(name: str, stage: str, seconds: float) -> list[dict[str, Any]]:
    """Price once with each pricer; a program that is too large is given up."""
    problem, prices = problem_of(name), prices_of(name, stage)
    records = []
    for label, pricer in PRICERS.items():
        start = time.perf_counter()
        found = pricer.price(problem.bits, prices, DEPTH[name], Deadline.after(seconds))
        records.append(
            {
                "problem": f"{name}, {stage} duals",
                "run": label,
                "seconds": time.perf_counter() - start,
                "best": float(found.reduced_costs[0]) if found.rules else 0.0,
                "proven": found.is_complete,
            }
        )
    exact = records[0]["seconds"]
    for record in records:
        record["times_slower"] = record["seconds"] / exact
    return records


if __name__ == "__main__":
    print(json.dumps(side_by_side(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
