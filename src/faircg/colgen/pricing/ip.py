r"""Pricing as an integer program: the paper's formulation, and that of Dash et al.

Variables ``z_j`` (the rule has condition j) and ``delta_i`` (the rule covers row i),
with ``S_i`` the conditions that row i does *not* meet, ``p_i`` the price of row i:

    min  sum_i p_i delta_i + lambda (1 + sum_j z_j)
    D delta_i + sum_{j in S_i} z_j <= D     p_i < 0   (PmisP; needs binary delta)
      delta_i + sum_{j in S_i} z_j >= 1     p_i > 0   (PmisZ)
    1 <= sum_j z_j <= D                               (Pcomplex)

The split is by the sign of the price, not by the label, since equalized odds can make
a negative's price negative. The lower bound of one condition is ours: the exclude row
of the master is valid only for rules of complexity two and more. Dash et al. write
``delta_i + z_j <= 1`` for each j in S_i in place of (PmisP).

Rows of price zero leave the program. Conditions of one family are nested or exclusive,
so a second one is redundant or covers nobody: ``sum_{j in family} z_j <= 1`` cuts off
no best rule and helps the solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import sparse

from faircg._kernel import unpack
from faircg.colgen.pricing.base import (
    TOLERANCE,
    PricingProblem,
    PricingResult,
    best_rules,
)
from faircg.solver.highs import INFINITY, LinearModel, Status, solve_mip

if TYPE_CHECKING:
    from faircg._kernel import ConditionBits
    from faircg.colgen.duals import Prices
    from faircg.typing import BoolMatrix, Conditions, FloatVector


@dataclass(frozen=True, slots=True)
class IntegerPricer:
    """Solve the pricing problem as an integer program.

    ``disaggregated`` uses one row for each condition of each row (Dash et al.), not the
    paper's single row.
    """

    is_exact: ClassVar[bool] = False

    disaggregated: bool = False

    def price(self, asked: PricingProblem) -> PricingResult:
        """Solve to a proof or until the deadline; keep every rule met."""
        model, n_conditions = self.model(asked.bits, asked.prices, asked.max_conditions)
        met: set[Conditions] = set()

        def remember(values: FloatVector) -> None:
            rule = np.flatnonzero(values[:n_conditions] > 0.5)
            met.add(tuple(int(j) for j in rule))

        answer = solve_mip(model, asked.deadline, on_solution=remember)
        if answer.values is not None:
            remember(answer.values)
        met.discard(())
        found = best_rules(
            asked,
            met,
            is_complete=answer.status is Status.OPTIMAL,
            # Every rule has a complexity of at least two.
            bound=min(0.0, answer.bound) / 2.0,
        )
        if found.is_complete and answer.objective < -TOLERANCE and not found.rules:
            # The program claims a rule that the recount does not know: no proof.
            return best_rules(asked, met, is_complete=False)
        return found

    def model(
        self, bits: ConditionBits, prices: Prices, max_conditions: int
    ) -> tuple[LinearModel, int]:
        """Write the program; the first columns are the conditions."""
        gains = np.flatnonzero(prices.rows < 0)
        costs = np.flatnonzero(prices.rows > 0)
        unmet = ~unpack(bits.bits, bits.n_rows).T
        n_conditions, n_rows = bits.n_conditions, len(gains) + len(costs)
        D = float(max_conditions)
        cost = np.concatenate(
            [
                np.full(n_conditions, prices.condition),
                prices.rows[gains],
                prices.rows[costs],
            ]
        )
        blocks = [
            self._gain_rows(unmet[gains], D, n_rows),
            _cost_rows(unmet[costs], n_rows),
            (_wide(np.ones((1, n_conditions)), n_rows), 1.0, D),
            (_wide(_one_per_family(bits), n_rows), -INFINITY, 1.0),
        ]
        matrix = sparse.vstack([block for block, _, _ in blocks], format="csc")
        lower = np.concatenate([np.full(b.shape[0], low) for b, low, _ in blocks])
        upper = np.concatenate([np.full(b.shape[0], up) for b, _, up in blocks])
        integer = np.zeros(len(cost), dtype=bool)
        # With the aggregated row only a binary delta means coverage.
        integer[: n_conditions + len(gains)] = True
        model = LinearModel(
            cost=cost,
            lower=np.zeros(len(cost)),
            upper=np.ones(len(cost)),
            matrix=sparse.csc_array(matrix),
            row_lower=lower,
            row_upper=upper,
            integer=integer,
            offset=prices.condition,
        )
        return model, n_conditions

    def _gain_rows(
        self, unmet: BoolMatrix, D: float, n_rows: int
    ) -> tuple[sparse.csr_array, float, float]:
        n_gains, n_conditions = unmet.shape
        if not self.disaggregated:
            delta = sparse.eye_array(n_gains, n_rows, format="csr") * D
            return sparse.hstack([unmet.astype(float), delta]), -INFINITY, D
        row, condition = np.nonzero(unmet)
        ones, each = np.ones(len(row)), np.arange(len(row))
        shape = len(row)
        z = sparse.csr_array((ones, (each, condition)), shape=(shape, n_conditions))
        delta = sparse.csr_array((ones, (each, row)), shape=(shape, n_rows))
        return sparse.hstack([z, delta]), -INFINITY, 1.0


def _cost_rows(unmet: BoolMatrix, n_rows: int) -> tuple[sparse.csr_array, float, float]:
    n_costs = len(unmet)
    delta = sparse.eye_array(n_costs, n_rows, k=n_rows - n_costs, format="csr")
    return sparse.hstack([unmet.astype(float), delta]), 1.0, INFINITY


def _wide(block: BoolMatrix | FloatVector, n_rows: int) -> sparse.csr_array:
    empty = sparse.csr_array((block.shape[0], n_rows))
    return sparse.hstack([sparse.csr_array(block.astype(float)), empty])


def _one_per_family(bits: ConditionBits) -> BoolMatrix:
    families, members = np.unique(bits.family, return_counts=True)
    crowded = families[members > 1]
    chosen: BoolMatrix = bits.family[np.newaxis, :] == crowded[:, np.newaxis]
    return chosen
