"""One fold of a search: both phases of the paper, cell by cell.

A cell is one phase at one epsilon and one limit on complexity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from faircg.colgen.engine import solve
from faircg.colgen.events import CellDone, InCell, OnEvent, ignore, in_units
from faircg.colgen.options import SearchOptions
from faircg.colgen.pricing import PoolOnly
from faircg.colgen.problem import fingerprint
from faircg.colgen.select import Selection
from faircg.colgen.stop import Deadline
from faircg.evaluate.counts import group_counts, total
from faircg.evaluate.gaps import gap_or_nan, largest_gap
from faircg.evaluate.pooling import count_columns
from faircg.grid import (
    Answer,
    CellFiles,
    SolvedCell,
    known_rule_sets,
    proven_bound,
)
from faircg.learned import named_rules
from faircg.sides import best_of, each_that_has_one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from faircg.binarize import ConditionBinarizer
    from faircg.colgen.engine import Solution
    from faircg.colgen.events import Phase
    from faircg.colgen.pricing import Pricer
    from faircg.colgen.problem import Problem
    from faircg.grid import Cells, Grid, GridPoint
    from faircg.labelled import LabelledTable
    from faircg.question import Question
    from faircg.rules import RuleSet
    from faircg.typing import Conditions, IntVector, Objective


@dataclass(frozen=True, eq=False)
class Fold:
    """The training part of one fold, binarized by itself, and its cells."""

    question: Question
    grid: Grid
    number: int
    label: str
    binarizer: ConditionBinarizer
    merged: Problem
    files: CellFiles
    on_event: OnEvent

    @classmethod
    def of(
        cls,
        question: Question,
        grid: Grid,
        number: int,
        train: LabelledTable,
        *,
        cache: Path | None = None,
        on_event: OnEvent = ignore,
    ) -> Fold:
        """Binarize and merge the training part."""
        if not train.has_both_classes:
            raise ValueError(
                f"the training part of fold {number} has only one class; use fewer "
                "folds, or a cv that keeps the shares of the labels"
            )
        asked = question.at(*grid.coarse[0])
        binarizer, merged = asked.prepare(train, Deadline(memory=asked.memory))
        return cls(
            question=question,
            grid=grid,
            number=number,
            label=train.label(question.side),
            binarizer=binarizer,
            merged=merged,
            files=CellFiles(cache, len(binarizer.conditions_)),
            on_event=on_event,
        )

    def problem(self, point: GridPoint) -> Problem:
        """Return the problem of one cell."""
        criterion = self.question.at(*point).searched_criterion
        return replace(self.merged, criterion=criterion, max_complexity=point[1])

    def depths(self, point: GridPoint) -> tuple[int, ...]:
        """Return the limits on the conditions of a rule."""
        return self.question.at(*point).depths(self.binarizer)

    @cached_property
    def deepest(self) -> int:
        """Most conditions of a rule in phase I."""
        return max(self.depths(point)[-1] for point in self.grid.coarse)

    def generate(self) -> tuple[dict[GridPoint, SolvedCell], tuple[Conditions, ...]]:
        """Phase I: solve the coarse grid; return its cells and the rules collected."""
        cells: dict[GridPoint, SolvedCell] = {}
        collected: dict[Conditions, None] = {}
        for point in self.grid.coarse:
            rules = tuple(collected)
            compute = partial(self._generate_one, point, rules, dict(cells))
            cells[point] = self._cell("I", point, rules, cells, compute)
            collected.update(dict.fromkeys(cells[point].rules))
        return cells, tuple(collected)

    def _generate_one(
        self, point: GridPoint, rules: tuple[Conditions, ...], cells: Cells
    ) -> SolvedCell:
        question = self.question
        deadline = question.deadline()
        start: Iterable[Conditions] = rules
        if point == self.grid.coarse[0]:
            start = question.first_rules(
                self.problem(point),
                self.binarizer,
                max_conditions=self.deepest,
                deadline=deadline,
                known_only=True,
            )
        start = sorted(start)
        solution = self._solve("I", point, start, cells, question.pricer(), deadline)
        # Rules that only the proof enumerated, often many, come after those.
        n_generated = solution.history[-1].pool_size if solution.history else 0
        generated = solution.pool.rules[:n_generated]
        found = dict.fromkeys([*start, *generated, *solution.returned.rules])
        before = set(rules)
        return SolvedCell.of(solution, (rule for rule in found if rule not in before))

    def select(
        self, rules: tuple[Conditions, ...], coarse: Cells
    ) -> dict[GridPoint, SolvedCell]:
        """Phase II: solve the fine grid, from the collected rules and rule sets.

        Exact pricing may still add a rule, and proves what it finds; other pricers are
        too slow for that, and the integer master over the collected rules has the last
        word, as in the paper. What phase I has proven optimal is not solved again.
        """
        cells: dict[GridPoint, SolvedCell] = {}
        for point in self.grid.fine:
            answered = self._already_answered(point, coarse)
            if answered is not None:
                cells[point] = answered
                continue
            compute = partial(self._select_one, point, rules, coarse)
            cells[point] = self._cell("II", point, rules, coarse, compute)
        return cells

    def _already_answered(self, point: GridPoint, coarse: Cells) -> SolvedCell | None:
        """Return phase I's answer if a bound of a looser cell shows it optimal."""
        depth = self.depths(point)[-1]
        selection = self.judge(point, known_rule_sets(coarse))
        returned, optimised = selection.returned_winner, selection.objective_winner
        if returned is None or optimised is None:
            return None
        if selection.objective > proven_bound(point, coarse, depth):
            return None
        return SolvedCell(
            rules=(),
            best=returned.rules,
            optimised=optimised.rules,
            objective=selection.objective,
            lower_bound=selection.objective,
            max_conditions=depth,
            status="optimal",
            seconds=0.0,
        )

    def _select_one(
        self, point: GridPoint, rules: tuple[Conditions, ...], coarse: Cells
    ) -> SolvedCell:
        question = self.question
        pricer = question.pricer() if question.is_exact else PoolOnly()
        deadline = question.deadline()
        return SolvedCell.of(self._solve("II", point, rules, coarse, pricer, deadline))

    def _solve(
        self,
        phase: Phase,
        point: GridPoint,
        rules: Sequence[Conditions],
        cells: Cells,
        pricer: Pricer,
        deadline: Deadline,
    ) -> Solution:
        """Solve one cell, with all that other cells know; phase II at full depth."""
        question, depths = self.question, self.depths(point)
        units = self.merged.units
        in_cell: Callable[[Any], InCell] = partial(InCell, self.number, phase, *point)
        options = SearchOptions(
            pricer,
            depths if phase == "I" else depths[-1:],
            deadline,
            rules=rules,
            known=known_rule_sets(cells),
            known_bound=proven_bound(point, cells, depths[-1]),
            pricing_seconds=question.pricing_time_limit,
            threads=question.threads,
            seed=question.seed,
            counts_errors=False,
            on_event=lambda event: self.on_event(in_cell(in_units(event, units))),
        )
        return solve(self.problem(point), options)

    def solve(self) -> dict[GridPoint, Answer]:
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
                is_finished=cell.status not in ("time_limit", "work_limit"),
                seconds=cell.seconds,
            )
        return answers

    def judge(
        self, point: GridPoint, rule_sets: Iterable[tuple[Conditions, ...]]
    ) -> Selection:
        """Recount rule sets of any cells for the question of this one."""
        selection = Selection(self.problem(point))
        for rules in rule_sets:
            selection.offer(rules)
        return selection

    def rule_set(self, rules: Iterable[Conditions]) -> RuleSet:
        """Return rules in the user's words."""
        return named_rules(
            rules, self.binarizer.conditions_, self.label, self.question.side
        )

    def _cell(
        self,
        phase: Phase,
        point: GridPoint,
        rules: tuple[Conditions, ...],
        cells: Cells,
        compute: Callable[[], SolvedCell],
    ) -> SolvedCell:
        """Return a cell that was kept, or compute and keep it."""
        question, depths = self.question, self.depths(point)
        # All that the answer of a cell depends on.
        key: list[object] = [
            version("faircg"),
            phase,
            point,
            repr(question.at(*point).searched_criterion),
            question.objective,
            depths,
            self._data,
            rules,
            question.time_limit,
            question.work_limit,
            question.pricing_time_limit,
            question.seed,
            known_rule_sets(cells),
            proven_bound(point, cells, depths[-1]),
            repr(question.pricing),
        ]
        if phase == "I" and point == self.grid.coarse[0]:
            key += [repr(question.warm_start_rules), self.deepest]
        cell, is_kept = self.files.get(phase, key, compute)
        done = CellDone(
            fold=self.number,
            phase=phase,
            epsilon=point[0],
            max_complexity=point[1],
            loss=self.merged.units.loss_of(cell.objective),
            lower_bound=self.merged.units.loss_of(cell.lower_bound),
            seconds=cell.seconds,
            is_kept=is_kept,
        )
        self.on_event(done)
        return cell

    @cached_property
    def _data(self) -> tuple[object, ...]:
        """Identify the training data: people, groups and conditions."""
        conditions = tuple(map(str, self.binarizer.conditions_))
        groups = self.merged.groups
        return fingerprint(self.merged), groups.names, groups.families, conditions


