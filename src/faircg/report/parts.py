"""Parts: the train, validation or test data of a report, read once and described."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import narwhals.stable.v2 as nw
import numpy as np

from faircg.evaluate import People
from faircg.evaluate.counts import group_totals
from faircg.printable import number, percent, plural, shown
from faircg.report.contents import FeatureSummary, PartSummary
from faircg.report.words import value_words
from faircg.table import Column, Table, read_table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from faircg.model import RuleSetModel
    from faircg.typing import IntVector, Value

MOST_VALUES: Final = 4
"""Categories of a column that its description names."""
FEWEST: Final = 10
"""People that a category needs to be named: a rare one may point to somebody."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """People under a name, such as ``"train"``, and their columns in a few words."""

    name: str
    people: People
    features: tuple[FeatureSummary, ...]

    @classmethod
    def read(
        cls,
        name: str,
        X: Any,
        y: ArrayLike,
        sensitive_features: Any = None,
        **options: Any,
    ) -> Self:
        """Read data for some models with the same labels.

        Parameters
        ----------
        name
            Name of the part.
        X, y, sensitive_features, **options
            As in :meth:`faircg.evaluate.People.read`: ``models``, and perhaps
            ``sample_weight`` and ``missing_groups``.
        """
        try:
            people = People.read(X, y, sensitive_features=sensitive_features, **options)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        return cls(name, people, describe(X, people.rows, people.weights))

    def summary(self, model: RuleSetModel) -> PartSummary:
        """Describe the part for the report."""
        nobody = np.zeros(self.people.table.n_rows, dtype=bool)
        counts = group_totals(self.people.counts(nobody), self.people.groups.families)
        return PartSummary(
            name=self.name,
            n_people=self.people.total,
            groups={name: (c.total, c.positives) for name, c in counts.items()},
            features=self.features,
            notes=(*self._weighted(), *unseen_categories(model, self.people.table)),
        )

    def _weighted(self) -> tuple[str, ...]:
        n_rows, n_people = self.people.table.n_rows, self.people.total
        if n_rows == n_people:
            return ()
        parts = self.people.parts
        if parts > 1:
            return (
                f"{plural(n_rows, 'row')} of the data stand for "
                f"{number(n_people / parts)} people. Their weights have decimals, so "
                f"that people are counted in parts: all counts are {number(parts)} "
                "times the weights.",
            )
        return (
            f"{plural(n_rows, 'row')} of the data stand for "
            f"{plural(n_people, 'person')}: each counts as often as its weight says.",
        )


def unseen_categories(model: RuleSetModel, table: Table) -> list[str]:
    """Count the rows with categories that the training data did not have."""
    return [
        f"{plural(count, 'row')} of {shown(name)} hold a category never seen in "
        "training: a rule that asks for a category is not met by them, one that "
        "excludes a category is."
        for name, (count, _) in model.unseen(table).items()
    ]


def describe(X: Any, rows: IntVector, weights: IntVector) -> tuple[FeatureSummary, ...]:
    """Describe every column by the people of some rows, each with its weight.

    One that cannot be read is named all the same.
    """
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        table = (X if isinstance(X, Table) else read_table(X)).take(rows)
        return tuple(_summary(column, weights) for column in table.columns.values())
    summaries = []
    for name in frame.columns:
        try:
            table = read_table(frame.select(name).to_native()).take(rows)
        except (TypeError, ValueError) as error:
            summaries.append(FeatureSummary(str(name), "other", 0, shown(error, 200)))
        else:
            summaries.append(_summary(table[str(name)], weights))
    return tuple(summaries)


def _summary(column: Column, weights: IntVector) -> FeatureSummary:
    n_missing = int(weights[column.missing].sum())
    present, counts = column.values[~column.missing], weights[~column.missing]
    if not len(present):
        text = "no value at all"
    elif column.kind == "numeric":
        # The extremes would show single people's values.
        low, middle, high = np.quantile(
            present, (0.05, 0.5, 0.95), weights=counts, method="inverted_cdf"
        )
        text = (
            f"median {number(float(middle))}; nine in ten from {number(float(low))} to "
            f"{number(float(high))}"
        )
    elif column.kind == "boolean":
        text = f"true for {percent(float(np.average(present, weights=counts)))}"
    else:
        text = _frequent(present.tolist(), counts)
    return FeatureSummary(column.name, column.kind, n_missing, text)


def _frequent(values: list[Value], weights: IntVector) -> str:
    people: Counter[Value] = Counter()
    for value, weight in zip(values, weights.tolist(), strict=True):
        people[value] += weight
    ordered = sorted(people.items(), key=lambda item: (-item[1], str(item[0])))
    frequent = [item for item in ordered[:MOST_VALUES] if item[1] >= FEWEST]
    named = ", ".join(
        f"{shown(value_words(value), 40)} ({percent(count / people.total())})"
        for value, count in frequent
    )
    if len(ordered) == len(frequent):
        return named
    text = plural(len(ordered), "value")
    return f"{text}; most often {named}" if named else text
