"""Bounds: what may be asked of a rate that every group has.

All of them look at the smallest and the largest rate only. So one line of arithmetic
(:meth:`Bound.violation`) serves exact fractions and whole arrays of floats, and one
more (:meth:`Bound.rows`) writes the rows of the master. A row of a group with ``size``
people reads

    lower <= count + weight * level <= upper,

where ``level`` is a variable that all groups share: the smallest rate of a difference,
the largest rate of a ratio. Rows are scaled by the group's size, so that all
coefficients on people are whole numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import ceil, floor, inf, isfinite, lcm
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, TypeAlias

from faircg.fairness.exact_numbers import exact, typed

if TYPE_CHECKING:
    from collections.abc import Sequence

Row: TypeAlias = tuple[float, float, float]
"""Weight of the level, lower and upper end of a row."""
Kind: TypeAlias = Literal["difference", "ratio", "floor", "cap", "margin"]
"""What a bound looks at: the gap, the ratio, the smallest or the largest rate."""
SOLVER_TOLERANCE: Final = 1e-6
"""People by which a solver may violate a row without noticing."""


@dataclass(frozen=True, slots=True)
class Bound(ABC):
    """A limit on the smallest and the largest rate of all groups: a share."""

    limit: float | Fraction
    kind: ClassVar[Kind] = "difference"

    def __post_init__(self) -> None:
        if not 0 <= self.limit <= 1:
            raise ValueError(
                f"the limit of a {type(self).__name__.lower()} must be a number from 0 "
                f"to 1, not {self.limit!r}"
            )

    @abstractmethod
    def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
        """Return how far the limit is exceeded; at most zero if it is not.

        The rates are fractions, with the exact limit, or arrays, with a float.
        """

    @abstractmethod
    def rows(self, size: int) -> Sequence[Row]:
        """Return the rows of a group of so many people."""

    def measured(self, smallest: Fraction, largest: Fraction) -> Fraction:
        """Return the number that is compared with the limit: the gap, if any."""
        return largest - smallest

    def demand(self, rate: str) -> str:
        """Say in plain words what is asked of a rate."""
        return f"the {rate} has a {type(self).__name__.lower()} of {typed(self.limit)}"

    def title(self, rate: str) -> str:
        """Name what is measured of a rate."""
        return rate

    def told_apart(self, sizes: Sequence[int]) -> Self:
        """Return the bound that says the same of groups of these sizes to a solver."""
        return self

    def loosened(self, by: Fraction) -> Self:
        """Return the bound with a limit that is so much easier to keep.

        A difference or a cap becomes larger, a floor or a ratio smaller.
        """
        sign = 1 if self.kind in ("difference", "cap") else -1
        limit = exact(self.limit) + sign * by
        return replace(self, limit=min(max(limit, Fraction(0)), Fraction(1)))

    def shortfall(self, measured: Fraction) -> Fraction:
        """Return by how much it must be loosened for this to be allowed."""
        sign = 1 if self.kind in ("difference", "cap") else -1
        return max(sign * (measured - exact(self.limit)), Fraction(0))

    def level(self, smallest: float, largest: float) -> float:
        """Return the level at which all rows hold if the bound does; zero if any."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Difference(Bound):
    """The rates of any two groups differ by at most ``limit``.

    The paper writes a row for each ordered pair of groups (eo1-eo4). With the level as
    the smallest rate one ranged row per group says the same.
    """

    kind: ClassVar[Kind] = "difference"

    def __post_init__(self) -> None:
        check_epsilon(self.limit)

    def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
        """Return what the difference exceeds the limit by."""
        return largest - smallest - limit

    def rows(self, size: int) -> tuple[Row, ...]:
        """Return ``0 <= count - size * level <= size * limit``."""
        return ((-float(size), 0.0, size * float(self.limit)),)

    def demand(self, rate: str) -> str:
        """Say how far two groups may be apart."""
        points = typed(100 * exact(self.limit))
        return (
            f"the {rate} may differ between any two groups by at most {points} "
            f"percentage {'point' if points == '1' else 'points'}"
        )

    def told_apart(self, sizes: Sequence[int]) -> Self:
        """Take the largest gap that these groups can have within the limit.

        Only where the limit is a hair below another gap that they can have, so near
        that a solver would take one for the other: 0.9999999999999999 is not 1.
        """
        limit = exact(self.limit)
        steps = {lcm(a, b) for a, b in combinations(sizes, 2) if a and b}
        reached = [Fraction(floor(limit * step), step) for step in steps]
        beyond = [Fraction(floor(limit * step) + 1, step) for step in steps]
        is_hair = any((gap - limit) * max(sizes) < SOLVER_TOLERANCE for gap in beyond)
        return replace(self, limit=max(reached)) if is_hair else self

    def level(self, smallest: float, largest: float) -> float:
        """Return the smallest rate."""
        return smallest


