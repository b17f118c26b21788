"""Families: which groups are compared with each other.

People are counted by *part*, the finest division that anybody asked for: nobody is in
two parts. A *group* is the people of some parts, and a *family* is a list of groups
whose rates are compared with each other and with nobody else's. With one sensitive
attribute every part is a group, and all are one family. With several, each attribute
alone may be a family; within the strata of another column, each stratum is one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from fractions import Fraction

    from faircg.typing import IntMatrix, IntVector


@dataclass(frozen=True, slots=True)
class Family:
    """Groups that are compared with each other, each by the names of its parts.

    Parameters
    ----------
    groups
        The parts of each group, by the name of the group.
    about
        What tells the family from others, such as ``"race"``; empty if it is alone.
    epsilon
        The gap allowed within this family; None takes that of the criterion.

    Examples
    --------
    >>> sex = Family({"f": ("f, x", "f, y"), "m": ("m, x",)}, about="sex")
    >>> sex.members(("f, x", "f, y", "m, x"))
    array([[1, 1, 0],
           [0, 0, 1]])
    """

    groups: Mapping[str, tuple[str, ...]]
    about: str = ""
    epsilon: float | Fraction | None = None

    def members(self, parts: Sequence[str]) -> IntMatrix:
        """Say which part (second axis) belongs to which group (first axis)."""
        number = {name: column for column, name in enumerate(parts)}
        found = np.zeros((len(self.groups), len(parts)), dtype=np.int64)
        for row, inside in enumerate(self.groups.values()):
            found[row, [number[part] for part in inside if part in number]] = 1
        return found

    def among(self, parts: Collection[str]) -> Family:
        """Return the family without the parts, and the groups, that are not there."""
        here = {
            name: tuple(part for part in inside if part in parts)
            for name, inside in self.groups.items()
        }
        return replace(self, groups={name: p for name, p in here.items() if p})


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """How many positives and negatives each part has, and which groups are compared.

    Without families every part is a group, and all are compared.
    """

    names: tuple[str, ...]
    positives: IntVector
    negatives: IntVector
    families: tuple[Family, ...] = ()

    @property
    def compared(self) -> tuple[Family, ...]:
        """The families of groups."""
        return self.families or (Family({name: (name,) for name in self.names}),)

    def by_group(self, family: Family) -> tuple[GroupSizes, IntMatrix]:
        """Return the sizes of the groups of a family, and which parts each has."""
        members = family.members(self.names)
        return (
            GroupSizes(
                tuple(family.groups), members @ self.positives, members @ self.negatives
            ),
            members,
        )
