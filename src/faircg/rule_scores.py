"""Scores: how sure the rules are, for those who need a number beside the decision.

A person's score is the share of training people with the label of the rules among
those whom a rule covers, of the rule for which it is largest; where no rule covers, the
share among those whom none covered. Shares are smoothed, as if one more person of each
label had been seen. Decisions never use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from faircg.rules import RuleSet
    from faircg.table import Table
    from faircg.typing import BoolVector, FloatVector, IntVector

MOST: Final = 2**53
"""People beyond which shares are not exact."""
NEAR: Final = 1e-9
"""How far from one half a score is moved that is on the wrong side of it."""


@dataclass(frozen=True, slots=True)
class RuleScores:
    """The training people of each rule, then those whom no rule covers.

    ``meant`` of the ``covered`` have the label that the rules are for.

    Examples
    --------
    >>> RuleScores(covered=(8, 10), meant=(7, 2)).shares().round(2)
    array([0.8 , 0.25])
    """

    covered: tuple[int, ...]
    meant: tuple[int, ...]

    def __post_init__(self) -> None:
        pairs = zip(self.covered, self.meant, strict=True)
        if not self.covered or not all(0 <= k <= n < MOST for n, k in pairs):
            raise ValueError("these are no counts of people, and some of them")

    @classmethod
    def count(
        cls,
        rule_set: RuleSet,
        table: Table,
        is_positive: BoolVector,
        weights: IntVector,
    ) -> RuleScores:
        """Count the people of a table."""
        is_meant = rule_set.turned(is_positive)
        rows = [rule.covers(table) for rule in rule_set]
        rows.append(~rule_set.covers(table))
        return cls(
            tuple(int(weights[of].sum()) for of in rows),
            tuple(int(weights[of & is_meant].sum()) for of in rows),
        )

    def shares(self, parts: int = 1) -> FloatVector:
        """Return the smoothed share of each rule, then of those without a rule.

        People may be counted in ``parts``.
        """
        covered, meant = np.array(self.covered) / parts, np.array(self.meant) / parts
        smoothed: FloatVector = (meant + 1) / (covered + 2)
        return smoothed

    def of(self, rule_set: RuleSet, table: Table, parts: int = 1) -> FloatVector:
        """Return a score of each row for the positive label.

        It is above one half where that is the decision, and below where it is not: a
        share on the other side is moved to just beside one half, in the same order.
        """
        *of_rules, of_none = self.shares(parts)
        scores = np.zeros(table.n_rows)
        covered = np.zeros(table.n_rows, dtype=bool)
        for rule, share in zip(rule_set, of_rules, strict=True):
            rows = rule.covers(table)
            scores[rows] = np.maximum(scores[rows], share)
            covered |= rows
        scores[~covered] = of_none
        is_beyond = covered == (scores > 0.5)
        side = np.where(covered, 1 + scores, scores - 2)
        scores = np.where(is_beyond & (scores != 0.5), scores, 0.5 + NEAR * side)
        return scores if rule_set.rules_for == "positive" else 1 - scores