def search_fold(
    question: Question,
    grid: Grid,
    number: int,
    data: LabelledTable,
    rows: tuple[IntVector, IntVector],
    *,
    cache: Path | None = None,
    on_event: OnEvent = ignore,
) -> list[dict[str, Any]]:
    """Run both phases on one fold; return a record for each point of the fine grid.

    ``rows`` are those of the training part and those of the test part of ``data``,
    ``cache`` is the directory of finished cells.
    """
    train, test = (data.take(part) for part in rows)
    if not test.weights.any():
        raise ValueError(f"the test part of fold {number} has nobody who counts")
    folds = [
        Fold.of(side, grid, number, train, cache=cache, on_event=on_event)
        for side in question.sides()
    ]
    solved = each_that_has_one(partial(_solved, fold) for fold in folds)
    n_train = int(train.weights.sum())
    records = []
    for point in grid.fine:
        found = [answers[point] for _, answers in solved]
        chosen = best_of([answer.returned for answer in found])
        answer = _joint(found[chosen], found, question.objective)
        if len(solved) < len(folds):  # nothing is known of the other label
            answer = replace(answer, lower_bound=0.0)
        records.append(_record(solved[chosen][0], point, answer, n_train, test))
    return records


def _solved(fold: Fold) -> tuple[Fold, Mapping[GridPoint, Answer]]:
    return fold, fold.solve()


