"""Problems for the kernel from plain arguments."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg._kernel import ConditionBits, Limits, PricedBits

if TYPE_CHECKING:
    from collections.abc import Callable


def pose(
    rows: Any,
    prices: Any,
    condition_price: float,
    max_conditions: int,
    *,
    family: Any = None,
) -> PricedBits:
    """Each condition is a family of its own unless told otherwise."""
    family = np.arange(rows.shape[1]) if family is None else family
    return PricedBits(
        bits=ConditionBits.from_matrix(rows, family),
        prices=prices,
        condition_price=condition_price,
        max_conditions=max_conditions,
    )


def call(run: Callable[..., Any], kind: type, **arguments: Any) -> Any:
    """Make the problem and the limits of one flat list of arguments, then run."""
    names = [f.name for f in fields(kind) if f.name in arguments]
    problem = kind(**{name: arguments.pop(name) for name in names})
    names = [f.name for f in fields(Limits) if f.name in arguments]
    limits = Limits(**{name: arguments.pop(name) for name in names})
    return run(problem, limits=limits, **arguments)
