"""Entries of a model file: each is read to its typed value, or refused."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, get_args

from faircg.colgen.certificate import Certificate
from faircg.exceptions import ModelFormatError
from faircg.fairness import GroupCounts
from faircg.features import NumericRange
from faircg.model_parts import Asked
from faircg.parsing import Shape, mapping, named
from faircg.plain_tree import PlainTree
from faircg.rule_scores import RuleScores
from faircg.typing import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LARGEST_GROUP: Final = 2**53
"""People beyond which shares are not exact."""

# Types are looked up here, once: loading a model evaluates nothing.
ASKED: Final = Shape(Asked, "what was asked")
CERTIFICATE: Final = Shape(Certificate, "a certificate")
COUNTS: Final = Shape(GroupCounts, "the counts of a group")
RANGE: Final = Shape(NumericRange, "a range")
SCORES: Final = Shape(RuleScores, "the people of the rules")


@dataclass(frozen=True, slots=True)
class Baseline:
    """A plain tree, and its counts of each group in training and on held-out people."""

    tree: PlainTree
    groups: Mapping[str, GroupCounts]
    held_out: Mapping[str, GroupCounts] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return tree and counts as plain JSON values."""
        return {
            "tree": self.tree.to_dict(),
            "groups": counts_to_json(self.groups),
            "held_out": counts_to_json(self.held_out),
        }

    @classmethod
    def from_dict(cls, data: object) -> Baseline:
        """Rebuild a baseline from :meth:`to_dict`; refuse anything else."""
        entry = mapping(data, "a baseline", {"tree", "groups", "held_out"})
        return cls(
            PlainTree.from_dict(entry["tree"]),
            read_counts(entry["groups"], "groups of the baseline"),
            read_counts(entry["held_out"], "held-out groups of the baseline"),
        )


def counts_to_json(groups: Mapping[str, GroupCounts]) -> dict[str, dict[str, int]]:
    """Return the counts of groups as plain JSON values."""
    return {name: asdict(counts) for name, counts in groups.items()}


def read_counts(data: object, what: str) -> dict[str, GroupCounts]:
    """Read the counts of groups."""
    return {name: _counts(entry) for name, entry in named(data, what).items()}


def upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
    """Give a file of version 1 the form of version 2.

    Version 1 took anything for a certificate, counts and settings; what is not whole
    there is left out.
    """
    certificate = named(data.get("certificate"), "certificate")
    groups = named(data.get("groups"), "groups")
    is_whole = _can(CERTIFICATE.read, certificate)
    are_whole = all(_can(_counts, entry) for entry in groups.values())
    return {
        **data,
        "certificate": certificate if is_whole else None,
        "groups": groups if are_whole else {},
        "ranges": {},
        "asked": ASKED.fitting(named(data.get("asked", {}), "asked")),
    }


def _can(read: Callable[[object], object], data: object) -> bool:
    try:
        read(data)
    except ModelFormatError:
        return False
    return True


def read_labels(data: object) -> tuple[Value, Value]:
    """Read the two labels of a model."""
    if not (
        isinstance(data, list)
        and len(data) == 2
        and all(isinstance(label, get_args(Value)) for label in data)
        and data[0] != data[1]
    ):
        raise ModelFormatError("a model needs a list of two different labels")
    return data[0], data[1]


def _counts(data: object) -> GroupCounts:
    counts = COUNTS.read(data)
    if counts.total >= LARGEST_GROUP:
        raise ModelFormatError("a group has more people than can be counted exactly")
    return counts
