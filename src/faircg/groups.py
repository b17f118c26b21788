"""Groups: the sensitive features of each sample as codes of parts, and their names."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircg.colgen.signatures import merge_codes
from faircg.fairness.families import Family
from faircg.group_columns import group_columns, series_of, told_apart
from faircg.grouping import Comparison, Grouping

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from faircg.grouping import ColumnName
    from faircg.typing import BoolVector, FloatVector, IntVector

MISSING = "(missing)"
EVERYBODY = "everybody"
"""Name of the one group of all people."""
MOST_NAMED: Final = 4
"""Groups that the name of a merged one lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The part of each sample, as an index into the sorted names.

    The groups of each of the ``families`` are compared; without any, every part is a
    group.
    """

    codes: IntVector
    names: tuple[str, ...]
    families: tuple[Family, ...] = ()

    def compared_as(self, families: Sequence[Family]) -> Groups:
        """Return them with those groups of some families that are here.

        If there are none, these are the groups of another attribute, and all parts are
        compared.
        """
        here = (family.among(self.names) for family in families)
        return replace(self, families=tuple(family for family in here if family.groups))


@dataclass(frozen=True, slots=True, eq=False)
class _Attribute:
    """One sensitive column: the number of each row's value, and how they are called."""

    name: str | None
    codes: IntVector
    texts: tuple[str, ...]


def read_groups(
    sensitive_features: Any,
    *,
    missing: str = "raise",
    grouping: Grouping = Grouping(),  # noqa: B008 (frozen)
) -> Groups:
    """Read one column of groups, or several whose combinations are the parts.

    They may be a list, array, Series or frame. ``missing`` values ``"raise"`` an error
    or are a ``"group"``. Where a frame has several columns, names say the column.

    Examples
    --------
    >>> groups = read_groups(["b", "a", "b"])
    >>> groups.names, groups.codes
    (('a', 'b'), array([1, 0, 1]))
    >>> import pandas as pd
    >>> read_groups(pd.DataFrame({"race": ["x", "y"], "sex": ["f", "f"]})).names
    ('race = x, sex = f', 'race = y, sex = f')
    """
    given = group_columns(sensitive_features)
    names = [name for name, _ in given]
    bins = {_position(c, names, "bins"): cuts for c, cuts in grouping.bins.items()}
    attributes = [
        _attribute(name, values, missing, bins.get(j), is_alone=len(given) == 1)
        for j, (name, values) in enumerate(given)
    ]
    by_value = np.array([a.codes for a in attributes]).T
    keys = [(attribute.codes, len(attribute.texts)) for attribute in attributes]
    first, codes = merge_codes(keys, len(by_value))
    combinations = by_value[first]
    called = [_joined(attributes, row, range(len(given))) for row in combinations]
    twice = {name for name in called if called.count(name) > 1}
    if twice:
        raise ValueError(
            f"two different groups of sensitive_features would both be called "
            f"{min(twice)!r}; rename one of them"
        )
    order = np.argsort(np.array(called, dtype=object), kind="stable")
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    parts = tuple(called[k] for k in order)
    families = tuple(_families(grouping, attributes, parts, combinations[order]))
    return Groups(position[codes], parts, families)


def groups_of(
    sensitive_features: Any,
    weights: IntVector,
    *,
    missing: str = "raise",
    grouping: Grouping = Grouping(),  # noqa: B008 (frozen)
    per_person: int = 1,
) -> Groups:
    """Read the groups of each row; everybody is one group without any.

    A group whose rows all weigh nothing has nobody, and no name: its rows, which nobody
    counts, get the code of another. So much weight is one person.
    """
    n_rows = len(weights)
    if sensitive_features is None:
        return Groups(np.zeros(n_rows, dtype=np.int64), (EVERYBODY,))
    groups = read_groups(sensitive_features, missing=missing, grouping=grouping)
    if len(groups.codes) != n_rows:
        raise ValueError(
            f"X has {n_rows} rows and sensitive_features has {len(groups.codes)}"
        )
    kept = np.flatnonzero(np.bincount(groups.codes[weights > 0]))
    place = np.searchsorted(kept, np.arange(len(groups.names))).clip(max=len(kept) - 1)
    codes = place[groups.codes]
    names = tuple(groups.names[code] for code in kept)
    here = Groups(codes, names).compared_as(groups.families)
    return _large_enough(here, grouping, weights / per_person)


