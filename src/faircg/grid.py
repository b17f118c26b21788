"""The grid of a search: its points, and what is known of each solved cell.

A cell is one phase at one point: an epsilon and a limit on complexity. What a looser
cell has proven bounds every tighter one.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import asdict, dataclass, fields
from itertools import product
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from faircg.colgen.problem import LARGEST_COMPLEXITY
from faircg.whole_files import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from faircg.colgen.engine import Solution
    from faircg.colgen.select import Candidate
    from faircg.typing import Conditions

logger = logging.getLogger(__name__)

GridPoint: TypeAlias = tuple[float, int]
"""Epsilon and the limit on complexity."""
Cells: TypeAlias = "Mapping[GridPoint, SolvedCell]"
COARSE_EPSILONS: Final = (0.01, 0.1, 1.0)
"""Epsilons of phase I by default."""
FINER_EPSILONS: Final = (0.0, 0.05, 0.15, 0.2)
"""Epsilons that phase II adds to those of phase I by default."""
NO_LIMIT: Final = 1.0
"""The only epsilon of a search without a constraint: no gap is larger."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The points of phase I (coarse) and of phase II (fine), in their order."""

    coarse: tuple[GridPoint, ...]
    fine: tuple[GridPoint, ...]

    @classmethod
    def of(
        cls,
        *,
        epsilons: Iterable[float],
        complexities: Iterable[int],
        fine_epsilons: Iterable[float] | None = None,
        fine_complexities: Iterable[int] | None = None,
        has_constraint: bool = True,
    ) -> Grid:
        """Combine both axes of both phases, small rule sets first.

        Phase I goes from large epsilons to small ones: the linear master is easier to
        solve without a binding constraint, and its bound holds at smaller epsilons.

        The axes of phase II are those of phase I by default, but if the epsilons are
        the default ones, others are added. Without a constraint there is one epsilon,
        which allows everything.
        """
        e = _axis("epsilons", epsilons)
        C = _axis("complexities", complexities, whole=True)
        fine_e, fine_C = e, C
        if tuple(e) == COARSE_EPSILONS:  # whoever gives others wants just those
            fine_e = sorted({*e, *FINER_EPSILONS})
        if fine_epsilons is not None:
            fine_e = _axis("fine_epsilons", fine_epsilons)
        if fine_complexities is not None:
            fine_C = _axis("fine_complexities", fine_complexities, whole=True)
        if not has_constraint:
            e = fine_e = [NO_LIMIT]
        return cls(
            coarse=tuple((x, int(n)) for n, x in product(C, e[::-1])),
            fine=tuple((x, int(n)) for n, x in product(fine_C, fine_e)),
        )


@dataclass(frozen=True)
class SolvedCell:
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
    def of(cls, solution: Solution, rules: Iterable[Conditions] = ()) -> SolvedCell:
        """Keep what matters of a solution."""
        proven = solution.certificate
        return cls(
            rules=tuple(rules),
            best=solution.returned.rules,
            optimised=solution.optimised.rules,
            objective=proven.objective,
            lower_bound=proven.lower_bound,
            max_conditions=proven.max_conditions,
            status=proven.status,
            seconds=proven.seconds or 0.0,
        )

    def to_json(self) -> str:
        """Write the cell as one line."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_json(cls, text: str, n_conditions: int) -> SolvedCell:
        """Read a kept cell; anything else is a ``ValueError``."""
        data = json.loads(text)
        if not isinstance(data, dict) or set(data) != {f.name for f in fields(cls)}:
            raise ValueError("not a cell")
        for name in ("rules", "best", "optimised"):
            data[name] = tuple(tuple(map(int, rule)) for rule in data[name])
            if any(not 0 <= j < n_conditions for rule in data[name] for j in rule):
                raise ValueError("a rule tests an unknown condition")
        return cls(**data)


@dataclass(frozen=True, slots=True)
class CellFiles:
    """Finished cells as files, so that a search that was stopped goes on.

    A file is named by all that its answer depends on (data, rules it starts from,
    question, settings), so it is either the right answer or not looked at. Without a
    folder nothing is kept.
    """

    folder: Path | None
    n_conditions: int
    """Conditions that rules may test, to check what is read."""

    def get(
        self, phase: str, key: object, compute: Callable[[], SolvedCell]
    ) -> tuple[SolvedCell, bool]:
        """Return a cell, and whether it was kept; one that was not is computed."""
        if self.folder is None:
            return compute(), False
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:32]
        file = self.folder / f"{phase}-{digest}.json"
        cell = self._read(file)
        if cell is not None:
            return cell, True
        cell = compute()
        write_text(file, cell.to_json())
        return cell, False

    def _read(self, file: Path) -> SolvedCell | None:
        if not file.exists():
            return None
        try:
            text = file.read_text(encoding="utf-8")
            return SolvedCell.from_json(text, self.n_conditions)
        except (ValueError, TypeError):
            logger.warning("%s is not a cell of this search; it is replaced", file)
            return None


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The best that any cell of a fold found for one point of the fine grid.

    ``returned`` makes the fewest errors, ``optimised`` has the lowest loss of the
    objective; ``lower_bound`` bounds that loss over all rules allowed, zero if nothing
    is proven.
    """

    returned: Candidate
    optimised: Candidate
    lower_bound: float
    is_finished: bool
    seconds: float


def known_rule_sets(cells: Cells) -> tuple[tuple[Conditions, ...], ...]:
    """Return every rule set that some cell found, each once."""
    found = (rules for c in cells.values() for rules in (c.optimised, c.best))
    return tuple(dict.fromkeys(found))


def proven_bound(point: GridPoint, cells: Cells, depth: int) -> float:
    """Return the best bound of cells at least as loose, over all rules that fit."""
    bounds = (
        cell.lower_bound
        for (epsilon, C), cell in cells.items()
        if epsilon >= point[0] and point[1] <= C and cell.max_conditions >= depth
    )
    return max(bounds, default=0.0)


def _axis(name: str, values: Iterable[Any], *, whole: bool = False) -> list[float]:
    """Read one axis of a grid, sorted, without repetitions."""
    wanted: Any = Integral if whole else Real
    most = LARGEST_COMPLEXITY if whole else NO_LIMIT
    kind = f"{'whole ' if whole else ''}numbers from 0 to {most:.0f}"
    read: list[Any] = list(values)
    bad = [v for v in read if not isinstance(v, wanted) or not 0 <= v <= most]
    if not read or bad:
        found = f"found {bad[0]!r}" if bad else "it is empty"
        raise ValueError(f"{name} must be a list of {kind}; {found}")
    return sorted({float(v) for v in read})
