"""Linear programs whose costs are very large: scaled for the solver, and back.

The solver's tolerances are absolute. With costs near 1e11, such as those of people who
weigh that much, no basis is within them, and it ends without an answer.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircg.solver import highs

if TYPE_CHECKING:
    from faircg.solver.programs import LinearModel, LpSolution, StopSignal

LARGEST_COST: Final = 1e7
"""Costs up to this are given to the solver as they are."""


def solve_lp(model: LinearModel, stop: StopSignal, **options: Any) -> LpSolution:
    """Solve as :func:`faircg.solver.highs.solve_lp` does.

    Large costs are divided by a power of two, which loses no digit.
    """
    largest = float(np.abs(model.cost).max(initial=0.0))
    if largest <= LARGEST_COST:
        return highs.solve_lp(model, stop, **options)
    by = 2.0 ** math.ceil(math.log2(largest / LARGEST_COST))
    smaller = replace(model, cost=model.cost / by, offset=model.offset / by)
    solution = highs.solve_lp(smaller, stop, **options)
    return replace(
        solution,
        objective=by * solution.objective,
        row_dual=by * solution.row_dual,
        column_dual=by * solution.column_dual,
    )
