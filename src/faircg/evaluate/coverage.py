"""Coverage: which rules cover which people, and what can be counted from that.

A :class:`RuleResult` says how many people a rule covers, of which groups and labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.evaluate.counts import people_by_group
from faircg.evaluate.shares import Share, share_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from faircg.groups import Groups
    from faircg.rules import RuleSet
    from faircg.table import Table
    from faircg.typing import BoolMatrix, BoolVector, IntMatrix, IntVector

NEARLY_ALL: Final = 0.95
"""Share of a rule's people from which on they are nearly all of one group."""
NEARLY_EVERYBODY: Final = 0.9
"""Share of everybody from which on a group is too large for that to mean anything."""
FEWEST_COVERED: Final = 20
"""People that a rule must cover for it to be looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """For each rule the rows that it covers, and the people that rows stand for.

    ``masks`` has a row for each rule, and a column for each row of the table.

    Examples
    --------
    >>> of = Coverage(np.array([[True, True, False], [False, True, False]]))
    >>> of.people(of.any), of.people(of.times == 1), of.pairs.tolist()
    (2, 1, [[2, 1], [1, 1]])
    """

    masks: BoolMatrix
    weights: IntVector | None = None

    @classmethod
    def of(
        cls, rule_set: RuleSet, table: Table, weights: IntVector | None = None
    ) -> Coverage:
        """Apply each rule to a table."""
        masks = np.zeros((len(rule_set), table.n_rows), dtype=bool)
        for row, rule in zip(masks, rule_set, strict=True):
            row[:] = rule.covers(table)
        return cls(masks, weights)

    @property
    def times(self) -> IntVector:
        """How many rules cover each row."""
        times: IntVector = self.masks.sum(axis=0, dtype=np.int64)
        return times

    @property
    def any(self) -> BoolVector:
        """Whether some rule covers each row."""
        return self.times > 0

    @property
    def pairs(self) -> IntMatrix:
        """People that both of two rules cover; on the diagonal, that a rule covers."""
        rows = self.masks.astype(np.int64)
        weighted = rows if self.weights is None else rows * self.weights
        pairs: IntMatrix = weighted @ rows.T
        return pairs

    def people(self, rows: BoolVector) -> int:
        """Count the people of some rows."""
        return int(rows.sum() if self.weights is None else self.weights[rows].sum())

    def loss(self, is_meant: BoolVector, loss: str) -> int:
        """Return the loss of the rule set: ``"hamming"`` or ``"zero_one"``.

        ``is_meant`` are the rows with the label that the rules are for. The Hamming
        loss counts each of them once if it is missed, and each other row once for every
        rule that covers it.
        """
        times = self.times
        wrong = np.where(is_meant, times == 0, times)
        if loss != "hamming":
            wrong = wrong > 0
        return int((wrong if self.weights is None else wrong * self.weights).sum())


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The people that one rule covers, or that any rule covers.

    ``covered`` are a share of everybody; no other rule covers ``only_this`` (for any
    rule: just one does), no rule above covers ``newly``. The ``precision`` counts whose
    label is the one that the rules are for, and is None without labels; ``groups`` has
    the covered share of each group.
    """

    covered: Share
    only_this: int
    newly: int
    precision: Share | None = None
    groups: Mapping[str, Share] = field(default_factory=dict)

    @property
    def one_sided(self) -> str | None:
        """The group that nearly all covered people are of, though it is not everybody.

        What such a rule tests may stand in for the group.
        """
        n_covered, n_people = self.covered.count, self.covered.size
        if n_covered < FEWEST_COVERED:
            return None
        for name, inside in self.groups.items():
            is_nearly_all = inside.count >= NEARLY_ALL * n_covered
            if is_nearly_all and inside.size < NEARLY_EVERYBODY * n_people:
                return name
        return None


def rule_results(
    coverage: Coverage,
    is_meant: BoolVector | None = None,
    groups: Groups | None = None,
) -> tuple[RuleResult, ...]:
    """Count the people that each rule covers; the last entry is about any rule.

    ``is_meant`` are the rows with the label that the rules are for.
    """
    times = coverage.times
    everybody = np.ones(len(times), dtype=bool)
    n_people = coverage.people(everybody)

    def by_group(covered: BoolVector) -> dict[str, Share]:
        if groups is None:
            return {}
        inside, sizes = (
            people_by_group(rows, groups, coverage.weights)
            for rows in (covered, everybody)
        )
        return {name: share_of(inside[name], sizes[name]) for name in sizes}

    def result(covered: BoolVector, above: BoolVector) -> RuleResult:
        n_covered = coverage.people(covered)
        precision = None
        if is_meant is not None:
            precision = share_of(coverage.people(covered & is_meant), n_covered)
        return RuleResult(
            covered=share_of(n_covered, n_people),
            only_this=coverage.people(covered & (times == 1)),
            newly=coverage.people(covered & ~above),
            precision=precision,
            groups=by_group(covered),
        )

    above = ~everybody
    results = []
    for covered in coverage.masks:
        results.append(result(covered, above))
        above = above | covered
    return (*results, result(above, ~everybody))
