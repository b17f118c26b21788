"""Answers by listing everything: what the engine must agree with.

Nothing here imports the package. Rules are tuples of condition numbers, coverage is a
Python integer with one bit per sample, counts are whole numbers and rates fractions;
epsilon is the decimal number that was typed. The linear program is the paper's, with
one variable and two rows for every positive, one column for every rule and one
fairness row for every ordered pair of groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

Rule = tuple[int, ...]
NO_LIMIT = 10**9


@dataclass(frozen=True)
class Limits:
    """The allowed gaps as typed; None where a rate is not compared."""

    missed: float | None = None
    hit: float | None = None
    selected: float | None = None

    @property
    def counts_hits(self) -> bool:
        """Whether any limit looks at covered negatives."""
        return self.hit is not None or self.selected is not None


@dataclass(frozen=True, eq=False)
class Instance:
    """A small table of samples, already binarised."""

    conditions: NDArray[np.bool_]
    is_positive: NDArray[np.bool_]
    groups: NDArray[np.int64]
    families: NDArray[np.int32]
    n_groups: int
    max_conditions: int
    max_complexity: int
    costs: NDArray[np.int64] | None = None
    """What a wrong prediction of each sample costs; one by default."""

    def cost(self, samples: int) -> int:
        """Add up what wrong predictions of these samples cost."""
        if self.costs is None:
            return samples.bit_count()
        return sum(c for i, c in enumerate(self.costs.tolist()) if samples >> i & 1)

    @cached_property
    def everybody(self) -> int:
        return (1 << len(self.is_positive)) - 1

    @cached_property
    def positives(self) -> list[int]:
        return self._members(self.is_positive)

    @cached_property
    def negatives(self) -> list[int]:
        return self._members(~self.is_positive)

    def _members(self, chosen: NDArray[np.bool_]) -> list[int]:
        return [as_bits(chosen & (self.groups == g)) for g in range(self.n_groups)]

    def cover(self, rule: Rule) -> int:
        """Return the samples that meet every condition of the rule."""
        covered = self.everybody
        for j in rule:
            covered &= as_bits(self.conditions[:, j])
        return covered

    @cached_property
    def rules(self) -> list[Rule]:
        """Every rule of one to ``max_conditions`` conditions."""
        names = range(self.conditions.shape[1])
        sizes = range(1, self.max_conditions + 1)
        return [rule for size in sizes for rule in combinations(names, size)]

    @cached_property
    def covers(self) -> dict[Rule, int]:
        return {rule: self.cover(rule) for rule in self.rules}

    def counts(self, rules: Iterable[Rule]) -> Counts:
        """Count people, one by one, for a rule set."""
        covers = [self.cover(rule) for rule in rules]
        union = 0
        for cover in covers:
            union |= cover
        return Counts(
            missed=[(p & ~union).bit_count() for p in self.positives],
            hit=[(n & union).bit_count() for n in self.negatives],
            repeated=[sum((n & c).bit_count() for c in covers) for n in self.negatives],
            positives=[p.bit_count() for p in self.positives],
            negatives=[n.bit_count() for n in self.negatives],
        )


@dataclass(frozen=True)
class Counts:
    """People of each group; ``repeated`` counts a negative once for every rule."""

    missed: list[int]
    hit: list[int]
    repeated: list[int]
    positives: list[int]
    negatives: list[int]

    @property
    def zero_one(self) -> int:
        return sum(self.missed) + sum(self.hit)

    @property
    def hamming(self) -> int:
        return sum(self.missed) + sum(self.repeated)

    def loss(self, objective: str) -> int:
        return self.hamming if objective == "hamming" else self.zero_one

    def satisfies(self, limits: Limits) -> bool:
        """Whether the true rates are within the limits."""
        return self._within(limits, self.hit)

    def satisfies_proxy(self, limits: Limits) -> bool:
        """Whether the rates are within, with the paper's count of false positives."""
        return self._within(limits, self.repeated)

    def _within(self, limits: Limits, hit: list[int]) -> bool:
        of = list(zip(self.positives, self.negatives, self.missed, hit, strict=True))
        selected = [p - m + h for p, _, m, h in of]
        return (
            within(self.missed, self.positives, limits.missed)
            and within(hit, self.negatives, limits.hit)
            and within(selected, [p + n for p, n, _, _ in of], limits.selected)
        )


def as_bits(chosen: NDArray[np.bool_]) -> int:
    """Write a boolean vector as an integer."""
    return sum(1 << i for i, is_chosen in enumerate(chosen.tolist()) if is_chosen)


def gap(counts: list[int], sizes: list[int]) -> Fraction:
    """Return the largest difference of two groups' rates."""
    rates = [Fraction(count, size) for count, size in zip(counts, sizes, strict=True)]
    return max(rates) - min(rates)


