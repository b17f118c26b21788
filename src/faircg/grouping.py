"""Grouping: how sensitive attributes make the groups that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

from faircg.exceptions import ModelFormatError
from faircg.fairness.bounds import check_epsilon
from faircg.fairness.families import Family
from faircg.parsing import listed, mapping, named
from faircg.typing import SmallGroups

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

ColumnName: TypeAlias = str | int
"""A sensitive attribute: the name of its column, or its position."""
WAYS: Final = ("intersection", "marginal")
"""The ways to make groups that have a name."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Attributes whose combinations are compared, and the gap allowed among them."""

    columns: tuple[ColumnName, ...]
    epsilon: float | Fraction | None = None

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError("a comparison of groups needs at least one attribute")
        if self.epsilon is not None:
            check_epsilon(self.epsilon, f"the epsilon of {self.columns}")

    @classmethod
    def of(cls, columns: object, epsilon: float | Fraction | None = None) -> Comparison:
        """Read one attribute, or several whose combinations are meant."""
        if isinstance(columns, Comparison):
            return columns
        if isinstance(columns, str | Integral):
            return cls((columns,), epsilon)  # type: ignore[arg-type]
        if not isinstance(columns, Sequence):
            raise ValueError(f"groups by {columns!r}: name a column, or several")
        return cls(tuple(columns), epsilon)


@dataclass(frozen=True, slots=True)
class Grouping:
    """How sensitive attributes make the groups that are compared.

    Parameters
    ----------
    by
        ``"intersection"``: every combination of all attributes is a group, and all are
        compared. ``"marginal"``: the groups of each attribute alone are compared with
        each other. Or a list of attributes, or combinations of some, each compared by
        itself, such as ``["race", ("race", "sex")]``; or a mapping from those to the
        gap allowed there (None takes that of the constraint).
    within
        An attribute whose values are strata: groups are compared only within each.
    bins
        Cut points of numeric attributes: ``{"age": [25, 45]}`` makes three groups.
    min_group_size, small_groups
        Groups of fewer people ``"raise"`` an error, ``"warn"``, or are ``"merge"``-d
        into one, named ``"other (...)"``.

    Examples
    --------
    >>> Grouping({"race": 0.05, ("race", "sex"): 0.1}).by
    (Comparison(columns=('race',), epsilon=0.05),
     Comparison(columns=('race', 'sex'), epsilon=0.1))
    """

    by: Any = "intersection"
    within: ColumnName | None = None
    bins: Mapping[ColumnName, Sequence[float]] = field(default_factory=dict)
    min_group_size: int = 0
    small_groups: SmallGroups = "raise"

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", _ways(self.by))
        cuts = {column: _cuts(column, values) for column, values in self.bins.items()}
        object.__setattr__(self, "bins", cuts)
        if self.min_group_size < 0:
            raise ValueError(
                f"min_group_size must be at least 0, not {self.min_group_size}"
            )
        if self.small_groups not in get_args(SmallGroups):
            raise ValueError(
                f"small_groups must be one of {list(get_args(SmallGroups))}, not "
                f"{self.small_groups!r}"
            )

    @classmethod
    def of(cls, given: object) -> Grouping:
        """Read what users give as ``groups``: all that ``by`` takes, or a grouping."""
        return given if isinstance(given, Grouping) else cls(given)

    @property
    def epsilons(self) -> tuple[float | Fraction, ...]:
        """The gaps that are allowed in some comparison only."""
        every = () if isinstance(self.by, str) else self.by
        return tuple(c.epsilon for c in every if c.epsilon is not None)

    def to_dict(self) -> dict[str, Any]:
        """Return the grouping as JSON values."""
        by: Any = self.by
        if not isinstance(by, str):
            by = [
                {
                    "columns": list(c.columns),
                    "epsilon": None if c.epsilon is None else float(c.epsilon),
                }
                for c in by
            ]
        return {
            "by": by,
            "within": self.within,
            "bins": [
                {"column": column, "cuts": list(cuts)}
                for column, cuts in self.bins.items()
            ],
            "min_group_size": self.min_group_size,
            "small_groups": self.small_groups,
        }

    @classmethod
    def from_dict(cls, data: object) -> Grouping:
        """Read :meth:`to_dict`; anything else is a ``ModelFormatError``."""
        entry = mapping(data, "a grouping", cls().to_dict())
        bins = {
            _column(b["column"]): [_number(cut) for cut in listed(b["cuts"], "cuts")]
            for b in _records(entry["bins"], "column", "cuts")
        }
        within, least = entry["within"], entry["min_group_size"]
        if type(least) is not int:
            raise ModelFormatError("the min_group_size of a grouping must be a number")
        try:
            return cls(
                by=_by(entry["by"]),
                within=None if within is None else _column(within),
                bins=bins,  # type: ignore[arg-type]
                min_group_size=least,
                small_groups=entry["small_groups"],  # type: ignore[arg-type]
            )
        except (TypeError, ValueError) as error:
            raise ModelFormatError(f"a grouping: {error}") from None


