"""Parts: the train, validation or test data of a report, read once and described."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import narwhals.stable.v2 as nw
import numpy as np

from faircg.groups import Groups, read_groups
from faircg.labels import plain
from faircg.report.counting import EVERYBODY
from faircg.report.values import FeatureSummary, PartSummary
from faircg.report.words import number, percent, plural, shown, value_words
from faircg.table import Column, Table, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from faircg.model import RuleSetModel
    from faircg.table import Kind
    from faircg.typing import BoolVector, Value

MOST_VALUES: Final = 4
"""Categories of a column that its description names."""
FEWEST: Final = 10
"""People that a category needs to be named: a rare one may point to somebody."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """People with their true labels and groups.

    Attributes
    ----------
    name
        ``"train"`` for the data that the rules were learned from; ``"validation"``,
        ``"test"`` or any other name for data that they were not.
    table
        The features that rules test.
    is_positive
        Whether each person has the positive label.
    groups
        The group of each person.
    features
        All columns in a few words.
    """

    name: str
    table: Table
    is_positive: BoolVector
    groups: Groups
    features: tuple[FeatureSummary, ...]

    @classmethod
    def read(
        cls,
        name: str,
        X: Any,
        y: ArrayLike,
        sensitive_features: Any = None,
        *,
        models: Sequence[RuleSetModel],
        missing_groups: str = "raise",
    ) -> Self:
        """Read data for some models with the same labels.

        Parameters
        ----------
        name
            Name of the part.
        X
            A data frame, an array or a :class:`~faircg.table.Table`.
        y
            True labels, the two of the models.
        sensitive_features
            Group of each person; everybody is one group without it.
        models
            The models whose features are read.
        missing_groups
            ``"raise"`` an error for missing groups, or make them a ``"group"``.
        """
        kinds: dict[str, Kind] = {
            f.name: f.kind for model in models for f in model.features
        }
        table = X if isinstance(X, Table) else read_table(X, kinds=kinds)
        is_positive = read_truth(y, models[0].labels, table.n_rows)
        if sensitive_features is None:
            groups = Groups(np.zeros(table.n_rows, dtype=np.int64), (EVERYBODY,))
        else:
            groups = read_groups(sensitive_features, missing=missing_groups)
        if len(groups.codes) != table.n_rows:
            raise ValueError(
                f"{name}: X has {table.n_rows} rows and sensitive_features has "
                f"{len(groups.codes)}"
            )
        return cls(name, table, is_positive, groups, describe(X))

    def summary(self, model: RuleSetModel) -> PartSummary:
        """Describe the part for the report."""
        sizes = np.bincount(self.groups.codes, minlength=len(self.groups.names))
        positives = np.bincount(
            self.groups.codes[self.is_positive], minlength=len(self.groups.names)
        )
        return PartSummary(
            name=self.name,
            n_rows=self.table.n_rows,
            groups={
                name: (int(n), int(k))
                for name, n, k in zip(self.groups.names, sizes, positives, strict=True)
            },
            features=self.features,
            notes=tuple(unseen_categories(model, self.table)),
        )


def read_truth(y: ArrayLike, labels: tuple[Value, Value], n_rows: int) -> BoolVector:
    """Say which people have the positive label; labels may differ from text in type.

    Examples
    --------
    >>> read_truth(["1", "0"], (0, 1), 2)
    array([ True, False])
    """
    found = [plain(label) for label in np.asarray(y).ravel()]
    if len(found) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(found)} labels")
    negative, positive = labels
    by_text = {str(negative): False, str(positive): True}
    answers = []
    for row, label in enumerate(found):
        if label in (positive, negative):
            answers.append(bool(label == positive))
        elif str(label) in by_text:
            answers.append(by_text[str(label)])
        else:
            raise ValueError(
                f"y has the label {label!r} (row {row}); the model knows "
                f"{negative!r} and {positive!r}"
            )
    return np.array(answers, dtype=bool)


def unseen_categories(model: RuleSetModel, table: Table) -> list[str]:
    """Count the rows with categories that the training data did not have."""
    return [
        f"{plural(count, 'row')} of {shown(name)} hold a category never seen in "
        "training: a rule that asks for a category is not met by them, one that "
        "excludes a category is."
        for name, (count, _) in model.unseen(table).items()
    ]


def describe(X: Any) -> tuple[FeatureSummary, ...]:
    """Describe every column; one that cannot be read is named all the same."""
    if isinstance(X, Table):
        return tuple(_summary(column) for column in X.columns.values())
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return tuple(_summary(c) for c in read_table(X).columns.values())
    summaries = []
    for name in frame.columns:
        try:
            table = read_table(frame.select(name).to_native())
        except (TypeError, ValueError) as error:
            summaries.append(FeatureSummary(str(name), "other", 0, shown(error, 200)))
        else:
            summaries.append(_summary(table[str(name)]))
    return tuple(summaries)


def _summary(column: Column) -> FeatureSummary:
    n_missing = int(column.missing.sum())
    present = column.values[~column.missing]
    if not len(present):
        text = "no value at all"
    elif column.kind == "numeric":
        # The extremes would show single people's values.
        low, middle, high = np.quantile(
            present, (0.05, 0.5, 0.95), method="inverted_cdf"
        )
        text = (
            f"median {number(float(middle))}; nine in ten from {number(float(low))} to "
            f"{number(float(high))}"
        )
    elif column.kind == "boolean":
        text = f"true for {percent(float(present.mean()))}"
    else:
        text = _frequent(present.tolist())
    return FeatureSummary(column.name, column.kind, n_missing, text)


def _frequent(values: list[Value]) -> str:
    counts: dict[Value, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    frequent = [item for item in ordered[:MOST_VALUES] if item[1] >= FEWEST]
    named = ", ".join(
        f"{shown(value_words(value), 40)} ({percent(count / len(values))})"
        for value, count in frequent
    )
    if len(ordered) == len(frequent):
        return named
    text = plural(len(ordered), "value")
    return f"{text}; most often {named}" if named else text


def by_name(parts: Sequence[Part]) -> Mapping[str, Part]:
    """Return the parts by name; a repeated name is an error."""
    named = {part.name: part for part in parts}
    if not named:
        raise ValueError("a report needs at least one part of data")
    if len(named) < len(parts):
        raise ValueError(f"parts need different names: {[p.name for p in parts]}")
    return named
