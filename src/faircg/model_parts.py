"""Parts of a model beside its rules: the features they test, and what was asked."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from faircg.exceptions import ModelFormatError
from faircg.parsing import listed
from faircg.table import Kind
from faircg.typing import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from faircg.fairness import GroupCounts
    from faircg.rules import Condition
    from faircg.table import Column


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature that rules test: its kind, and the categories seen in training."""

    name: str
    kind: Kind
    categories: tuple[Value, ...] = ()

    @classmethod
    def of(cls, column: Column) -> Feature:
        """Describe a column of the training data."""
        seen: set[Value] = set()
        if column.kind == "category":
            seen = set(column.values[~column.missing].tolist())
        return cls(column.name, column.kind, tuple(sorted(seen, key=repr)))

    def to_dict(self) -> dict[str, Any]:
        """Return the feature as plain JSON values."""
        return {**asdict(self), "categories": list(self.categories)}


@dataclass(frozen=True, slots=True)
class Asked:
    """Settings of a fit beside those in its certificate; None where none is recorded.

    Rules could not test the features in ``exclude``; a higher value of ``increasing``
    ones could only help the positive label, of ``decreasing`` ones only harm it; and a
    rule could test one feature at most of each set in ``not_together``. ``rules_for``
    is the label that rules were to be for, ``"auto"`` if either would do.
    ``thresholds`` is how cut points were found, ``"given"`` if by hand; a
    ``random_state`` that is no number is not recorded. ``class_weight`` is
    ``"balanced"`` or ``"given"``; ``costs_by_row`` says whether each row had a cost of
    its own. Counts of people are in parts of a person, ``people_parts`` to each. The
    columns ``target`` and ``sensitive`` are those that a command was given; it kept the
    share ``holdout`` of the people apart, chosen by ``random_state``. Texts of
    ``decimal_commas`` and ``decimal_points`` that rules or the plain tree test were
    read as numbers, such as ``12,5 %`` and ``$1,200.50``, and ``missing_words`` there
    as missing values.
    """

    exclude: tuple[str, ...] | None = None
    thresholds: str | None = None
    n_thresholds: int | None = None
    time_limit: float | None = None
    random_state: int | None = None
    increasing: tuple[str, ...] | None = None
    decreasing: tuple[str, ...] | None = None
    not_together: tuple[tuple[str, ...], ...] | None = None
    rules_for: str | None = None
    cost_false_positive: float | None = None
    cost_false_negative: float | None = None
    class_weight: str | None = None
    costs_by_row: bool | None = None
    people_parts: int | None = None
    target: str | None = None
    sensitive: tuple[str, ...] | None = None
    holdout: float | None = None
    decimal_commas: tuple[str, ...] | None = None
    decimal_points: tuple[str, ...] | None = None
    missing_words: tuple[str, ...] | None = None
    work_limit: float | None = None

    def cost_of(self, counts: GroupCounts, parts: int = 1) -> float | None:
        """Return what errors cost by their kind; people may be counted in parts.

        None where each costs one, where costs differ by class or row as well, or where
        nobody recorded them.

        Examples
        --------
        >>> from faircg.fairness import GroupCounts
        >>> asked = Asked(cost_false_positive=5.0, cost_false_negative=1.0)
        >>> asked.cost_of(GroupCounts(10, 2, 3, 20))
        17.0
        """
        hit, missed = self.cost_false_positive, self.cost_false_negative
        differ = self.class_weight is not None or bool(self.costs_by_row)
        if hit is None or missed is None or differ or hit == missed == 1:
            return None
        paid = hit * counts.false_positives + missed * counts.false_negatives
        return paid / parts


def parsed_features(data: object) -> tuple[Feature, ...]:
    """Read the features of a model file; refuse anything else."""
    if not isinstance(data, list):
        raise ModelFormatError("a model's features must be a list")
    features = []
    for entry in data:
        if not isinstance(entry, dict) or set(entry) != {"name", "kind", "categories"}:
            raise ModelFormatError("a feature must have name, kind and categories")
        if not isinstance(entry["name"], str) or entry["kind"] not in get_args(Kind):
            raise ModelFormatError(f"unknown kind of feature: {entry['kind']!r}")
        categories = listed(entry["categories"], "a feature's categories")
        if not all(isinstance(value, get_args(Value)) for value in categories):
            raise ModelFormatError("a feature's categories must be plain values")
        known = cast("tuple[Value, ...]", tuple(categories))
        features.append(Feature(entry["name"], cast("Kind", entry["kind"]), known))
    return tuple(features)


def label_array(labels: tuple[Value, Value]) -> NDArray[Any]:
    """Return both labels in an array that gives them back unchanged.

    NumPy would make one type of two, floats of large whole numbers, and drop NULs at
    the end of a text.
    """
    kinds = set(map(type, labels))
    fits = kinds in ({bool}, {float})
    if kinds == {int}:
        limits = np.iinfo(np.int64)
        fits = all(limits.min <= cast("int", n) <= limits.max for n in labels)
    elif kinds == {int, float}:  # equal as numbers, if the whole one fits a float
        fits = all(abs(cast("float", n)) <= 2**53 for n in labels)
    elif kinds == {str}:
        fits = not any(cast("str", text).endswith("\0") for text in labels)
    return np.array(labels, dtype=None if fits else object)


def check_declared(condition: Condition, kinds: Mapping[str, Kind]) -> None:
    """Refuse a test that the declared kind of its feature does not allow."""
    kind = kinds.get(condition.feature)
    if kind is None:
        raise ValueError(f"rules test undeclared feature {condition.feature!r}")
    compares = condition.operator in ("<=", ">")
    equates = condition.operator in ("=", "!=")
    if (compares and kind != "numeric") or (equates and kind == "numeric"):
        raise ValueError(f"'{condition}' does not fit a {kind} feature")
