"""Notes on a table that rules are to be learned from: what its owner may not expect."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from faircg.cli import files
from faircg.cli.progress import note

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

    from faircg.cli.learning import LearningOptions, Training
    from faircg.cli.named_table import NamedTable
    from faircg.grouping import Grouping

MANY_VALUES: Final = 100
"""Different texts of a feature beyond which it is rather a name of its rows."""
MOSTLY: Final = 0.9
"""Share of numbers in a column of texts from which on it was meant to be numeric."""
FEW_PEOPLE: Final = 30
"""People with the positive label below which the rate of a group is a coarse one."""
MANY_GROUPS: Final = 20


def tell(asked: LearningOptions, training: Training, labels: Any) -> None:
    """Say what may surprise in the data, before rules are learned from it."""
    people, groups = training.people, training.groups
    tell_weight(people, asked.weight)
    if asked.quiet:
        return
    unused = {training.target, *training.exclude}
    texts = [name for name in people.frame.columns if _is_text(people.frame[name])]
    looked_at = [name for name in texts if name not in unused or name in groups]
    for name, found in files.read_as_missing(people, looked_at).items():
        note(f"{name!r}: {files.missing_words(*found)}")
    if people.dataset is None:
        for name in texts:
            if name not in unused and name not in (asked.category or ()):
                for text in about_texts(name, people.frame[name]):
                    note(text)
    members = people.groups(groups)
    is_error = asked.missing_groups != "group"
    if members is None or (is_error and members.isna().any(axis=None)):
        return
    text = about_groups(
        members, labels, training.pos_label, people.weights, asked.grouping
    )
    if text:
        note(text)


def tell_positive(people: NamedTable, target: str, labels: Any) -> None:
    """Say which label is positive where nobody did; embedded data sets are known."""
    if people.dataset is None:
        note(f"predicting {target} = {_positive(labels)}; --positive changes it")


def _positive(labels: Any) -> Any:
    """Return the label that is positive where none is named."""
    import numpy as np

    from faircg.labels import plain

    return plain(np.unique(labels)[-1])


def tell_weight(people: NamedTable, column: str | None) -> None:
    """Say that people are counted by weight, and how many they are."""
    if people.weights is not None:
        say_weight(column, len(people.weights), people.weights.sum())


def say_weight(column: str | None, n_rows: int, n_people: float) -> None:
    """Say how many people some rows stand for."""
    note(
        f"people are counted by {column!r}: {n_rows:,} rows stand for "
        f"{n_people:,.12g} people"
    )


def about_texts(name: str, column: pd.Series) -> Iterator[str]:
    """Say that a feature of texts holds numbers, or too many different values.

    Examples
    --------
    >>> import pandas as pd
    >>> column = pd.Series([*map(str, range(50)), "unknown", *map(str, range(50))])
    >>> print(*about_texts("income", column))
    'income' is read as text: 100 of its 101 values are numbers, the first other is
    'unknown' (row 50); leave such cells empty to have it read as numbers
    """
    import numpy as np
    import pandas as pd

    codes, values = pd.factorize(column.astype(object))
    rows = np.flatnonzero(codes >= 0)
    numeric = pd.to_numeric(pd.Series(values, dtype=object), errors="coerce").notna()
    is_number = numeric.to_numpy()[codes[rows]]
    n_numbers = int(is_number.sum())
    if n_numbers >= MOSTLY * len(rows):
        found = f"{name!r} is read as text: "
        if n_numbers < len(rows):
            first = int(rows[~is_number][0])
            yield (
                f"{found}{n_numbers:,} of its {len(rows):,} values are numbers, the "
                f"first other is {values[codes[first]]!r} (row {first:,}); leave such "
                "cells empty to have it read as numbers"
            )
            return
        yield f"{found}all its {len(rows):,} values are numbers"
    if len(values) == len(column) or len(values) > MANY_VALUES:
        yield many_values(name, len(values), len(column))


def many_values(name: str, n_values: int, n_rows: int) -> str:
    """Say that a feature of texts has many different ones."""
    return (
        f"{name!r} has {n_values:,} different values in {n_rows:,} rows, and each is a "
        "condition of its own; --exclude it unless rules may test it"
    )


def about_groups(
    members: pd.DataFrame,
    labels: Any,
    pos_label: Any,
    weights: Any = None,
    grouping: Grouping | None = None,
) -> str:
    """Say that there are many groups, or few people in one; else nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> members = pd.DataFrame({"town": ["A"] * 60 + ["Tiny"] * 3})
    >>> print(about_groups(members, pd.Series(["no", "yes"] * 31 + ["no"]), None))
    group 'Tiny' has 1 person with the label 'yes' (3 in all): a rate of so few people
    changes with each of them
    """
    import numpy as np

    from faircg.evaluate import group_counts
    from faircg.evaluate.counts import group_totals
    from faircg.grouping import Grouping
    from faircg.groups import groups_of
    from faircg.labels import plain

    positive = _positive(labels) if pos_label is None else pos_label
    is_positive = np.asarray(labels == positive, dtype=bool)
    times = np.asarray(np.ones_like(is_positive) if weights is None else weights)
    asked = Grouping() if grouping is None else grouping
    if asked.small_groups != "merge":
        asked = replace(asked, min_group_size=0)  # which the fit tells
    groups = groups_of(members, times, missing="group", grouping=asked)
    parts = group_counts(np.zeros_like(is_positive), is_positive, groups, times)
    counts = group_totals(parts, groups.families)
    n_groups = len(counts)
    few = sum(c.positives < FEW_PEOPLE for c in counts.values())
    if not few and n_groups <= MANY_GROUPS:
        return ""
    name, least = min(counts.items(), key=lambda g: (g[1].positives, g[1].total))
    count = least.positives
    label, everybody = f"the label {plain(positive)!r}", f"({least.total:,} in all)"
    counted = {0: "nobody", 1: "1 person"}.get(count, f"{count:,} people")
    if few > 1:
        return (
            f"{few:,} of {n_groups:,} groups have fewer than {FEW_PEOPLE} people with "
            f"{label}; the smallest, {name!r}, has {counted} {everybody}: rates of so "
            "few people change with each of them"
        )
    crowd = f"there are {n_groups:,} groups; " if n_groups > MANY_GROUPS else ""
    if not few:
        return (
            f"{crowd}the smallest, {name!r}, has {counted} with {label} {everybody}, "
            "and the gap is that between the two that differ most"
        )
    told = "a rate of so few people changes with each of them"
    if not count:
        told = "there is no rate of those to compare"
    return f"{crowd}group {name!r} has {counted} with {label} {everybody}: {told}"


def _is_text(column: pd.Series) -> bool:
    """Say whether the values that are there are texts."""
    import pandas as pd

    values: Collection[Any] = column
    if isinstance(column.dtype, pd.CategoricalDtype):
        values = column.cat.categories
    return bool(pd.api.types.infer_dtype(values, skipna=True) == "string")
