"""NumericRange: what the training data say about a numeric feature."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg.table import Table, read_table

if TYPE_CHECKING:
    from faircg.typing import BoolVector


@dataclass(frozen=True, slots=True)
class NumericRange:
    """What is known about the values of a numeric feature.

    Parameters
    ----------
    low, high
        The smallest and the largest value. Their distance is the unit in which changes
        of the feature are measured.
    whole
        Whether only whole numbers make sense.
    """

    low: float
    high: float
    whole: bool

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"a range cannot go from {self.low} to {self.high}")

    @property
    def scale(self) -> float:
        """The distance that costs one; 1 when all values are the same."""
        distance = self.high - self.low
        return distance if 0 < distance < math.inf else 1.0


def numeric_ranges(
    X: Any, *, rows: BoolVector | None = None
) -> dict[str, NumericRange]:
    """Measure the numeric features of a table, best of the training data.

    Parameters
    ----------
    X
        Frame, array or :class:`~faircg.table.Table`. A feature without any value is
        left out.
    rows
        For each row whether it counts; all do by default.

    Examples
    --------
    >>> import pandas as pd
    >>> numeric_ranges(pd.DataFrame({"age": [20, 45], "rate": [0.5, 1.0]}))["age"]
    NumericRange(low=20.0, high=45.0, whole=True)
    """
    table = X if isinstance(X, Table) else read_table(X)
    ranges = {}
    for name, column in table.columns.items():
        present = ~column.missing if rows is None else rows & ~column.missing
        values = column.values[present]
        if column.kind == "numeric" and len(values):
            whole = bool((values == np.floor(values)).all())
            ranges[name] = NumericRange(float(values.min()), float(values.max()), whole)
    return ranges
