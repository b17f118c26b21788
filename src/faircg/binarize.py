"""ConditionBinarizer: from a table to boolean conditions, with both signs.

Numeric features are cut into parts (``<= t`` and ``> t``), categories become
``= v`` and ``!= v``, booleans themselves and their negation. Where the training data
had missing values, ``is missing`` and ``is present`` are conditions of their own. A
condition that holds for every training row, or for none, separates nobody and is left
out, as is one of the wrong sign where a feature has a direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from faircg._kernel import ConditionBits
from faircg.colgen.stop import Deadline
from faircg.cuts import MOST_PARTS, THRESHOLDS
from faircg.policy import fits, named_directions
from faircg.reduction.cut_features import Cutting
from faircg.rules import Condition
from faircg.validation import TakesTables, checked_table, read_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from faircg.features import Features
    from faircg.policy import Way
    from faircg.table import Column, Kind, Table
    from faircg.typing import BoolMatrix, BoolVector, IntVector

BYTES_PER_CONDITION: Final = 1_000
"""Memory of a condition beside that of the rows that meet it."""
SHARES: Final = (0.15, 0.3)
"""Parts of the time after which features are cut at quantiles, and not at all.

Packing and merging the conditions takes about as long as making them.
"""
BITS_PER_SECOND: Final = 7e7
"""Conditions times rows for which there is time in each second of the limit.

