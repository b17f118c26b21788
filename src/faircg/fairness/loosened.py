"""A criterion with easier limits: how far a constraint is from what can be reached."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from faircg.fairness.criterion import changed_epsilon
from faircg.fairness.rates import Linear, Rate

if TYPE_CHECKING:
    from fractions import Fraction

    from faircg.fairness.criterion import Criterion, Epsilon


@dataclass(frozen=True, slots=True)
class Loosened:
    """A criterion of which every limit on a rate is loosened by the same share.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from faircg.fairness import AccuracyParity
    >>> easier = Loosened(AccuracyParity(0.05), Fraction(1, 10))
    >>> [rate.bound.limit for rate in easier.rates()]
    [Fraction(3, 20)]
    """

    criterion: Criterion
    by: Fraction

    @property
    def name(self) -> str:
        """That of the criterion."""
        return self.criterion.name

    @property
    def epsilon(self) -> Epsilon | None:
        """That of the criterion, before it is loosened."""
        return self.criterion.epsilon

    def with_epsilon(self, epsilon: Epsilon) -> Loosened:
        """Change the epsilon that is loosened."""
        return replace(self, criterion=changed_epsilon(self.criterion, epsilon))

    def rates(self) -> tuple[Rate | Linear, ...]:
        """Return the rates with their easier limits."""
        return tuple(
            replace(rate, bound=rate.bound.loosened(self.by))
            if isinstance(rate, Rate)
            else rate
            for rate in self.criterion.rates()
        )
