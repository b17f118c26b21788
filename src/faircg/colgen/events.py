"""Events: what a fit and a search tell while they work.

Whoever wants to know passes a callable that takes an event. It is called between two
steps of the work, so it should be quick; what it raises ends the fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from faircg.colgen.history import Round

Phase: TypeAlias = Literal["I", "II"]
"""The phases of a search."""


@dataclass(frozen=True, slots=True)
class FitBegun:
    """A fit begins; ``epsilon`` is None without a constraint."""

    epsilon: float | None
    max_complexity: int

    def __str__(self) -> str:
        limit = f"complexity at most {self.max_complexity}"
        return limit if self.epsilon is None else f"epsilon {self.epsilon:g}, {limit}"


@dataclass(frozen=True, slots=True)
class DepthBegun:
    """Column generation begins over rules of so many conditions at most."""

    max_conditions: int

    def __str__(self) -> str:
        return f"rules of at most {self.max_conditions} conditions"


@dataclass(frozen=True, slots=True)
class RoundDone:
    """A round of column generation is done."""

    round: Round

    def __str__(self) -> str:
        r = self.round
        return (
            f"round {r.number}: LP {r.lp_value:.3f}, bound {r.lower_bound:.3f}, best "
            f"reduced cost {r.best_reduced_cost:.4f}, {r.new_rules} new rules, pool "
            f"{r.pool_size}"
        )


@dataclass(frozen=True, slots=True)
class DepthDone:
    """Column generation ended; ``is_proven`` if the linear master is solved."""

    max_conditions: int
    lower_bound: float
    is_proven: bool

    def __str__(self) -> str:
        solved = "solved" if self.is_proven else "not solved"
        return (
            f"linear master over rules of at most {self.max_conditions} conditions: "
            f"{solved}, bound {self.lower_bound:.3f}"
        )


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A rule set that satisfies the constraint is better than those before.

    ``loss`` is the lowest loss that the master minimises, ``errors`` the fewest wrong
    predictions so far, maybe of another rule set; infinity while there is none.
    """

    loss: float
    errors: float

    def __str__(self) -> str:
        return f"best loss {self.loss:.0f}, fewest wrong predictions {self.errors:.0f}"


@dataclass(frozen=True, slots=True)
class ProofStep:
    """All rule sets within some excess over the bound were looked at.

    ``lower_bound`` is what is proven now; no more than before if there were too many of
    them (``is_complete`` is False).
    """

    excess: float
    n_rules: int
    n_rule_sets: int
    is_complete: bool
    lower_bound: float

    def __str__(self) -> str:
        cut = "" if self.is_complete else " (not all)"
        return (
            f"excess {self.excess:.3f}: {self.n_rules} rules, {self.n_rule_sets} rule "
            f"sets{cut}, bound {self.lower_bound:.3f}"
        )


@dataclass(frozen=True, slots=True)
class IntegerDone:
    """The integer master over so many rules ended; ``is_closed`` if it is solved."""

    n_rules: int
    lower_bound: float
    is_closed: bool

    def __str__(self) -> str:
        solved = "solved" if self.is_closed else "not solved"
        return (
            f"integer master: {self.n_rules} rules, {solved}, bound "
            f"{self.lower_bound:.3f}"
        )


@dataclass(frozen=True, slots=True)
class SearchBegun:
    """A search over a grid begins: folds, and points of each phase in every fold."""

    n_folds: int
    n_coarse: int
    n_fine: int

    def __str__(self) -> str:
        return f"{self.n_folds} folds of {self.n_coarse} and {self.n_fine} points"


@dataclass(frozen=True, slots=True)
class InCell:
    """Something happened in a cell of a search: a fold and phase at one point."""

    fold: int
    phase: Phase
    epsilon: float
    max_complexity: int
    event: EngineEvent

    def __str__(self) -> str:
        return f"{_cell(self)}: {self.event}"


@dataclass(frozen=True, slots=True)
class CellDone:
    """A cell of a search is done; ``is_kept`` if an earlier search had solved it."""

    fold: int
    phase: Phase
    epsilon: float
    max_complexity: int
    loss: float
    lower_bound: float
    seconds: float
    is_kept: bool

    def __str__(self) -> str:
        kept = " (kept)" if self.is_kept else ""
        return (
            f"{_cell(self)}: loss {self.loss:.0f}, bound {self.lower_bound:.0f}, "
            f"{self.seconds:.1f} s{kept}"
        )


def _cell(event: InCell | CellDone) -> str:
    return (
        f"fold {event.fold}, phase {event.phase}, epsilon {event.epsilon:g}, "
        f"complexity {event.max_complexity}"
    )


EngineEvent: TypeAlias = (
    DepthBegun | RoundDone | DepthDone | Incumbent | ProofStep | IntegerDone
)
"""What the engine tells."""
Event: TypeAlias = EngineEvent | FitBegun | SearchBegun | InCell | CellDone
"""What callbacks get."""
OnEvent: TypeAlias = Callable[[Event], None]
"""What listens."""


def ignore(event: Event) -> None:
    """Do nothing with an event."""
