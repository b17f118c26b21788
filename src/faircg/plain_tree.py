"""A plain decision tree of depth four: what a rule set is compared with.

It is scikit-learn's, over the same features, and knows nothing of groups. Its few
nodes are kept as conditions, so that a model file can hold it and any table with its
columns can be decided by it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from faircg.exceptions import ModelFormatError
from faircg.model_parts import Feature, check_declared, parsed_features
from faircg.parsing import mapping
from faircg.rules import Condition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from faircg.table import Column, Table
    from faircg.typing import BoolVector, FloatVector, IntVector

DEPTH: Final = 4
MOST_CATEGORIES: Final = 50
"""Categories of a column that the tree may ask for: the most frequent ones."""
MOST_ROWS: Final = 100_000
MOST_VALUES: Final = 4_000_000
"""Rows, and values in them, that it learns from; of more, rows are taken evenly."""
VALUES_PER_SECOND: Final = 1_000_000
"""Values for which there is time in each second that is left."""
FEWEST_ROWS: Final = 100
"""Rows that it learns from, however little time there is."""

Branch: TypeAlias = "Node | bool"
"""A node, or the decision of a leaf: whether it is the positive label."""


@dataclass(frozen=True, slots=True)
class Node:
    """One condition, and where those go who meet it, and those who do not."""

    condition: Condition
    yes: Branch
    no: Branch


@dataclass(frozen=True, slots=True)
class PlainTree:
    """The tree, and the features that it tests.

    A missing number goes where larger ones go, a missing category or boolean where
    those go that were not asked for.
    """

    root: Branch
    features: tuple[Feature, ...]

    @classmethod
    def learn(
        cls,
        table: Table,
        is_positive: BoolVector,
        weights: IntVector,
        cuts: Mapping[str, Sequence[float]] = MappingProxyType({}),
        seconds: float = inf,
    ) -> PlainTree:
        """Learn a tree from people with labels.

        Features that have ``cuts`` are only known on which side of each they are. Of
        more people than there is time for in a share of the ``seconds`` left, some are
        taken, and of more features the first.
        """
        from sklearn.tree import DecisionTreeClassifier

        rows = np.flatnonzero(weights)
        values = min(MOST_VALUES, max(VALUES_PER_SECOND * seconds, FEWEST_ROWS))
        if values < MOST_VALUES:
            table = table.only(table.names[: int(values / FEWEST_ROWS)])
        most = min(MOST_ROWS, max(int(values / max(1, len(table.columns))), 1))
        rows = rows[:: max(1, -(-len(rows) // most))]
        table, is_positive, weights = table.take(rows), is_positive[rows], weights[rows]
        columns = table.columns.values()
        asked = [q for c in columns for q in _questions(c, weights, cuts.get(c.name))]
        if not asked or is_positive.all() or not is_positive.any():
            is_mostly = 2 * int(weights[is_positive].sum()) > int(weights.sum())
            return cls(bool(is_mostly), ())
        grown = DecisionTreeClassifier(max_depth=DEPTH, random_state=0).fit(
            np.column_stack([question.values for question in asked]),
            is_positive,
            sample_weight=weights,
        )
        root = _branch(grown.tree_, asked, 0)
        tested = {condition.feature for condition in _conditions(root)}
        names = [name for name in table.names if name in tested]
        return cls(root, tuple(Feature.of(table[name]) for name in names))

    def accepts(self, table: Table) -> BoolVector:
        """Say for each row whether the tree gives it the positive label."""
        accepted = np.zeros(table.n_rows, dtype=bool)

        def go(branch: Branch, rows: BoolVector) -> None:
            if isinstance(branch, bool):
                accepted[rows] = branch
                return
            met = branch.condition.holds(table[branch.condition.feature])
            go(branch.yes, rows & met)
            go(branch.no, rows & ~met)

        go(self.root, ~accepted)
        return accepted

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain JSON values."""
        return {
            "root": _to_json(self.root),
            "features": [feature.to_dict() for feature in self.features],
        }

    @classmethod
    def from_dict(cls, data: object) -> PlainTree:
        """Rebuild a tree from :meth:`to_dict`; refuse anything else."""
        entry = mapping(data, "a tree", {"root", "features"})
        root, features = _from_json(entry["root"]), parsed_features(entry["features"])
        kinds = {feature.name: feature.kind for feature in features}
        for condition in _conditions(root):
            check_declared(condition, kinds)
        return cls(root, features)


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """A column that the tree may cut, as numbers, and what a cut of it asks."""

    column: Column
    values: FloatVector
    level: Any = None
    levels: FloatVector | None = None
    """The different numbers of the column, whose positions are its ``values``."""
    cuts: Sequence[float] | None = None
    """The numbers to cut at, where only the intervals between them are known."""

    def at(self, cut: float) -> tuple[Condition, bool]:
        """Return the condition, and whether those below the cut meet it."""
        name = self.column.name
        if self.levels is None:
            return Condition(name, "=", self.level), False
        below = int(cut)
        if below + 1 >= len(self.levels):
            return Condition(name, "is present"), True
        if self.cuts is not None:
            above = np.searchsorted(self.cuts, self.levels[below])
            return Condition(name, "<=", self.cuts[int(above)]), True
        low, high = float(self.levels[below]), float(self.levels[below + 1])
        middle = low / 2 + high / 2
        return Condition(name, "<=", middle if low <= middle < high else low), True


def _questions(
    column: Column, weights: IntVector, cuts: Sequence[float] | None
) -> Iterator[_Question]:
    if column.kind == "numeric":
        levels, places = np.unique(column.values[~column.missing], return_inverse=True)
        values = np.full(len(column.values), float(len(levels)))
        values[~column.missing] = places
        if len(levels):
            yield _Question(column, values, levels=levels, cuts=cuts)
        return
    frequent: list[Any] = [True]
    if column.kind == "category":
        counts: Counter[Any] = Counter()
        for value, weight in zip(column.values, weights.tolist(), strict=True):
            counts[value] += weight
        counts.pop(None, None)
        frequent = [value for value, _ in counts.most_common(MOST_CATEGORIES)]
    for level in frequent:
        yield _Question(column, column.equals(level).astype(float), level)


def _branch(grown: Any, asked: list[_Question], node: int) -> Branch:
    left, right = int(grown.children_left[node]), int(grown.children_right[node])
    if left < 0:
        negative, positive = grown.value[node][0]
        return bool(positive > negative)
    condition, is_below = asked[grown.feature[node]].at(grown.threshold[node])
    below, above = (_branch(grown, asked, child) for child in (left, right))
    if isinstance(below, bool) and below == above:
        return below
    return Node(condition, *((below, above) if is_below else (above, below)))


def _conditions(branch: Branch) -> Iterator[Condition]:
    if isinstance(branch, Node):
        yield branch.condition
        yield from _conditions(branch.yes)
        yield from _conditions(branch.no)


def _to_json(branch: Branch) -> Any:
    if isinstance(branch, bool):
        return branch
    return {
        "condition": branch.condition.to_dict(),
        "yes": _to_json(branch.yes),
        "no": _to_json(branch.no),
    }


def _from_json(data: object, depth: int = 0) -> Branch:
    if isinstance(data, bool):
        return data
    if depth >= DEPTH:
        raise ModelFormatError(f"a tree may have {DEPTH} conditions one below another")
    entry = mapping(data, "a node of a tree", {"condition", "yes", "no"})
    return Node(
        Condition.from_dict(entry["condition"]),
        _from_json(entry["yes"], depth + 1),
        _from_json(entry["no"], depth + 1),
    )
