"""What users give as ``constraint``: a name, a criterion, or what makes one.

It means the same wherever it is given. A name and a class (or function) take their
epsilon from beside them; a criterion has its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeAlias, TypeGuard

from faircg.fairness.criteria import Criterion

Constraint: TypeAlias = str | Criterion | Callable[[float], Criterion]
"""What users may give, besides None."""
DEFAULT_EPSILON: Final = 0.05
"""Largest gap allowed where nobody says another."""


def criterion_of(
    constraint: Constraint | None, epsilon: float | None = None
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
    """
    from faircg.fairness import criterion_by_name

    if constraint is None:
        return None
    if is_criterion(constraint):
        if epsilon is not None and epsilon != constraint.epsilon:
            raise ValueError(
                f"constraint={constraint!r} has the epsilon {constraint.epsilon:g}, "
                f"and epsilon={epsilon:g} was given beside it; leave epsilon out, or "
                f"give the class {type(constraint).__name__}"
            )
        return constraint
    allowed = DEFAULT_EPSILON if epsilon is None else float(epsilon)
    if isinstance(constraint, str):
        return criterion_by_name(constraint, allowed)
    made: Any = constraint(allowed) if callable(constraint) else None
    if not is_criterion(made):
        raise ValueError(
            f"constraint={constraint!r} is neither the name of a criterion, nor a "
            "criterion (an object with a name, an epsilon and rates), nor a class or "
            "function that makes one from an epsilon"
        )
    return made


def with_epsilon(constraint: Constraint | None, epsilon: float) -> Constraint | None:
    """Return the constraint as it is to be given beside this epsilon.

    Names and classes stay as they are. A criterion becomes one that differs in its
    epsilon only, which needs a dataclass with a field of that name.

    Examples
    --------
    >>> from faircg.fairness import EqualizedOdds
    >>> with_epsilon(EqualizedOdds(0.1, epsilon_negatives=0.3), 0.02)
    EqualizedOdds(epsilon=0.02, epsilon_negatives=0.3)
    """
    if not is_criterion(constraint):
        return constraint
    criterion: Any = constraint
    if is_dataclass(criterion) and "epsilon" in {f.name for f in fields(criterion)}:
        return replace(criterion, epsilon=epsilon)  # type: ignore[type-var, return-value]
    raise ValueError(
        f"constraint={constraint!r} has one epsilon and is no dataclass, so that it "
        "cannot be given another; pass its class, or a function that makes one from an "
        "epsilon"
    )


def criterion_at(constraint: Constraint | None, epsilon: float) -> Criterion | None:
    """Return the criterion that is meant with this epsilon, whatever its own is."""
    return criterion_of(with_epsilon(constraint, epsilon), epsilon)


def is_criterion(value: object) -> TypeGuard[Criterion]:
    """Say whether this is a criterion, and not what makes one."""
    return not isinstance(value, type) and all(
        hasattr(value, name) for name in ("name", "epsilon", "rates")
    )
