"""What users give as ``constraint``: a name, a criterion, or what makes one.

It means the same wherever it is given. A name and a class (or function) take their
epsilon from beside them; a criterion has its own. A name may have a number of its own,
as in ``precision_floor=0.7``, and several are joined with ``&``: epsilon is an allowed
gap between groups, and never sets a floor, a cap or a ratio.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from faircg.fairness.criteria import RATES, RateCap, RateFloor, RateRatio
from faircg.fairness.criterion import (
    Criterion,
    Together,
    changed_epsilon,
    is_criterion,
)
from faircg.fairness.exact_numbers import exact, read_typed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

Constraint: TypeAlias = str | Criterion | Callable[[float], Criterion]
"""What users may give, besides None."""
DEFAULT_EPSILON: Final = 0.05
"""Largest gap allowed where nobody says another."""


def criterion_of(
    constraint: Constraint | None, epsilon: float | Fraction | None = None
) -> Criterion | None:
    """Return the criterion that is meant.

    A name, class or function takes ``epsilon``, 0.05 by default; beside a criterion it
    must be None, or the criterion's own.

    Examples
    --------
    >>> from faircg.fairness import EqualityOfOpportunity, EqualizedOdds
    >>> criterion_of("equality_of_opportunity", 0.1)
    EqualityOfOpportunity(epsilon=0.1)
    >>> criterion_of(EqualityOfOpportunity)
    EqualityOfOpportunity(epsilon=0.05)
    >>> criterion_of("equalized_odds & precision_floor=0.7", 0.1).name
    'equalized_odds & precision_floor=0.7'
    """
    if constraint is None:
        if epsilon is not None:
            raise ValueError(
                f"epsilon={float(epsilon):g} is an allowed gap between groups, and no "
                "constraint says of what; give constraint= one of "
                f"{sorted(_criteria())}, or leave epsilon out"
            )
        return None
    if is_criterion(constraint):
        own = constraint.epsilon
        if epsilon is not None and own is None:
            changed_epsilon(constraint, epsilon)  # which says that it has none
        if epsilon is not None and own is not None and exact(epsilon) != exact(own):
            raise ValueError(
                f"constraint={constraint!r} has the epsilon {float(own):g}, and "
                f"epsilon={float(epsilon):g} was given beside it; leave epsilon out, "
                f"or give the class {type(constraint).__name__}"
            )
        return constraint
    if isinstance(constraint, str):
        return criterion_by_name(constraint, epsilon)
    allowed: Any = DEFAULT_EPSILON if epsilon is None else epsilon
    made: Any = constraint(allowed) if callable(constraint) else None
    if not is_criterion(made):
        raise ValueError(
            f"constraint={constraint!r} is neither the name of a criterion, nor a "
            "criterion (an object with a name, an epsilon and rates), nor a class or "
            "function that makes one from an epsilon"
        )
    return made


def criterion_by_name(text: str, epsilon: float | Fraction | None = None) -> Criterion:
    """Look up a criterion, or several that are joined with ``&``.

    The names are those of :data:`~faircg.fairness.CRITERIA`, and ``RATE_floor``,
    ``RATE_cap`` and ``RATE_ratio`` for each rate of :data:`~faircg.fairness.RATES`. One
    that bounds a gap takes ``epsilon``, 0.05 by default, or a number of its own; any
    other needs its own number, unless it has a usual one. An unknown name is an error
    that lists the known ones.

    Examples
    --------
    >>> criterion_by_name("demographic_parity", 0.1)
    DemographicParity(epsilon=0.1)
    >>> criterion_by_name("demographic_parity=0.02 & four_fifths").name
    'demographic_parity & four_fifths'
    >>> criterion_by_name("true_positive_rate_floor=0.6")
    RateFloor(rate='true_positive_rate', limit=0.6)
    """
    allowed = DEFAULT_EPSILON if epsilon is None else epsilon
    parts = [part.strip() for part in text.split("&")]
    made = [_one(part, allowed) for part in parts]
    if epsilon is not None and not takes_epsilon(text):
        raise ValueError(
            f"epsilon={float(epsilon):g} is an allowed gap between groups, and nothing "
            f"in {text!r} takes it; leave it out"
        )
    return made[0] if len(made) == 1 else Together(tuple(made))


def _criteria() -> Mapping[str, Callable[..., Criterion]]:
    """Return the criteria that have a name."""
    from faircg.fairness import CRITERIA

    return CRITERIA


def _maker(name: str) -> Callable[..., Criterion]:
    """Find what makes the criterion of a name."""
    known = _criteria()
    if name in known:
        return known[name]
    for of in (RateFloor, RateCap, RateRatio):
        rate = name.removesuffix(f"_{of.asks.kind}")
        if rate != name and rate in RATES:
            return partial(of, rate)
    raise ValueError(
        f"constraint {name!r} is not known; use one of {sorted(known)}, RATE_floor, "
        f"RATE_cap or RATE_ratio with a RATE of {sorted(RATES)}, or None"
    )


def _one(part: str, epsilon: float | Fraction) -> Criterion:
    name, equals, number = (word.strip() for word in part.partition("="))
    maker = _maker(name)
    if equals:
        try:
            limit = read_typed(number)
        except ValueError:
            raise ValueError(
                f"constraint {part!r}: {number!r} is no number, such as 0.8 or 4/5"
            ) from None
        return maker(limit)
    if _bounds_a_gap(maker):
        return maker(epsilon)
    if _has_usual_number(maker):
        return maker()
    raise ValueError(
        f"constraint {name!r} needs a number of its own, such as {name}=0.7: epsilon "
        "is an allowed gap between groups, and says nothing about it"
    )


def takes_epsilon(constraint: Constraint | None) -> bool:
    """Say whether an epsilon beside the constraint would mean anything.

    Examples
    --------
    >>> takes_epsilon("equalized_odds & precision_floor=0.7")
    True
    >>> takes_epsilon("four_fifths"), takes_epsilon("equalized_odds=0.1")
    (False, False)
    """
    if constraint is None:
        return False
    if is_criterion(constraint):
        return constraint.epsilon is not None
    if not isinstance(constraint, str):
        return True
    parts = [part.strip() for part in constraint.split("&")]
    return any("=" not in part and _bounds_a_gap(_maker(part)) for part in parts)


def _bounds_a_gap(maker: Callable[..., Criterion]) -> bool:
    """Say whether the number that a maker takes is an epsilon."""
    made = getattr(maker, "func", maker)
    return not is_dataclass(made) or "epsilon" in {f.name for f in fields(made)}


def _has_usual_number(maker: Any) -> bool:
    return is_dataclass(maker) and fields(maker)[0].default is not MISSING


def with_epsilon(
    constraint: Constraint | None, epsilon: float | Fraction
) -> Constraint | None:
    """Return the constraint as it is to be given beside this epsilon.

    Names and classes stay as they are, as does a criterion that bounds no gap. Another
    becomes one that differs in its epsilon only, which needs a dataclass with a field
    of that name.

    Examples
    --------
    >>> from faircg.fairness import EqualizedOdds
    >>> with_epsilon(EqualizedOdds(0.1, epsilon_negatives=0.3), 0.02)
    EqualizedOdds(epsilon=0.02, epsilon_negatives=0.3)
    """
    if not is_criterion(constraint) or not takes_epsilon(constraint):
        return constraint
    return changed_epsilon(constraint, epsilon)


def criterion_at(
    constraint: Constraint | None, epsilon: float | Fraction
) -> Criterion | None:
    """Return the criterion that is meant with this epsilon, whatever its own is.

    One that bounds no gap, or has numbers of its own throughout, stays as it is.
    """
    beside = epsilon if takes_epsilon(constraint) else None
    return criterion_of(with_epsilon(constraint, epsilon), beside)


__all__ = [
    "DEFAULT_EPSILON",
    "Constraint",
    "criterion_at",
    "criterion_by_name",
    "criterion_of",
    "is_criterion",
    "takes_epsilon",
    "with_epsilon",
]