Packing, merging and counting them looks at no clock.
"""
FEWEST_CUTS: Final = 2
"""Cuts of a feature that stay, however little time there is."""
COPIES: Final = 4
"""Bits of a row and condition that are there at once: packed, merged and searched."""


class ConditionBinarizer(TakesTables, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table into the conditions that rules are made of.

    Parameters
    ----------
    thresholds
        ``"auto"`` cuts a numeric feature of up to 20 distinct values between all of
        them, and any other where a small decision tree on that feature alone would, by
        the labels (at quantiles where there are none); a code such as 999 has a cut of
        its own. ``"tree"`` asks the tree in any case. ``"quantile"`` cuts at sample
        quantiles (the paper uses deciles), which may miss the one cut that matters. A
        mapping from feature (its name, or its position from zero) to cut points sets
        them by hand; features that it does not name are cut as by ``"auto"``.
    n_thresholds
        Number of parts that a numeric feature of many values is divided into: ten
        parts have nine inner cut points, at most.
    exclude
        Features that no condition may test, by name or by position from zero.
    monotone
        Mapping from numeric or boolean features to ``"increasing"`` or
        ``"decreasing"``. Of an increasing feature there are the conditions ``> t`` or,
        if it is boolean, the one that it is true; of a decreasing one ``<= t``, or that
        it is false. A missing value is neither higher nor lower than another, so that
        ``is missing`` and ``is present`` stay.

    Attributes
    ----------
    conditions_
        The conditions, one for each column of the transformed matrix.
    families_
        For each condition the number of its family. Conditions of one family are
        nested (thresholds of one direction) or exclusive (values of one category).
    left_out_
        Features of which conditions may be lacking, as the time was over.
    feature_kinds_, features_
        Kind of each feature that was read: numeric, boolean or category; and the
        columns of ``X`` in fit, with those that were excluded.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [20, 30, 40, 50], "member": [True, False] * 2})
    >>> binarizer = ConditionBinarizer().fit(people)
    >>> [str(condition) for condition in binarizer.conditions_]
    ['age <= 25', 'age <= 35', 'age <= 45', 'age > 25', 'age > 35', 'age > 45',
     'member', 'not member']
    >>> binarizer.transform(people)[:, -2:].astype(int)
    array([[1, 0],
           [0, 1],
           [1, 0],
           [0, 1]])
    """

    def __init__(
        self,
        *,
        thresholds: str | Mapping[Any, Sequence[float]] = "auto",
        n_thresholds: int = 10,
        exclude: Sequence[str | int] = (),
        monotone: Mapping[Any, str] | None = None,
    ) -> None:
        self.thresholds = thresholds
        self.n_thresholds = n_thresholds
        self.exclude = exclude
        self.monotone = monotone

    def fit(
        self, X: Any, y: object = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn the conditions of a frame or array.

        ``thresholds="auto"`` and ``"tree"`` look at the labels ``y``; ``sample_weight``
        says how often each row counts, in whole numbers.
        """
        table = checked_table(self, X, reset=True, exclude=self.exclude)
        weights = read_weights(sample_weight, table.n_rows).whole
        labels = None if y is None else np.asarray(y)
        if labels is not None and labels.shape != (table.n_rows,):
            raise ValueError(
                f"X has {table.n_rows} rows and y has shape {labels.shape}"
            )
        return self._learn(table, labels, weights, Deadline())

    def learn(
        self, table: Table, labels: BoolVector, weights: IntVector, deadline: Deadline
    ) -> Self:
        """Learn the conditions of a table that was read before, within limits."""
        checked_table(self, table, reset=True, exclude=self.exclude)
        return self._learn(table, labels, weights, deadline)

    def _learn(
        self,
        table: Table,
        labels: NDArray[Any] | None,
        weights: IntVector,
        deadline: Deadline,
    ) -> Self:
        cutting = cutting_of(
            self.thresholds, self.n_thresholds, self.features_, table.kinds
        )
        given, ways = {**cutting.given}, self._directions(table)
        conditions: list[Condition] = []
        counts, made = weights > 0, 0
        timed = deadline.by_the_clock()
        late, until = (timed.within(s * timed.remaining()) for s in SHARES)
        room = BITS_PER_SECOND * timed.remaining() / max(1, table.n_rows)
        fewer: list[str] = []
        for name, column in until.in_time(table.columns.items()):
            if column.kind == "numeric" and name not in given:
                asked = (cutting, labels)
                if late.is_set():
                    asked = (replace(cutting, way="auto"), None)
                given[name] = _cuts(column, weights, *asked)
            cuts = given.get(name, ())
            share = (room - len(conditions)) / (len(table.columns) - made)
            if 2 * len(cuts) > max(share, 2 * FEWEST_CUTS):
                given[name] = cuts = _thinned(cuts, max(int(share / 2), FEWEST_CUTS))
                fewer.append(name)
            many = len(conditions) + _most_conditions(column, cuts)
            deadline.memory.check(
                many * (BYTES_PER_CONDITION + COPIES * table.n_rows / 8),
                f"{many:,} conditions of the features up to {name!r}",
                "exclude features of many values or ask for fewer n_thresholds",
            )
            for condition in until.in_time(_conditions_of(column, counts, cuts)):
                if name in ways and not fits(condition, ways[name]):
                    continue
                met = condition.holds(column)
                if (met & counts).any() and not (met | ~counts).all():
                    conditions.append(condition)
            made += not until.is_set()
        kept = {*table.names[:made]} - {*fewer}
        self.left_out_ = tuple(name for name in table.names if name not in kept)
        self.conditions_ = tuple(conditions)
        self.families_ = families(self.conditions_)
        used = {c.feature for c in conditions}
        self.feature_kinds_ = {n: k for n, k in table.kinds.items() if n in used}
        return self

    def transform(self, X: Any) -> BoolMatrix:
        """Say which conditions each row meets; shape (n_samples, n_conditions)."""
        check_is_fitted(self, "conditions_")
        table = checked_table(self, X, reset=False, kinds=self.feature_kinds_)
        met = np.empty((table.n_rows, len(self.conditions_)), dtype=bool)
        for j, condition in enumerate(self.conditions_):
            met[:, j] = condition.holds(table[condition.feature])
        return met

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the conditions as text."""
        check_is_fitted(self, "conditions_")
        return np.array([str(c) for c in self.conditions_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _directions(self, table: Table) -> dict[str, Way]:
        """Return the directions by name; a category has none."""
        ways = named_directions(self.monotone, self.features_)
        for name in ways:
            if table[name].kind == "category":
                raise ValueError(
                    f"monotone names {name!r}, whose values are categories, and no "
                    "category is higher than another; a direction needs numbers or "
                    "booleans"
                )
        return ways


def _thinned(cuts: Sequence[float], most: int) -> Sequence[float]:
    """Return so many of the cuts, each from the middle of as many.

    Examples
    --------
    >>> _thinned([1, 2, 3, 4, 5, 6, 7, 8, 9], 3)
    [2, 5, 8]
    """
    places = (np.arange(most) + 0.5) * len(cuts) / most
    return [cuts[int(place)] for place in places]


def packed(binarizer: ConditionBinarizer, table: Table) -> ConditionBits:
    """Say which conditions each row of a table meets, packed."""
    met = (c.holds(table[c.feature]) for c in binarizer.conditions_)
    return ConditionBits.from_columns(met, table.n_rows, binarizer.families_)


def _cuts(
    column: Column,
    weights: IntVector,
    cutting: Cutting,
    labels: NDArray[Any] | None,
) -> list[float]:
    """Return the cut points of one column."""
    present = ~column.missing & (weights > 0)
    seen = None if labels is None else labels[present]
    values, counts = column.values[present], weights[present]
    return THRESHOLDS[cutting.way](values, seen, counts, cutting.parts)


def cutting_of(
    thresholds: str | Mapping[Any, Sequence[float]],
    parts: object,
    features: Features,
    kinds: Mapping[str, Kind],
) -> Cutting:
    """Read and check how numeric features are to be cut."""
    if not isinstance(parts, int | np.integer) or parts < 2:
        raise ValueError(
            f"n_thresholds must be a whole number of at least 2, not {parts!r}"
        )
    named = named_thresholds(thresholds, features)
    if isinstance(named, str):
        return Cutting(named, min(int(parts), MOST_PARTS))
    given = {
        name: _checked_cuts(name, cuts, kinds[name]) for name, cuts in named.items()
    }
    return Cutting("auto", min(int(parts), MOST_PARTS), given)


def named_thresholds(
    thresholds: str | Mapping[Any, Sequence[float]], features: Features
) -> str | dict[str, Sequence[float]]:
    """Return cut points given by hand by name; the name of a way as it is."""
    if isinstance(thresholds, Mapping):
        return features.resolve_keys(thresholds, parameter="thresholds")
    if thresholds not in THRESHOLDS:
        raise ValueError(
            f"thresholds={thresholds!r} is not known; use one of {sorted(THRESHOLDS)} "
            "or a mapping from feature to cut points"
        )
    return thresholds


def _checked_cuts(name: str, cuts: object, kind: str) -> list[float]:
    if kind != "numeric":
        raise ValueError(
            f"thresholds has cut points for {name!r}, which is {kind}, not numeric"
        )
    if not isinstance(cuts, Iterable) or not all(
        isinstance(cut, int | float | np.number) and np.isfinite(cut) for cut in cuts
    ):
        raise ValueError(
            f"thresholds: the cut points of {name!r} must be a list of finite "
            f"numbers, not {cuts!r}"
        )
    return sorted({float(cut) for cut in cuts})


def _most_conditions(column: Column, cuts: Sequence[float]) -> int:
    """Return how many conditions a column has at most, without making any."""
    if column.kind != "category":
        return 2 * len(cuts) + 4
    return 2 * len(column.counts()) + 2


def _conditions_of(
    column: Column, seen: BoolVector, cuts: Sequence[float]
) -> Iterator[Condition]:
    name, has_missing = column.name, column.missing[seen].any()
    match column.kind:
        case "numeric":
            present = column.values[seen & ~column.missing]
            asks = bool(np.isin(present, (0.0, 1.0)).all())
            yield from (Condition(name, "<=", cut, is_yes_or_no=asks) for cut in cuts)
            yield from (Condition(name, ">", cut, is_yes_or_no=asks) for cut in cuts)
        case "boolean":
            yield Condition(name, "=", True)
            yield Condition(name, "=", False)
        case "category":
            distinct = set(column.values[seen & ~column.missing].tolist())
            values = sorted(distinct, key=lambda value: (type(value).__name__, value))
            yield from (Condition(name, "=", value) for value in values)
            # Of two values each is the negation of the other.
            if len(values) != 2 or has_missing:
                yield from (Condition(name, "!=", value) for value in values)
    if has_missing:
        yield Condition(name, "is missing")
        yield Condition(name, "is present")


def families(conditions: Iterable[Condition]) -> NDArray[np.int32]:
    """Give nested thresholds or exclusive values of one feature one number."""
    numbers: dict[tuple[object, ...], int] = {}
    found = []
    for position, condition in enumerate(conditions):
        key: tuple[object, ...] = (condition.feature, condition.operator)
        if condition.operator not in ("<=", ">", "="):
            key = (*key, position)
        found.append(numbers.setdefault(key, len(numbers)))
    return np.array(found, dtype=np.int32)
