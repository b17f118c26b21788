"""One fold of a search: both phases of the paper, cell by cell, kept on disk.

A cell is one phase at one epsilon and one limit on complexity. Its file is named by all
that its answer depends on (data, rules it starts from, question, settings), so a file
is either the right answer or not looked at.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from faircg.binarize import ConditionBinarizer
from faircg.classifier import depths_for, first_rules, messages
from faircg.colgen.certificate import fingerprint
from faircg.colgen.engine import solve
from faircg.colgen.pricing import PricingResult, pricer_by_name
from faircg.colgen.problem import Problem
from faircg.colgen.select import Candidate, Selection
from faircg.colgen.stop import Deadline
from faircg.fairness import Criterion, GroupSizes, criterion_by_name
from faircg.fairness.metrics import count_people, gap
from faircg.model import write_text
from faircg.rules import Rule, RuleSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from faircg.colgen.duals import Prices
    from faircg.colgen.engine import Solution
    from faircg.colgen.pricing import Pricer
    from faircg.groups import Groups
    from faircg.table import Table
    from faircg.typing import BoolVector, Conditions, IntVector

logger = logging.getLogger(__name__)

COUNTS = ("true_positives", "false_negatives", "false_positives", "true_negatives")
"""What is counted for each group of the test part."""

Point: TypeAlias = tuple[float, int]
"""Epsilon and the limit on complexity."""


@dataclass(frozen=True)
class Settings:
    """What every fold needs to know of the search."""

    constraint: str | Callable[[float], Criterion] | None
    coarse: tuple[Point, ...]
    fine: tuple[Point, ...]
    max_conditions: int | None
    pricing: str | Pricer
    warm_start_rules: str | tuple[Rule, ...] | None
    thresholds: str | Mapping[str, Sequence[float]]
    n_thresholds: int
    exclude: tuple[str, ...]
    time_limit: float
    cache: str | None
    seed: int
    label: str

    def criterion(self, epsilon: float) -> Criterion | None:
        """Return the criterion with this epsilon."""
        if self.constraint is None:
            return None
        if isinstance(self.constraint, str):
            return criterion_by_name(self.constraint, epsilon)
        return self.constraint(epsilon)


@dataclass(frozen=True)
class Cell:
    """What is kept of one solved cell; rules are numbers of conditions.

    ``rules`` are those that the cell added to the collection, ``best`` is the rule set
    returned and ``optimised`` the one of lowest loss. The other values are those of its
    certificate.
    """

    rules: tuple[Conditions, ...]
    best: tuple[Conditions, ...]
    optimised: tuple[Conditions, ...]
    objective: float
    lower_bound: float
    max_conditions: int
    status: str
    seconds: float

    @classmethod
    def of(cls, solution: Solution, rules: Iterable[Conditions] = ()) -> Cell:
        """Keep what matters of a solution."""
        certificate = solution.certificate
        return cls(
            rules=tuple(rules),
            best=solution.returned.rules,
            optimised=solution.optimised.rules,
            objective=certificate.objective,
            lower_bound=certificate.lower_bound,
            max_conditions=certificate.max_conditions,
            status=certificate.status,
            seconds=certificate.seconds,
        )

    def is_optimal(self, depth: int) -> bool:
        """Whether no rules of at most so many conditions do better."""
        return self.status == "optimal" and self.max_conditions >= depth

    @classmethod
    def from_json(cls, text: str, n_conditions: int) -> Cell:
        """Read a kept cell; anything else is a ``ValueError``."""
        data = json.loads(text)
        if not isinstance(data, dict) or set(data) != {f.name for f in fields(cls)}:
            raise ValueError("not a cell")
        for name in ("rules", "best", "optimised"):
            data[name] = tuple(tuple(map(int, rule)) for rule in data[name])
            if any(not 0 <= j < n_conditions for rule in data[name] for j in rule):
                raise ValueError("a rule tests an unknown condition")
        return cls(**data)


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The best that any cell of a fold found for one point of the fine grid.

    ``returned`` makes the fewest errors, ``optimised`` has the lowest Hamming loss;
    ``lower_bound`` bounds that loss over all rules allowed, zero if nothing is proven.
    """

    returned: Candidate
    optimised: Candidate
    lower_bound: float
    is_finished: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class PoolOnly:
    """A pricer that finds nothing, so that the engine uses the rules it is given."""

    def price(
        self, bits: object, prices: Prices, max_conditions: int, deadline: Deadline
    ) -> PricingResult:
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
            exclude=[name for name in settings.exclude if name in table.names],
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
            known=_rule_sets(cells),
            known_bound=_bound(point, cells, self.depths(point)[-1]),
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
        selection = self.judge(point, _rule_sets(coarse))
        returned, optimised = selection.returned_winner, selection.objective_winner
        if returned is None or optimised is None:
            return None
        bound = _bound(point, coarse, depth)
        if selection.objective > bound and not any(
            selection.objective <= cell.objective
            for cell in _looser(point, coarse, depth)
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
            known=_rule_sets(coarse),
            known_bound=_bound(point, coarse, depth),
            seed=settings.seed,
        )
        return Cell.of(solution)

    def solve(self) -> dict[Point, Answer]:
        """Run both phases; return the answer at each point of the fine grid."""
        coarse, rules = self.generate()
        fine = self.select(rules, coarse)
        # A point of both grids counts with its later cell, which began with the other.
        cells = {**coarse, **fine}
        rule_sets = _rule_sets(coarse) + _rule_sets(fine)
        answers = {}
        for point, cell in fine.items():
            selection = self.judge(point, rule_sets)
            returned, optimised = selection.returned_winner, selection.objective_winner
            assert returned is not None, "a cell's own rule set is always allowed there"
            assert optimised is not None, "a cell's own rule set solves its master"
            answers[point] = Answer(
                returned=returned,
                optimised=optimised,
                lower_bound=_bound(point, cells, self.depths(point)[-1]),
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
            *(_rule_sets(cells), _bound(point, cells, self.depths(point)[-1])),
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
    test_table = table.take(test)
    records = []
    for point, answer in answers.items():
        winner = answer.returned
        rule_set = fold.rule_set(winner.rules)
        counts = count_predictions(
            rule_set.covers(test_table), is_positive[test], groups.codes[test], groups
        )
        criterion = settings.criterion(point[0])
        n_train, recount = len(train), winner.recount
        records.append(
            {
                "fold": number,
                "epsilon": point[0],
                "max_complexity": point[1],
                "train_accuracy": (n_train - recount.zero_one_loss) / n_train,
                "test_accuracy": _accuracy(counts),
                "train_gap": max(
                    (
                        float(gap(rate, recount.missed, recount.hit))
                        for rate in fold.problem(point).rates
                    ),
                    default=0.0,
                ),
                "test_gap": _gap_or_nan(counts, groups.names, criterion),
                "complexity": recount.complexity,
                "n_rules": len(winner.rules),
                "train_hamming_loss": recount.hamming_loss,
                "best_hamming_loss": answer.optimised.recount.hamming_loss,
                "lower_bound": answer.lower_bound,
                "is_finished": answer.is_finished,
                "seconds": answer.seconds,
                "rule_set": rule_set,
                **{
                    f"test_{kind}: {name}": int(counts[kind][g])
                    for g, name in enumerate(groups.names)
                    for kind in COUNTS
                },
            }
        )
    return records


def _rule_sets(
    cells: Mapping[Point, Cell],
) -> tuple[tuple[Conditions, ...], ...]:
    """Return every rule set that some cell found, each once."""
    found = (rules for c in cells.values() for rules in (c.optimised, c.best))
    return tuple(dict.fromkeys(found))


def _looser(point: Point, cells: Mapping[Point, Cell], depth: int) -> Iterator[Cell]:
    """Walk through the cells that allow all that this point allows."""
    for (epsilon, C), cell in cells.items():
        if epsilon >= point[0] and point[1] <= C and cell.max_conditions >= depth:
            yield cell


def _bound(point: Point, cells: Mapping[Point, Cell], depth: int) -> float:
    """Return the best bound of cells at least as loose, over all rules that fit."""
    bounds = (cell.lower_bound for cell in _looser(point, cells, depth))
    return max(bounds, default=0.0)


def count_predictions(
    covered: BoolVector, is_positive: BoolVector, codes: IntVector, groups: Groups
) -> dict[str, IntVector]:
    """Count the people of each group by true label and prediction."""
    masks = {
        "true_positives": is_positive & covered,
        "false_negatives": is_positive & ~covered,
        "false_positives": ~is_positive & covered,
        "true_negatives": ~is_positive & ~covered,
    }
    ones = np.ones(len(codes), dtype=np.int64)
    return {
        kind: count_people(mask, codes, ones, len(groups.names))
        for kind, mask in masks.items()
    }


def _accuracy(counts: Mapping[str, IntVector]) -> float:
    right = counts["true_positives"].sum() + counts["true_negatives"].sum()
    return float(right / sum(counts[kind].sum() for kind in COUNTS))


def largest_gap(
    counts: Mapping[str, IntVector],
    names: tuple[str, ...],
    criterion: Criterion | None,
) -> float:
    """Return the criterion's largest gap; an error if a group has nobody to count."""
    if criterion is None:
        return 0.0
    missed, covered = counts["false_negatives"], counts["false_positives"]
    sizes = GroupSizes(
        names, counts["true_positives"] + missed, covered + counts["true_negatives"]
    )
    rates = criterion.rates(sizes)
    return max(float(gap(rate, missed, covered)) for rate in rates)


def _gap_or_nan(
    counts: Mapping[str, IntVector],
    names: tuple[str, ...],
    criterion: Criterion | None,
) -> float:
    try:
        return largest_gap(counts, names, criterion)
    except ValueError:
        return float("nan")
