"""Rates: shares of the people of a group, and the one place that evaluates them.

A rate names the kinds of people that it counts and the people that it counts them
among, so every rate is a share. With the missed positives and the hit negatives of a
group both are affine,

    constant + missed weight * missed + hit weight * hit,

and the constant follows from the names: whoever counts true positives counts the
positives less the missed ones. Where a rate counts among people whose number depends on
the decisions, such as the precision, a floor or a cap on it is affine all the same:
``TP - floor * (TP + FP) >= 0``. :class:`GroupRate` works that out for given groups. The
rows of the master and the prices (:class:`~faircg.fairness.rate_rows.RateRows`), the
local search, the recount and every number that a criterion bounds ask it, so that they
cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 (a field that is read at run time)
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircg.fairness.bounds import Bound, Floor, Margin
from faircg.fairness.exact_numbers import exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.fairness.families import Family, GroupSizes
    from faircg.typing import FloatMatrix, FloatVector, IntMatrix, IntVector

AMONG: Final = {
    "true_positives": "positives",
    "false_negatives": "positives",
    "false_positives": "negatives",
    "true_negatives": "negatives",
}
"""The kinds of people that a rate can count, and whom they are among."""
MIRRORED: Final = {
    "true_positives": "true_negatives",
    "true_negatives": "true_positives",
    "false_positives": "false_negatives",
    "false_negatives": "false_positives",
    "positives": "negatives",
    "negatives": "positives",
}
"""What each kind of people is called when the other label is the positive one."""
LARGEST_SCALE: Final = 10**6
"""Denominator beyond which a linear condition is no longer counted exactly."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of the people of each group, and what is asked of it.

    Parameters
    ----------
    name
        What people call it, e.g. ``"false negative rate"``.
    counted
        Whom it counts: some of ``"true_positives"``, ``"false_negatives"``,
        ``"false_positives"`` and ``"true_negatives"``.
    among
        Whom it counts them among: ``"positives"``, ``"negatives"``, both, or some of
        the four kinds, such as ``("true_positives", "false_positives")``, the selected.
    bound
        What is asked of the rates of all groups; where ``among`` depends on the
        decisions, a floor or a cap.

    Examples
    --------
    >>> from faircg.fairness import Difference, GroupSizes
    >>> selected = Rate(
    ...     "selection rate",
    ...     counted=("true_positives", "false_positives"),
    ...     among=("positives", "negatives"),
    ...     bound=Difference(0.05),
    ... )
    >>> groups = GroupSizes(("a", "b"), np.array([3, 4]), np.array([5, 6]))
    >>> selected.of(groups).values(missed=np.array([1, 2]), hit=np.array([2, 0]))
    (Fraction(1, 2), Fraction(1, 5))
    """

    name: str
    counted: tuple[str, ...]
    among: tuple[str, ...]
    bound: Bound

    def __post_init__(self) -> None:
        outside = {*self.counted} - {*self._kinds_among}
        unknown = {*self.among} - {*AMONG, *AMONG.values()}
        if not self.counted or outside or unknown:
            raise ValueError(
                f"a rate counts some of {list(AMONG)} among the people that they "
                f"belong to, not {list(self.counted)} among {list(self.among)}"
            )
        if not self.is_fixed and self.bound.kind not in ("floor", "cap"):
            raise ValueError(
                f"the {self.name} is a share of people whose number depends on the "
                f"decisions; it can have a floor or a cap, but no "
                f"{type(self.bound).__name__.lower()} between groups"
            )

    @property
    def is_fixed(self) -> bool:
        """Whether it counts among people whose number does not depend on decisions."""
        return {*self.among} <= {*AMONG.values()}

    @property
    def _kinds_among(self) -> list[str]:
        return [k for k, label in AMONG.items() if {k, label} & {*self.among}]

    def mirrored(self) -> Rate:
        """Return the same statement when the other label is called positive."""
        return replace(
            self,
            counted=tuple(MIRRORED[kind] for kind in self.counted),
            among=tuple(MIRRORED[kind] for kind in self.among),
        )

    def of(self, parts: GroupSizes, family: Family | None = None) -> GroupRate:
        """Return the rate of the groups of a family, by default of every part.

        A group that has nobody to count among is a ``ValueError``.
        """
        family = parts.compared[0] if family is None else family
        groups, members = parts.by_group(family)
        count = Affine.of(dict.fromkeys(self.counted, 1), groups)
        whole = Affine.of(dict.fromkeys(self._kinds_among, 1), groups)
        if self.is_fixed:
            self._must_have_somebody(groups, whole.constant)
            form, sizes, bound = count, whole.constant, self.bound
        else:
            form, bound = self._margin(groups), Margin()
            sizes = np.ones(len(groups.names), dtype=np.int64)
        return GroupRate(
            self, family.about, groups.names, members, form, sizes, bound, count, whole
        )

    def _must_have_somebody(self, groups: GroupSizes, sizes: IntVector) -> None:
        for g in np.flatnonzero(sizes == 0):
            kind = f"{self.among[0].removesuffix('s')} " if len(self.among) == 1 else ""
            raise ValueError(
                f"group {groups.names[g]!r} has no {kind}sample "
                f"({groups.positives[g]} positive, {groups.negatives[g]} negative), so "
                f"its {self.name} is undefined; merge it with another group, leave its "
                "rows out, or drop the constraint"
            )

    def _margin(self, groups: GroupSizes) -> Affine:
        """Return what must not be negative: whom it counts beyond the limit."""
        limit = exact(self.bound.limit)
        _check_scale(limit, f"the limit of the {self.name}")
        sign = 1 if isinstance(self.bound, Floor) else -1
        weights = dict.fromkeys(self._kinds_among, -sign * limit.numerator)
        for kind in self.counted:
            weights[kind] += sign * limit.denominator
        return Affine.of(weights, groups)


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of the people of each group, weighed by kind, that is at least a number.

    Parameters
    ----------
    name
        What people call it.
    weights
        What a person of each kind counts, by the names of :class:`Rate`; zero by
        default.
    at_least
        The least that the sum may be in every group.

    Examples
    --------
    At most twice as many false alarms as people who are found:

    >>> from faircg.fairness import GroupSizes
    >>> alarms = Linear("two to one", {"true_positives": 2, "false_positives": -1})
    >>> groups = GroupSizes(("a",), np.array([5]), np.array([9]))
    >>> alarms.of(groups).holds(missed=np.array([1]), hit=np.array([8]))
    True
    >>> alarms.of(groups).holds(missed=np.array([2]), hit=np.array([8]))
    False
    """

    name: str
    weights: Mapping[str, float | Fraction]
    at_least: float | Fraction = 0

    def __post_init__(self) -> None:
        if not self.weights or {*self.weights} - {*AMONG}:
            raise ValueError(
                f"a linear condition weighs some of {list(AMONG)}, not "
                f"{list(self.weights)}"
            )
        for kind, weight in (*self.weights.items(), ("the sum", self.at_least)):
            _check_scale(exact(weight), f"{self.name}: the number for {kind}")

    @property
    def bound(self) -> Margin:
        """What is asked of the margin: that there is one."""
        return Margin()

    def mirrored(self) -> Linear:
        """Return the same statement when the other label is called positive."""
        return replace(self, weights={MIRRORED[k]: w for k, w in self.weights.items()})

    def of(self, parts: GroupSizes, family: Family | None = None) -> GroupRate:
        """Return the condition on the groups of a family, by default on every part."""
        family = parts.compared[0] if family is None else family
        groups, members = parts.by_group(family)
        weights = {kind: exact(weight) for kind, weight in self.weights.items()}
        least = exact(self.at_least)
        scale = lcm(least.denominator, *(w.denominator for w in weights.values()))
        whole = {kind: int(scale * weight) for kind, weight in weights.items()}
        form = Affine.of(whole, groups)
        form = replace(form, constant=form.constant - int(scale * least))
        sizes = np.full(len(groups.names), scale, dtype=np.int64)
        return GroupRate(
            self,
            family.about,
            groups.names,
            members,
            form,
            sizes,
            self.bound,
            form,
            Affine(sizes, 0, 0),
        )