def families_to_list(families: Sequence[Family]) -> list[dict[str, Any]]:
    """Return families as JSON values."""
    return [
        {
            "about": family.about,
            "epsilon": None if family.epsilon is None else float(family.epsilon),
            "groups": {name: list(parts) for name, parts in family.groups.items()},
        }
        for family in families
    ]


def families_from_list(data: object) -> tuple[Family, ...]:
    """Read :func:`families_to_list`; anything else is a ``ModelFormatError``."""
    families = []
    for entry in _records(data, "about", "epsilon", "groups"):
        groups = named(entry["groups"], "families")
        epsilon = _number(entry["epsilon"])
        texts = [
            entry["about"],
            *groups,
            *(p for g in groups.values() for p in _each(g)),
        ]
        if not groups or not all(isinstance(text, str) for text in texts):
            raise ModelFormatError("a family must have groups, by the names of parts")
        if epsilon is not None and epsilon < 0:
            raise ModelFormatError("the epsilon of a family must not be negative")
        parts: Any = {name: tuple(_each(inside)) for name, inside in groups.items()}
        families.append(Family(parts, str(entry["about"]), epsilon))
    return tuple(families)


def _by(data: object) -> object:
    if isinstance(data, str):
        return data
    return [
        Comparison(tuple(_columns(entry["columns"])), _number(entry["epsilon"]))
        for entry in _records(data, "columns", "epsilon")
    ]


def _each(data: object) -> list[object]:
    return listed(data, "the parts of a group")


def _records(data: object, *keys: str) -> Iterator[Mapping[str, object]]:
    for entry in listed(data, "a grouping"):
        yield mapping(entry, "an entry of a grouping", keys)


def _columns(data: object) -> list[ColumnName]:
    return [_column(column) for column in listed(data, "the columns of a grouping")]


def _column(data: object) -> ColumnName:
    if type(data) not in (str, int):
        raise ModelFormatError("a column of a grouping must be a name or a position")
    return data  # type: ignore[return-value]


def _number(data: object) -> float | None:
    if data is not None and type(data) not in (int, float):
        raise ModelFormatError("a number of a grouping must be a number")
    return data  # type: ignore[return-value]


def _ways(by: object) -> str | tuple[Comparison, ...]:
    if isinstance(by, str):
        if by not in WAYS:
            raise ValueError(
                f"groups={by!r} is not known; use one of {list(WAYS)}, or a list of "
                f"attributes, such as [{by!r}]"
            )
        return by
    if isinstance(by, Mapping):
        found = [Comparison.of(columns, epsilon) for columns, epsilon in by.items()]
    elif isinstance(by, Sequence):
        found = [Comparison.of(columns) for columns in by]
    else:
        raise ValueError(
            f"groups={by!r} is neither one of {list(WAYS)}, nor a list of attributes, "
            "nor a mapping from attributes to epsilons"
        )
    columns = [c.columns for c in found]
    if not found or len(set(columns)) < len(columns):
        raise ValueError(f"groups must name attributes, each once; found {columns}")
    return tuple(found)


def _cuts(column: ColumnName, values: object) -> tuple[float, ...]:
    every = values if isinstance(values, Sequence) else ()
    if (
        isinstance(every, str)
        or not every
        or not all(isinstance(value, Real) for value in every)
    ):
        raise ValueError(
            f"bins of {column!r} must be a list of numbers, not {values!r}"
        )
    cuts = tuple(float(value) for value in every)
    if list(cuts) != sorted({*cuts}):
        raise ValueError(f"bins of {column!r} must increase, not {list(every)}")
    return cuts