def within(counts: list[int], sizes: list[int], epsilon: float | None) -> bool:
    """Whether a gap is at most epsilon, as the decimal number typed."""
    return epsilon is None or gap(counts, sizes) <= Fraction(str(epsilon))


def rule_sets(instance: Instance) -> Iterator[tuple[list[Rule], list[int], int]]:
    """List every rule set within the complexity, with its covers and their union."""
    rules = instance.rules
    covers = [instance.covers[rule] for rule in rules]
    chosen: list[Rule] = []
    used: list[int] = []

    def grow(
        first: int, left: int, union: int
    ) -> Iterator[tuple[list[Rule], list[int], int]]:
        yield chosen, used, union
        for k in range(first, len(rules)):
            complexity = 1 + len(rules[k])
            if complexity > left:
                break  # rules are listed by size
            chosen.append(rules[k])
            used.append(covers[k])
            yield from grow(k + 1, left - complexity, union | covers[k])
            chosen.pop()
            used.pop()

    yield from grow(0, instance.max_complexity, 0)


def best_rule_set(
    instance: Instance, objective: str, limits: Limits, *, by_proxy: bool = True
) -> int:
    """Return the lowest loss of a rule set that satisfies the limits.

    By the proxy, with Hamming loss and a limit on false positives, the paper's rows
    hold as well as the true rates, and no two rules of a rule set cover the same
    samples: twice the same predictions would only serve to fill up a count that nobody
    means.
    """
    positives = as_bits(instance.is_positive)
    negatives = instance.everybody & ~positives
    by_proxy = by_proxy and objective == "hamming" and limits.counts_hits
    best = NO_LIMIT
    for rules, covers, union in rule_sets(instance):
        loss = instance.cost(positives & ~union)
        if objective == "hamming":
            loss += sum(instance.cost(negatives & cover) for cover in covers)
        else:
            loss += instance.cost(negatives & union)
        if loss >= best:
            continue
        counts = instance.counts(rules)
        assert instance.costs is not None or counts.loss(objective) == loss
        if not counts.satisfies(limits):
            continue
        if by_proxy and not (
            counts.satisfies_proxy(limits) and len(set(covers)) == len(covers)
        ):
            continue
        best = loss
    return best


def linear_value(instance: Instance, objective: str, limits: Limits) -> float:
    """Return the value of the paper's linear master over every rule."""
    C = instance.max_complexity
    is_positive, groups = instance.is_positive, instance.groups
    rules = instance.rules
    n, m = len(is_positive), len(rules)
    covered = np.zeros((n, m))
    for k, rule in enumerate(rules):
        covered[:, k] = instance.conditions[:, list(rule)].all(axis=1)

    # One variable for each sample (missed, or hit), then one for each rule.
    each = np.ones(n) if instance.costs is None else instance.costs.astype(float)
    cost = np.zeros(n + m)
    cost[:n][is_positive] = each[is_positive]
    rows: list[NDArray[Any]] = []
    bounds: list[float] = []

    def add(samples: NDArray[Any], weights: NDArray[Any], bound: float) -> None:
        rows.append(np.concatenate([samples, weights]))
        bounds.append(bound)

    one = np.eye(n)
    for i in range(n):
        if is_positive[i]:
            add(-one[i], -covered[i], -1.0)
            add(C * one[i], 2.0 * covered[i], C)
        elif objective == "zero_one":
            add(-C / 2 * one[i], covered[i], 0.0)
            if limits.counts_hits:
                add(one[i], -covered[i], 0.0)
    if objective == "hamming":
        cost[n:] = each[~is_positive] @ covered[~is_positive]
    else:
        cost[:n] = each
    add(np.zeros(n), np.array([1.0 + len(rule) for rule in rules]), C)

    def shares(whom: NDArray[np.bool_], sign: float) -> list[tuple[Any, Any, float]]:
        """Coefficients of samples and rules in each group's rate, and its constant."""
        found = []
        for g in range(instance.n_groups):
            inside = whom & (groups == g)
            share = inside / inside.sum()
            of_positives = np.where(is_positive, sign * share, 0.0)
            of_negatives = np.where(is_positive, 0.0, share)
            constant = share[is_positive].sum() if sign < 0 else 0.0
            if objective == "zero_one":
                found.append((of_positives + of_negatives, np.zeros(m), constant))
            else:
                found.append((of_positives, of_negatives @ covered, constant))
        return found

    everybody = np.ones(n, dtype=bool)
    for epsilon, rates in (
        (limits.missed, shares(is_positive, 1.0)),
        (limits.hit, shares(~is_positive, 1.0)),
        (limits.selected, shares(everybody, -1.0)),
    ):
        if epsilon is None:
            continue
        for a, b in ((a, b) for a in rates for b in rates if a is not b):
            add(a[0] - b[0], a[1] - b[1], float(epsilon) - a[2] + b[2])
    answer = linprog(cost, A_ub=np.array(rows), b_ub=np.array(bounds), bounds=(0, None))
    assert answer.status == 0, answer.message
    return float(answer.fun)


