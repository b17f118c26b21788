"""RuleSetModel: what prediction needs, and nothing else; it lives in a JSON file.

The model is plain values: the rules, the features they test, the two labels, and the
certificate and group counts for the record. Loading one never runs code.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast, get_args

import numpy as np

from faircg.exceptions import ModelFormatError, UnseenCategoryWarning
from faircg.rules import Condition, RuleSet
from faircg.table import Kind, Table, read_table
from faircg.typing import Value

if TYPE_CHECKING:
    from typing import BinaryIO

    from numpy.typing import NDArray

    from faircg.typing import BoolVector

FORMAT: Final = "faircg-model"
VERSION: Final = 1
LARGEST_FILE: Final = 64 * 2**20
"""Bytes beyond which a file is no model: a guard against filling the memory."""
_HALF: Final = re.compile("[\ud800-\udfff]")
_TWO_HALVES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature that rules test: its kind, and the categories seen in training."""

    name: str
    kind: Kind
    categories: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleSetModel:
    """A rule set with the labels it predicts.

    Parameters
    ----------
    rule_set
        The rules.
    features
        The features that they test; a rule on any other is a ``ValueError``, as is a
        test that does not fit the kind of its feature.
    labels
        The negative and the positive label.
    certificate, groups
        What was proven, and the training counts of each group, as JSON values.
    asked
        What the fit was told beside the certificate's question, such as ``"exclude"``;
        empty if nobody recorded it.
    """

    rule_set: RuleSet
    features: tuple[Feature, ...]
    labels: tuple[Value, Value]
    certificate: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, Any] = field(default_factory=dict)
    asked: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = {feature.name: feature.kind for feature in self.features}
        if len(kinds) < len(self.features):
            raise ValueError("a feature is declared twice")
        for feature in self.features:
            if feature.kind not in get_args(Kind):
                raise ValueError(
                    f"feature {feature.name!r} has the unknown kind {feature.kind!r}; "
                    f"use one of {list(get_args(Kind))}"
                )
        for rule in self.rule_set:
            for condition in rule.conditions:
                _check_declared(condition, kinds)

    def covers(self, X: Any, *, strict: bool = False) -> BoolVector:
        """Say for each row of a frame or table whether a rule covers it.

        Parameters
        ----------
        X
            A data frame, or a :class:`~faircg.table.Table`. Columns that no rule tests
            may be absent, as may the sensitive feature.
        strict
            Raise, rather than warn, when a category was never seen in training.
        """
        kinds = {feature.name: feature.kind for feature in self.features}
        table = X if isinstance(X, Table) else read_table(X, kinds=kinds)
        self._check_categories(table, strict=strict)
        return self.rule_set.covers(table)

    def predict(self, X: Any, *, strict: bool = False) -> NDArray[Any]:
        """Predict one of the two labels for each row, exactly as the model has it.

        The array holds objects where NumPy has no type for both labels as they are.
        """
        covered = self.covers(X, strict=strict)
        predictions: NDArray[Any] = _label_array(self.labels)[covered.astype(int)]
        return predictions

    def unseen(self, table: Table) -> dict[str, tuple[int, Value]]:
        """Count rows with categories never seen in training, with one example each.

        Only features with such rows are returned.
        """
        counts: dict[str, tuple[int, Value]] = {}
        for feature in self.features:
            if feature.kind != "category":
                continue
            known = set(feature.categories)
            found = table[feature.name].counts().items()
            new = {value: count for value, count in found if value not in known}
            if new:
                counts[feature.name] = sum(new.values()), next(iter(new))
        return counts

    def _check_categories(self, table: Table, *, strict: bool) -> None:
        """Say so when a category is new: ``=`` is false for it and ``!=`` true."""
        for name, (count, example) in self.unseen(table).items():
            message = unseen_words(name, count, example)
            if strict:
                raise ValueError(message)
            warnings.warn(message, UnseenCategoryWarning, stacklevel=4)

    def to_dict(self) -> dict[str, Any]:
        """Return the model as JSON values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "labels": list(self.labels),
            "rule_set": self.rule_set.to_dict(),
            "features": [
                {**asdict(feature), "categories": list(feature.categories)}
                for feature in self.features
            ],
            "certificate": _jsonable(dict(self.certificate)),
            "groups": _jsonable(dict(self.groups)),
            "asked": _jsonable(dict(self.asked)),
        }

    def to_json(self) -> str:
        """Return the model as JSON text, the same for the same model.

        Half a character (a lone surrogate), which no file can hold, is written as an
        escape that reads back as itself.
        """
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        halves = _TWO_HALVES.search(text)
        if halves:
            raise ValueError(
                f"the model holds {halves.group()!a}, two halves of a character, "
                "and JSON would join them; use the whole character"
            )
        return _HALF.sub(lambda half: f"\\u{ord(half.group()):04x}", text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; the file is complete or untouched."""
        write_text(path, self.to_json() + "\n")

    @classmethod
    def from_json(cls, text: str) -> RuleSetModel:
        """Rebuild a model from :meth:`to_json`; refuse anything else."""
        try:
            data = json.loads(
                text,
                parse_constant=_no_constant,
                parse_float=_finite,
                object_pairs_hook=_unique_keys,
            )
        except (ValueError, RecursionError) as error:
            raise ModelFormatError(f"not a faircg model: {error}") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ModelFormatError(f"not a faircg model: no 'format': {FORMAT!r}")
        if type(data.get("version")) is not int or data["version"] != VERSION:
            raise ModelFormatError(
                f"the model has format version {data.get('version')!r}; this faircg "
                f"reads version {VERSION}"
            )
        labels = data.get("labels")
        if not (
            isinstance(labels, list)
            and len(labels) == 2
            and all(isinstance(label, get_args(Value)) for label in labels)
            and labels[0] != labels[1]
        ):
            raise ModelFormatError("a model needs a list of two different labels")
        parts = (
            RuleSet.from_dict(data.get("rule_set")),
            _features(data.get("features")),
            (labels[0], labels[1]),
            _object(data.get("certificate"), "certificate"),
            _object(data.get("groups"), "groups"),
            _object(data.get("asked", {}), "asked"),
        )
        try:
            return cls(*parts)
        except ValueError as error:
            raise ModelFormatError(str(error)) from None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RuleSetModel:
        """Read a model from a file."""
        file = Path(path)
        if file.stat().st_size > LARGEST_FILE:
            raise ModelFormatError(f"{file} is too large to be a faircg model")
        try:
            return cls.from_json(file.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise ModelFormatError(f"{file} is not a text file") from None


def unseen_words(name: str, count: int, example: Value) -> str:
    """Say that a feature holds categories that the model never met.

    Examples
    --------
    >>> print(unseen_words("job", 1, "smith"))  # doctest: +ELLIPSIS
    feature 'job': 1 row holds a category never seen in training ('smith'); ...
    """
    if count == 1:
        found, rows = (
            f"1 row holds a category never seen in training ({example!r})",
            "it",
        )
    else:
        found, rows = (
            f"{count:,} rows hold categories never seen in training (for example "
            f"{example!r})",
            "them",
        )
    return f"feature {name!r}: {found}; '=' is false and '!=' is true for {rows}"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file atomically: whoever looks sees the old file or the new one."""
    with replacing(path) as file:
        file.write(text.encode())


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of ``path`` at the end, if all went well."""
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent or ".", prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _jsonable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _label_array(labels: tuple[Value, Value]) -> NDArray[Any]:
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


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) < len(pairs):
        raise ValueError("a key is repeated")
    return entry


