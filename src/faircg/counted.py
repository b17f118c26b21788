"""People counted where their table lives, and read as those of a frame are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from faircg.features import Features
from faircg.labelled import MOST_DISTINCT, LabelledTable
from faircg.reduction.databases import database_of
from faircg.reduction.pushed import PushedReduction
from faircg.table import as_frame, check_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.classifier import FairRuleSetClassifier
    from faircg.question import Question
    from faircg.reduction.databases import Database


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The columns of a table by what they are for."""

    features: tuple[str, ...]
    target: str
    sensitive: tuple[str, ...] = ()
    weight: str | None = None

    @classmethod
    def of(
        cls,
        table: Any,
        target: str,
        sensitive: str | Sequence[str],
        weight: str | None,
        features: Sequence[str] | None,
    ) -> TableColumns:
        """Check names of columns; all that have no other use are features."""
        groups = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
        every = [str(column) for column in table.columns]
        used = [target, *groups, *([] if weight is None else [weight])]
        for name in (*used, *(features or ())):
            if name not in every:
                raise ValueError(
                    f"the table has no column {name!r}; its columns are "
                    f"{', '.join(map(repr, every))}"
                )
        if features is None:
            features = [name for name in every if name not in used]
        return cls(tuple(features), target, groups, weight)


def counted(
    estimator: FairRuleSetClassifier,
    question: Question,
    table: Any,
    columns: TableColumns,
) -> LabelledTable:
    """Read the people of a table: their distinct rows, if it is in a database."""
    source = database_of(table)
    if source is not None:
        return _counted(estimator, question, source, columns)
    check_frame(table)
    frame = as_frame(table)
    if frame is None:
        raise TypeError(
            "fit_table takes a DuckDB relation, an ibis table or a data frame, not "
            f"{type(table).__name__}"
        )
    groups = frame.select(*columns.sensitive).to_native() if columns.sensitive else None
    weights = None if columns.weight is None else frame[columns.weight].to_numpy()
    return LabelledTable.read(
        estimator,
        question,
        frame.select(*columns.features).to_native(),
        frame[columns.target].to_numpy(),
        groups,
        weights,
        None,
    )


def _counted(
    estimator: FairRuleSetClassifier,
    question: Question,
    source: Database,
    columns: TableColumns,
) -> LabelledTable:
    features = Features(columns.features)
    excluded = features.resolve(question.exclude, parameter="exclude")
    kinds = source.kinds(n for n in columns.features if n not in excluded)
    reduction = PushedReduction(
        source, kinds, columns.target, columns.sensitive, columns.weight
    )
    cutting = question.cutting(replace(features, excluded=excluded), kinds)
    people = reduction.distinct(MOST_DISTINCT, cutting)
    frame = people.frame
    return LabelledTable.read(
        estimator,
        question,
        frame.reindex(columns=columns.features),  # excluded ones are not read
        frame[columns.target].to_numpy(),
        frame[[*columns.sensitive]] if columns.sensitive else None,
        None if columns.weight is None else frame[columns.weight].to_numpy(),
        None,
        people,
    )
