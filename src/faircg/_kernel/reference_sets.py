"""All rule sets within a budget in NumPy: fallback, and oracle of the tests.

It branches like the compiled kernel but has only the plain bounds.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel.bits import unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircg._kernel.results import StopFlag


@dataclass(frozen=True, eq=False)
class _Node:
    """Rules taken, cells still open, and rules that may still be added."""

    taken: tuple[int, ...]
    excess: float  # of the rules taken, and of the cells given up
    room: int  # complexity left
    open: NDArray[np.bool_]  # cells with a price of missing them, not decided yet
    covered: NDArray[np.bool_]
    rules: NDArray[np.intp]  # candidates
    penalties: NDArray[np.float64]  # what each candidate would cost


def rule_sets_below(
    covers: NDArray[np.uint64],
    costs: NDArray[np.float64],
    complexities: NDArray[np.int64],
    again: NDArray[np.float64],
    missed: NDArray[np.float64],
    max_complexity: int,
    spare_price: float,
    limit: float,
    most: int,
    *,
    seconds: float = math.inf,
    stop: StopFlag | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool, bool, int]:
    """As :func:`faircg._kernel.rule_sets_below`, for arguments checked there.

    Set ``k`` is ``rules[starts[k]:starts[k + 1]]`` of the first two arrays returned.
    """
    start = time.monotonic()
    n_cells = len(again)
    meets = unpack(covers, n_cells) if n_cells else np.zeros((len(covers), 0), bool)
    scale = missed.sum() + costs.sum() + spare_price * max_complexity
    loose = limit + 1e-12 * scale  # for sums in which rounded numbers cancel
    found: list[tuple[int, ...]] = []
    nodes = 0

    def offer(node: _Node) -> None:
        excess = node.excess + missed[node.open].sum() + spare_price * node.room
        if excess <= limit:
            found.append(tuple(sorted(node.taken)))

    def give_up(
        node: _Node, cells: NDArray[np.bool_], keep: NDArray[np.bool_]
    ) -> _Node:
        return _Node(
            node.taken,
            node.excess + float(missed[cells].sum()),
            node.room,
            node.open & ~cells,
            node.covered,
            node.rules[keep],
            node.penalties[keep],
        )

    def take(node: _Node, position: int, keep: NDArray[np.bool_]) -> _Node:
        rule = int(node.rules[position])
        room = node.room - int(complexities[rule])
        keep = keep & (complexities[node.rules] <= room)
        rules = node.rules[keep]
        fresh = np.flatnonzero(meets[rule] & ~node.covered & (again > 0))
        return _Node(
            (*node.taken, rule),
            node.excess + float(node.penalties[position]),
            room,
            node.open & ~meets[rule],
            node.covered | meets[rule],
            rules,
            node.penalties[keep] + meets[np.ix_(rules, fresh)] @ again[fresh],
        )

    usable = np.flatnonzero(complexities <= max_complexity)
    root = _Node(
        (),
        0.0,
        max_complexity,
        missed > 0,
        np.zeros(n_cells, dtype=bool),
        usable,
        costs[usable],
    )
    offer(root)
    # A node, or the child of a node that takes the candidate at a position, keeping
    # some of the other candidates: made only when its turn has come.
    stack: list[tuple[_Node, int, NDArray[np.bool_]]]
    stack = [(root, -1, np.ones(len(usable), dtype=bool))]
    while stack and len(found) <= most:
        if time.monotonic() - start >= seconds or (stop is not None and stop.is_set()):
            break
        node, position, keep = stack.pop()
        nodes += 1
        if position >= 0:
            node = take(node, position, keep)
            offer(node)
        prices = spare_price * complexities[node.rules]
        wins = meets[np.ix_(node.rules, np.flatnonzero(node.open))] @ missed[node.open]
        wins = np.maximum(0.0, wins + prices - node.penalties)
        most_more = node.room // int(complexities[node.rules].min(initial=1))
        best = np.sort(wins)[::-1][: max(0, most_more - 1)].sum()
        worst = node.excess + missed[node.open].sum() + spare_price * node.room
        alive = (node.excess + node.penalties <= loose) & (worst - wins - best <= loose)
        node = give_up(node, np.zeros(n_cells, dtype=bool), alive)
        lost = node.open & ~meets[node.rules].any(axis=0)
        node = give_up(node, lost, np.ones(len(node.rules), dtype=bool))
        if node.excess > loose or not len(node.rules):
            continue
        if node.open.any():
            cell = int(np.argmax(np.where(node.open, missed, -1.0)))
            covers_it = meets[node.rules, cell]
            others = ~covers_it
            rest = give_up(node, np.arange(n_cells) == cell, others)
            stack.append((rest, -1, np.ones(len(rest.rules), dtype=bool)))
            for position in np.flatnonzero(covers_it).tolist():
                stack.append((node, position, others))
                others = others.copy()
                others[position] = True
        else:
            for position in range(len(node.rules)):
                after = np.arange(len(node.rules)) > position
                stack.append((node, position, after))
    too_many = len(found) > most
    is_complete = not stack and not too_many
    if too_many:
        found.clear()
    starts = np.cumsum([0, *map(len, found)], dtype=np.int64)
    rules = np.array([k for rule_set in found for k in rule_set], dtype=np.int32)
    return rules, starts, is_complete, too_many, nodes
