"""People with their true labels and groups: what is counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg.evaluate.counts import group_counts
from faircg.evaluate.coverage import Coverage
from faircg.evaluate.part_results import part_result
from faircg.evaluate.references import with_references
from faircg.groups import groups_as_learned
from faircg.labels import read_truth
from faircg.table import Table, read_table
from faircg.validation import check_same_rows, read_weights

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import ArrayLike

    from faircg.evaluate.part_results import PartResult
    from faircg.fairness import Criterion, GroupCounts
    from faircg.groups import Groups
    from faircg.model import RuleSetModel
    from faircg.rules import RuleSet
    from faircg.table import Kind
    from faircg.typing import BoolVector, IntVector


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """A table of people for some models: features, labels, groups and weights.

    Rows that stand for nobody are left out; ``rows`` are the positions of the others in
    the data given.
    """

    table: Table
    is_positive: BoolVector
    groups: Groups
    weights: IntVector
    rows: IntVector
    parts: int = 1
    """Weights with decimals are counted in parts of a person, so many each."""
    by_tree: BoolVector | None = None
    """Whom the plain tree of the first model accepts; None if it lacks columns."""

    @classmethod
    def read(
        cls,
        X: Any,
        y: ArrayLike,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        models: Sequence[RuleSetModel],
        missing_groups: str = "raise",
    ) -> People:
        """Read data for some models with the same labels, as :func:`rule_table` does.

        Everybody is one group without ``sensitive_features``; with them, groups are
        those that the first model was learned with.
        """
        check_same_rows(
            X, sensitive_features=sensitive_features, sample_weight=sample_weight
        )
        kinds: dict[str, Kind] = {
            f.name: f.kind for model in models for f in model.features
        }
        table = X if isinstance(X, Table) else read_table(X, kinds=kinds)
        is_positive = read_truth(y, models[0].labels, table.n_rows)
        amounts = read_weights(sample_weight, table.n_rows)
        weights = amounts.whole
        groups = groups_as_learned(
            sensitive_features,
            weights,
            missing=missing_groups,
            parts=models[0].groups,
            grouping=models[0].grouping,
            families=models[0].families,
        )
        rows = np.flatnonzero(weights)
        if len(rows) < table.n_rows:
            table = table.take(rows)
        groups = replace(groups, codes=groups.codes[rows])
        by_tree = _by_tree(models[0], X)
        return cls(
            table,
            is_positive[rows],
            groups,
            weights[rows],
            rows,
            amounts.parts,
            None if by_tree is None else by_tree[rows],
        )

    @property
    def total(self) -> int:
        """How many people there are."""
        return int(self.weights.sum())

    def coverage(self, rule_set: RuleSet) -> Coverage:
        """Apply each rule."""
        return Coverage.of(rule_set, self.table, self.weights)

    def counts(self, accepted: BoolVector) -> dict[str, GroupCounts]:
        """Count the four kinds of decisions in each group."""
        return group_counts(accepted, self.is_positive, self.groups, self.weights)

    def result(
        self,
        name: str,
        model: RuleSetModel,
        accepted: BoolVector,
        criterion: Criterion | None,
        *,
        trained: Collection[str] = (),
    ) -> PartResult:
        """Describe what a model does to these people, and what is simpler."""
        counts, families = self.counts(accepted), self.groups.families
        part = part_result(
            name,
            counts,
            criterion,
            families=families,
            trained=trained,
            per_person=self.parts,
        )
        by_tree = None if self.by_tree is None else self.counts(self.by_tree)
        return with_references(part, model, counts, by_tree, criterion, families)


def _by_tree(model: RuleSetModel, X: Any) -> BoolVector | None:
    """Let the plain tree decide, if there is one and its columns are there."""
    if model.baseline is None:
        return None
    tree = model.baseline.tree
    kinds = {feature.name: feature.kind for feature in tree.features}
    try:
        if isinstance(X, Table):
            return tree.accepts(X) if set(kinds) <= set(X.names) else None
        return tree.accepts(read_table(X, kinds=kinds))
    except (TypeError, ValueError):
        return None