def groups_as_learned(
    sensitive_features: Any,
    weights: IntVector,
    *,
    missing: str = "raise",
    parts: Collection[str],
    grouping: Grouping,
    families: Sequence[Family],
) -> Groups:
    """Read other people's groups as those of a model were, and compare the same ones.

    ``parts`` are the names that the model has for its people; older ones do not say
    the attribute. Attributes that it was not learned with make groups by their values.
    """
    names = [] if sensitive_features is None else _names(sensitive_features)
    known = {c: cuts for c, cuts in grouping.bins.items() if c in names}
    groups = groups_of(
        sensitive_features, weights, missing=missing, grouping=Grouping(bins=known)
    )
    if not {*groups.names} & {*parts} and len(names) > 2:
        columns = [
            np.asarray(values, dtype=object)
            for _, values in group_columns(sensitive_features)
        ]
        unnamed = read_groups(np.column_stack(columns), missing=missing)
        groups = unnamed if {*unnamed.names} & {*parts} else groups
    return groups.compared_as(families)


def attribute_names(sensitive_features: Any) -> list[ColumnName]:
    """Return the names of the attributes that have one."""
    if sensitive_features is None:
        return []
    series = series_of(sensitive_features) or []  # only these have names
    return [name for name, _ in series if name is not None]


def _names(sensitive_features: Any) -> list[ColumnName]:
    """Return how the attributes may be called: by position and, if any, by name."""
    count = len([*group_columns(sensitive_features)])
    return [*range(count), *attribute_names(sensitive_features)]


def _large_enough(groups: Groups, grouping: Grouping, weights: FloatVector) -> Groups:
    """Refuse, tell of, or merge groups of too few people."""
    if not grouping.min_group_size:
        return groups
    counts = np.bincount(groups.codes, weights, minlength=len(groups.names))
    people = dict(zip(groups.names, counts.tolist(), strict=True))
    families = groups.families or (Family({name: (name,) for name in groups.names}),)
    if grouping.small_groups == "merge":
        merged = tuple(_merged(f, people, grouping.min_group_size) for f in families)
        return replace(groups, families=merged)
    small = {
        name: size
        for family in families
        for name, size in _sizes(family, people).items()
        if size < grouping.min_group_size
    }
    if not small:
        return groups
    told = ", ".join(f"{name!r} ({size:,.10g})" for name, size in small.items())
    message = (
        f"{len(small):,} of the groups have fewer than {grouping.min_group_size:,} "
        f"people: {told}"
    )
    if grouping.small_groups == "raise":
        raise ValueError(
            f"{message}; merge them (small_groups='merge'), or lower min_group_size"
        )
    warnings.warn(message, UserWarning, stacklevel=2)
    return groups


def _sizes(family: Family, people: dict[str, float]) -> dict[str, float]:
    return {
        name: sum(people[part] for part in parts)
        for name, parts in family.groups.items()
    }


def _merged(family: Family, people: dict[str, float], least: int) -> Family:
    """Make one group of all that are too small, and of the next ones if need be."""
    sizes = _sizes(family, people)
    ordered = sorted(sizes, key=lambda name: (sizes[name], name))
    small = [name for name in ordered if sizes[name] < least]
    if not small:
        return family
    rest = [name for name in ordered if name not in small]
    while rest and (len(small) < 2 or sum(sizes[name] for name in small) < least):
        small.append(rest.pop(0))
    if not rest:
        raise ValueError(
            f"with min_group_size={least:,} all groups are merged into one, and "
            f"nothing is left to compare: {', '.join(map(repr, ordered))}"
        )
    told = (
        ", ".join(sorted(small)) if len(small) <= MOST_NAMED else f"{len(small)} groups"
    )
    groups = {n: parts for n, parts in family.groups.items() if n not in small}
    groups[f"other ({told})"] = tuple(
        p for n in sorted(small) for p in family.groups[n]
    )
    return replace(family, groups=groups)


