"""Rows: a bounded sample of them, and the reason for each decision."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final, TypedDict

import numpy as np

from faircg.exceptions import UnseenCategoryWarning
from faircg.explain import explain, numeric_ranges
from faircg.report.contents import Decision, ShownRow, ShownRows
from faircg.report.words import reason, value_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from faircg.explain.explanations import Direction
    from faircg.features import Features
    from faircg.model import RuleSetModel
    from faircg.report.parts import Part
    from faircg.table import Column
    from faircg.typing import IntVector, Value

MOST_ROWS: Final = 200
"""Rows of the sample unless the caller wants another number."""


class RowOptions(TypedDict, total=False):
    """What a report shows of single rows; see :func:`sample_rows`."""

    n_rows: int
    direction: Direction
    immutable: Iterable[str]
    ids: Sequence[object] | None
    id_name: str


def resolved(rows: RowOptions, features: Features) -> RowOptions:
    """Return the options with names of features; one that is not there is an error."""
    given = rows.get("immutable", ())
    return {**rows, "immutable": features.resolve(given, parameter="immutable")}


def spread(n_rows: int, most: int) -> IntVector:
    """Choose rows evenly from the first to the last, always the same.

    Examples
    --------
    >>> spread(10, 3).tolist(), spread(2, 3).tolist()
    ([0, 3, 6], [0, 1])
    """
    count = min(n_rows, most)
    return np.array([k * n_rows // count for k in range(count)], dtype=np.int64)


def sample_rows(
    part: Part,
    models: Sequence[RuleSetModel],
    *,
    n_rows: int = MOST_ROWS,
    direction: Direction = "none",
    immutable: Iterable[str] = (),
    ids: Sequence[object] | None = None,
    id_name: str = "",
) -> ShownRows | None:
    """Take rows of a part and explain what every model decides about them.

    Only features that some rule tests are shown. ``direction`` and ``immutable`` are
    those of :func:`faircg.explain.explain`. Rows are called by their ``ids``, if there
    are any, in the order of the data. None if no row may be shown.
    """
    if n_rows <= 0:
        return None
    source = part.people
    rows = spread(source.table.n_rows, n_rows)
    table = source.table.take(rows)
    tested = {name for model in models for name in model.rule_set.features}
    features = tuple(name for name in table.names if name in tested)
    groups = [source.groups.names[code] for code in source.groups.codes[rows]]
    truth = source.is_positive[rows].tolist()
    shown = tuple(
        ShownRow(
            row=str(source.rows[row] if ids is None else ids[source.rows[row]]),
            group=groups[k],
            is_positive=truth[k],
            values=tuple(value_words(_value(table[name], k)) for name in features),
        )
        for k, row in enumerate(rows)
    )
    ranges = numeric_ranges(source.table)  # for models that recorded none
    kept = set(immutable)
    decisions = []
    for model in models:
        with warnings.catch_warnings():
            # The report itself says how many rows have such a category.
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            explanations = explain(
                model,
                table,
                direction=direction,
                immutable=[name for name in table.names if name in kept],
                n_closest=1,
                ranges={**ranges, **model.ranges},
            )
        order = model.rule_set.rules
        decisions.append(
            tuple(Decision(e.is_positive, reason(e, order)) for e in explanations)
        )
    explained = tuple(decisions)
    n_people = source.table.n_rows
    return ShownRows(part.name, n_people, features, shown, explained, id_name)


def _value(column: Column, row: int) -> Value:
    if column.missing[row]:
        return None
    if column.kind == "boolean":
        return bool(column.values[row])
    value: Value = column.values[row]
    return value.item() if isinstance(value, np.generic) else value
