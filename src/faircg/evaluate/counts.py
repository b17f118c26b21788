"""Confusion counts: how many people of each group get which decision.

A row counts as often as its weight says, so that whole weights are repeated rows.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.fairness import Family, GroupCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from faircg.groups import Groups
    from faircg.typing import BoolVector, IntVector

KINDS: Final = tuple(field.name for field in fields(GroupCounts))
"""The four kinds of decisions, right and wrong."""


def count_people(
    rows: BoolVector, groups: Groups, weights: IntVector | None = None
) -> list[int]:
    """Count the people of some rows in each part."""
    taken = None if weights is None else weights[rows]
    counts = np.bincount(groups.codes[rows], taken, minlength=len(groups.names))
    return [int(count) for count in counts]


def people_by_group(
    rows: BoolVector, groups: Groups, weights: IntVector | None = None
) -> dict[str, int]:
    """Count the people of some rows in each group that is compared."""
    by_part = dict(zip(groups.names, count_people(rows, groups, weights), strict=True))
    return {
        name: sum(by_part[part] for part in parts)
        for family in groups.families or each_part(groups.names)
        for name, parts in family.groups.items()
    }


def group_counts(
    accepted: BoolVector,
    is_positive: BoolVector,
    groups: Groups,
    weights: IntVector | None = None,
) -> dict[str, GroupCounts]:
    """Count the four kinds of decisions in each part.

    ``accepted`` rows get the positive label, ``is_positive`` ones have it.

    Examples
    --------
    >>> from faircg.groups import read_groups
    >>> groups = read_groups(["a", "b", "b"])
    >>> accepted, is_positive = np.array([[True, True, False], [True, False, False]])
    >>> group_counts(accepted, is_positive, groups, np.array([5, 1, 2]))["a"].total
    5
    """
    kinds = (
        accepted & is_positive,
        ~accepted & is_positive,
        accepted & ~is_positive,
        ~accepted & ~is_positive,
    )
    counted = [count_people(rows, groups, weights) for rows in kinds]
    by_group = map(GroupCounts, *counted)
    return dict(zip(groups.names, by_group, strict=True))


def each_part(parts: Iterable[str]) -> tuple[Family, ...]:
    """Return the family in which every part is a group."""
    return (Family({name: (name,) for name in parts}),)


def group_totals(
    counts: Mapping[str, GroupCounts], families: Sequence[Family]
) -> dict[str, GroupCounts]:
    """Add up the counts of parts to those of the groups of some families.

    Without families every part is a group; groups without any part are left out.
    """
    if not families:
        return dict(counts)
    return {
        name: total(counts[part] for part in inside if part in counts)
        for family in families
        for name, inside in family.among(counts).groups.items()
    }


def total(counts: Iterable[GroupCounts]) -> GroupCounts:
    """Add up the counts of groups that have nobody in common.

    Examples
    --------
    >>> total([GroupCounts(1, 2, 3, 4), GroupCounts(10, 20, 30, 40)]).positives
    33
    """
    every = list(counts)
    return GroupCounts(*(sum(getattr(c, kind) for c in every) for kind in KINDS))
