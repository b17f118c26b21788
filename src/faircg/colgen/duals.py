"""From the duals of the master to the prices of its samples.

``mu``, ``alpha`` and ``lambda`` are the paper's non-negative multipliers of the cover,
exclude and complexity rows. The solver reports non-positive numbers for ``<=`` rows;
the signs are turned here and nowhere else. A rule's reduced cost (paper, eq. redcost)
is the sum of the prices of the rows it covers plus ``lambda`` times its complexity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel import PricedBits, weigh
from faircg.colgen.costs import each
from faircg.colgen.row_cuts import RowCuts

if TYPE_CHECKING:
    from faircg._kernel import ConditionBits
    from faircg.colgen.master import Master
    from faircg.colgen.problem import Problem
    from faircg.solver.highs import LinearModel
    from faircg.typing import FloatMatrix, FloatVector, IntVector, PackedMatrix


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What a rule pays: for each row it covers, and for each unit of complexity.

    ``value`` is the objective of the dual solution that the prices come from. It
    bounds the master over all rules once no rule has a negative reduced cost. ``units``
    is what each unit of a rule's complexity pays for each row that the rule covers.
    """

    rows: FloatVector
    condition: float
    value: float
    units: FloatVector | None = None

    def reduced_costs(
        self, covers: PackedMatrix, complexities: IntVector
    ) -> FloatVector:
        """Reduced cost of each rule."""
        costs: FloatVector = weigh(covers, self.rows) + self.condition * complexities
        if self.units is not None:
            costs = costs + complexities * weigh(covers, self.units)
        return costs

    def of_rules(self, complexity: int) -> Prices:
        """Return the same for rules of this complexity: rows alone have prices."""
        if self.units is None:
            return self
        return replace(self, rows=self.rows + complexity * self.units, units=None)

    def on(self, bits: ConditionBits, max_conditions: int) -> PricedBits:
        """Put the prices on the rows of conditions, for a search over all rules."""
        return PricedBits(
            bits=bits,
            prices=self.rows,
            condition_price=self.condition,
            max_conditions=max_conditions,
        )

    def raised(self, by: float, max_complexity: int) -> Prices:
        """Raise the price of complexity; the dual objective falls by ``C`` times it.

        Duals for which no rule prices out are feasible, so their value is a bound.
        """
        return replace(
            self,
            condition=self.condition + by,
            value=self.value - by * max_complexity,
        )

    def mixed(self, other: Prices, share: float) -> Prices:
        """Move towards other duals: dual solutions form a convex set."""
        keep = 1.0 - share
        units: FloatVector | None = None
        if self.units is not None or other.units is not None:
            nothing = np.zeros_like(self.rows)
            units = keep * (nothing if self.units is None else self.units)
            units += share * (nothing if other.units is None else other.units)
        return Prices(
            keep * self.rows + share * other.rows,
            keep * self.condition + share * other.condition,
            keep * self.value + share * other.value,
            units,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Duals:
    """A dual solution: the prices of rules, and what people cost besides.

    With it the loss of a rule set is at least ``prices.value`` plus the reduced costs
    of its rules, plus ``again`` for every row covered once more than needed, plus
    ``missed`` for every row not covered, plus ``touched`` for every row covered at all,
    plus what cuts between rows cost (:mod:`faircg.colgen.row_cuts`), plus ``lambda``
    for each unit of complexity left over, plus ``prices.units`` of every row covered
    for each unit that is left over or of rules elsewhere (docs/certificate.md). Where
    ``again`` is positive, covering a row a second time is a pure loss. ``fairness`` has
    the multipliers of the fairness rows, from which the value can be counted again
    (:mod:`faircg.colgen.recounted`).
    """

    prices: Prices
    again: FloatVector
    missed: FloatVector
    touched: FloatVector
    cuts: RowCuts
    fairness: FloatVector

    def reduced_costs(
        self, covers: PackedMatrix, complexities: IntVector
    ) -> FloatVector:
        """Reduced cost of each rule."""
        costs = self.prices.reduced_costs(covers, complexities)
        return costs + self.cuts.weigh(covers)

    def posed(
        self, problem: Problem, max_conditions: int
    ) -> tuple[ConditionBits, list[tuple[int, Prices]]]:
        """Return the rows that pricing sees, with pseudo-rows of the cuts.

        And which prices to search for rules of up to how many conditions. Where units
        of complexity pay for rows, rules of each size have prices of their own, which
        are too high for shorter rules: whatever a search finds is there, and each rule
        is judged rightly by one of them.
        """
        sizes = range(1, max_conditions + 1)
        if self.prices.units is None:
            sizes = range(max_conditions, max_conditions + 1)
        of_sizes = [(size, self.prices.of_rules(1 + size)) for size in sizes]
        bits, beside = self.cuts.beside(problem.bits)
        return bits, [
            (size, replace(prices, rows=np.concatenate([prices.rows, beside])))
            for size, prices in of_sizes
        ]

    def raised(self, by: float, max_complexity: int) -> Duals:
        """Raise the price of complexity."""
        return replace(self, prices=self.prices.raised(by, max_complexity))

    def mixed(self, other: Duals, share: float) -> Duals:
        """Move towards another dual solution."""
        keep, n_rows = 1.0 - share, len(self.again)
        return Duals(
            self.prices.mixed(other.prices, share),
            again=keep * self.again + share * other.again,
            missed=keep * self.missed + share * other.missed,
            touched=keep * self.touched + share * other.touched,
            cuts=self.cuts.scaled(keep).joined(other.cuts.scaled(share), n_rows),
            fairness=keep * self.fairness + share * other.fairness,
        )


@dataclass(frozen=True, slots=True, eq=False)
class DualBound:
    """A bound, and the dual solution that proves it: they only travel together.

    No rule of at most ``max_conditions`` conditions has a negative reduced cost, so the
    value of the dual solution bounds the loss of every rule set made of such rules. How
    far a rule set, or a single rule in one, may be above the bound is measured from
    *this* value and priced by *these* duals; measured from any other bound, however
    true, rules of a better rule set would be overlooked.
    """

    duals: Duals
    max_conditions: int

    @property
    def value(self) -> float:
        """No rule set made of these rules has a lower loss."""
        return self.duals.prices.value

    def room(self, loss: float) -> float:
        """Return the largest excess that a rule set of at most this loss can have."""
        return loss - self.value


def duals_of(master: Master, reported: FloatVector) -> Duals:
    """Turn the row duals that the solver reports for a linear master into prices.

    The value of the dual solution is computed here, from the multipliers themselves:
    it bounds the master whatever the solver thought of its answer.
    """
    problem, at = master.problem, master.layout
    row_dual = signed(master.model, reported)
    value = _dual_value(master, row_dual)
    C = float(max(problem.max_complexity, 1))  # with 0 no rule is ever used
    mu = np.maximum(row_dual[at.cover], 0.0)
    alpha = np.maximum(-row_dual[at.exclude], 0.0)
    lam = max(-float(row_dual[at.complexity]), 0.0)

    # What one person is worth: a cost, and a charge for the rates of the group.
    cells = master.positives
    cell_worth = cells.cost / cells.count
    missed_worth, hit_worth = _each_costs(problem)
    by_rule = problem.objective == "hamming" and problem.costs is None
    covered_price = np.full(problem.n_groups, float(by_rule))
    for (rows, by_hits), block in zip(master.rate_blocks, at.fairness, strict=True):
        charge = rows.missed_charge(row_dual[block])
        missed_worth = missed_worth + charge[:, np.newaxis]
        cell_worth = cell_worth + charge[cells.group]
        charge = rows.hit_charge(row_dual[block])
        if by_hits:
            hit_worth = hit_worth + charge[:, np.newaxis]
        else:
            covered_price = covered_price + charge

    price = -mu
    price[master.excluded] += 2.0 * alpha
    # A positive that no rule covers has zeta = 1; its multipliers follow from
    # worth - mu + C alpha = 0 by the choice that prices the fewest rules.
    alone = np.where(missed_worth >= 0, -missed_worth, -2.0 * missed_worth / C)
    of_positives = cells.spread(price / cells.count, alone)
    positive_rows = (problem.positives * of_positives).sum(axis=0)
    per_row = positive_rows
    missing = cell_worth * cells.count.astype(float) - mu
    missing[master.excluded] += C * alpha
    nothing = np.zeros((problem.n_groups, 1))
    of_missing = cells.spread(np.maximum(missing, 0.0) / cells.count, nothing)
    missing_rows = (problem.positives * of_missing).sum(axis=0)

    if master.counts_hits:
        hits = master.negatives
        beta = np.maximum(row_dual[at.hit_row], 0.0)
        gamma = np.maximum(-row_dual[at.unhit], 0.0)
        hit_price = beta - gamma if len(gamma) else beta
        # Nobody there is hit: worth - C/2 beta + gamma >= 0 leaves this much.
        alone = np.where(hit_worth >= 0, 2.0 * hit_worth / C, hit_worth)
        of_negatives = hits.spread(hit_price / hits.count, alone)
        per_row = per_row + (problem.negatives * of_negatives).sum(axis=0)
    per_row = per_row + covered_price @ problem.negatives
    if not by_rule:
        per_row = per_row + problem.rule_row_costs
    return Duals(
        Prices(per_row, lam, value),
        again=-positive_rows,
        missed=missing_rows,
        touched=np.zeros(problem.n_rows),
        cuts=RowCuts.none(),
        fairness=row_dual[at.fairness[0]] if at.fairness else np.zeros(0),
    )


def _each_costs(problem: Problem) -> tuple[FloatMatrix, FloatMatrix]:
    """Return what one missed positive and one hit negative cost: by group, or by row.

    In the Hamming loss rules pay for negatives, and being hit costs nothing.
    """
    one, costs = np.ones((problem.n_groups, 1)), problem.costs
    missed = one if costs is None else each(costs.missed, problem.positives)
    if problem.objective == "hamming":
        return missed, np.zeros_like(one)
    return missed, one if costs is None else each(costs.hit, problem.negatives)


def signed(model: LinearModel, reported: FloatVector) -> FloatVector:
    """Cut off the solver's tolerance: multipliers have the sign of their row."""
    without_upper = np.isposinf(model.row_upper)
    without_lower = np.isneginf(model.row_lower)
    clean: FloatVector = np.where(without_upper, np.maximum(reported, 0.0), reported)
    return np.where(without_lower, np.minimum(clean, 0.0), clean)


def _dual_value(master: Master, row_dual: FloatVector) -> float:
    """Return what the multipliers prove, once no rule has a negative reduced cost.

    Columns that are not rules may have a slightly negative reduced cost; what they
    could gain with it, within bounds that every integer solution obeys, is taken off.
    """
    model, at = master.model, master.layout
    bound = np.where(row_dual > 0, model.row_lower, model.row_upper)
    value = float(row_dual[row_dual != 0] @ bound[row_dual != 0]) + model.offset
    reduced = model.cost - model.matrix.T @ row_dual
    most = np.ones(len(reduced))  # zeta and hit are at most one
    most[at.rule.stop :] = master.most_level
    most[at.rule] = 0.0  # pricing answers for rules
    gain = np.minimum(reduced, 0.0) @ most + np.maximum(reduced, 0.0) @ model.lower
    return value + float(gain)
