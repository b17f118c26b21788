"""What no classifier on the same conditions can do better: the price of simplicity.

Rows of the data meet different conditions; a classifier may decide each of them as it
likes. Without rules and limits only the fairness rows remain, and the linear program
over ``u`` is quick. Its value bounds every classifier that satisfies the constraint,
rule sets included.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.coverage.row_costs import covering_costs, rate_ends, rate_value
from faircg.colgen.row_builder import RowBuilder
from faircg.solver.highs import INFINITY, LinearModel, Status
from faircg.solver.scaled import solve_lp

if TYPE_CHECKING:
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatVector


def any_classifier_bound(problem: Problem, deadline: Deadline) -> float:
    """Bound the 0-1 loss of every classifier that tells rows of the data apart.

    Zero if the deadline came first, infinity if none satisfies the constraint.
    """
    counting = replace(problem, objective="zero_one")
    rows = counting.rate_rows
    if not len(rows):
        return _value(counting, np.zeros(0))
    if deadline.is_set():
        return 0.0
    n_rows, n_columns = counting.n_rows, counting.n_rows + rows.n_levels
    covered = rows.hit @ counting.negatives - rows.missed @ counting.positives
    level = np.zeros((len(rows), rows.n_levels))
    level[np.arange(len(rows)), rows.of] = rows.weight
    builder = RowBuilder(n_columns)
    parts = [(slice(0, n_rows), covered), (slice(n_rows, n_columns), level)]
    builder.add(parts, *rate_ends(counting))
    model = LinearModel(
        cost=np.append(counting.coverage_costs, np.zeros(rows.n_levels)),
        lower=np.zeros(n_columns),
        upper=np.append(np.ones(n_rows), np.full(rows.n_levels, INFINITY)),
        matrix=builder.matrix(),
        row_lower=builder.lower[0],
        row_upper=builder.upper[0],
        integer=np.zeros(n_columns, dtype=bool),
        offset=float(counting.miss_costs.sum()),
    )
    solution = solve_lp(model, deadline)
    if solution.status is Status.INFEASIBLE:
        return np.inf
    if solution.status is not Status.OPTIMAL:
        return 0.0
    return _value(counting, solution.row_dual)


def _value(problem: Problem, fairness: FloatVector) -> float:
    """Return what the multipliers prove, whatever the solver thought of its answer."""
    costs = covering_costs(problem, fairness)
    value = float(problem.miss_costs.sum()) + float(np.minimum(costs, 0.0).sum())
    return value + (rate_value(problem, fairness) if len(fairness) else 0.0)
