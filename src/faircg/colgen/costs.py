"""Costs: what wrong predictions cost where people do not simply count one each.

The engine works on whole numbers, so that a bound can be rounded up and a recount is
exact. Users think in amounts and in fractions of people; the units say how the whole
numbers translate. Rates of groups always count people, never costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from faircg.typing import FloatMatrix, IntMatrix, IntVector


@dataclass(frozen=True, slots=True)
class Units:
    """How much of the user's one counted person, and one of the loss, stands for.

    Examples
    --------
    >>> units = Units(people=Fraction(1, 4), loss=Fraction(5, 2))
    >>> units.people_of(14), units.loss_of(3)
    (3.5, 7.5)
    """

    people: Fraction = Fraction(1)
    loss: Fraction = Fraction(1)
    words: str | None = None
    """What the loss counts, for readers; None if it is a number of people."""

    def people_of(self, count: float) -> float:
        """Return a number of people as the user counts them."""
        return _times(count, self.people)

    def loss_of(self, loss: float) -> float:
        """Return a loss, or a bound on one, as the user counts it."""
        return _times(loss, self.loss)


def _times(number: float, unit: Fraction) -> float:
    """Multiply; exact until the last rounding where the number is whole."""
    if unit == 1:
        return number
    if float(number).is_integer():
        return float(int(number) * unit)
    return float(number) * float(unit)


WHOLE: Final = Units()
"""Whole people, each of whom costs one."""


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What missing the positives, and covering the negatives, of each row costs.

    Whole numbers of each group (first axis) and row (second axis), like the people
    themselves; zero where nobody is.
    """

    missed: IntMatrix
    hit: IntMatrix


def each(costs: IntMatrix, people: IntMatrix) -> FloatMatrix:
    """Return the cost of one person of each group and row; zero where nobody is."""
    nobody = np.zeros(people.shape)
    result: FloatMatrix = np.divide(costs, people, out=nobody, where=people > 0)
    return result


def levels(costs: IntMatrix, people: IntMatrix) -> IntVector:
    """Return numbers of the different costs of a person; (n_groups * n_rows,)."""
    numbers: IntVector = np.unique(each(costs, people), return_inverse=True)[1]
    return numbers.ravel()
