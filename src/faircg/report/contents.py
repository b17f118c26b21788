"""The values that a report is made of: points, parts, rows, and what was asked.

Everything here is plain and frozen. A :class:`Report` holds counts and, where wanted,
a bounded sample of rows: what is not in it cannot be in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from faircg.colgen.certificate import Certificate
    from faircg.evaluate import PartResult, RuleResult
    from faircg.model import RuleSetModel


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """What cross-validation found at a point: means over the folds.

    ``gap`` is that of the counts of all folds together, in which opposite differences
    of two folds cancel; ``fold_gap`` is the mean over the folds, which does not cancel,
    but chance makes the gaps of few people larger. Each is None if it is not known.
    ``n_cut`` folds were cut short by the time limit.
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
    """One rule set to choose from, and the limits that it was asked under."""

    model: RuleSetModel
    epsilon: float | None
    max_complexity: int | None
    cross_validated: CrossValidated | None = None


@dataclass(frozen=True, slots=True)
class PointResult:
    """A point with everything that was counted about it.

    ``loss`` is that of this very rule set in the sense of the certificate; None if the
    training data were not given. ``rules`` has for each part that was given as data one
    entry per rule, then one for any rule. The rules were ``learned_from`` parts of
    these names.
    """

    point: Point
    certificate: Certificate | None
    loss: int | None
    parts: Mapping[str, PartResult]
    rules: Mapping[str, tuple[RuleResult, ...]]
    learned_from: tuple[str, ...] = ()

    @property
    def main(self) -> PartResult:
        """The last part that was given as data: its people are counted by rule."""
        given = [part for part in self.parts.values() if not part.recorded]
        return given[-1]

    @property
    def headline(self) -> PartResult:
        """The part that speaks for the point: people who were not learned from.

        Data that were given, else what the model file records; the training data only
        if there is nobody else.
        """
        others = [p for p in self.parts.values() if p.name not in self.learned_from]
        ordered = sorted(others, key=lambda part: not part.recorded)
        return ordered[-1] if ordered else self.main

    @property
    def is_held_out(self) -> bool:
        """Whether the headline is about people who were not learned from."""
        return self.headline.name not in self.learned_from

    @property
    def folds(self) -> CrossValidated | None:
        """What cross-validation found, if nobody else speaks for the point."""
        return None if self.is_held_out else self.point.cross_validated


@dataclass(frozen=True, slots=True)
class FeatureSummary:
    """One column of the data in a few words: quantiles, or the most frequent values."""

    name: str
    kind: str
    n_missing: int
    summary: str


@dataclass(frozen=True, slots=True)
class PartSummary:
    """One part of the data in numbers.

    ``groups`` has for each group its people, and how many of them have the positive
    label; ``notes`` what a reader should know, such as categories never seen in
    training.
    """

    name: str
    n_people: int
    groups: Mapping[str, tuple[int, int]]
    features: tuple[FeatureSummary, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row of the sample: number or name, group, true label and values tested."""

    row: str
    group: str
    is_positive: bool
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a rule set decides about a row, and why."""

    is_positive: bool
    reason: str


@dataclass(frozen=True, slots=True)
class ShownRows:
    """A sample of the rows of a part, with one decision of every point for each row.

    They are numbered from 0, unless ``id_name`` is what their names are called.
    """

    part: str
    n_rows: int
    features: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    decisions: tuple[tuple[Decision, ...], ...]
    id_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the reader should know and the data do not say.

    ``positive`` and ``negative`` are how the two labels are called in sentences, the
    labels themselves by default; ``sensitive`` the columns that define the groups;
    ``excluded`` the features that rules were not allowed to test, None if nobody
    recorded them; ``settings`` more of what was asked, by name; ``descriptions`` say
    what columns mean. No clock is read for the ``date``. Owner and uses are lines of
    the model card.
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
    descriptions: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    date: str = ""
    owner: str = ""
    intended_use: str = ""
    out_of_scope: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the file says, and nothing that it does not.

    ``points`` are the rule sets to choose from, ``chosen`` the position of the one that
    was; ``constraint`` is the name of the criterion, ``data`` what each part holds,
    ``shown`` a sample of rows (None if no row may be shown), ``versions`` the software
    by name.
    """

    points: tuple[PointResult, ...]
    chosen: int
    constraint: str | None
    data: tuple[PartSummary, ...]
    shown: ShownRows | None
    about: About
    versions: Mapping[str, str]