def _families(
    grouping: Grouping,
    attributes: Sequence[_Attribute],
    parts: Sequence[str],
    combinations: Any,
) -> Iterator[Family]:
    """Say which groups are compared; nothing if all parts are."""
    names = [attribute.name for attribute in attributes]
    stratum: int | None = None
    if grouping.within is not None:
        stratum = _position(grouping.within, names, "within")
    free = [j for j in range(len(names)) if j != stratum]
    if not free:
        raise ValueError(
            f"within={grouping.within!r} is the only sensitive attribute; give the one "
            "whose groups are compared as well"
        )
    by = grouping.by
    if by == "intersection":
        if stratum is None:
            return
        by = (Comparison(tuple(free)),)
    elif by == "marginal":
        by = tuple(Comparison((j,)) for j in free)
    for comparison in by:
        at = [_position(c, names, "groups") for c in comparison.columns]
        if stratum in at:
            raise ValueError(f"groups compare {grouping.within!r} and are within it")
        about = ""
        if len(by) > 1:
            about = ", ".join(names[j] or f"attribute {j}" for j in at)
        strata: dict[str, dict[str, list[str]]] = {}
        for part, row in zip(parts, combinations, strict=True):
            layer = "" if stratum is None else _joined(attributes, row, [stratum])
            name = _joined(attributes, row, at if stratum is None else [*at, stratum])
            strata.setdefault(layer, {}).setdefault(name, []).append(part)
        for layer, groups in sorted(strata.items()):
            told = ", ".join(text for text in (about, layer) if text)
            inside = {name: tuple(some) for name, some in sorted(groups.items())}
            yield Family(inside, told, comparison.epsilon)


def _joined(
    attributes: Sequence[_Attribute], row: Any, columns: Sequence[int] | range
) -> str:
    return ", ".join(attributes[j].texts[int(row[j])] for j in columns)


def _position(column: ColumnName, names: Sequence[str | None], what: str) -> int:
    """Find an attribute by its name or its position."""
    if column in names:
        return names.index(column)
    if isinstance(column, int) and 0 <= column < len(names):
        return column
    known = [j if name is None else name for j, name in enumerate(names)]
    raise ValueError(
        f"{what}: {column!r} is no sensitive attribute; sensitive_features has {known}"
    )


def _attribute(
    name: str | None,
    values: Any,
    missing: str,
    cuts: Sequence[float] | None,
    *,
    is_alone: bool,
) -> _Attribute:
    """Give each value of a column a number and a name."""
    codes, distinct = told_apart(values)
    is_missing = codes < 0
    if is_missing.any() and missing == "raise":
        rows = np.flatnonzero(is_missing)
        raise ValueError(
            f"sensitive_features has {len(rows)} missing values (first rows: "
            f"{rows[:5].tolist()}); fill them, leave those rows out, or make them "
            "a group of their own with missing_groups='group'"
        )
    prefix = "" if is_alone or name is None else f"{name} = "
    if cuts is not None:
        numbers = _numbers(values, is_missing, name)
        codes = np.searchsorted(cuts, numbers, side="left")
        codes[is_missing] = len(cuts) + 1
        called = "value" if name is None else name
        texts = [*_bin_names(called, cuts), f"{prefix}{MISSING}"]
        return _Attribute(name, codes.astype(np.int64), tuple(texts))
    texts = [prefix + text for text in (*map(_text, distinct), MISSING)]
    codes = np.where(is_missing, len(distinct), codes)
    return _Attribute(name, codes.astype(np.int64), tuple(texts))


def _numbers(
    values: Any, is_missing: BoolVector, name: str | None
) -> np.ndarray[Any, Any]:
    try:
        objects = np.asarray(values, dtype=object)
        return np.where(is_missing, 0, objects).astype(float)
    except (TypeError, ValueError):
        raise ValueError(
            f"bins of {name!r}: the attribute holds something that is no number"
        ) from None


def _bin_names(name: str, cuts: Sequence[float]) -> list[str]:
    """Name the groups that cut points make.

    Examples
    --------
    >>> _bin_names("age", [25, 45])
    ['age <= 25', '25 < age <= 45', 'age > 45']
    """
    texts = [f"{cut:g}" for cut in cuts]
    inner = [f"{a} < {name} <= {b}" for a, b in pairwise(texts)]
    return [f"{name} <= {texts[0]}", *inner, f"{name} > {texts[-1]}"]


def _text(value: object) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
