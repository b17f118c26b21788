"""The values that a report is made of: counts, shares, gaps, and what was asked.

Everything here is plain and frozen. A :class:`Report` holds counts and, where wanted,
a bounded sample of rows: what is not in it cannot be in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from faircg.fairness.base import exact

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from faircg.colgen.certificate import Certificate
    from faircg.fairness import GroupCounts
    from faircg.model import RuleSetModel
    from faircg.rules import Rule

NEARLY_ALL: Final = 0.95
"""Share of a rule's people from which on they are nearly all of one group."""
NEARLY_EVERYBODY: Final = 0.9
"""Share of everybody from which on a group is too large for that to mean anything."""
FEWEST_COVERED: Final = 20
"""People that a rule must cover for it to be looked at."""


@dataclass(frozen=True, slots=True)
class Share:
    """A number of people out of others, with an exact interval for the share.

    Attributes
    ----------
    count, size
        So many of so many.
    low, high
        Clopper-Pearson interval; 0 and 1 when there is nobody to count.
    """

    count: int
    size: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """The share itself; None of nobody."""
        return self.count / self.size if self.size else None


@dataclass(frozen=True, slots=True)
class GroupResult:
    """What a rule set does to one group.

    Attributes
    ----------
    name
        Name of the group.
    counts
        Its confusion counts.
    shares
        By name: ``"false negative rate"``, ``"false positive rate"``,
        ``"selection rate"``, ``"accuracy"`` and ``"precision"``.
    """

    name: str
    counts: GroupCounts
    shares: Mapping[str, Share]


@dataclass(frozen=True, slots=True)
class Gap:
    """The largest difference of one rate between two groups.

    Attributes
    ----------
    rate
        Name of the rate.
    value
        The exact difference; None if some group has nobody to count.
    lowest, highest
        The groups with the smallest and the largest rate.
    epsilon
        What is allowed; None for a rate that the criterion does not bound.
    low, high
        Interval for the gap among people like these, wide enough for all groups at
        once (Clopper-Pearson with Bonferroni's correction); None if not available.
    reason
        Why there is no value.
    """

    rate: str
    value: Fraction | None
    lowest: str = ""
    highest: str = ""
    epsilon: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""

    @property
    def is_bounded(self) -> bool:
        """Whether a limit was set: no gap is larger than 1, so that 1 is none."""
        return self.epsilon is not None and self.epsilon < 1

    @property
    def within(self) -> bool | None:
        """Whether the gap is at most epsilon, as fractions; None if nobody knows."""
        if self.value is None or self.epsilon is None:
            return None
        return self.value <= exact(self.epsilon)


