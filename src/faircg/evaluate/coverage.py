"""Coverage: which rules cover which people, and what can be counted from that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from faircg.rules import RuleSet
    from faircg.table import Table
    from faircg.typing import BoolMatrix, BoolVector, IntMatrix, IntVector


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """For each rule the rows that it covers, and the people that rows stand for.

    ``masks`` has a row for each rule and a column for each row of the table.

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
        pairs: IntMatrix = (rows if self.weights is None else rows * self.weights) @ (
            rows.T
        )
        return pairs

    def people(self, rows: BoolVector) -> int:
        """Count the people of some rows."""
        return int(rows.sum() if self.weights is None else self.weights[rows].sum())

    def loss(self, is_positive: BoolVector, loss: str) -> int:
        """Return the loss of the rule set: ``"hamming"`` or ``"zero_one"``.

        The Hamming loss counts each missed positive once, and each negative once for
        every rule that covers it.
        """
        times = self.times
        wrong = np.where(is_positive, times == 0, times)
        if loss != "hamming":
            wrong = wrong > 0
        return int((wrong if self.weights is None else wrong * self.weights).sum())