def _check_declared(condition: Condition, kinds: Mapping[str, Kind]) -> None:
    """Refuse a test that the declared kind of its feature does not allow."""
    kind = kinds.get(condition.feature)
    if kind is None:
        raise ValueError(f"rules test undeclared feature {condition.feature!r}")
    compares = condition.operator in ("<=", ">")
    equates = condition.operator in ("=", "!=")
    if (compares and kind != "numeric") or (equates and kind == "numeric"):
        raise ValueError(f"'{condition}' does not fit a {kind} feature")


def _features(data: object) -> tuple[Feature, ...]:
    if not isinstance(data, list):
        raise ModelFormatError("a model's features must be a list")
    features = []
    for entry in data:
        if not isinstance(entry, dict) or set(entry) != {"name", "kind", "categories"}:
            raise ModelFormatError("a feature must have name, kind and categories")
        if not isinstance(entry["name"], str) or entry["kind"] not in get_args(Kind):
            raise ModelFormatError(f"unknown kind of feature: {entry['kind']!r}")
        categories = entry["categories"]
        if not isinstance(categories, list) or not all(
            isinstance(value, get_args(Value)) for value in categories
        ):
            raise ModelFormatError("a feature's categories must be plain values")
        kind = cast("Kind", entry["kind"])
        features.append(Feature(entry["name"], kind, tuple(categories)))
    return tuple(features)


def _object(data: object, what: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise ModelFormatError(f"a model's {what} must be an object")
    return data