@dataclass(frozen=True, slots=True)
class PartResult:
    """What a rule set does to the people of one part of the data.

    Attributes
    ----------
    name
        Name of the part.
    groups
        Results of each group.
    overall
        Results of everybody.
    gaps
        Those that the criterion bounds first, then the usual ones.
    recorded
        Whether the counts come from the model file, not from data given now.
    absent, unknown
        Groups of the training data that have nobody here, and groups that the training
        data did not have.
    """

    name: str
    groups: tuple[GroupResult, ...]
    overall: GroupResult
    gaps: tuple[Gap, ...]
    recorded: bool = False
    absent: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[GroupResult, ...]:
        """The groups, where there are several, and everybody."""
        return (*(self.groups if len(self.groups) > 1 else ()), self.overall)

    @property
    def watched(self) -> tuple[Gap, ...]:
        """The gaps that the criterion is about, with a limit or without."""
        return tuple(gap for gap in self.gaps if gap.epsilon is not None)

    @property
    def bounded(self) -> tuple[Gap, ...]:
        """The gaps for which a limit was set."""
        return tuple(gap for gap in self.gaps if gap.is_bounded)

    @property
    def within(self) -> bool | None:
        """Whether all bounded gaps are within epsilon; None if that is not known.

        A group that is not here may be the one that differs, so that its absence leaves
        the question open.
        """
        answers = [gap.within for gap in self.bounded]
        if not answers:
            return None
        if False in answers:
            return False
        return None if None in answers or self.absent else True

    def gap_of(self, rate: str) -> Gap | None:
        """Return the gap of one rate; None if it was not measured here."""
        return next((gap for gap in self.gaps if gap.rate == rate), None)

    @property
    def widest(self) -> Gap | None:
        """The bounded gap that leaves the least room; None without one."""
        known = [g for g in self.bounded if g.value is not None]
        if not known:
            return None
        return max(known, key=lambda g: float(g.value or 0) - float(g.epsilon or 0))


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The people of one part that one rule covers.

    Attributes
    ----------
    rule
        The rule; None for the people covered by any rule.
    covered
        Covered people, of everybody.
    precision
        Those of them with the positive label.
    only_this
        Those of them that no other rule covers.
    groups
        Covered people of each group, of the group.
    """

    rule: Rule | None
    covered: Share
    precision: Share
    only_this: int
    groups: Mapping[str, Share]

    @property
    def one_sided(self) -> str | None:
        """The group that nearly all covered people are of, though it is not everybody.

        What such a rule tests may stand in for the group.
        """
        n_covered = sum(share.count for share in self.groups.values())
        n_people = sum(share.size for share in self.groups.values())
        if n_covered < FEWEST_COVERED:
            return None
        for name, share in self.groups.items():
            is_nearly_all = share.count >= NEARLY_ALL * n_covered
            if is_nearly_all and share.size < NEARLY_EVERYBODY * n_people:
                return name
        return None


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """What cross-validation found at a point.

    Attributes
    ----------
    accuracy, accuracy_std
        Mean over the folds, and how much the folds differ.
    gap
        That of the counts of all folds together: opposite differences of two folds
        cancel. None if it is not known.
    complexity
        Mean over the folds.
    n_folds
        How many there were.
    fold_gap
        Mean of the gaps of the single folds: they do not cancel, but a fold has few
        people, and chance makes their gaps larger. None if it is not known.
    n_cut
        Folds that the time limit cut short.
    """

    accuracy: float
    accuracy_std: float
    gap: float | None
    complexity: float
    n_folds: int
    fold_gap: float | None = None
    n_cut: int = 0


@dataclass(frozen=True, slots=True)
class Point:
    """One rule set to choose from, and the limits that it was asked under.

    Attributes
    ----------
    model
        The rule set, its labels and its certificate.
    epsilon, max_complexity
        What was asked.
    cross_validated
        What cross-validation found there, if it was done.
    """

    model: RuleSetModel
    epsilon: float | None
    max_complexity: int | None
    cross_validated: CrossValidated | None = None


@dataclass(frozen=True, slots=True)
class PointResult:
    """A point with everything that was counted about it.

    Attributes
    ----------
    point
        The rule set and its limits.
    certificate
        What was proven; None if the model does not say.
    loss
        The loss of this very rule set in the sense of the certificate; None if the
        training data were not given.
    parts
        Results by part, in the order in which the parts were given.
    rules
        For each part that was given as data one entry per rule, then one for any rule.
    """

    point: Point
    certificate: Certificate | None
    loss: int | None
    parts: Mapping[str, PartResult]
    rules: Mapping[str, tuple[RuleResult, ...]]

    @property
    def main(self) -> PartResult:
        """The part that speaks for the point: the last one that was given as data."""
        given = [part for part in self.parts.values() if not part.recorded]
        return given[-1]


@dataclass(frozen=True, slots=True)
class FeatureSummary:
    """One column of the data in a few words.

    Attributes
    ----------
    name, kind
        The column.
    n_missing
        Rows without a value.
    summary
        Quantiles of a number, the most frequent values of a category.
    """

    name: str
    kind: str
    n_missing: int
    summary: str


@dataclass(frozen=True, slots=True)
class PartSummary:
    """One part of the data: how many people, of which groups and labels.

    Attributes
    ----------
    name
        Name of the part.
    n_rows
        Its people.
    groups
        For each group its people, and how many of them have the positive label.
    features
        Its columns.
    notes
        What a reader should know, such as categories never seen in training.
    """

    name: str
    n_rows: int
    groups: Mapping[str, tuple[int, int]]
    features: tuple[FeatureSummary, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Person:
    """One row of the sample: group, true label and the values that rules test."""

    row: int
    group: str
    is_positive: bool
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a rule set decides about a person, and why."""

    is_positive: bool
    reason: str


@dataclass(frozen=True, slots=True)
class People:
    """A sample of rows with the decisions of every point.

    Attributes
    ----------
    part
        Name of the part that they are taken from.
    n_rows
        How many rows that part has.
    features
        Names of the features whose values are shown.
    persons
        The rows.
    decisions
        For each point one decision per person.
    """

    part: str
    n_rows: int
    features: tuple[str, ...]
    persons: tuple[Person, ...]
    decisions: tuple[tuple[Decision, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the reader should know and the data do not say.

    Attributes
    ----------
    title
        Heading of the report.
    data_name, data_description
        What the data are, and where they come from.
    target
        The column that is predicted.
    positive, negative
        How the two labels are called in sentences; the labels themselves by default.
    sensitive
        The column or columns that define the groups.
    excluded
        Features that rules were not allowed to test; None if nobody recorded them.
    settings
        More of what was asked, by name.
    seed
        Seed of everything random.
    date
        When the report was made; no clock is read for it.
    owner, intended_use, out_of_scope
        Lines of the model card.
    """

    title: str = ""
    data_name: str = ""
    data_description: str = ""
    target: str = ""
    positive: str = ""
    negative: str = ""
    sensitive: tuple[str, ...] = ()
    excluded: tuple[str, ...] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    date: str = ""
    owner: str = ""
    intended_use: str = ""
    out_of_scope: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the file says, and nothing that it does not.

    Attributes
    ----------
    points
        The rule sets to choose from; one for a single model.
    chosen
        Position of the one that was chosen.
    constraint
        Name of the criterion; None without one.
    data
        What each part holds.
    people
        A sample of rows; None if no row may be shown.
    about
        What the data do not say.
    versions
        Software by name.
    """

    points: tuple[PointResult, ...]
    chosen: int
    constraint: str | None
    data: tuple[PartSummary, ...]
    people: People | None
    about: About
    versions: Mapping[str, str]
