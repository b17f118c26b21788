"""What ``fit`` gets: a table of people with labels, groups and weights, checked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircg.colgen.signatures import merge_codes
from faircg.fairness import GroupSizes
from faircg.fairness.criterion import compares
from faircg.features import NumericRange, numeric_ranges
from faircg.groups import groups_of
from faircg.labels import Labels, plain, read_labels
from faircg.reduction.cut_features import Levels, is_sampled, sampled_share
from faircg.reduction.distinct import CodedColumn
from faircg.table import Table
from faircg.validation import (
    check_same_rows,
    checked_table,
    read_costs,
    read_weights,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import ArrayLike

    from faircg.amounts import Amounts
    from faircg.colgen.stop import Deadline
    from faircg.fairness import Criterion
    from faircg.features import Features
    from faircg.groups import Groups
    from faircg.question import Question
    from faircg.reduction.cut_features import CutFeature, Cutting
    from faircg.reduction.distinct import Codes
    from faircg.reduction.pushed import CountedPeople
    from faircg.table import Column
    from faircg.typing import IntVector, RulesFor

BYTES_PER_CELL: Final = 32
"""Memory of a value while people are merged who are alike: its code, sorted and not."""
READ_SHARE: Final = 0.25
"""Part of the time in which the values of features are sorted; others are left out."""
CUT_SHARE: Final = 0.6
"""Part of what is left in which features of many different rows are cut."""
MOST_DISTINCT: Final = 100_000
"""Distinct rows of features and label beyond which numbers are cut into intervals."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTable:
    """People with their features, labels, groups, and how often each one counts.

    ``features`` are those of the user's table; ``table`` lacks the excluded ones.
    Weights are counted in ``parts`` of a person; ``costs`` is what a wrong prediction
    of each costs, None if all cost the same. Numbers of the features that are ``cut``
    are examples of their intervals. Features that are ``left_out`` of the table were
    too many for the time.
    """

    features: Features
    table: Table
    labels: Labels
    groups: Groups
    weights: IntVector
    parts: int = 1
    costs: Amounts | None = None
    cut: Mapping[str, CutFeature] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        estimator: Any,
        question: Question,
        X: Any,
        y: ArrayLike,
        sensitive_features: Any,
        sample_weight: ArrayLike | None,
        costs: ArrayLike | None,
        people: CountedPeople | None = None,
    ) -> LabelledTable:
        """Read and check what was given to ``fit``; the estimator learns the features.

        The question says which label is positive, and whether groups are needed.
        Rows of ``people`` that were counted elsewhere occur several times.
        """
        check_same_rows(
            X,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            costs=costs,
        )
        table = checked_table(estimator, X, reset=True, exclude=question.exclude)
        labels = read_labels(y, table.n_rows, question.pos_label)
        weights = read_weights(sample_weight, table.n_rows)
        if people is not None:
            weights = weights.times(people.times)
        criterion = question.criterion
        if sensitive_features is None and criterion is not None:
            raise ValueError(
                f"constraint={criterion.name!r} compares groups; pass "
                "sensitive_features=... to fit"
            )
        groups = groups_of(
            sensitive_features,
            weights.whole,
            missing=question.missing_groups,
            grouping=question.grouping,
            per_person=weights.parts,
        )
        _must_compare(criterion, groups)
        data = cls(
            estimator.features_,
            table,
            labels,
            groups,
            weights.whole,
            weights.parts,
            read_costs(costs, table.n_rows),
            {} if people is None else people.cut,
        )
        if not data.has_both_classes:
            raise ValueError("sample_weight leaves only one class")
        return data

    def counting(self) -> LabelledTable:
        """Return the rows that stand for somebody: the others are not there."""
        rows = np.flatnonzero(self.weights)
        if len(rows) == len(self.weights):
            return self
        return self.take(rows)

    def reduced(self, cutting: Cutting, deadline: Deadline) -> LabelledTable:
        """Return one row for all who are alike, in an order that they alone decide.

        Of many different rows numbers are cut first: people of one interval are alike.
        """
        n_cells = self.table.n_rows * len(self.table.columns)
        deadline.memory.check(
            BYTES_PER_CELL * n_cells,
            f"{self.table.n_rows:,} rows of {len(self.table.columns):,} features",
            "give fewer of either",
        )
        deadline = deadline.by_the_clock()
        until = deadline.within(READ_SHARE * deadline.remaining())
        given = until.in_time(self.table.columns.items())
        columns = {name: CodedColumn.of(column) for name, column in given}
        cut = self.cut
        if not cut and self._are_many(columns):
            share = deadline.within(CUT_SHARE * deadline.remaining())
            cut, coded = self._cut(columns, cutting, share)
            columns |= coded
            # What is not cut in time is left out: nobody would be alike.
            is_numeric = {
                name: c.column.kind == "numeric" for name, c in columns.items()
            }
            columns = {
                n: c for n, c in columns.items() if n in cut or not is_numeric[n]
            }
        left_out = tuple(name for name in self.table.names if name not in columns)
        return replace(self._merged(columns, cut), left_out=left_out)

    def _are_many(self, columns: Mapping[str, CodedColumn]) -> bool:
        """Whether there are too many distinct rows of features and label."""
        n_rows = len(self.weights)
        if n_rows <= MOST_DISTINCT:
            return False
        if any(column.codes[1] > MOST_DISTINCT for column in columns.values()):
            return True
        return len(merge_codes(self._keys(columns), n_rows)[0]) > MOST_DISTINCT

    def _keys(self, columns: Mapping[str, CodedColumn]) -> list[Codes]:
        """Return the codes of features and label."""
        label = self.labels.is_positive.astype(np.int64), 2
        return [*(column.codes for column in columns.values()), label]

    def _cut(
        self, columns: Mapping[str, CodedColumn], cutting: Cutting, deadline: Deadline
    ) -> tuple[dict[str, CutFeature], dict[str, CodedColumn]]:
        """Cut the numeric features, late ones at quantiles, while time allows.

        Returns the cuts, and the columns with examples of the intervals.
        """
        late = deadline.within(0.5 * deadline.remaining())
        coarse = replace(cutting, way="quantile")
        read = Table({n: c.column for n, c in columns.items()}, self.table.n_rows)
        cut, coded = {}, {}
        numeric = (n for n, kind in read.kinds.items() if kind == "numeric")
        for name in deadline.in_time(numeric):
            for known in numeric_ranges(read.only([name])).values():
                way = coarse if late.is_set() else cutting
                cut[name] = way.of(name, self._levels(columns[name], known), known)
                coded[name] = _as_examples(columns[name].column, cut[name])
        return cut, coded

    def _levels(self, coded: CodedColumn, known: NumericRange) -> Levels:
        """Count the people of each label who have each number, or each of some."""
        codes, size = coded.codes
        counts = np.zeros((2, size), dtype=np.int64)
        label = self.labels.is_positive.astype(np.int64)
        np.add.at(counts, (label, codes), self.weights)
        values = np.full(size, np.nan)
        values[codes] = coded.column.values
        present = np.flatnonzero(~np.isnan(values))
        share = sampled_share(coded.column.name, len(present))
        kept = present[is_sampled(values[present], known, share)]
        return Levels(values[kept], *counts[:, kept])

    def _merged(
        self, columns: Mapping[str, CodedColumn], cut: Mapping[str, CutFeature]
    ) -> LabelledTable:
        """Return the distinct rows, and how many people each stands for."""
        groups = self.groups.codes, len(self.groups.names)
        keys = [*self._keys(columns), groups]
        if self.costs is not None:
            distinct, costs = np.unique(self.costs.whole, return_inverse=True)
            keys.append((costs, len(distinct)))
        first, member = merge_codes(keys, len(self.weights))
        weights = np.zeros(len(first), dtype=np.int64)
        np.add.at(weights, member, self.weights)
        every = {name: column.column for name, column in columns.items()}
        data = replace(self, table=Table(every, self.table.n_rows), cut=cut).take(first)
        return replace(data, weights=weights)

    @property
    def cuts(self) -> dict[str, tuple[float, ...]]:
        """The cut points of the features that are cut."""
        return {name: feature.cuts for name, feature in self.cut.items()}

    def ranges(self, names: Collection[str]) -> dict[str, NumericRange]:
        """Return what is known about the values of those features that are numeric."""
        known = numeric_ranges(self.table.only(names))
        cut = {name: f.range for name, f in self.cut.items() if name in names}
        return {**known, **cut}

    @property
    def has_both_classes(self) -> bool:
        """Whether people of both labels count."""
        counting = self.labels.is_positive[self.weights > 0]
        return bool(counting.any() and not counting.all())

    def label(self, rules_for: RulesFor) -> str:
        """Return the positive or the negative label as text."""
        positive = self.labels.positive
        chosen = positive if rules_for == "positive" else 1 - positive
        return str(plain(self.labels.classes[chosen]))

    @property
    def sizes(self) -> GroupSizes:
        """How many people of each label each part has, and which groups there are."""
        counts = np.zeros((2, len(self.groups.names)), dtype=np.int64)
        label = self.labels.is_positive.astype(np.int64)
        np.add.at(counts, (label, self.groups.codes), self.weights)
        negatives, positives = counts
        groups = self.groups
        return GroupSizes(groups.names, positives, negatives, groups.families)

    def take(self, rows: IntVector) -> LabelledTable:
        """Return some of the people; groups without anybody keep their names."""
        costs = self.costs
        return replace(
            self,
            table=self.table.take(rows),
            labels=replace(self.labels, is_positive=self.labels.is_positive[rows]),
            groups=replace(self.groups, codes=self.groups.codes[rows]),
            weights=self.weights[rows],
            costs=None if costs is None else replace(costs, whole=costs.whole[rows]),
        )


def _as_examples(column: Column, feature: CutFeature) -> CodedColumn:
    """Replace numbers by the examples of their intervals."""
    interval, size = feature.codes(column.values), len(feature.examples)
    values = np.where(column.missing, np.nan, feature.examples[interval])
    codes = np.where(column.missing, size, interval), size + 1
    return CodedColumn(replace(column, given=values), codes)


def _must_compare(criterion: Criterion | None, groups: Groups) -> None:
    """Refuse to compare a group with none; a floor or a cap can bound it alone."""
    if criterion is None or not compares(criterion):
        return
    sizes = [len(family.groups) for family in groups.families] or [len(groups.names)]
    if max(sizes) < 2:
        raise ValueError(
            f"constraint={criterion.name!r} compares groups, and everybody is of the "
            f"group {groups.names[0]!r}; name a column with two groups or more, or "
            "leave the constraint out"
        )
