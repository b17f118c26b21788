"""The same duals priced by exact search, integer programs and greedily."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from benchmarks.instances import DEPTH, prices_of, problem_of
from faircg._kernel import Limits, search
from faircg.colgen.pricing import (
    ExactPricer,
    GreedyPricer,
    IntegerPricer,
    Pricer,
    PricingProblem,
    PricingResult,
)
from faircg.colgen.stop import Deadline


class BestRuleOnly:
    """One exact search: the best rule and its proof, like the integer programs."""

    is_exact = True

    def price(self, asked: PricingProblem) -> PricingResult:
        limits = Limits(threads=2, seconds=asked.deadline.remaining())
        found = search(asked.prices.on(asked.bits, asked.max_conditions), limits=limits)
        return PricingResult(
            found.rules, found.reduced_costs, found.is_complete, found.bound
        )


PRICERS: dict[str, Pricer] = {
    "exact search": BestRuleOnly(),
    "exact search and bound per complexity": ExactPricer(threads=2),
    "paper's integer program": IntegerPricer(),
    "Dash et al.": IntegerPricer(disaggregated=True),
    "greedy": GreedyPricer(),
}


def side_by_side(name: str, stage: str, seconds: float) -> list[dict[str, Any]]:
    """Price once with each pricer; a program that is too large is given up."""
    problem, prices = problem_of(name), prices_of(name, stage)
    records: list[dict[str, Any]] = []
    for label, pricer in PRICERS.items():
        times: list[float] = []
        while len(times) < 3 and sum(times) < 1.0:  # the best of three, if quick
            start, deadline = time.perf_counter(), Deadline.after(seconds)
            found = pricer.price(
                PricingProblem(problem.bits, prices, DEPTH[name], deadline)
            )
            times.append(time.perf_counter() - start)
        records.append(
            {
                "problem": f"{name}, {stage} duals",
                "run": label,
                "seconds": min(times),
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
