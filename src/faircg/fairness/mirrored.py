"""A criterion in the words of a search for rules that say whom to refuse.

Such a search calls the negative label the positive one. The criterion stays what it is,
a statement about the positive label; only the names of the people it counts change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from faircg.fairness.criterion import Combinable, changed_epsilon

if TYPE_CHECKING:
    from fractions import Fraction

    from faircg.fairness.criterion import Criterion
    from faircg.fairness.rates import Linear, Rate


@dataclass(frozen=True, slots=True)
class Mirrored(Combinable):
    """The same criterion when the other label is called positive.

    Examples
    --------
    >>> from faircg.fairness import EqualityOfOpportunity
    >>> mirrored = Mirrored(EqualityOfOpportunity(0.05))
    >>> mirrored.name, [rate.counted for rate in mirrored.rates()]
    ('equality_of_opportunity', [('false_positives',)])
    """

    criterion: Criterion

    @property
    def name(self) -> str:
        """Name under which the criterion is asked for."""
        return self.criterion.name

    @property
    def epsilon(self) -> float | Fraction | None:
        """The largest allowed gap, if one is bounded."""
        return self.criterion.epsilon

    def rates(self) -> tuple[Rate | Linear, ...]:
        """Return the rates with their bounds, which count the same people."""
        return tuple(rate.mirrored() for rate in self.criterion.rates())

    def with_epsilon(self, epsilon: float | Fraction) -> Mirrored:
        """Change the largest allowed gap."""
        return Mirrored(changed_epsilon(self.criterion, epsilon))