@dataclass(frozen=True, slots=True)
class Ratio(Bound):
    """No group's rate is below ``limit`` times that of any other.

    The four-fifths rule is a ratio of 0.8 of selection rates. Where no group has a rate
    above zero nothing is violated.
    """

    kind: ClassVar[Kind] = "ratio"

    def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
        """Return what the smallest rate lacks."""
        return limit * largest - smallest

    def measured(self, smallest: Fraction, largest: Fraction) -> Fraction:
        """Return the smallest rate as a share of the largest."""
        return smallest / largest if largest else Fraction(1)

    def rows(self, size: int) -> tuple[Row, ...]:
        """Return ``count <= size * level`` and ``limit * size * level <= count``."""
        return (-float(size), -inf, 0.0), (-size * float(self.limit), 0.0, inf)

    def demand(self, rate: str) -> str:
        """Say what share of the largest rate every group must reach."""
        share = typed(100 * exact(self.limit))
        return f"the {rate} of every group is at least {share} % of any other group's"

    def title(self, rate: str) -> str:
        """Name the ratio."""
        return f"ratio of the {rate}"

    def level(self, smallest: float, largest: float) -> float:
        """Return the largest rate."""
        return largest


@dataclass(frozen=True, slots=True)
class Floor(Bound):
    """Every group's rate is at least ``limit``."""

    kind: ClassVar[Kind] = "floor"

    def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
        """Return what the smallest rate lacks."""
        return limit - smallest

    def measured(self, smallest: Fraction, largest: Fraction) -> Fraction:
        """Return the smallest rate."""
        return smallest

    def rows(self, size: int) -> tuple[Row, ...]:
        """Return ``size * limit <= count``, in whole people."""
        return ((0.0, float(ceil(size * exact(self.limit))), inf),)

    def demand(self, rate: str) -> str:
        """Say how low the rate may be."""
        share = typed(100 * exact(self.limit))
        return f"the {rate} of every group is at least {share} %"

    def title(self, rate: str) -> str:
        """Name the smallest rate."""
        return f"lowest {rate}"


@dataclass(frozen=True, slots=True)
class Cap(Bound):
    """Every group's rate is at most ``limit``."""

    kind: ClassVar[Kind] = "cap"

    def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
        """Return what the largest rate has too much."""
        return largest - limit

    def measured(self, smallest: Fraction, largest: Fraction) -> Fraction:
        """Return the largest rate."""
        return largest

    def rows(self, size: int) -> tuple[Row, ...]:
        """Return ``count <= size * limit``, in whole people."""
        return ((0.0, -inf, float(floor(size * exact(self.limit)))),)

    def demand(self, rate: str) -> str:
        """Say how high the rate may be."""
        share = typed(100 * exact(self.limit))
        return f"the {rate} of every group is at most {share} %"

    def title(self, rate: str) -> str:
        """Name the largest rate."""
        return f"highest {rate}"


@dataclass(frozen=True, slots=True)
class Margin(Floor):
    """Every group has a margin of at least ``limit``, in people: zero or more."""

    limit: float | Fraction = 0
    kind: ClassVar[Kind] = "margin"

    def __post_init__(self) -> None:
        exact(self.limit)

    def demand(self, rate: str) -> str:
        """Say that every group must have it."""
        return f"{rate} holds in every group"

    def title(self, rate: str) -> str:
        """Name the margin."""
        return f"margin of {rate}"


BOUNDS: Final[dict[str, type[Bound]]] = {
    bound.kind: bound for bound in (Difference, Ratio, Floor, Cap)
}
"""Kinds of bounds on shares, by the name that model files have for them."""


def check_epsilon(epsilon: float | Fraction, name: str = "epsilon") -> None:
    """Refuse an epsilon that cannot be a difference of two shares."""
    if not isfinite(epsilon) or epsilon < 0:
        raise ValueError(
            f"{name} must be a number of at least 0 (0.05 allows a gap of five "
            f"percentage points), not {epsilon!r}"
        )
