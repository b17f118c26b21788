"""What a policy costs: the same question without it, and what both answers prove.

Whoever may do less is never better off, so that the price is not negative; and bounds
of the looser question hold for the stricter one. So the price lies between two numbers
that are proven, however early the searches end.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from faircg.evaluate import People
from faircg.printable import number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from faircg.classifier import FairRuleSetClassifier
    from faircg.colgen.certificate import Certificate

_LOOSE: Final[dict[str, tuple[str, Any]]] = {
    "exclude": ("the features left out", ()),
    "monotone": ("the directions", None),
    "not_together": ("keeping features apart", ()),
}
"""Parameters of a policy: how people say them, and their value without it."""


@dataclass(frozen=True, slots=True)
class PolicyPrice:
    """What one part of a policy costs: proven bounds.

    ``parameter`` is ``"exclude"``, ``"monotone"`` or ``"not_together"``. Bounds count
    wrong predictions, or what those cost (``in_costs``) where they have costs.

    Examples
    --------
    >>> print(PolicyPrice("monotone", 0, 12))
    the directions cost at least 0 and at most 12 wrong predictions
    >>> print(PolicyPrice("exclude", 0, 0))
    the features left out cost nothing
    """

    parameter: str
    at_least: float
    at_most: float
    in_costs: bool = False

    def __str__(self) -> str:
        what, _ = _LOOSE[self.parameter]
        verb = "costs" if self.parameter == "not_together" else "cost"
        if self.at_most <= 0:
            return f"{what} {verb} nothing"
        unit = "in costs of wrong predictions" if self.in_costs else "wrong predictions"
        if self.at_most == 1 and not self.in_costs:
            unit = "wrong prediction"
        most = f"{number(self.at_most)} {unit}"
        if self.at_least == self.at_most:
            return f"{what} {verb} exactly {most}"
        return f"{what} {verb} at least {number(self.at_least)} and at most {most}"


def price_of_policy(
    clf: FairRuleSetClassifier,
    X: Any,
    y: ArrayLike,
    *,
    sensitive_features: Any = None,
    sample_weight: ArrayLike | None = None,
    costs: ArrayLike | None = None,
) -> tuple[PolicyPrice, ...]:
    """Say what each part of a policy costs that a classifier was fitted with.

    For each of ``exclude``, ``monotone`` and ``not_together`` that is not empty the
    same question is asked without it, the others kept, within the classifier's time
    limit.

    Parameters
    ----------
    clf
        A fitted classifier.
    X, y, sensitive_features, sample_weight, costs
        The data that it was fitted with; an error if they are not.

    Examples
    --------
    >>> from faircg import FairRuleSetClassifier
    >>> from faircg.datasets import load_compas
    >>> data = load_compas()
    >>> clf = FairRuleSetClassifier(
    ...     max_complexity=4, max_conditions=2, monotone={"priors": "increasing"}
    ... ).fit(data.X, data.y)
    >>> for price in price_of_policy(clf, data.X, data.y):
    ...     print(price)
    the directions cost ...
    """
    check_is_fitted(clf)
    given = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
    people = People.read(
        X, y, **given, models=[clf.model_], missing_groups=clf.missing_groups
    )
    accepted = clf.model_.rule_set.accepts(people.table)
    if people.counts(accepted) != dict(clf.model_.groups):
        raise ValueError("these are not the data that the classifier was fitted with")
    strict = clf.certificate_
    longest = max((len(rule.conditions) for rule in clf.rule_set_), default=0)
    depth = max(strict.max_conditions, longest)
    prices = []
    for parameter, (_, loose) in _LOOSE.items():
        if not getattr(clf, parameter):
            continue
        other = clone(clf).set_params(max_conditions=depth, callbacks=(), verbose=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # bounds say as much
            other.set_params(**{parameter: loose}).fit(X, y, **given, costs=costs)
        prices.append(_price(parameter, strict, other.certificate_))
    return tuple(prices)


def _price(parameter: str, strict: Certificate, loose: Certificate) -> PolicyPrice:
    """Bound the difference of two optima, of which the strict one is no lower."""
    lost, best = _amounts(strict)
    freely_lost, freely_best = _amounts(loose)
    # A bound for fewer conditions per rule says nothing about more.
    is_deep = strict.max_conditions >= loose.max_conditions
    return PolicyPrice(
        parameter,
        at_least=max(0.0, best - freely_lost) if is_deep else 0.0,
        at_most=lost - freely_best,
        in_costs=strict.cost is not None,
    )


def _amounts(c: Certificate) -> tuple[float, float]:
    """Return what the wrong predictions come to, and the bound on that."""
    if c.cost is not None:
        return c.cost, c.cost_lower_bound or 0.0
    assert c.errors is not None, "a fit counts its errors"
    return c.errors, c.errors_lower_bound or 0.0
