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
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Row: TypeAlias = tuple[float, float, float]
"""Weight of the level, lower and upper end of a row."""


def exact(number: float | Fraction) -> Fraction:
    """Read a limit as the decimal number that the user wrote, without binary noise.

    Examples
    --------
    >>> exact(0.3), Fraction(0.3) == Fraction(3, 10)
    (Fraction(3, 10), False)
    """
    return number if isinstance(number, Fraction) else Fraction(repr(float(number)))


@dataclass(frozen=True, slots=True)
class Bound(ABC):
    """A limit on the smallest and the largest rate of all groups: a share."""

    limit: float

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

    def level(self, smallest: float, largest: float) -> float:
        """Return the level at which all rows hold if the bound does; zero if any."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Difference(Bound):
    """The rates of any two groups differ by at most ``limit``.

    The paper writes a row for each ordered pair of groups (eo1-eo4). With the level as
    the smallest rate one ranged row per group says the same.
    """

    def __post_init__(self) -> None:
        check_epsilon(self.limit)

    def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
        """Return what the difference exceeds the limit by."""
        return largest - smallest - limit

    def rows(self, size: int) -> tuple[Row, ...]:
        """Return ``0 <= count - size * level <= size * limit``."""
        return ((-float(size), 0.0, size * float(self.limit)),)

    def level(self, smallest: float, largest: float) -> float:
        """Return the smallest rate."""
        return smallest


@dataclass(frozen=True, slots=True)
class Ratio(Bound):
    """No group's rate is below ``limit`` times that of any other.

    The four-fifths rule is a ratio of 0.8 of selection rates. Where no group has a rate
    above zero nothing is violated.
    """

    def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
        """Return what the smallest rate lacks."""
        return limit * largest - smallest

    def rows(self, size: int) -> tuple[Row, ...]:
        """Return ``count <= size * level`` and ``limit * size * level <= count``."""
        return (-float(size), -inf, 0.0), (-size * float(self.limit), 0.0, inf)

    def level(self, smallest: float, largest: float) -> float:
        """Return the largest rate."""
        return largest


@dataclass(frozen=True, slots=True)
class Floor(Bound):
    """Every group's rate is at least ``limit``."""

    def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
        """Return what the smallest rate lacks."""
        return limit - smallest

    def rows(self, size: int) -> tuple[Row, ...]:
        """Return ``size * limit <= count``."""
        return ((0.0, size * float(self.limit), inf),)


@dataclass(frozen=True, slots=True)
class Cap(Bound):
    """Every group's rate is at most ``limit``."""

    def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
        """Return what the largest rate has too much."""
        return largest - limit

    def rows(self, size: int) -> tuple[Row, ...]:
        """Return ``count <= size * limit``."""
        return ((0.0, -inf, size * float(self.limit)),)


BOUNDS: Final[dict[str, type[Bound]]] = {
    bound.__name__.lower(): bound for bound in (Difference, Ratio, Floor, Cap)
}
"""Kinds of bounds by the name that model files have for them."""


def check_epsilon(epsilon: float, name: str = "epsilon") -> None:
    """Refuse an epsilon that cannot be a difference of two shares."""
    if not isfinite(epsilon) or epsilon < 0:
        raise ValueError(
            f"{name} must be a number of at least 0 (0.05 allows a gap of five "
            f"percentage points), not {epsilon!r}"
        )
