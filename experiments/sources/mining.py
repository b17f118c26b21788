"""Rule sets made of rules from different sources (paper, section 5.2).

For one training fold and one question: the rules of trees, of fair trees, of forests,
of all three, of column generation from nothing, and of all together; for each of them
the best rule set. Column generation also tells its linear value round by round.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from experiments.counting import count_both, pack
from experiments.data import load
from experiments.protocol import CRITERIA, SEED, Grid, Protocol
from experiments.sources.grid import fold_of
from faircg.colgen.engine import Solution, solve
from faircg.colgen.options import SearchOptions
from faircg.colgen.pricing import ExactPricer, PoolOnly
from faircg.colgen.stop import Deadline
from faircg.mining import MINERS

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.tasks import Record
    from faircg.typing import Conditions

SOURCES = ("tree", "fair_tree", "forest", "all but CG", "Fair CG", "all")
GENERATION_SHARE = 3
"""Column generation may take so many times the limit of one choice of rules."""


@dataclass(frozen=True, slots=True)
class MiningTask:
    """All sources for one question."""

    data: str
    fold: int
    criterion: str
    epsilon: float
    complexity: int
    grid: Grid
    seconds: float
    source: str = "mining"

    def __str__(self) -> str:
        where = f"{self.data} {self.criterion} {self.epsilon:g} fold {self.fold}"
        return f"mining {where}"

    @property
    def most_seconds(self) -> float:
        """Every choice of rules to its limit, and the mining."""
        return self.seconds * (len(SOURCES) + GENERATION_SHARE + 2)

    def run(self, cache: Path) -> list[Record]:
        """Mine, choose, generate."""
        data, depth = load(self.data), self.grid.max_conditions
        fold = fold_of(
            self.data,
            self.fold,
            self.grid,
            criterion=self.criterion,
            thresholds="quantile",
            cache=cache,
        )
        problem = fold.problem((self.epsilon, self.complexity))
        pools: dict[str, set[Conditions]] = {
            name: mine(problem, depth, SEED, Deadline.after(4 * self.seconds))
            for name, mine in MINERS.items()
        }
        pools["all but CG"] = set().union(*pools.values())

        def choose(rules: set[Conditions], **known: Any) -> Solution:
            options = SearchOptions(
                PoolOnly(),
                (depth,),
                Deadline.after(self.seconds),
                rules=sorted(rules),
                seed=SEED,
                **known,
            )
            return solve(problem, options)

        solutions = {
            name: choose(pools[name]) for name in ("tree", "fair_tree", "forest")
        }
        solutions["all but CG"] = choose(
            pools["all but CG"],
            known=[s.optimised.rules for s in solutions.values()],
        )
        options = SearchOptions(
            ExactPricer(),
            (depth,),
            Deadline.after(GENERATION_SHARE * self.seconds),
            seed=SEED,
            counts_errors=False,
        )
        generated = solve(problem, options)
        solutions["Fair CG"] = generated
        pools["Fair CG"] = set(generated.pool.rules[: generated.history[-1].pool_size])
        pools["all"] = pools["all but CG"] | pools["Fair CG"]
        solutions["all"] = choose(
            pools["all"],
            known=[
                rules
                for s in solutions.values()
                for rules in (s.optimised.rules, s.returned.rules)
            ],
            known_bound=generated.certificate.lower_bound,
        )
        records: list[Record] = []
        for name in SOURCES:
            solution = solutions[name]
            covered = fold.rule_set(solution.returned.rules).covers(data.table)
            records.append(
                {
                    "data": self.data,
                    "fold": self.fold,
                    "criterion": self.criterion,
                    "epsilon": self.epsilon,
                    "max_complexity": self.complexity,
                    "rules_from": name,
                    "pool_size": len(pools[name]),
                    "hamming_loss": solution.certificate.objective,
                    "complexity": solution.returned.recount.complexity,
                    "lp_value": solution.certificate.lp_value,
                    "is_proven": solution.certificate.proven_optimal,
                    "seconds": solution.certificate.seconds,
                    "lp_by_round": json.dumps(
                        [round(entry.lp_value, 4) for entry in solution.history]
                    ),
                    **count_both(data, self.fold, covered),
                    "predictions": pack(covered),
                }
            )
        return records


def tasks(protocol: Protocol) -> list[MiningTask]:
    """Return all tasks of a protocol, fold by fold."""
    return [
        MiningTask(
            name,
            fold,
            criterion,
            epsilon,
            part.complexity,
            part.grids["quantile"],
            part.mining_seconds,
        )
        for fold in range(max(part.few_folds for part in protocol.data.values()))
        for name, part in protocol.data.items()
        if fold < part.few_folds
        for criterion in CRITERIA
        for epsilon in protocol.fixed_epsilons
    ]
