"""What ``fit`` gets: a table of people with labels, groups and weights, checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg.fairness import GroupSizes
from faircg.fairness.criterion import compares
from faircg.groups import groups_of
from faircg.labels import Labels, plain, read_labels
from faircg.validation import (
    check_same_rows,
    checked_table,
    read_costs,
    read_weights,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from faircg.amounts import Amounts
    from faircg.fairness import Criterion
    from faircg.features import Features
    from faircg.groups import Groups
    from faircg.question import Question
    from faircg.table import Table
    from faircg.typing import IntVector, RulesFor


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTable:
    """People with their features, labels, groups, and how often each one counts.

    ``features`` are those of the user's table; ``table`` lacks the excluded ones.
    Weights are counted in ``parts`` of a person; ``costs`` is what a wrong prediction
    of each costs, None if all cost the same.
    """

    features: Features
    table: Table
    labels: Labels
    groups: Groups
    weights: IntVector
    parts: int = 1
    costs: Amounts | None = None

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
    ) -> LabelledTable:
        """Read and check what was given to ``fit``; the estimator learns the features.

        The question says which label is positive, and whether groups are needed.
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
        return LabelledTable(
            self.features,
            self.table.take(rows),
            replace(self.labels, is_positive=self.labels.is_positive[rows]),
            replace(self.groups, codes=self.groups.codes[rows]),
            self.weights[rows],
            self.parts,
            None
            if self.costs is None
            else replace(self.costs, whole=self.costs.whole[rows]),
        )


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
