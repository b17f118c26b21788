"""Random pricing problems, and their answers by listing every rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from faircg._kernel import HAS_NATIVE
from posed import pose

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from faircg._kernel import PricedBits

Rule = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Instance:
    """A pricing problem, and every rule that covers a row with its reduced cost."""

    rows: NDArray[np.bool_]
    problem: PricedBits

    def every_rule(self) -> dict[Rule, float]:
        """List all rules with at most one condition per family that cover a row."""
        bits, prices = self.problem.bits, self.problem.prices
        family = bits.family
        found: dict[Rule, float] = {}
        rules: list[Rule] = [()]
        covered = np.ones((1, bits.n_rows), dtype=bool)
        for size in range(1, self.problem.max_conditions + 1):
            longer = [
                (k, (*rule, j))
                for k, rule in enumerate(rules)
                for j in range(rule[-1] + 1 if rule else 0, bits.n_conditions)
                if all(family[j] != family[i] for i in rule)
            ]
            if not longer:
                break
            rules = [rule for _, rule in longer]
            covered = covered[[k for k, _ in longer]]
            covered &= self.rows.T[[rule[-1] for rule in rules]]
            sums = covered.astype(float) @ prices
            sums += self.problem.condition_price * (1 + size)
            some = np.asarray(covered.any(axis=1))
            found.update(
                (rule, float(cost))
                for rule, cost, any_row in zip(rules, sums, some, strict=True)
                if any_row
            )
            rules = [rule for rule, any_row in zip(rules, some, strict=True) if any_row]
            covered = covered[some]
        return found

    def coverage(self, rule: Rule) -> NDArray[np.bool_]:
        """Rows that meet every condition."""
        return np.asarray(self.rows[:, list(rule)].all(axis=1))


def make_instance(seed: int, *, most_rows: int = 150, features: int = 5) -> Instance:
    """Mix thresholds, categories and booleans; ties, zeros and duplicate rows."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(1, most_rows))
    columns: list[NDArray[np.bool_]] = []
    family: list[int] = []
    for _ in range(int(rng.integers(1, features + 1))):
        new = max(family, default=-1) + 1
        kind = rng.integers(3)
        if kind == 0:  # nested, in both directions
            number = rng.integers(0, 5, n_rows)
            for cut in range(int(rng.integers(1, 4))):
                columns += [number <= cut, number > cut]
                family += [new, new + 1]
        elif kind == 1:  # exclusive, each with its complement
            category = rng.integers(0, 3, n_rows)
            for k, value in enumerate(range(int(rng.integers(1, 4)))):
                columns += [category == value, category != value]
                family += [new, new + 1 + k]
        else:
            flag = rng.random(n_rows) < rng.random()
            columns += [flag, ~flag]
            family += [new, new + 1]
    order = rng.permutation(len(columns))
    rows = np.column_stack(columns)[:, order]
    prices = [
        rng.integers(-3, 4, n_rows).astype(float),
        rng.choice([-1.0, 1.0], n_rows),
        rng.normal(size=n_rows),
        np.where(rng.random(n_rows) < 0.8, rng.choice([-0.7, 0.1, 1.0], n_rows), 0.0),
        rng.choice([-1.0, 1.0, 1 / 3, 0.1], n_rows)
        + 1e-3 * rng.random(n_rows).round(1),
    ][rng.integers(5)]
    if rng.random() < 0.3:  # duplicates of a few rows
        source = rng.integers(0, max(1, n_rows // 5), n_rows)
        rows, prices = rows[source], prices[rng.permutation(source)]
    condition_price = float(rng.choice([0.0, 0.0, 0.1, 1 / 3, 1.0]))
    max_conditions = int(rng.integers(1, 5))
    families = np.array(family, dtype=np.int32)[order]
    problem = pose(rows, prices, condition_price, max_conditions, family=families)
    return Instance(rows, problem)


@pytest.fixture
def instance() -> Callable[..., Instance]:
    """Make a random pricing problem from a seed."""
    return make_instance


@pytest.fixture
def hard() -> PricedBits:
    """Make a problem that no search finishes soon: independent coins, no structure."""
    rng = np.random.default_rng(0)
    rows = rng.random((6000, 150)) < 0.6
    return pose(rows, rng.choice([-1.0, 1.0], 6000), 0.0, 10)


@pytest.fixture
def needs_native() -> None:
    """Skip without the compiled kernel."""
    if not HAS_NATIVE:
        pytest.skip("the compiled kernel is not installed")
