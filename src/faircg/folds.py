"""One fold of a search: both phases of the paper, cell by cell, kept on disk.

A cell is one phase at one epsilon and one limit on complexity. Its file is named by all
that its answer depends on (data, rules it starts from, question, settings), so a file
is either the right answer or not looked at.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg.binarize import ConditionBinarizer
from faircg.colgen.certificate import fingerprint
from faircg.colgen.engine import solve
from faircg.colgen.pricing import PricingProblem, PricingResult, pricer_by_name
from faircg.colgen.problem import Problem
from faircg.colgen.select import Selection
from faircg.colgen.stop import Deadline
from faircg.evaluate.counts import group_counts, total
from faircg.evaluate.frontier import count_columns
from faircg.evaluate.gaps import gap_or_nan
from faircg.fitting import depths_for, first_rules, messages
from faircg.grid import Answer, Cell, known_rule_sets, looser_cells, proven_bound
from faircg.groups import Groups
from faircg.model import write_text
from faircg.rules import Rule, RuleSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from faircg.grid import Point, Settings
    from faircg.table import Table
    from faircg.typing import BoolVector, Conditions, IntVector

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PoolOnly:
    """A pricer that finds nothing, so that the engine uses the rules it is given."""

    def price(self, asked: PricingProblem) -> PricingResult:
        """Return no rules, and prove nothing."""
        return PricingResult((), np.zeros(0), is_complete=False, bound=-np.inf)


@dataclass(frozen=True, eq=False)
class Fold:
    """The training part of one fold, binarized by itself, and its cells."""

    settings: Settings
    number: int
    binarizer: ConditionBinarizer
    merged: Problem

    @classmethod
    def of(
        cls,
        settings: Settings,
        table: Table,
        is_positive: BoolVector,
        groups: Groups,
        number: int,
        train: IntVector,
    ) -> Fold:
        """Binarize and merge the training part."""
        if len(set(is_positive[train].tolist())) < 2:
            raise ValueError(
                f"the training part of fold {number} has only one class; use fewer "
                "folds, or a cv that keeps the shares of the labels"
            )
        part = table.take(train)
        binarizer = ConditionBinarizer(
            thresholds=settings.thresholds,
            n_thresholds=settings.n_thresholds,
        ).fit(part, is_positive[train])
        with_groups = settings.constraint is not None
        merged = Problem.merge(
            binarizer.transform(part),
            is_positive[train],
            families=binarizer.families_,
            group_codes=groups.codes[train] if with_groups else None,
            group_names=groups.names if with_groups else ("everybody",),
            max_complexity=0,
        )
        return cls(settings, number, binarizer, merged)

    def problem(self, point: Point) -> Problem:
        """Return the question of one cell."""
        epsilon, C = point
        criterion = self.settings.criterion(epsilon)
        return replace(self.merged, criterion=criterion, max_complexity=C)

    def depths(self, point: Point) -> tuple[int, ...]:
        """Return the limits on the conditions of a rule."""
        settings = self.settings
        return depths_for(
            self.binarizer, point[1], settings.max_conditions, settings.pricing
        )

    @cached_property
    def deepest(self) -> int:
        """Most conditions of a rule in phase I."""
        return max(self.depths(point)[-1] for point in self.settings.coarse)

    def generate(self) -> tuple[dict[Point, Cell], tuple[Conditions, ...]]:
        """Phase I: solve the coarse grid; return its cells and the rules collected."""
        cells: dict[Point, Cell] = {}
        collected: dict[Conditions, None] = {}
        for point in self.settings.coarse:
            rules = tuple(collected)
            compute = partial(self._generate_one, point, rules, dict(cells))
            cells[point] = self._kept("I", point, rules, cells, compute)
            collected.update(dict.fromkeys(cells[point].rules))
        return cells, tuple(collected)

    def _generate_one(
        self,
        point: Point,
        rules: tuple[Conditions, ...],
        cells: Mapping[Point, Cell],
    ) -> Cell:
        settings, problem = self.settings, self.problem(point)
        deadline = Deadline.after(settings.time_limit)
        start: Iterable[Conditions] = rules
        if point == settings.coarse[0]:
            start = first_rules(
                *(settings.warm_start_rules, problem, self.binarizer),
                max_conditions=self.deepest,
                seed=settings.seed,
                deadline=deadline,
            )
        start = sorted(start)
        solution = solve(
            problem,
            start,
            pricer_by_name(settings.pricing, seed=settings.seed),
            depths=self.depths(point),
            deadline=deadline,
            known=known_rule_sets(cells),
            known_bound=proven_bound(point, cells, self.depths(point)[-1]),
            seed=settings.seed,
        )
        # Rules that only the proof enumerated, often many, come after those.
        n_generated = solution.history[-1].pool_size if solution.history else 0
        generated = solution.pool.rules[:n_generated]
        found = dict.fromkeys([*start, *generated, *solution.returned.rules])
        before = set(rules)
        return Cell.of(solution, (rule for rule in found if rule not in before))

    def select(
        self, rules: tuple[Conditions, ...], coarse: Mapping[Point, Cell]
    ) -> dict[Point, Cell]:
        """Phase II: solve the fine grid, from the collected rules and rule sets.

        Exact pricing may still add a rule, and proves what it finds; other pricers are
        too slow for that, and the integer master over the collected rules has the last
        word, as in the paper. What phase I has answered is not solved again.
        """
        cells: dict[Point, Cell] = {}
        for point in self.settings.fine:
            answered = self._already_answered(point, coarse)
            if answered is not None:
                cells[point] = answered
                continue
            compute = partial(self._select_one, point, rules, coarse)
            cells[point] = self._kept("II", point, rules, coarse, compute)
        return cells

    def _already_answered(
        self, point: Point, coarse: Mapping[Point, Cell]
    ) -> Cell | None:
        """Return phase I's answer if solving the point could hardly better it.

        That is so when a bound of a looser cell shows it optimal, or when it is as good
        as what a looser cell, which may choose from more rule sets, ended with.
        """
        depth = self.depths(point)[-1]
        selection = self.judge(point, known_rule_sets(coarse))
        returned, optimised = selection.returned_winner, selection.objective_winner
        if returned is None or optimised is None:
            return None
        bound = proven_bound(point, coarse, depth)
        if selection.objective > bound and not any(
            selection.objective <= cell.objective
            for cell in looser_cells(point, coarse, depth)
        ):
            return None
        is_optimal = selection.objective <= bound
        return Cell(
            rules=(),
            best=returned.rules,
            optimised=optimised.rules,
            objective=selection.objective,
            lower_bound=min(bound, selection.objective),
            max_conditions=depth,
            status="optimal" if is_optimal else "time_limit",
            seconds=0.0,
        )

    def _select_one(
        self,
        point: Point,
        rules: tuple[Conditions, ...],
        coarse: Mapping[Point, Cell],
    ) -> Cell:
        settings, depth = self.settings, self.depths(point)[-1]
        is_exact = settings.pricing == "exact"
        solution = solve(
            self.problem(point),
            rules,
            pricer_by_name("exact", seed=settings.seed) if is_exact else PoolOnly(),
            depths=(depth,),
            deadline=Deadline.after(settings.time_limit),
            known=known_rule_sets(coarse),
            known_bound=proven_bound(point, coarse, depth),
            seed=settings.seed,
        )
        return Cell.of(solution)

    def solve(self) -> dict[Point, Answer]:
        """Run both phases; return the answer at each point of the fine grid."""
        coarse, rules = self.generate()
        fine = self.select(rules, coarse)
        # A point of both grids counts with its later cell, which began with the other.
        cells = {**coarse, **fine}
        rule_sets = known_rule_sets(coarse) + known_rule_sets(fine)
        answers = {}
        for point, cell in fine.items():
            selection = self.judge(point, rule_sets)
            returned, optimised = selection.returned_winner, selection.objective_winner
            assert returned is not None, "a cell's own rule set is always allowed there"
            assert optimised is not None, "a cell's own rule set solves its master"
            answers[point] = Answer(
                returned=returned,
                optimised=optimised,
                lower_bound=proven_bound(point, cells, self.depths(point)[-1]),
                is_finished=cell.status != "time_limit",
                seconds=cell.seconds,
            )
        return answers

    def judge(
        self, point: Point, rule_sets: Iterable[tuple[Conditions, ...]]
    ) -> Selection:
        """Recount rule sets of any cells for the question of this one."""
        selection = Selection(self.problem(point))
        for rules in rule_sets:
            selection.offer(rules)
        return selection

    def rule_set(self, rules: Iterable[Conditions]) -> RuleSet:
        """Return rules in the user's words."""
        conditions = self.binarizer.conditions_
        return RuleSet(
            tuple(Rule(tuple(conditions[j] for j in rule)) for rule in rules),
            label=self.settings.label,
        )

    def _kept(
        self,
        phase: str,
        point: Point,
        rules: tuple[Conditions, ...],
        cells: Mapping[Point, Cell],
        compute: Callable[[], Cell],
    ) -> Cell:
        """Return a cell from the cache, or compute and keep it."""
        settings = self.settings
        file = None
        if settings.cache is not None:
            name = f"{phase}-{self._key(phase, point, rules, cells)}.json"
            file = Path(settings.cache) / name
            cell = self._read(file)
            if cell is not None:
                logger.info(
                    "fold %d, phase %s, epsilon %g, complexity %d: kept in %s",
                    *(self.number, phase, *point, file.name),
                )
                return cell
        cell = compute()
        if file is not None:
            write_text(file, json.dumps(asdict(cell)) + "\n")
        logger.info(
            "fold %d, phase %s, epsilon %g, complexity %d: loss %.0f, %d new rules, "
            "%.1f s",
            *(self.number, phase, *point, cell.objective, len(cell.rules)),
            cell.seconds,
        )
        return cell

    def _read(self, file: Path) -> Cell | None:
        if not file.exists():
            return None
        try:
            text = file.read_text(encoding="utf-8")
            return Cell.from_json(text, len(self.binarizer.conditions_))
        except (ValueError, TypeError):
            logger.warning("%s is not a cell of this search; it is replaced", file)
            return None

    def _key(
        self,
        phase: str,
        point: Point,
        rules: tuple[Conditions, ...],
        cells: Mapping[Point, Cell],
    ) -> str:
        """Name a cell by all that its answer depends on."""
        settings = self.settings
        parts: list[object] = [
            version("faircg"),
            *(phase, point, repr(settings.criterion(point[0])), self.depths(point)),
            *(self._data, rules, settings.time_limit, settings.seed),
            *(
                known_rule_sets(cells),
                proven_bound(point, cells, self.depths(point)[-1]),
            ),
            repr(settings.pricing),
        ]
        if phase == "I" and point == settings.coarse[0]:
            parts += [repr(settings.warm_start_rules), self.deepest]
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    @cached_property
    def _data(self) -> tuple[object, ...]:
        """Identify the training data: people, groups and conditions."""
        conditions = tuple(map(str, self.binarizer.conditions_))
        return fingerprint(self.merged), self.merged.groups.names, conditions


