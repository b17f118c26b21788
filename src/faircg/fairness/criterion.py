"""Criterion: what a fairness criterion is, and how criteria are joined with ``&``."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

from faircg.fairness.exact_numbers import exact, typed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from faircg.fairness.families import GroupSizes
    from faircg.fairness.rates import GroupRate, Linear, Rate

    Epsilon: TypeAlias = float | Fraction


class Criterion(Protocol):
    """A fairness criterion: the rates that it bounds."""

    @property
    def name(self) -> str:
        """Name under which the criterion is asked for."""
        ...

    @property
    def epsilon(self) -> Epsilon | None:
        """The largest allowed gap; None if no gap is bounded, or several differ."""
        ...

    def rates(self) -> Sequence[Rate | Linear]:
        """Return the rates, each with its bound."""
        ...


class Combinable:
    """Gives criteria ``&``: both must hold."""

    __slots__ = ()

    def __and__(self, other: Criterion) -> Together:
        return Together((self, other))  # type: ignore[arg-type]

    def __rand__(self, other: Criterion) -> Together:
        return Together((other, self))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Together(Combinable):
    """Several criteria, all of which must hold; ``a & b`` makes one.

    Its ``epsilon`` is the one that its parts have in common. Where they differ it has
    none, and its name says the epsilon of each.

    Examples
    --------
    >>> from faircg.fairness import EqualizedOdds, PrecisionFloor
    >>> both = EqualizedOdds(0.05) & PrecisionFloor(0.7)
    >>> both.name, both.epsilon
    ('equalized_odds & precision_floor=0.7', 0.05)
    """

    criteria: tuple[Criterion, ...]

    def __post_init__(self) -> None:
        flat = chain.from_iterable(
            c.criteria if isinstance(c, Together) else (c,) for c in self.criteria
        )
        object.__setattr__(self, "criteria", tuple(flat))
        wrong = [c for c in self.criteria if not is_criterion(c)]
        if wrong or not self.criteria:
            found = f"{wrong[0]!r}" if wrong else "nothing"
            raise ValueError(
                "& joins criteria, such as EqualizedOdds(0.05) & PrecisionFloor(0.7), "
                f"not {found}"
            )

    @property
    def _epsilons(self) -> list[Epsilon]:
        return [c.epsilon for c in self.criteria if c.epsilon is not None]

    @property
    def name(self) -> str:
        """The names of all; with their epsilons where these differ."""
        if self.epsilon is not None or not self._epsilons:
            return " & ".join(c.name for c in self.criteria)
        return " & ".join(
            c.name if c.epsilon is None else f"{c.name}={typed(c.epsilon)}"
            for c in self.criteria
        )

    @property
    def epsilon(self) -> Epsilon | None:
        """The gap that all those allow which bound one; None if they differ."""
        found = self._epsilons
        is_one = len({exact(epsilon) for epsilon in found}) == 1
        return found[0] if is_one else None

    def rates(self) -> tuple[Rate | Linear, ...]:
        """Return the rates of all."""
        return tuple(rate for c in self.criteria for rate in c.rates())

    def with_epsilon(self, epsilon: Epsilon) -> Together:
        """Change the gap that they have in common."""
        if self.epsilon is None:
            _refuse(self)
        return Together(
            tuple(
                c if c.epsilon is None else changed_epsilon(c, epsilon)
                for c in self.criteria
            )
        )


def compares(criterion: Criterion) -> bool:
    """Say whether a criterion compares groups, rather than bound each by itself.

    Examples
    --------
    >>> from faircg.fairness import EqualizedOdds, PrecisionFloor
    >>> compares(EqualizedOdds(0.05)), compares(PrecisionFloor(0.7))
    (True, False)
    """
    kinds = {rate.bound.kind for rate in criterion.rates()}
    return bool(kinds & {"difference", "ratio"})


def rates_of(criterion: Criterion | None, parts: GroupSizes) -> tuple[GroupRate, ...]:
    """Return what a criterion bounds, for certain groups; nothing without one.

    Each family of groups has rates of its own, with its own epsilon if it has one.
    """
    if criterion is None:
        return ()
    found: list[GroupRate] = []
    for family in parts.compared:
        asked = criterion
        if family.epsilon is not None:
            asked = changed_epsilon(criterion, family.epsilon)
        found += [rate.of(parts, family) for rate in asked.rates()]
    return tuple(found)


def changed_epsilon(criterion: Criterion, epsilon: Epsilon) -> Criterion:
    """Return a criterion that differs in its epsilon only.

    It needs a dataclass with a field of that name, or a method ``with_epsilon``.
    """
    changed: Any = criterion
    if hasattr(changed, "with_epsilon"):
        made: Criterion = changed.with_epsilon(epsilon)
        return made
    if is_dataclass(changed) and "epsilon" in {f.name for f in fields(changed)}:
        return replace(changed, epsilon=epsilon)  # type: ignore[type-var, return-value]
    _refuse(criterion)
    raise ValueError(
        f"constraint={criterion!r} has one epsilon and is no dataclass, so that it "
        "cannot be given another; pass its class, or a function that makes one from an "
        "epsilon"
    )


def _refuse(criterion: Criterion) -> None:
    """Refuse to change the epsilon of a criterion that has none."""
    if criterion.epsilon is None:
        raise ValueError(
            f"{criterion.name} has no single allowed gap between groups that an "
            "epsilon could change; leave epsilon out"
        )


def is_criterion(value: object) -> TypeGuard[Criterion]:
    """Say whether this is a criterion, and not what makes one."""
    return not isinstance(value, type) and all(
        hasattr(value, name) for name in ("name", "epsilon", "rates")
    )
