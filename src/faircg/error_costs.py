"""What wrong predictions cost: by kind of error, by class, and by row.

The cost of a wrong prediction is the product of three numbers: the cost of its kind
(false positive or false negative), the weight of its class, and the cost of its row. A
row counts as often as its weight says. Costs decide what the loss is; the rates of
groups, which a constraint bounds, count people and never costs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg.amounts import LARGEST_SUM, Amounts, exact
from faircg.colgen.costs import Units
from faircg.labels import plain

if TYPE_CHECKING:
    from faircg.labels import Labels
    from faircg.typing import IntVector


@dataclass(frozen=True, slots=True, eq=False)
class SampleCosts:
    """What a wrong prediction of each sample costs, in whole numbers.

    ``samples`` counts all people that a sample stands for; None if everybody costs one.
    ``units`` says what these numbers are worth.
    """

    samples: IntVector | None
    units: Units


@dataclass(frozen=True, slots=True)
class ErrorCosts:
    """Costs of both kinds of errors, and weights of both classes, as users give them.

    ``class_weight`` is as scikit-learn's: None, a weight of each label, or
    ``"balanced"``, which makes both classes weigh the same in all.
    """

    false_positive: Fraction = Fraction(1)
    false_negative: Fraction = Fraction(1)
    class_weight: str | Mapping[Any, Any] | None = None

    @classmethod
    def of(
        cls,
        false_positive: float,
        false_negative: float,
        class_weight: str | Mapping[Any, Any] | None = None,
    ) -> ErrorCosts:
        """Read the parameters of an estimator.

        Examples
        --------
        >>> ErrorCosts.of(0, 0)
        Traceback (most recent call last):
        ValueError: cost_false_positive and cost_false_negative are both 0: then no
        prediction is better than another
        """
        positive = _cost("cost_false_positive", false_positive)
        negative = _cost("cost_false_negative", false_negative)
        if not positive and not negative:
            raise ValueError(
                "cost_false_positive and cost_false_negative are both 0: then no "
                "prediction is better than another"
            )
        if isinstance(class_weight, str) and class_weight != "balanced":
            raise ValueError(
                f"class_weight={class_weight!r} is not known; use 'balanced', None or "
                "a weight of each label"
            )
        return cls(positive, negative, class_weight)

    def of_samples(
        self, labels: Labels, weights: Amounts, costs: Amounts | None
    ) -> SampleCosts:
        """Multiply all that a wrong prediction of each sample costs.

        The whole numbers are the smallest ones in these proportions.
        """
        is_positive = labels.is_positive
        by_class = self._class_weights(labels, weights.whole)
        missed = self.false_negative * by_class[1]
        hit = self.false_positive * by_class[0]
        if costs is None and hit == missed == 1 and weights.parts == 1:
            return SampleCosts(None, Units())  # everybody costs one
        parts = math.lcm(missed.denominator, hit.denominator)
        factors = [int(hit * parts), int(missed * parts)]
        of_rows = np.ones(len(is_positive), np.int64) if costs is None else costs.whole
        shared = math.gcd(
            factors[1] * int(np.gcd.reduce(of_rows[is_positive])),
            factors[0] * int(np.gcd.reduce(of_rows[~is_positive])),
        )
        cost_parts = 1 if costs is None else costs.parts
        loss = Fraction(shared, parts * cost_parts * weights.parts)
        words = _words(hit, missed, by_row=costs is not None)
        if words is None and weights.parts > 1:
            words = "a wrong prediction costs the weight of its row"
        units = Units(people=Fraction(1, weights.parts), loss=loss, words=words)
        of_class = np.array(factors, dtype=object)[is_positive.astype(int)]
        each = of_class * of_rows // max(shared, 1)
        total = int((each * weights.whole).sum())
        if not total:
            raise ValueError(
                "a wrong prediction costs nothing in any row that counts: then no "
                "prediction is better than another"
            )
        if total >= LARGEST_SUM:
            raise ValueError(
                "the costs differ too much, or have too many decimals, to be counted "
                "exactly; round them"
            )
        each = each.astype(np.int64)
        is_plain = bool((each == 1).all())
        return SampleCosts(None if is_plain else each * weights.whole, units)

    def _class_weights(
        self, labels: Labels, weights: IntVector
    ) -> tuple[Fraction, Fraction]:
        """Return the weights of the negative and of the positive class."""
        asked = self.class_weight
        if asked is None:
            return Fraction(1), Fraction(1)
        classes, positive = labels.classes, labels.positive
        if isinstance(asked, Mapping):
            known = {plain(label): n for n, label in enumerate(classes)}
            found = [Fraction(1), Fraction(1)]
            for label, weight in asked.items():
                if plain(label) not in known:
                    raise ValueError(
                        f"class_weight names {label!r}, which is no label; the labels "
                        f"are {list(known)}"
                    )
                found[known[plain(label)]] = _cost("class_weight", weight)
            return found[1 - positive], found[positive]
        n_positive = int(weights[labels.is_positive].sum())
        n_negative = int(weights.sum()) - n_positive
        everybody = n_positive + n_negative
        return Fraction(everybody, 2 * n_negative), Fraction(everybody, 2 * n_positive)


def _words(hit: Fraction, missed: Fraction, *, by_row: bool) -> str | None:
    """Say what the loss counts; None if it is a number of people."""
    if hit == missed == 1 and not by_row:
        return None
    times = ", each times the cost of its row" if by_row else ""
    return (
        f"a false positive costs {float(hit):g} and a false negative "
        f"{float(missed):g}{times}"
    )


def _cost(name: str, number: Any) -> Fraction:
    """Read a number of at least 0, exactly."""
    try:
        value = float(number)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be a number, not {number!r}") from None
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a number of at least 0, not {number!r}")
    if isinstance(number, Fraction):
        return number
    try:
        return exact(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}; round it") from None