def _check_scale(number: Fraction, what: str) -> None:
    if number.denominator > LARGEST_SCALE or abs(number) > LARGEST_SCALE:
        raise ValueError(
            f"{what} is {float(number)!r}; people are counted exactly with numbers of "
            f"at most {LARGEST_SCALE:,} and six decimals"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """A number of people of each group that depends on who is missed and who is hit."""

    constant: IntVector
    missed: int
    hit: int

    @classmethod
    def of(cls, weights: Mapping[str, int], groups: GroupSizes) -> Affine:
        """Count people of each kind with its weight."""
        tp, fn, fp, tn = (weights.get(kind, 0) for kind in AMONG)
        return cls(tp * groups.positives + tn * groups.negatives, fn - tp, fp - tn)

    def __call__(self, missed: Any, hit: Any) -> Any:
        """Count, given the missed and the hit people of each group (last axis)."""
        return self.constant + self.missed * missed + self.hit * hit


@dataclass(frozen=True, slots=True, eq=False)
class GroupRate:
    """A rate of certain groups: the one evaluator.

    Counts of missed and hit people are by part (last axis); ``members`` says which
    parts each group has. The ``bound`` speaks of ``form / sizes``: for a rate among
    people of a label that is the share itself, otherwise what a group has beyond its
    limit. The share is always ``count / whole``.
    """

    rate: Rate | Linear
    about: str
    names: tuple[str, ...]
    members: IntMatrix
    form: Affine
    sizes: IntVector
    bound: Bound
    count: Affine
    whole: Affine

    @property
    def name(self) -> str:
        """What people call the rate, and which groups are compared."""
        return f"{self.rate.name} ({self.about})" if self.about else self.rate.name

    @property
    def title(self) -> str:
        """What people call the number that is bounded."""
        return self.rate.bound.title(self.name)

    @property
    def limit(self) -> float:
        """The limit that was asked for."""
        return float(self.rate.bound.limit)

    def by_group(self, people: Any) -> Any:
        """Add up people by part to people by group (last axis)."""
        n_groups, n_parts = self.members.shape
        if n_groups == n_parts and (self.members == np.eye(n_parts)).all():
            return people
        return people @ self.members.T

    def counts(self, missed: Any, hit: Any) -> Any:
        """Return for each group (last axis) the number that the bound speaks of."""
        return self.form(self.by_group(missed), self.by_group(hit))

    def shares(self, missed: IntVector, hit: IntVector) -> tuple[tuple[int, int], ...]:
        """Return for each group whom the rate counts, and among how many."""
        missed, hit = self.by_group(missed), self.by_group(hit)
        return tuple(
            (int(count), int(whole))
            for count, whole in zip(
                self.count(missed, hit), self.whole(missed, hit), strict=True
            )
        )

    def values(self, missed: IntVector, hit: IntVector) -> tuple[Fraction, ...]:
        """Return the rate of each group, exactly; groups without anybody have none."""
        shares = self.shares(missed, hit)
        return tuple(Fraction(count, size) for count, size in shares if size)

    def gap(self, missed: IntVector, hit: IntVector) -> Fraction:
        """Return the largest difference between two groups, exactly."""
        values = self.values(missed, hit)
        return max(values) - min(values) if values else Fraction(0)

    def measured(self, missed: IntVector, hit: IntVector) -> Fraction | None:
        """Return the number that is compared with the limit; None of nobody."""
        values = self.values(missed, hit)
        return self.rate.bound.measured(min(values), max(values)) if values else None

    def holds(self, missed: IntVector, hit: IntVector) -> bool:
        """Say whether the bound holds, exactly."""
        values = [
            Fraction(int(count), int(size))
            for count, size in zip(self.counts(missed, hit), self.sizes, strict=True)
        ]
        limit = exact(self.bound.limit)
        return bool(self.bound.violation(min(values), max(values), limit) <= 0)

    def violations(self, missed: FloatMatrix, hit: FloatMatrix) -> FloatVector:
        """Say for many counts (first axis) how far the limit is exceeded, as floats."""
        values = self.counts(missed, hit) / self.sizes
        found = self.bound.violation(
            values.min(axis=1), values.max(axis=1), float(self.bound.limit)
        )
        return np.asarray(found, dtype=float)


def all_hold(rates: Sequence[GroupRate], missed: IntVector, hit: IntVector) -> bool:
    """Say whether every bound holds, exactly."""
    return all(rate.holds(missed, hit) for rate in rates)