def _joint(kept: Answer, every: Sequence[Answer], objective: Objective) -> Answer:
    """Return what holds for the rules of either label; ``kept`` is of one."""
    return Answer(
        returned=kept.returned,
        optimised=min(
            (answer.optimised for answer in every),
            key=lambda candidate: candidate.recount.loss(objective),
        ),
        lower_bound=min(answer.lower_bound for answer in every),
        is_finished=all(answer.is_finished for answer in every),
        seconds=sum(answer.seconds for answer in every),
    )


def _record(
    fold: Fold, point: GridPoint, answer: Answer, n_train: int, test: LabelledTable
) -> dict[str, Any]:
    """Say how the answer at one point does on both parts."""
    objective, problem = fold.question.objective, fold.problem(point)
    recount, loss_of = answer.returned.recount, problem.units.loss_of
    rule_set = fold.rule_set(answer.returned.rules)
    accepted = rule_set.accepts(test.table)
    counts = group_counts(accepted, test.labels.is_positive, test.groups, test.weights)
    criterion, families = fold.question.at(*point).criterion, test.groups.families
    return {
        "fold": fold.number,
        "epsilon": point[0],
        "max_complexity": point[1],
        "train_accuracy": (n_train - recount.errors) / n_train,
        "test_accuracy": total(counts.values()).accuracy,
        "train_gap": largest_gap(problem.rates, recount.missed, recount.hit),
        "test_gap": gap_or_nan(counts, criterion, families),
        "complexity": recount.complexity,
        "n_rules": len(answer.returned.rules),
        f"train_{objective}_loss": loss_of(recount.loss(objective)),
        f"best_{objective}_loss": loss_of(answer.optimised.recount.loss(objective)),
        "lower_bound": loss_of(answer.lower_bound),
        "is_finished": answer.is_finished,
        "seconds": answer.seconds,
        "rule_set": rule_set,
        **count_columns(counts),
    }
