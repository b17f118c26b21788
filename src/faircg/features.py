"""Features: the columns of the user's table, as parameters name them; their ranges.

Every parameter that names features (``exclude``, ``monotone``, ``not_together``, the
keys of ``thresholds``, ``immutable``) is resolved here, so that none can name a column
that is not there and be ignored without a word.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from faircg.table import Table, as_frame, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

Setting = TypeVar("Setting")


@dataclass(frozen=True, slots=True)
class Features:
    """The columns of a table, in order, and those that rules may not test.

    The columns of an array, which has no names, are called ``x0, x1, ...``.

    Examples
    --------
    >>> features = Features(("age", "race", "job"))
    >>> features.resolve(["race", 2], parameter="exclude")
    ('race', 'job')
    >>> features.resolve(["rcae"], parameter="exclude")
    Traceback (most recent call last):
    ValueError: exclude names 'rcae', which is not a feature; the features are 'age',
    'race', 'job'
    """

    names: tuple[str, ...]
    has_names: bool = True
    excluded: tuple[str, ...] = ()

    @classmethod
    def of(cls, X: Any) -> Self:
        """Return the columns of a frame, a two-dimensional array or a table."""
        if isinstance(X, Table):
            return cls(X.names)
        frame = as_frame(X)
        if frame is not None:
            return cls(tuple(map(str, frame.columns)))
        return cls(tuple(f"x{j}" for j in range(np.shape(X)[1])), has_names=False)

    def resolve(self, wanted: object, *, parameter: str) -> tuple[str, ...]:
        """Return the names of features given by name or by position from zero.

        One name alone is taken as itself. A name or position that is not there, and a
        feature named twice, is a ``ValueError`` that says in which parameter.
        """
        is_many = isinstance(wanted, Iterable) and not isinstance(wanted, str)
        found: list[str] = []
        for entry in wanted if is_many else (wanted,):  # type: ignore[attr-defined]
            name = self._one(entry, parameter)
            if name in found:
                raise ValueError(f"{parameter} names the feature {name!r} twice")
            found.append(name)
        return tuple(found)

    def resolve_keys(
        self, settings: Mapping[Any, Setting], *, parameter: str
    ) -> dict[str, Setting]:
        """Return settings by feature, whose keys are names or positions, by name."""
        names = self.resolve_kept(tuple(settings), parameter=parameter)
        return dict(zip(names, settings.values(), strict=True))

    def resolve_kept(self, wanted: object, *, parameter: str) -> tuple[str, ...]:
        """Return the names of features that rules may test; an error for others."""
        names = self.resolve(wanted, parameter=parameter)
        for name in names:
            if name in self.excluded:
                raise ValueError(
                    f"{parameter} names {name!r}, which exclude leaves out"
                )
        return names

    def _one(self, entry: object, parameter: str) -> str:
        if isinstance(entry, str):
            if entry in self.names:
                return str(entry)
        elif isinstance(entry, int | np.integer) and not isinstance(entry, bool):
            position = int(entry)
            if 0 <= position < len(self.names):
                name, number = self.names[position], str(position)
                if name != number and number in self.names:
                    raise ValueError(
                        f"{parameter}: {position} may be the column at that position, "
                        f"{name!r}, or the one called {number!r}; give its name as text"
                    )
                return name
        raise ValueError(
            f"{parameter} names {entry!r}, which is not a feature; {self._words()}"
        )

    def _words(self) -> str:
        if self.has_names:
            return f"the features are {', '.join(map(repr, self.names))}"
        last = len(self.names) - 1
        return (
            "X has no column names here: use positions (0 to "
            f"{last}, or 'x0' to 'x{last}'), or keep the names that a step of a "
            'pipeline drops with set_output(transform="pandas")'
        )


@dataclass(frozen=True, slots=True)
class NumericRange:
    """What is known about the values of a numeric feature.

    The distance of the smallest and the largest is the unit in which changes of the
    feature are measured; ``whole`` if only whole numbers make sense.
    """

    low: float
    high: float
    whole: bool

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"a range cannot go from {self.low} to {self.high}")

    @property
    def is_yes_or_no(self) -> bool:
        """Whether all values are 0 or 1."""
        return self.whole and (self.low, self.high) == (0.0, 1.0)

    @property
    def scale(self) -> float:
        """The distance that costs one; 1 when all values are the same."""
        distance = self.high - self.low
        return distance if 0 < distance < math.inf else 1.0


def numeric_ranges(X: Any) -> dict[str, NumericRange]:
    """Measure the numeric features of a table, best of the training data.

    A feature without any value is left out.

    Examples
    --------
    >>> import pandas as pd
    >>> numeric_ranges(pd.DataFrame({"age": [20, 45], "rate": [0.5, 1.0]}))["age"]
    NumericRange(low=20.0, high=45.0, whole=True)
    """
    table = X if isinstance(X, Table) else read_table(X)
    ranges = {}
    for name, column in table.columns.items():
        values = column.values[~column.missing]
        if column.kind == "numeric" and len(values):
            whole = bool((values == np.floor(values)).all())
            ranges[name] = NumericRange(float(values.min()), float(values.max()), whole)
    return ranges
