"""All rule sets within a budget.

The *excess* of a rule set is what its rules cost, what cells covered more than once
cost, what cells covered by no rule cost, and the price of the complexity left over.
A cell can also be *marked* from the start, and *touched* by rules that do not cover
it: each counts as one more rule that covers it, touches once however many rules touch.
A cell that some rule covers can be *linked* to the limit on complexity: it costs for
each unit of it that is left over, or of a rule that does not cover the cell.
How the search works, and why its bounds hold, is told in ``docs/exact-search.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg._kernel import reference_sets
from faircg._kernel.bits import weigh
from faircg._kernel.checks import (
    check_int,
    check_number,
    check_price,
    checked_array,
    checked_bits,
)
from faircg._kernel.limits import NO_LIMITS, Limits
from faircg._kernel.loader import compiled
from faircg._kernel.results import RuleSetResult, in_order, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLACK = 1e-9
"""Sums are rounded: sets above the budget by this share of it are returned too."""
_MOST_COMPLEXITY = 1 << 20  # keeps the kernel's ints small
_MOST_DEEP = 1000  # rules per set that the compiled search can take
_MOST_SETS = 1 << 40  # more than any search lists; fits the kernel's ints
_LARGEST = 1e290  # keeps its sums finite
_BLOCK = 1 << 18  # words of rule sets weighed at a time
_NO_BITS = np.zeros((0, 0), dtype=np.uint64)  # stands for zeros
_NO_PRICES = np.zeros(0)  # stands for zeros


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleSetProblem:
    """Rules that may be combined, and what their sets pay."""

    covers: NDArray[np.uint64]
    """Which cells each rule covers, (n_rules, n_words), packed as the bits of
    :class:`ConditionBits`."""
    costs: NDArray[np.float64]
    """What each rule costs, (n_rules,); not negative."""
    complexities: NDArray[np.int64]
    """Complexity of each rule, (n_rules,); at least 1."""
    again: NDArray[np.float64]
    """What each further rule that covers a cell costs, (n_cells,); not negative. A mark
    counts as one rule, and so do all touches of the cell together."""
    missed: NDArray[np.float64]
    """What it costs if no rule covers a cell, (n_cells,); not negative."""
    max_complexity: int
    """Most complexity of a rule set."""
    spare_price: float
    """Price of each unit of complexity below ``max_complexity``; not negative."""
    touches: NDArray[np.uint64] = field(default_factory=lambda: _NO_BITS)
    """Which cells each rule touches, packed as ``covers``; none that it covers. Left
    out: none."""
    marked: NDArray[np.uint64] = field(default_factory=lambda: _NO_BITS)
    """Which cells are marked from the start, packed, (n_words,). Left out: none."""
    linked: NDArray[np.float64] = field(default_factory=lambda: _NO_PRICES)
    """What a cell that some rule covers costs for each unit of ``max_complexity`` that
    no rule covering it has, (n_cells,); not negative. Left out: nothing."""

    def __post_init__(self) -> None:
        again = checked_array("again", self.again, np.float64, (None,))
        covers = checked_bits("covers", self.covers, len(again))
        rules = (len(covers),)
        touches, marked = self.touches, np.asarray(self.marked)
        if touches is _NO_BITS:
            touches = np.zeros_like(covers)
        if marked is _NO_BITS:
            marked = np.zeros(covers.shape[1], dtype=np.uint64)
        linked = np.zeros_like(again) if self.linked is _NO_PRICES else self.linked
        arrays = {
            "covers": covers,
            "costs": checked_array("costs", self.costs, np.float64, rules),
            "complexities": checked_array(
                "complexities", self.complexities, np.int64, rules
            ),
            "again": again,
            "missed": checked_array("missed", self.missed, np.float64, again.shape),
            "touches": checked_bits("touches", touches, len(again)),
            "marked": checked_bits("marked", marked[np.newaxis], len(again))[0],
            "linked": checked_array("linked", linked, np.float64, again.shape),
        }
        for name, values in arrays.items():
            if not np.isfinite(values).all() or np.any(values < 0):
                raise ValueError(f"{name} must be finite and not negative")
            object.__setattr__(self, name, values)
        if self.touches.shape != covers.shape:
            raise ValueError("touches must have as many rows as covers")
        if np.any(covers & self.touches):
            raise ValueError("touches must hold no cell that the rule covers")
        if np.any(self.complexities < 1):
            raise ValueError("complexities must be at least 1")
        check_int("max_complexity", self.max_complexity, least=0)
        check_price("spare_price", self.spare_price)

    def usable(self) -> NDArray[np.int64]:
        """Return the complexities of the rules that fit at all."""
        most = min(self.max_complexity, 1 << 62)
        return self.complexities[self.complexities <= most]

    def native(self) -> Any:
        """Return the same for the compiled kernel."""
        assert compiled is not None
        return compiled.RuleSetProblem(
            self.covers,
            self.costs,
            self.complexities,
            self.again,
            self.missed,
            self.max_complexity,
            self.spare_price,
            self.touches,
            self.marked,
            self.linked,
        )

    def excesses(self, sets: NDArray[np.int32]) -> NDArray[np.float64]:
        """Excess of sets of equal size, (n_sets, size)."""
        spare = self.max_complexity - self.complexities[sets].sum(axis=1)
        excesses = self._cells_cost(sets)
        excesses += self.costs[sets].sum(axis=1)
        excesses += self.spare_price * spare
        return excesses

    def _cells_cost(self, sets: NDArray[np.int32]) -> NDArray[np.float64]:
        """Sum what the sets pay for cells: missed, covered again, or linked."""
        covers, n_cells = self.covers, len(self.again)
        if not n_cells:
            return np.zeros(len(sets))
        uncovered = np.full((len(sets), covers.shape[1]), ~np.uint64(0))
        uncovered[:, -1] >>= np.uint64(-n_cells % 64)
        marks = [covers[rules] for rules in sets.T]
        for cells in marks:
            uncovered &= ~cells
        if self.touches.any():
            marks.append(np.bitwise_or.reduce(self.touches[sets], axis=1))
        # Cells covered, touched or marked more than 0, 1, 2, ... times.
        repeated = [np.tile(self.marked, (len(sets), 1))]
        for carried in marks:
            for i, cells in enumerate(repeated):
                repeated[i], carried = cells | carried, cells & carried
            repeated.append(carried)
        total = weigh(uncovered, self.missed)
        if self.linked.any() and sets.size:
            covered, used = np.bitwise_or.reduce(covers[sets], axis=1), 0
            for rules in sets.T:
                elsewhere = weigh(covered & ~covers[rules], self.linked)
                total += self.complexities[rules] * elsewhere
                used = used + self.complexities[rules]
            total += (self.max_complexity - used) * weigh(covered, self.linked)
        for cells in repeated[1:]:
            total += weigh(cells, self.again)
        return total


def rule_sets_below(
    problem: RuleSetProblem,
    *,
    budget: float,
    most: int = 100_000,
    limits: Limits = NO_LIMITS,
) -> RuleSetResult:
    """Find every rule set whose excess is at most ``budget``, or give up at ``most``.

    The empty set counts as a rule set. Rules of equal coverage are different rules.
    When the limits end the search, the result says that sets are missing.

    Examples
    --------
    Two cells, a rule for each and one for both; both cells should be covered once.

    >>> problem = RuleSetProblem(
    ...     covers=np.array([[1], [2], [3]], dtype=np.uint64),
    ...     costs=np.array([0.0, 0.5, 0.25]),
    ...     complexities=np.array([2, 2, 3]),
    ...     again=np.ones(2),
    ...     missed=np.ones(2),
    ...     max_complexity=4,
    ...     spare_price=0.0,
    ... )
    >>> found = rule_sets_below(problem, budget=0.75)
    >>> found.sets, found.excesses
    (((2,), (0, 1)), array([0.25, 0.5 ]))
    """
    check_int("most", most, least=0)
    check_number("budget", budget)
    tight, always = _without_idle_complexity(problem)
    budget = float(budget)
    limit = budget + SLACK * abs(budget) if math.isfinite(budget) else budget
    if always == math.inf or limit - always < 0:
        return RuleSetResult((), np.empty(0), True, False, 0)
    most, fitting = min(int(most), _MOST_SETS), np.cumsum(np.sort(tight.usable()))
    most_taken = np.count_nonzero(fitting <= tight.max_complexity)
    if compiled is None or most_taken > _MOST_DEEP:
        found = reference_sets.rule_sets_below(tight, limit - always, most, limits)
    else:
        with limits.native() as given:
            found = compiled.rule_sets_below(
                tight.native(), limit - always, most, given
            )
    numbers, starts, is_complete, too_many, nodes = found
    table, sizes = padded(numbers, starts)
    excesses = np.empty(len(table))
    step = max(1, _BLOCK // max(1, problem.covers.shape[1]))
    for size in np.unique(sizes).tolist():
        same = np.flatnonzero(sizes == size)
        for first in range(0, len(same), step):
            block = same[first : first + step]
            excesses[block] = tight.excesses(table[block, :size]) + always
    # The compiled search rounds prices down, so that no set is lost.
    inside = np.flatnonzero(excesses <= limit)
    sets, excesses = in_order(table[inside], sizes[inside], excesses[inside])
    return RuleSetResult(sets, excesses, is_complete, too_many, nodes)


def _without_idle_complexity(problem: RuleSetProblem) -> tuple[RuleSetProblem, float]:
    """Leave out the complexity that all rules together cannot use.

    It is spare in every set; the second number is what every set pays for it. What
    linked cells would pay for it is left out: nobody asks for so much complexity.
    """
    most_used = min(int(problem.max_complexity), sum(problem.usable().tolist()))
    if most_used > _MOST_COMPLEXITY:
        raise ValueError("complexities are too large to be summed")
    spare_price = float(problem.spare_price)
    try:
        always = spare_price * (int(problem.max_complexity) - most_used)
    except OverflowError:
        always = math.inf if spare_price > 0 else 0.0
    with np.errstate(over="ignore"):
        total = problem.costs.sum() + problem.missed.sum()
        total += problem.again.sum() * (len(problem.covers) + 1)
        total += (spare_price + problem.linked.sum()) * most_used
    if not total <= _LARGEST:
        raise ValueError("costs, again, missed, linked and spare_price are too large")
    return replace(problem, max_complexity=most_used, spare_price=spare_price), always
