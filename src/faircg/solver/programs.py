"""Linear and integer programs, and their answers: plain values, whoever solves them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from scipy import sparse

    from faircg.typing import BoolVector, FloatVector

SMALLEST_COEFFICIENT = 1e-9
"""HiGHS drops smaller coefficients with no more than a warning."""


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Which columns and rows are basic, and which rest at their upper bound.

    Everything else is at its lower bound.
    """

    columns: BoolVector
    rows: BoolVector
    columns_at_upper: BoolVector
    rows_at_upper: BoolVector

    @property
    def is_square(self) -> bool:
        """Whether there are as many basic variables as rows."""
        return int(self.columns.sum() + self.rows.sum()) == len(self.rows)


class StopSignal(Protocol):
    """What a solve asks: how much time and work are left, and whether to stop now."""

    def seconds(self) -> float:
        """Seconds left; infinity without a limit."""

    def is_set(self) -> bool:
        """Whether to stop now."""

    def steps(self, words: int) -> int | None:
        """Return how many steps of so many words are left; None without a limit."""

    def spend(self, words: int) -> None:
        """Count words of work that was done."""


class Status(enum.Enum):
    """How a solve ended."""

    OPTIMAL = "optimal"
    STOPPED = "stopped"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Minimise ``cost @ x`` within bounds on columns and rows."""

    cost: FloatVector
    lower: FloatVector
    upper: FloatVector
    matrix: sparse.csc_array
    row_lower: FloatVector
    row_upper: FloatVector
    integer: BoolVector
    offset: float = 0.0

    def __post_init__(self) -> None:
        rows, columns = self.matrix.shape
        shapes = [len(self.cost), len(self.lower), len(self.upper), len(self.integer)]
        if (
            shapes != [columns] * 4
            or [len(self.row_lower), len(self.row_upper)] != [rows] * 2
        ):
            raise ValueError("a model's arrays have lengths that do not fit together")
        if not np.isfinite(self.cost).all() or not np.isfinite(self.offset):
            raise ValueError("a model's costs must be finite numbers")
        data = self.matrix.data
        if not np.isfinite(data).all():
            raise ValueError("a model's coefficients must be finite numbers")
        if ((data != 0) & (np.abs(data) < SMALLEST_COEFFICIENT)).any():
            raise ValueError(
                f"a model has coefficients below {SMALLEST_COEFFICIENT:g}, which the "
                "solver would drop; scale the row"
            )
        bounds = (self.lower, self.upper, self.row_lower, self.row_upper)
        if any(np.isnan(bound).any() for bound in bounds):
            raise ValueError("a model's bounds must not be NaN")

    @property
    def step(self) -> int:
        """Words of work of one step of the solver, about."""
        sizes = len(self.cost) + len(self.row_lower) + 2 * len(self.matrix.data)
        return 5_000 + sizes

    @property
    def relaxed(self) -> LinearModel:
        """The same model without integrality."""
        return replace(self, integer=np.zeros(len(self.cost), dtype=bool))


@dataclass(frozen=True, slots=True, eq=False)
class LpSolution:
    """Answer of a linear program.

    ``row_dual`` is how the optimum moves with the row's bound: non-negative for
    ``>=`` rows and non-positive for ``<=`` rows, so that the reduced cost of a column
    is ``cost - row_dual @ column``.
    """

    status: Status
    objective: float
    values: FloatVector
    row_dual: FloatVector
    column_dual: FloatVector
    basis: Basis | None
    iterations: int


@dataclass(frozen=True, slots=True, eq=False)
class MipSolution:
    """Answer of an integer program; ``values`` is None when none was found."""

    status: Status
    objective: float
    bound: float
    values: FloatVector | None
