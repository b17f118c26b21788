"""Parsing: from untrusted JSON to typed values, or a :class:`ModelFormatError`.

A model file may come from anywhere. Nothing is guessed: numbers are finite, keys are
those that a value has and are not repeated, and every entry is of its type.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from types import NoneType, UnionType
from typing import (
    Any,
    Generic,
    Literal,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from faircg.exceptions import ModelFormatError

Record = TypeVar("Record")


def parse_json(text: str) -> object:
    """Read strict JSON: no NaN, no infinity, no key twice."""
    return json.loads(
        text,
        parse_constant=_no_constant,
        parse_float=_finite,
        object_pairs_hook=_unique_keys,
    )


def mapping(data: object, what: str, keys: Iterable[str]) -> Mapping[str, object]:
    """Return an object that has just these keys."""
    if not isinstance(data, Mapping) or set(data) != set(keys):
        raise ModelFormatError(f"{what} must have exactly the keys {sorted(keys)}")
    return cast("Mapping[str, object]", data)


def listed(data: object, what: str) -> list[object]:
    """Return a list."""
    if not isinstance(data, list):
        raise ModelFormatError(f"{what} must be a list, not {type(data).__name__}")
    return data


def named(data: object, what: str) -> Mapping[str, object]:
    """Return an object with any keys."""
    if not isinstance(data, dict):
        raise ModelFormatError(f"a model's {what} must be an object")
    return data


class Shape(Generic[Record]):
    """The form of a dataclass in a file: an object with its fields, each of its type.

    Fields may be of plain types, literals, ``tuple[str, ...]`` or tuples of those, or
    one of them or None. A field with a default may be absent: files that are older than
    it lack it. Whole numbers are not negative, other numbers are finite.

    Examples
    --------
    >>> from faircg.fairness import GroupCounts
    >>> shape = Shape(GroupCounts, "a group")
    >>> entries = {"true_positives": 3, "false_negatives": 1}
    >>> entries |= {"false_positives": 0, "true_negatives": 2}
    >>> shape.read(entries).positives
    4
    >>> shape.read(entries | {"true_negatives": 0.5})
    Traceback (most recent call last):
    faircg.exceptions.ModelFormatError: the true_negatives of a group cannot be 0.5
    """

    def __init__(self, kind: type[Record], what: str) -> None:
        self.kind, self.what = kind, what
        hints = get_type_hints(kind)
        # A Record is a dataclass, which no bound of a type variable can say.
        known = fields(cast("Any", kind))
        self.types = {f.name: hints[f.name] for f in known}
        self.required = {f.name for f in known if f.default is MISSING}

    def read(self, data: object) -> Record:
        """Build the dataclass from what a file holds."""
        given = set(data) if isinstance(data, Mapping) else set()
        entry = mapping(data, self.what, self.required | (given & set(self.types)))
        values = {}
        for name, hint in self.types.items():
            if name not in entry:
                continue
            if not _fits(entry[name], hint):
                value = _shortened(entry[name])
                raise ModelFormatError(f"the {name} of {self.what} cannot be {value}")
            values[name] = _as(entry[name], hint)
        try:
            return self.kind(**values)
        except ValueError as error:
            raise ModelFormatError(f"{self.what}: {error}") from None

    def fitting(self, data: Mapping[str, object]) -> dict[str, object]:
        """Return an entry for each field, None where there is none of its type."""
        return {
            name: data[name] if name in data and _fits(data[name], hint) else None
            for name, hint in self.types.items()
        }


def _choices(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) is UnionType else (hint,)


def _fits(value: object, hint: Any) -> bool:
    return any(_fits_one(value, choice) for choice in _choices(hint))


def _fits_one(value: object, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        return isinstance(value, list) and all(_fits_one(v, inner) for v in value)
    if hint is int:
        return type(value) is int and value >= 0
    if hint is float:
        return type(value) in (int, float) and is_finite(cast("float", value))
    assert hint in (bool, str, NoneType), hint
    return type(value) is hint


def _as(value: object, hint: Any) -> object:
    if isinstance(value, list):
        return tuple(_as(entry, hint) for entry in value)
    if type(value) is int and float in _choices(hint):
        return float(value)
    return value


def is_finite(number: float) -> bool:
    """Say whether a number is one that a float can hold."""
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number beyond the floats
        return False


def _shortened(value: object) -> str:
    text = repr(value) if isinstance(value, str | float | bool) else ""
    return text if 0 < len(text) < 60 else f"such a {type(value).__name__}"


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
