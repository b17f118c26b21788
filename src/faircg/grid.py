"""The grid of a search: its points, its settings, and what is known of each cell.

A cell is one phase at one point: an epsilon and a limit on complexity. What a looser
cell has proven bounds every tighter one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeAlias

from faircg.fairness import criterion_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from faircg.colgen.engine import Solution
    from faircg.colgen.pricing import Pricer
    from faircg.colgen.select import Candidate
    from faircg.fairness import Criterion
    from faircg.rules import Rule
    from faircg.typing import Conditions

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


def known_rule_sets(
    cells: Mapping[Point, Cell],
) -> tuple[tuple[Conditions, ...], ...]:
    """Return every rule set that some cell found, each once."""
    found = (rules for c in cells.values() for rules in (c.optimised, c.best))
    return tuple(dict.fromkeys(found))


def looser_cells(
    point: Point, cells: Mapping[Point, Cell], depth: int
) -> Iterator[Cell]:
    """Walk through the cells that allow all that this point allows."""
    for (epsilon, C), cell in cells.items():
        if epsilon >= point[0] and point[1] <= C and cell.max_conditions >= depth:
            yield cell


def proven_bound(point: Point, cells: Mapping[Point, Cell], depth: int) -> float:
    """Return the best bound of cells at least as loose, over all rules that fit."""
    bounds = (cell.lower_bound for cell in looser_cells(point, cells, depth))
    return max(bounds, default=0.0)
