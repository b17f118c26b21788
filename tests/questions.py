"""Random questions of every kind, with the answers of a list of all rule sets.

A question has two to five groups, rules for either label, and errors that cost one
each, by label, or by person with people of several weights. The package merges and
weighs people and mirrors the criterion for rules that refuse; the list repeats each
person and counts by the labels as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from conditions import CASES, FREE, KINDS, Case, People, Sentence
from faircg.colgen.problem import Problem
from faircg.fairness import Family, Mirrored
from oracle import NO_LIMIT, Instance, as_bits, random_instance, rule_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from oracle import Rule

COSTS = ("one each", "by label", "by person, weighed")
N_CELLS = 4 * 2 * len(COSTS)
"""Numbers of groups, labels that rules are for, and costs."""
NOTHING, FAMILIES = "no constraint", "families of groups"
ASKED = [NOTHING, *KINDS, FAMILIES]
"""What is asked: nothing, the criteria, and these of several families of groups."""


@dataclass(frozen=True)
class Outcome:
    """What a rule set does: whom it covers, and how often."""

    union: int
    repeated: tuple[int, ...]
    repeated_cost: int
    is_distinct: bool


@dataclass(frozen=True, eq=False)
class Question:
    """A case asked of an instance; people are as often there as they weigh.

    ``instance`` calls those positive whom rules describe: the negatives if they refuse.
    """

    case: Case
    instance: Instance
    weights: NDArray[np.int64]
    drawn: Instance
    refuses: bool
    families: tuple[tuple[Family, list[list[int]], Sentence], ...]

    def problem(self, objective: Any, *, by_proxy: bool = False) -> Problem:
        """Put it as the package puts it."""
        drawn, criterion = self.drawn, self.case.criterion
        if self.refuses and criterion is not None:
            criterion = Mirrored(criterion)
        return Problem.merge(
            drawn.conditions,
            drawn.is_positive,
            families=drawn.families,
            group_codes=drawn.groups,
            group_names=self.names,
            compared=[family for family, _, _ in self.families],
            weights=self.weights,
            criterion=criterion,
            max_complexity=drawn.max_complexity,
            objective=objective,
            costs=None if drawn.costs is None else drawn.costs * self.weights,
            by_proxy=by_proxy,
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"group {g}" for g in range(self.drawn.n_groups))

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """Everything that a rule set can do, once."""
        instance = self.instance
        negatives = instance.everybody & ~as_bits(instance.is_positive)
        hits = {
            cover: (
                [(n & cover).bit_count() for n in instance.negatives],
                instance.cost(negatives & cover),
            )
            for cover in set(instance.covers.values())
        }
        found = set()
        for _, covers, union in rule_sets(instance):
            each = [hits[cover] for cover in covers]
            repeated = [0] * instance.n_groups
            for people, _ in each:
                repeated = [a + b for a, b in zip(repeated, people, strict=True)]
            is_distinct = len({*covers}) == len(covers)
            cost = sum(cost for _, cost in each)
            found.add(Outcome(union, tuple(repeated), cost, is_distinct))
        return [*found]

    def people(self, union: int, hit: tuple[int, ...] | None = None) -> list[People]:
        """Count the kinds of people of each group, by the labels as they are."""
        counted = []
        for g, p in enumerate(self.instance.positives):
            n = self.instance.negatives[g]
            fp = (n & union).bit_count() if hit is None else hit[g]
            found = People(
                tp=(p & union).bit_count(),
                fn=(p & ~union).bit_count(),
                fp=fp,
                tn=n.bit_count() - fp,
            )
            if self.refuses:
                found = People(found.tn, found.fp, found.fn, found.tp)
            counted.append(found)
        return counted

    def _compared(self, counted: list[People]) -> Iterator[tuple[Sentence, Any]]:
        """Add up the people of the groups of each family."""
        if not self.families:
            yield self.case.sentence, counted
        for _, groups, sentence in self.families:
            yield (
                sentence,
                [
                    People(
                        *map(sum, zip(*(counted[part] for part in group), strict=True))
                    )
                    for group in groups
                ],
            )

    def lack(self, union: int) -> Fraction:
        """By how much limits would have to be easier for whom a rule set covers."""
        return max(s.lack(groups) for s, groups in self._compared(self.people(union)))

    def holds(self, union: int, hit: tuple[int, ...] | None = None) -> bool:
        """Whether the constraint is satisfied; with ``hit``, by these hits."""
        compared = self._compared(self.people(union, hit))
        return all(s.holds(groups) for s, groups in compared)

    def zero_one(self, union: int) -> int:
        """Return what wrong predictions cost."""
        positives = as_bits(self.instance.is_positive)
        return self.instance.cost(union ^ positives)

    def errors(self, union: int) -> int:
        """How many predictions are wrong."""
        return (union ^ as_bits(self.instance.is_positive)).bit_count()

    def hamming(self, outcome: Outcome) -> int:
        """Return what the missed cost, and the hit once for every rule."""
        missed = as_bits(self.instance.is_positive) & ~outcome.union
        return self.instance.cost(missed) + outcome.repeated_cost

    @cached_property
    def satisfying(self) -> list[Outcome]:
        """What rule sets do that satisfy the constraint."""
        return [o for o in self.outcomes if self.holds(o.union)]

    def least(self, loss: Callable[[int], int]) -> int:
        """Return the least of a loss among rule sets that satisfy the constraint."""
        return min((loss(o.union) for o in self.satisfying), default=NO_LIMIT)

    def least_hamming(self, *, by_proxy: bool) -> int:
        """Return the least Hamming loss of what satisfies the constraint.

        By the proxy the rows of the paper must hold beside it; then no two rules of a
        rule set cover the same people, which would only fill up a count.
        """
        return min(
            (
                self.hamming(o)
                for o in self.satisfying
                if not by_proxy or (o.is_distinct and self.holds(o.union, o.repeated))
            ),
            default=NO_LIMIT,
        )

    def union(self, rules: tuple[Rule, ...]) -> int:
        """Return whom some rules cover."""
        covered = 0
        for rule in rules:
            covered |= self.instance.cover(rule)
        return covered


def question_of(asked: str, seed: int) -> Question:
    """Draw a question; consecutive seeds go through all cells."""
    cell = 7 * seed % N_CELLS
    n_groups, refuses = 2 + cell % 4, cell // 4 % 2 == 1
    rng = np.random.default_rng([seed, *asked.encode()])
    number = int(rng.integers(2**31))
    drawn = random_instance(number, n_groups, 14)
    label = drawn.is_positive
    n, kind = len(label), COSTS[cell // 8]
    costs, weights = None, np.ones(n, dtype=np.int64)
    if kind == "by label":
        costs = np.where(label, *rng.integers(1, 6, 2))
    elif kind == "by person, weighed":
        costs = np.maximum(rng.choice([0, 1, 1, 2, 5, 30], n), np.arange(n) == 0)
        weights = rng.choice([1, 1, 1, 2, 3], n)
        alike = [
            i
            for i in range(n)
            if ((drawn.groups == drawn.groups[i]) & (label == label[i])).sum() > 1
        ]
        weights[alike[:1]] = 0
    # Whom rules describe is called positive.
    drawn = replace(drawn, is_positive=~label if refuses else label, costs=costs)
    again = np.repeat(np.arange(n), weights)
    instance = replace(
        drawn,
        conditions=drawn.conditions[again],
        is_positive=drawn.is_positive[again],
        groups=drawn.groups[again],
        costs=None if costs is None else costs[again],
    )
    cases = {**KINDS, NOTHING: [FREE], FAMILIES: CASES}[asked]
    case = cases[int(rng.integers(len(cases)))]
    families = _families(n_groups, case, rng) if asked == FAMILIES else ()
    return Question(case, instance, weights, drawn, refuses, families)


def _families(
    n_groups: int, case: Case, rng: np.random.Generator
) -> tuple[tuple[Family, list[list[int]], Sentence], ...]:
    """Compare parts by two attributes, within strata, or some of them only."""
    parts = list(range(n_groups))
    half = (n_groups + 1) // 2
    ways = [
        [[parts[::2], parts[1::2]], [parts[:half], parts[half:]]],
        [
            [[part] for part in parts[start : start + 2]]
            for start in range(0, n_groups - 1, 2)
        ],
        [[[0], parts[1:]]],
    ]
    found = []
    for number, groups in enumerate(ways[int(rng.integers(len(ways)))]):
        named = {
            f"{number}, {k}": tuple(f"group {part}" for part in group)
            for k, group in enumerate(groups)
        }
        found.append((Family(named, f"family {number}"), groups, case.sentence))
    return tuple(found)
