"""All rule sets within a budget in NumPy: fallback, and oracle of the tests.

It branches like the compiled kernel but has only the plain bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel.bits import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from faircg._kernel.limits import Limits
    from faircg._kernel.rule_sets import RuleSetProblem


@dataclass(frozen=True, eq=False, kw_only=True)
class _Node:
    """Rules taken, cells still open, and rules that may still be added."""

    taken: tuple[int, ...]
    excess: float  # of the rules taken, and of the cells given up
    room: int  # complexity left
    open: NDArray[np.bool_]  # cells with a price of missing them, not decided yet
    marked: NDArray[np.bool_]  # covered, touched or marked from the start
    touched: NDArray[np.bool_]
    covered: NDArray[np.bool_]  # by a rule taken
    rules: NDArray[np.intp]  # candidates
    penalties: NDArray[np.float64]  # what each candidate costs, whoever else is added

    def keep(self, candidates: NDArray[np.bool_]) -> _Node:
        """Drop the other candidates."""
        return replace(
            self, rules=self.rules[candidates], penalties=self.penalties[candidates]
        )


@dataclass(frozen=True, eq=False)
class _Child:
    """The node that takes a candidate of its parent: made when its turn has come."""

    parent: _Node
    position: int  # of the candidate
    others: NDArray[np.bool_]  # candidates of the parent that may still be added


def _unpacked(bits: NDArray[np.uint64], n_cells: int) -> NDArray[np.bool_]:
    return unpack(bits, n_cells) if n_cells else np.zeros((len(bits), 0), dtype=bool)


class _Tree:
    """All rule sets of a problem."""

    def __init__(self, problem: RuleSetProblem, limit: float) -> None:
        self.problem = problem
        n_cells = len(problem.again)
        self.meets = _unpacked(problem.covers, n_cells)
        self.touches = _unpacked(problem.touches, n_cells)
        self.has_touches = bool(self.touches.any())
        self.marked = _unpacked(problem.marked[np.newaxis], n_cells)[0]
        scale = problem.missed.sum() + problem.costs.sum()
        scale += problem.spare_price * problem.max_complexity
        scale += problem.linked.sum() * problem.max_complexity
        self.loose = limit + 1e-12 * scale  # for sums in which rounded numbers cancel

    def root(self) -> _Node:
        """Return the empty set."""
        problem = self.problem
        usable = np.flatnonzero(problem.complexities <= problem.max_complexity)
        paid_again = (
            self.meets[np.ix_(usable, self.marked)] @ problem.again[self.marked]
        )
        return _Node(
            taken=(),
            excess=0.0,
            room=problem.max_complexity,
            open=problem.missed > 0,
            marked=self.marked,
            touched=np.zeros(len(problem.again), dtype=bool),
            covered=np.zeros(len(problem.again), dtype=bool),
            rules=usable,
            penalties=problem.costs[usable] + paid_again,
        )

    def excess(self, node: _Node) -> float:
        """Excess of the rules taken, if nothing is added."""
        missed = self.problem.missed[node.open].sum()
        return float(node.excess + missed + self.spare_price(node) * node.room)

    def spare_price(self, node: _Node) -> float:
        """Price of each unit of complexity left over: covered cells pay it too."""
        links = self.problem.linked[node.covered].sum()
        return float(self.problem.spare_price + links)

    def new_links(self, node: _Node, rules: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the links of cells that each rule covers, and none taken does.

        Complexity that is used already is used elsewhere.
        """
        fresh = np.flatnonzero(~node.covered & (self.problem.linked > 0))
        links = self.meets[np.ix_(rules, fresh)] @ self.problem.linked[fresh]
        return np.asarray(links * (self.problem.max_complexity - node.room))

    def give_up(self, node: _Node, cells: NDArray[np.bool_]) -> _Node:
        """Leave cells without a rule."""
        lost = float(self.problem.missed[cells].sum())
        return replace(node, excess=node.excess + lost, open=node.open & ~cells)

    def touch_prices(self, node: _Node, rules: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what rules pay for their touches, each added alone."""
        if not self.has_touches:
            return np.zeros(len(rules))
        charged = np.flatnonzero(node.marked & ~node.touched)
        return self.touches[np.ix_(rules, charged)] @ self.problem.again[charged]

    def take(self, child: _Child) -> _Node:
        """Add a rule."""
        node, again = child.parent, self.problem.again
        complexities = self.problem.complexities
        rule = int(node.rules[child.position])
        covers, marks = self.meets[rule], self.meets[rule] | self.touches[rule]
        room = node.room - int(complexities[rule])
        fresh = np.flatnonzero(marks & ~node.marked & (again > 0))
        paid = node.penalties[child.position]
        paid += self.touch_prices(node, node.rules[[child.position]])[0]
        paid += self.new_links(node, node.rules[[child.position]])[0]
        linked = self.problem.linked
        joined = np.flatnonzero(covers & ~node.covered & (linked > 0))
        left = node.keep(child.others & (complexities[node.rules] <= room))
        overlaps = self.meets[np.ix_(left.rules, fresh)] @ again[fresh]
        elsewhere = ~self.meets[np.ix_(left.rules, joined)] @ linked[joined]
        overlaps = overlaps + complexities[left.rules] * elsewhere
        return _Node(
            taken=(*node.taken, rule),
            excess=node.excess + float(paid),
            room=room,
            open=node.open & ~covers,
            marked=node.marked | marks,
            touched=node.touched | self.touches[rule],
            covered=node.covered | covers,
            rules=left.rules,
            penalties=left.penalties + overlaps,
        )

    def bounded(self, node: _Node) -> _Node:
        """Drop the candidates of no set within the limit, and give up lost cells."""
        missed, spare_price = self.problem.missed, self.spare_price(node)
        complexities = self.problem.complexities[node.rules]
        open_cells = np.flatnonzero(node.open)
        wins = self.meets[np.ix_(node.rules, open_cells)] @ missed[open_cells]
        wins = np.maximum(0.0, wins + spare_price * complexities - node.penalties)
        most_more = node.room // int(complexities.min(initial=1))
        best = np.sort(wins)[::-1][: max(0, most_more - 1)].sum()
        paid = node.penalties + self.touch_prices(node, node.rules)
        paid = paid + self.new_links(node, node.rules)
        fits = node.excess + paid <= self.loose
        node = node.keep(fits & (self.excess(node) - wins - best <= self.loose))
        return self.give_up(node, node.open & ~self.meets[node.rules].any(axis=0))

    def branches(self, node: _Node) -> Iterator[_Node | _Child]:
        """Split the sets below a node by the rule that covers its heaviest cell."""
        if node.open.any():
            cell = int(np.argmax(np.where(node.open, self.problem.missed, -1.0)))
            covers_it = self.meets[node.rules, cell]
            others = ~covers_it
            yield self.give_up(node, np.arange(len(node.open)) == cell).keep(others)
            for position in np.flatnonzero(covers_it).tolist():
                yield _Child(node, position, others)
                others = others.copy()
                others[position] = True
        else:
            positions = np.arange(len(node.rules))
            for position in positions.tolist():
                yield _Child(node, position, positions > position)


def rule_sets_below(
    problem: RuleSetProblem, limit: float, most: int, limits: Limits
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool, bool, int]:
    """As the compiled function: all sets of excess at most ``limit``.

    Set ``k`` is ``rules[starts[k]:starts[k + 1]]`` of the first two arrays returned.
    """
    is_over = limits.clock()
    tree = _Tree(problem, limit)
    found: list[tuple[int, ...]] = []
    nodes = 0
    root = tree.root()
    if tree.excess(root) <= limit:
        found.append(())
    stack: list[_Node | _Child] = [root]
    while stack and len(found) <= most and not is_over(problem.covers.size):
        node = stack.pop()
        nodes += 1
        if isinstance(node, _Child):
            node = tree.take(node)
            if tree.excess(node) <= limit:
                found.append(tuple(sorted(node.taken)))
        node = tree.bounded(node)
        if node.excess <= tree.loose and len(node.rules):
            stack.extend(tree.branches(node))
    too_many = len(found) > most
    is_complete = not stack and not too_many
    if too_many:
        found.clear()
    starts = np.cumsum([0, *map(len, found)], dtype=np.int64)
    rules = np.array([k for rule_set in found for k in rule_set], dtype=np.int32)
    return rules, starts, is_complete, too_many, nodes