def search_fold(
    settings: Settings,
    table: Table,
    is_positive: BoolVector,
    groups: Groups,
    number: int,
    train: IntVector,
    test: IntVector,
    *,
    verbose: int = 0,
) -> list[dict[str, Any]]:
    """Run both phases on one fold; return a record for each point of the fine grid."""
    fold = Fold.of(settings, table, is_positive, groups, number, train)
    chatter = (1, __name__) if verbose == 1 else (max(0, int(verbose) - 1), "faircg")
    with messages(*chatter):
        answers = fold.solve()
    test_table, tested = table.take(test), Groups(groups.codes[test], groups.names)
    records = []
    for point, answer in answers.items():
        winner = answer.returned
        rule_set = fold.rule_set(winner.rules)
        counts = group_counts(rule_set.covers(test_table), is_positive[test], tested)
        criterion = settings.criterion(point[0])
        n_train, recount = len(train), winner.recount
        records.append(
            {
                "fold": number,
                "epsilon": point[0],
                "max_complexity": point[1],
                "train_accuracy": (n_train - recount.zero_one_loss) / n_train,
                "test_accuracy": total(counts.values()).accuracy,
                "train_gap": max(
                    (
                        float(rate.gap(recount.missed, recount.hit))
                        for rate in fold.problem(point).rates
                    ),
                    default=0.0,
                ),
                "test_gap": gap_or_nan(counts, criterion),
                "complexity": recount.complexity,
                "n_rules": len(winner.rules),
                "train_hamming_loss": recount.hamming_loss,
                "best_hamming_loss": answer.optimised.recount.hamming_loss,
                "lower_bound": answer.lower_bound,
                "is_finished": answer.is_finished,
                "seconds": answer.seconds,
                "rule_set": rule_set,
                **count_columns(counts),
            }
        )
    return records
