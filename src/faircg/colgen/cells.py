"""Cells: people of one group and label whom the same rules cover.

In a master over some rules they cannot be told apart, so they share one variable and
one row with a count; by symmetry neither the linear nor the integer optimum changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.costs import levels
from faircg.colgen.signatures import covered, sparse_rows

if TYPE_CHECKING:
    from scipy import sparse

    from faircg.typing import (
        FloatMatrix,
        FloatVector,
        IntMatrix,
        IntVector,
        PackedMatrix,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """People of one label, merged by group and signature.

    Each cell has a group, a count, what its people cost together, and a signature: the
    rules that cover it (first axis: cells). All people of a cell cost the same each.
    ``uncovered`` are the people of each group that no rule covers, and
    ``uncovered_cost`` is what they cost.
    ``cell_of`` has the cell of each group and row, -1 where nobody is or no rule
    covers.
    """

    group: IntVector
    count: IntVector
    cost: FloatVector
    signature: sparse.csr_array
    uncovered: IntVector
    uncovered_cost: float
    cell_of: IntMatrix

    @classmethod
    def merge(
        cls,
        people: IntMatrix,
        covers: PackedMatrix,
        classes: IntVector,
        costs: IntMatrix | None = None,
    ) -> Cells:
        """Merge people (n_groups, n_rows) by the class of their row's signature.

        Those who cost more are kept apart: they are worth more to cover, and a dual
        that is shared between people must suit each of them.
        """
        n_groups, n_rows = people.shape
        kinds: IntMatrix = np.tile(classes, (n_groups, 1))
        if costs is not None:
            level = levels(costs, people).reshape(people.shape)
            pairs = kinds * (int(level.max(initial=0)) + 1) + level
            kinds = np.unique(pairs, return_inverse=True)[1].reshape(people.shape)
        n_kinds = int(kinds.max(initial=-1)) + 1
        first = np.zeros(n_kinds, dtype=np.int64)
        first[kinds] = np.arange(n_rows)
        totals = _totals(kinds, people, n_kinds).astype(np.int64)
        paid = totals if costs is None else _totals(kinds, costs, n_kinds)
        is_covered = covered(covers, n_rows)[first]
        group, member = np.nonzero(totals * is_covered)
        number = np.full((n_groups, n_kinds), -1, dtype=np.int64)
        number[group, member] = np.arange(len(group))
        return cls(
            group=group,
            count=totals[group, member],
            cost=paid[group, member].astype(float),
            signature=sparse_rows(covers, first[member]),
            uncovered=(totals * ~is_covered).sum(axis=1),
            uncovered_cost=float((paid * ~is_covered).sum()),
            cell_of=np.where(people > 0, np.take_along_axis(number, kinds, axis=1), -1),
        )

    def __len__(self) -> int:
        return len(self.count)

    def count_of(self, part: FloatVector) -> FloatVector:
        """People of each group, given the part of each cell that counts."""
        n_groups = len(self.cell_of)
        people = np.bincount(self.group, weights=part * self.count, minlength=n_groups)
        return people.astype(float)

    def spread(self, per_person: FloatVector, otherwise: FloatMatrix) -> FloatMatrix:
        """Give each group and row its cell's value, or the other one.

        That may be one of each group, (n_groups, 1), or of each group and row.
        """
        values = np.append(per_person, 0.0)[self.cell_of]
        return np.where(self.cell_of >= 0, values, otherwise)


def _totals(kinds: IntMatrix, values: IntMatrix, n_kinds: int) -> FloatMatrix:
    """Sum the values of each group by kind."""
    return np.stack(
        [
            np.bincount(kind, weights=value, minlength=n_kinds)
            for kind, value in zip(kinds, values, strict=True)
        ]
    )
