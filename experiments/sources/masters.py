"""The integer master under both losses, on the same rules (paper, section 5.1).

The rules are those that phase I of the search collects for equality of opportunity.
Both programs start from nothing and get the same time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from experiments.counting import count_both, pack
from experiments.data import load
from experiments.sources.grid import fold_of
from faircg.colgen.integer import solve_integer
from faircg.colgen.pool import Pool
from faircg.colgen.select import Selection
from faircg.colgen.stop import Deadline

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.protocol import Grid, Protocol
    from experiments.tasks import Record
    from faircg.typing import Objective

OBJECTIVES: tuple[Objective, ...] = ("hamming", "zero_one")


@dataclass(frozen=True, slots=True)
class MastersTask:
    """Both programs for one question."""

    data: str
    fold: int
    epsilon: float
    complexity: int
    grid: Grid
    seconds: float
    source: str = "masters"

    def __str__(self) -> str:
        where = f"{self.data} {self.epsilon:g} C={self.complexity} fold {self.fold}"
        return f"masters {where}"

    @property
    def most_seconds(self) -> float:
        """Both to their limit; the rules are usually in the cache."""
        return 2.2 * self.seconds

    def run(self, cache: Path) -> list[Record]:
        """Solve both."""
        data = load(self.data)
        fold = fold_of(
            self.data,
            self.fold,
            self.grid,
            criterion="equality_of_opportunity",
            thresholds="quantile",
            cache=cache,
        )
        _, rules = fold.generate()
        records: list[Record] = []
        for objective in OBJECTIVES:
            problem = replace(
                fold.problem((self.epsilon, self.complexity)), objective=objective
            )
            pool, selection = Pool(problem, rules), Selection(problem)
            started = time.perf_counter()
            answer = solve_integer(
                pool, np.arange(len(pool)), selection, Deadline.after(self.seconds)
            )
            seconds = time.perf_counter() - started
            winner = selection.objective_winner
            assert winner is not None, "the empty rule set is allowed"
            covered = fold.rule_set(winner.rules).covers(data.table)
            records.append(
                {
                    "data": self.data,
                    "fold": self.fold,
                    "criterion": "equality_of_opportunity",
                    "epsilon": self.epsilon,
                    "max_complexity": self.complexity,
                    "objective": objective,
                    "pool_size": len(pool),
                    "loss": selection.objective,
                    "bound": float(answer.bound),
                    "is_closed": answer.is_closed,
                    "seconds": seconds,
                    "time_limit": self.seconds,
                    **count_both(data, self.fold, covered),
                    "predictions": pack(covered),
                }
            )
        return records


def tasks(protocol: Protocol) -> list[MastersTask]:
    """Return all tasks of a protocol, fold by fold."""
    return [
        MastersTask(
            name,
            fold,
            epsilon,
            complexity,
            part.grids["quantile"],
            part.master_seconds,
        )
        for fold in range(max(part.few_folds for part in protocol.data.values()))
        for name, part in protocol.data.items()
        if fold < part.few_folds
        for epsilon in protocol.fixed_epsilons
        for complexity in part.master_complexities
    ]
