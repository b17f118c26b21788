"""Cells: people of one group and label whom the same rules cover.

In a master over some rules they cannot be told apart, so they share one variable and
one row with a count; by symmetry neither the linear nor the integer optimum changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from faircg.typing import BoolMatrix, FloatMatrix, FloatVector, IntMatrix, IntVector


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """People of one label, merged by group and signature.

    Each cell has a group, a count and a signature: the rules that cover it (first
    axis: cells). ``uncovered`` are the people of each group that no rule covers.
    ``cell_of`` has the cell of each group and row, -1 where nobody is or no rule
    covers.
    """

    group: IntVector
    count: IntVector
    signature: sparse.csr_array
    uncovered: IntVector
    cell_of: IntMatrix

    @classmethod
    def merge(cls, people: IntMatrix, cover: BoolMatrix, classes: IntVector) -> Cells:
        """Merge people (n_groups, n_rows) by the class of their row's signature."""
        n_groups, n_rows = people.shape
        n_classes = int(classes.max(initial=-1)) + 1
        first = np.zeros(n_classes, dtype=np.int64)
        first[classes[::-1]] = np.arange(n_rows)[::-1]
        totals = np.stack(
            [np.bincount(classes, weights=p, minlength=n_classes) for p in people]
        ).astype(np.int64)
        is_covered = cover[:, first].any(axis=0)
        group, member = np.nonzero(totals * is_covered)
        number = np.full((n_groups, n_classes), -1, dtype=np.int64)
        number[group, member] = np.arange(len(group))
        return cls(
            group=group,
            count=totals[group, member],
            signature=sparse.csr_array(cover[:, first[member]].T.astype(float)),
            uncovered=(totals * ~is_covered).sum(axis=1),
            cell_of=np.where(people > 0, number[:, classes], -1),
        )

    def __len__(self) -> int:
        return len(self.count)

    def count_of(self, part: FloatVector) -> FloatVector:
        """People of each group, given the part of each cell that counts."""
        n_groups = len(self.cell_of)
        people = np.bincount(self.group, weights=part * self.count, minlength=n_groups)
        return people.astype(float)

    def spread(self, per_person: FloatVector, otherwise: FloatVector) -> FloatMatrix:
        """Give each group and row its cell's value, or the group's other value."""
        n_groups = len(self.cell_of)
        values = np.append(per_person, 0.0)[self.cell_of]
        return np.where(self.cell_of >= 0, values, otherwise.reshape(n_groups, 1))