def coverage_value(
    instance: Instance, limits: Limits, *, triples: bool = False
) -> float:
    """Return the value of the linear coverage master over every rule and every pair.

    One variable says whether a sample is covered; it pushes up every other sample from
    which no chosen rule tells it apart. With ``triples`` also every two samples
    together: no chosen rule covers the one and neither of the two.
    """
    is_positive, groups, rules = instance.is_positive, instance.groups, instance.rules
    n, m = len(is_positive), len(rules)
    covered = np.zeros((n, m))
    for k, rule in enumerate(rules):
        covered[:, k] = instance.conditions[:, list(rule)].all(axis=1)
    one, most = np.eye(n), max(1, instance.max_complexity // 2)
    rows = [np.concatenate([one[i], -covered[i]]) for i in range(n)]
    rows += [np.concatenate([-most * one[i], covered[i]]) for i in range(n)]
    limit = instance.max_complexity
    sizes = np.array([1.0 + len(rule) for rule in rules])
    rows += [np.concatenate([-limit * one[i], sizes * covered[i]]) for i in range(n)]
    for i, j in ((i, j) for i in range(n) for j in range(n) if i != j):
        rows.append(np.concatenate([one[i] - one[j], -covered[i] * (1 - covered[j])]))
    for i, j, k in permutations(range(n), 3) if triples else ():
        if j < k:
            alone = covered[i] * (1 - np.maximum(covered[j], covered[k]))
            rows.append(np.concatenate([one[i] - one[j] - one[k], -alone]))
    bounds = [0.0] * len(rows)
    rows.append(np.concatenate([np.zeros(n), sizes]))
    bounds.append(float(limit))
    for epsilon, whom in (
        (limits.missed, is_positive),
        (limits.hit, ~is_positive),
        (limits.selected, np.ones(n, dtype=bool)),
    ):
        inside = [whom & (groups == g) for g in range(instance.n_groups)]
        shares = [mask / mask.sum() for mask in inside]
        for a, b in ((a, b) for a in shares for b in shares if a is not b):
            if epsilon is not None:
                rows.append(np.concatenate([a - b, np.zeros(m)]))
                bounds.append(float(epsilon))
    cost = np.concatenate([np.where(is_positive, -1.0, 1.0), np.zeros(m)])
    ends = [(0, 1)] * n + [(0, None)] * m
    answer = linprog(cost, A_ub=np.array(rows), b_ub=np.array(bounds), bounds=ends)
    assert answer.status == 0, answer.message
    return float(answer.fun) + float(is_positive.sum())


def random_instance(seed: int, n_groups: int = 2, n_most: int = 12) -> Instance:
    """Draw at most 12 samples and 6 conditions: booleans, thresholds, categories.

    Every group has a positive and a negative, and some samples are duplicates.
    """
    rng = np.random.default_rng([seed, n_groups])
    n = int(rng.integers(max(2 * n_groups, 5), n_most + 1))
    groups = np.concatenate(
        [np.tile(np.arange(n_groups), 2), rng.integers(0, n_groups, n - 2 * n_groups)]
    )
    is_positive = np.concatenate(
        [
            np.repeat([True, False], n_groups),
            rng.random(n - 2 * n_groups) < rng.uniform(0.3, 0.8),
        ]
    )
    columns: list[NDArray[np.bool_]] = []
    families: list[int] = []
    while len(columns) < 6:
        new, room = max(families, default=-1) + 1, 6 - len(columns)
        kind = int(rng.integers(3)) if room >= 4 else 0
        if kind == 0:
            flag = rng.random(n) < rng.uniform(0.3, 0.7)
            flag ^= is_positive & (rng.random(n) < 0.4)
            columns += [flag, ~flag]
            families += [new, new + 1]
        elif kind == 1:  # nested thresholds, in both directions
            number = rng.integers(0, 4, n) + is_positive
            columns += [number <= 1, number <= 2, number > 1, number > 2]
            families += [new, new, new + 1, new + 1]
        elif room == 6:  # exclusive values with their complements
            value = rng.integers(0, 3, n)
            columns += [value == 0, value == 1, value == 2]
            columns += [value != 0, value != 1, value != 2]
            families += [new] * 3 + [new + 1, new + 2, new + 3]
    conditions = np.column_stack(columns)
    if rng.random() < 0.4:  # people who meet exactly the same conditions
        conditions = conditions[rng.integers(0, max(2, n // 2), n)]
    order = rng.permutation(n)
    return Instance(
        conditions[order],
        is_positive[order],
        groups[order],
        np.array(families, dtype=np.int32),
        n_groups,
        int(rng.integers(1, 4)),
        int(rng.integers(3, 10)),
    )
