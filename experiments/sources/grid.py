"""Our rule sets on the grid of epsilon and complexity, one training fold at a time.

The two phases of the library's own search (:mod:`faircg.folds`), with both winners of
each point: the rule set with the fewest errors, which users get, and the one of lowest
Hamming loss, which the certificate speaks of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from experiments.counting import count_both, pack
from experiments.data import load
from experiments.protocol import CRITERIA, SEED, Grid, Protocol
from faircg import FairRuleSetClassifier
from faircg.folds import Fold
from faircg.grid import Grid as SearchGrid
from faircg.question import Question

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.tasks import Record


def fold_of(
    data: str, fold: int, grid: Grid, *, criterion: str, thresholds: str, cache: Path
) -> Fold:
    """Prepare one training fold; each complexity goes from loose cells to tight."""
    loaded = load(data)
    coarse, fine = (
        tuple((e, C) for C in complexities for e in sorted(epsilons, reverse=True))
        for epsilons, complexities in (
            (grid.epsilons, grid.complexities),
            (grid.fine_epsilons, grid.fine_complexities),
        )
    )
    estimator = FairRuleSetClassifier(
        constraint=criterion,
        exclude=(),  # as in the paper, rules may test the sensitive feature
        max_conditions=grid.max_conditions,
        rates="proxy",  # as in the paper
        thresholds=thresholds,
        time_limit=grid.time_limit,
        pricing_time_limit=grid.time_limit,
        rules_for="positive",
    )
    return Fold.of(
        replace(Question.of(estimator), seed=SEED),
        SearchGrid(coarse, fine),
        fold,
        loaded.labelled.take(loaded.split(fold)[0]),
        cache=cache,
    )


@dataclass(frozen=True, slots=True)
class GridTask:
    """Both phases on one training fold."""

    data: str
    fold: int
    criterion: str
    thresholds: str
    grid: Grid
    source: str = "grid"

    def __str__(self) -> str:
        return f"grid {self.data} {self.criterion} {self.thresholds} fold {self.fold}"

    @property
    def most_seconds(self) -> float:
        """Every cell to its limit."""
        grid = self.grid
        n_coarse = len(grid.epsilons) * len(grid.complexities)
        n_fine = len(grid.fine_epsilons) * len(grid.fine_complexities)
        return grid.time_limit * (n_coarse + n_fine)

    def run(self, cache: Path) -> list[Record]:
        """Solve the grid; cells already in the cache are not solved again."""
        data = load(self.data)
        fold = fold_of(
            self.data,
            self.fold,
            self.grid,
            criterion=self.criterion,
            thresholds=self.thresholds,
            cache=cache,
        )
        records: list[Record] = []
        for (epsilon, complexity), answer in fold.solve().items():
            for winner in ("returned", "optimised"):
                candidate = getattr(answer, winner)
                rule_set = fold.rule_set(candidate.rules)
                covered = rule_set.covers(data.table)
                records.append(
                    {
                        "data": self.data,
                        "fold": self.fold,
                        "thresholds": self.thresholds,
                        "criterion": self.criterion,
                        "epsilon": epsilon,
                        "max_complexity": complexity,
                        "max_conditions": self.grid.max_conditions,
                        "winner": winner,
                        "complexity": candidate.recount.complexity,
                        "n_rules": len(candidate.rules),
                        "hamming_loss": candidate.recount.hamming_loss,
                        "lower_bound": answer.lower_bound,
                        "is_finished": answer.is_finished,
                        "seconds": answer.seconds,
                        "rules": str(rule_set),
                        **count_both(data, self.fold, covered),
                        "predictions": pack(covered),
                    }
                )
        return records


def tasks(protocol: Protocol) -> list[GridTask]:
    """Return all tasks of a protocol, fold by fold, so that a part is useful too."""
    return [
        GridTask(name, fold, criterion, thresholds, grid)
        for fold in range(max(part.folds for part in protocol.data.values()))
        for name, part in protocol.data.items()
        if fold < part.folds
        for thresholds, grid in part.grids.items()
        for criterion in CRITERIA
    ]
