"""Events: what a fit and a search tell while they work.

Whoever wants to know passes a callable that takes an event. It is called between two
steps of the work, so it should be quick; what it raises ends the fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Literal,
    TypeAlias,
    TypeVar,
    cast,
)

if TYPE_CHECKING:
    from faircg.colgen.costs import Units

Phase: TypeAlias = Literal["I", "II"]
"""The phases of a search."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did, and what was known at its end.

    ``lp_value`` is that of the restricted master at its start, ``lower_bound`` the best
    bound proven so far on the master over all rules; ``best_reduced_cost`` is zero when
    no rule of negative reduced cost was found, and ``is_complete`` says whether the
    pricing proved its answer.
    """

    number: int
    seconds: float
    max_conditions: int
    lp_value: float
    lower_bound: float
    best_reduced_cost: float
    new_rules: int
    pool_size: int
    is_complete: bool


class _Told:
    """An event in words, which are made of its fields."""

    __slots__ = ()
    _words: ClassVar[str]

    def __str__(self) -> str:
        return self._words.format(self)


@dataclass(frozen=True, slots=True)
class FitBegun:
    """A fit begins; ``epsilon`` is None without a constraint.

    It is about so many people and may take so many seconds.
    """

    epsilon: float | None
    max_complexity: int
    people: float = 0.0
    seconds: float = math.inf

    def __str__(self) -> str:
        limit = f"complexity at most {self.max_complexity}"
        return limit if self.epsilon is None else f"epsilon {self.epsilon:g}, {limit}"


@dataclass(frozen=True, slots=True)
class DepthBegun(_Told):
    """Column generation begins over rules of so many conditions at most."""

    _words = "rules of at most {0.max_conditions} conditions"
    max_conditions: int


@dataclass(frozen=True, slots=True)
class RoundDone(_Told):
    """A round of column generation is done."""

    _words = (
        "round {0.round.number}: LP {0.round.lp_value:.3f}, bound "
        "{0.round.lower_bound:.3f}, best reduced cost {0.round.best_reduced_cost:.4f}, "
        "{0.round.new_rules} new rules, pool {0.round.pool_size}"
    )
    round: Round


@dataclass(frozen=True, slots=True)
class DepthDone(_Told):
    """Column generation ended; ``is_proven`` if the linear master is solved."""

    _words = (
        "rules of at most {0.max_conditions} conditions: bound {0.lower_bound:.3f}, "
        "proven to be the best of the linear master: {0.is_proven}"
    )
    max_conditions: int
    lower_bound: float
    is_proven: bool


@dataclass(frozen=True, slots=True)
class Incumbent(_Told):
    """A rule set that satisfies the constraint is better than those before.

    ``loss`` is the lowest loss that the master minimises, ``errors`` the fewest wrong
    predictions so far, maybe of another rule set; infinity while there is none.
    """

    _words = "best loss {0.loss:.0f}, fewest wrong predictions {0.errors:.0f}"
    loss: float
    errors: float


@dataclass(frozen=True, slots=True)
class ProofStep(_Told):
    """All rule sets within some excess over the bound were looked at.

    ``lower_bound`` is what is proven now; no more than before if there were too many of
    them, or time ended (``is_complete`` is False). ``n_rules`` is then 0 if even the
    rules that they can have were not all found.
    """

    _words = (
        "excess {0.excess:.3f}: {0.n_rules} rules, {0.n_rule_sets} rule sets, all of "
        "them: {0.is_complete}, bound {0.lower_bound:.3f}"
    )
    excess: float
    n_rules: int
    n_rule_sets: int
    is_complete: bool
    lower_bound: float


@dataclass(frozen=True, slots=True)
class IntegerDone(_Told):
    """The integer master over so many rules ended; ``is_closed`` if it is solved."""

    _words = (
        "integer master: {0.n_rules} rules, solved: {0.is_closed}, bound "
        "{0.lower_bound:.3f}"
    )
    n_rules: int
    lower_bound: float
    is_closed: bool


@dataclass(frozen=True, slots=True)
class SearchBegun(_Told):
    """A search over a grid begins: folds, and points of each phase in every fold.

    Of the ``n_fine`` points those that phase I proves optimal are not solved again.
    """

    _words = "{0.n_folds} folds of {0.n_coarse} and {0.n_fine} points"
    n_folds: int
    n_coarse: int
    n_fine: int


_CELL: Final = (
    "fold {0.fold}, phase {0.phase}, epsilon {0.epsilon:g}, complexity "
    "{0.max_complexity}: "
)


@dataclass(frozen=True, slots=True)
class InCell(_Told):
    """Something happened in a cell of a search: a fold and phase at one point."""

    _words = _CELL + "{0.event}"
    fold: int
    phase: Phase
    epsilon: float
    max_complexity: int
    event: EngineEvent


@dataclass(frozen=True, slots=True)
class CellDone(_Told):
    """A cell of a search is done; ``is_kept`` if an earlier search had solved it."""

    _words = _CELL + "loss {0.loss:.0f}, bound {0.lower_bound:.0f}, {0.seconds:.1f} s"
    fold: int
    phase: Phase
    epsilon: float
    max_complexity: int
    loss: float
    lower_bound: float
    seconds: float
    is_kept: bool


EngineEvent: TypeAlias = (
    DepthBegun | RoundDone | DepthDone | Incumbent | ProofStep | IntegerDone
)
"""What the engine tells."""
Event: TypeAlias = EngineEvent | FitBegun | SearchBegun | InCell | CellDone
"""What callbacks get."""
OnEvent: TypeAlias = Callable[[Event], None]
"""What listens."""


_Measured = TypeVar("_Measured", bound="Event | Round")


def in_units(event: _Measured, units: Units) -> _Measured:
    """Return an event, or a round, with its numbers in the units of the user.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from faircg.colgen.costs import Units
    >>> in_units(Incumbent(loss=6, errors=3), Units(loss=Fraction(5, 2)))
    Incumbent(loss=15.0, errors=3)
    """
    if units.loss == units.people == 1:
        return event
    changed: dict[str, Any] = {}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name in _LOSSES:
            changed[field.name] = units.loss_of(value)
        elif field.name == "errors":
            changed[field.name] = units.people_of(value)
        elif field.name == "round":
            changed[field.name] = in_units(value, units)
    return cast("_Measured", replace(cast("Any", event), **changed))


_LOSSES: Final = (
    "lp_value",
    "lower_bound",
    "best_reduced_cost",
    "loss",
    "excess",
)
"""Fields of events that are losses."""


def ignore(event: Event) -> None:
    """Do nothing with an event."""
