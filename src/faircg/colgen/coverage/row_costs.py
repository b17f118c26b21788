"""What it costs that a row is covered, once fairness rows have their multipliers.

The fairness rows count covered people: a covered positive is not missed, a covered
negative is hit. So with multipliers ``f`` each row of the data has a price of its own,
and what remains of the fairness rows is a constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from faircg.colgen.problem import Problem
    from faircg.typing import FloatVector


def rate_ends(problem: Problem) -> tuple[FloatVector, FloatVector]:
    """Return both ends of the fairness rows once all positives count as missed."""
    rows = problem.rate_rows
    certain = rows.constant + rows.missed @ problem.groups.positives
    return rows.lower - certain, rows.upper - certain


def covering_costs(problem: Problem, fairness: FloatVector) -> FloatVector:
    """Return what covering each row costs: the loss, and what fairness charges."""
    rows = problem.rate_rows
    costs: FloatVector = problem.coverage_costs.astype(float)
    if len(rows):
        costs = costs + rows.hit_charge(fairness) @ problem.negatives
        costs = costs - rows.missed_charge(fairness) @ problem.positives
    return costs


def rate_value(problem: Problem, fairness: FloatVector) -> float:
    """Return what the fairness rows add to the value; levels are shares."""
    rows = problem.rate_rows
    used = fairness != 0
    ends = np.where(fairness > 0, *rate_ends(problem))
    value = float(fairness[used] @ ends[used])
    level = np.bincount(rows.of, weights=-fairness * rows.weight)
    return value + float(np.minimum(level, 0.0).sum())
