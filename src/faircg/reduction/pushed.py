"""The reduction where the table lives: a few queries, of which only counts travel.

1. How many distinct rows of features and label are there?
2. If they are few, one GROUP BY counts the people of each, by group: that is all that a
   fit looks at.
3. Else each numeric feature is cut: a GROUP BY of one column counts the people of each
   label who have each number, the cut points are found from that, and the GROUP BY of 2
   is over the intervals.

A table in memory is reduced by the same steps (:class:`faircg.labelled.LabelledTable`),
and the distinct rows are the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.amounts import in_parts
from faircg.features import NumericRange
from faircg.reduction.cut_features import STEPS, Levels, sampled_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from faircg.reduction.cut_features import CutFeature, Cutting
    from faircg.reduction.databases import Database
    from faircg.table import Kind
    from faircg.typing import FloatVector, IntVector

FIRST_ROWS: Final = 300_000
"""Rows that are looked at first: if they differ too much already, all do."""
COUNT: Final = "faircg_people"
"""Column of the numbers of people."""
WHOLE, NUMBER = "int64", "float64"
TYPES: Final = {"numeric": NUMBER, "boolean": "boolean", "category": "string"}
"""Types of the answers, by kind."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedPeople:
    """Distinct rows of a table, how often each occurs, and which features are cut.

    ``frame`` has the columns of the table that were asked for.
    """

    frame: pd.DataFrame
    times: IntVector
    cut: Mapping[str, CutFeature] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PushedReduction:
    """What to count: the columns of a table by what they are for."""

    source: Database
    features: Mapping[str, Kind]
    target: str
    sensitive: tuple[str, ...] = ()
    weight: str | None = None

    def distinct(self, most: int, cutting: Cutting) -> CountedPeople:
        """Count the people of each distinct row; of more than ``most``, of intervals.

        Columns of the answer that are features hold values, or examples of intervals.
        """
        values = {name: _value(name, kind) for name, kind in self.features.items()}
        cut: dict[str, CutFeature] = {}
        if self._are_many(values.values(), most):
            cut = {name: cutting.of(name, *found) for name, found in self._numbers()}
            values |= {n: _interval(values[n], cut[n].cuts) for n in cut}
        frame = self._counts(values)
        for name, kind in self.features.items():
            if kind == "numeric":
                numbers = frame[name].to_numpy(dtype=float, na_value=np.nan)
                frame[name] = cut[name].decoded(numbers) if name in cut else numbers
        times = frame.pop(COUNT).to_numpy(dtype=np.int64)
        return CountedPeople(frame, times, cut)

    def _numbers(self) -> Iterator[tuple[str, tuple[Levels, NumericRange]]]:
        """Return what is known of each numeric feature that has values."""
        for name, kind in self.features.items():
            if kind == "numeric" and (known := self._range(name)) is not None:
                yield name, (self._levels(name, known), known)

    def _are_many(self, features: Iterable[str], most: int) -> bool:
        """Whether there are more distinct rows of features and label."""
        columns = {f"c{k}": value for k, value in enumerate(features)}
        columns["label"] = name_of(self.target)
        first = f"(SELECT * FROM people LIMIT {FIRST_ROWS}) AS first_people"
        for rows in (first, "people"):
            people = self._people(rows, **columns)
            found = self.source.ask(
                f"SELECT COUNT(*) AS n FROM (SELECT DISTINCT * FROM {people}) AS d",
                n=WHOLE,
            )
            if int(found["n"].iloc[0]) > most:
                return True
        return False

    def _range(self, name: str) -> NumericRange | None:
        """Return the range of a feature; None if it has no value."""
        found = self.source.ask(
            "SELECT MIN(x) AS low, MAX(x) AS high, "
            "MIN(CASE WHEN x = FLOOR(x) THEN 1 ELSE 0 END) AS whole, COUNT(x) AS n "
            f"FROM {self._people(x=_value(name, 'numeric'))}",
            low=NUMBER,
            high=NUMBER,
            whole=WHOLE,
            n=WHOLE,
        ).iloc[0]
        if not int(found["n"]):
            return None
        low, high = float(found["low"]), float(found["high"])
        if not np.isfinite([low, high]).all():
            raise ValueError(
                f"feature {name!r} has infinity in some rows; replace it by a number "
                "or by a missing value"
            )
        return NumericRange(low, high, bool(found["whole"]))

    def _levels(self, name: str, known: NumericRange) -> Levels:
        """Count the people of each label who have each number, or each of some.

        Which label is positive does not matter to cut points.
        """
        import pandas as pd

        numbers = self._people(
            x=_value(name, "numeric"),
            label=name_of(self.target),
            weight=_double(1.0) if self.weight is None else cast(self.weight),
        )
        found = self.source.ask(
            f"SELECT COUNT(DISTINCT x) AS n FROM {numbers}", n=WHOLE
        )
        share, some = sampled_share(name, int(found["n"].iloc[0])), ""
        if share < 1:
            low, scale = _double(known.low), _double(known.scale)
            steps = f"((x - {low}) / {scale} * {_double(STEPS)})"
            some = f" AND {steps} - FLOOR({steps}) < {_double(share)}"
        found = self.source.ask(
            f"SELECT x, label, weight, COUNT(*) AS {COUNT} FROM {numbers} "
            f"WHERE x IS NOT NULL{some} GROUP BY x, label, weight",
            x=NUMBER,
            label=self.source.type_of(self.target),
            weight=NUMBER,
            **{COUNT: WHOLE},
        )
        values, at = np.unique(found["x"].to_numpy(dtype=float), return_inverse=True)
        labels, classes = pd.factorize(found["label"])
        counts = np.zeros((max(2, len(classes)), len(values)), dtype=np.int64)
        times = found[COUNT].to_numpy(dtype=np.int64)
        weights = found["weight"].to_numpy(dtype=float)
        np.add.at(counts, (labels, at), times * self._whole(weights))
        return Levels(values, *counts[:2])

    def _whole(self, weights: FloatVector) -> IntVector:
        """Return weights in parts of a person, as those of all people are counted."""
        if self.weight is None:
            return np.ones(len(weights), dtype=np.int64)
        found = self.source.ask(
            f"SELECT DISTINCT weight FROM {self._people(weight=cast(self.weight))}",
            weight=NUMBER,
        )
        every = np.sort(found["weight"].to_numpy(dtype=float))
        whole = in_parts("sample_weight", every).whole
        return whole[np.searchsorted(every, weights)]

    def _counts(self, features: Mapping[str, str]) -> pd.DataFrame:
        """Count the people of each distinct row."""
        others = dict.fromkeys([self.target, *self.sensitive])
        columns = {name: name_of(name) for name in others}
        types = {name: self.source.type_of(name) for name in others}
        if self.weight is not None:
            columns[self.weight], types[self.weight] = cast(self.weight), NUMBER
        columns |= features
        types |= {name: TYPES[kind] for name, kind in self.features.items()}
        names = ", ".join(map(name_of, columns))
        return self.source.ask(
            f"SELECT {names}, COUNT(*) AS {COUNT} FROM {self._people(**columns)} "
            f"GROUP BY {names}",
            **types,
            **{COUNT: WHOLE},
        )

    def _people(self, rows: str = "people", /, **columns: str) -> str:
        """Return a query of expressions by name; who weighs nothing is left out."""
        chosen = ", ".join(f"{by} AS {name_of(name)}" for name, by in columns.items())
        counting = ""
        if self.weight is not None:
            weight = name_of(self.weight)
            counting = f" WHERE {weight} <> 0 OR {weight} IS NULL"
        return f"(SELECT {chosen} FROM {rows}{counting}) AS asked"


def name_of(column: str) -> str:
    """Return the name of a column."""
    escaped = column.replace('"', '""')
    return f'"{escaped}"'


def cast(column: str) -> str:
    """Return the expression of a number."""
    return f"CAST({name_of(column)} AS DOUBLE)"


def _double(number: float) -> str:
    return f"CAST('{number!r}' AS DOUBLE)"


def _value(name: str, kind: Kind) -> str:
    """Return the expression of a value; what is no number is missing."""
    match kind:
        case "numeric":
            return f"NULLIF({cast(name)}, CAST('NaN' AS DOUBLE))"
        case "category":
            return f"CAST({name_of(name)} AS VARCHAR)"
        case "boolean":
            return name_of(name)


def _interval(value: str, cuts: Sequence[float]) -> str:
    """Return the expression of the number of the interval that holds a value."""
    tests = [f"WHEN {value} <= {_double(cut)} THEN {k}" for k, cut in enumerate(cuts)]
    return f"CASE WHEN {value} IS NULL THEN NULL {' '.join(tests)} ELSE {len(cuts)} END"
