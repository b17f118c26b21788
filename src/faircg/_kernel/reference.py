"""The searches in NumPy: fallback without a compiler, and oracle of the tests.

It explores the same tree with the same bounds as the compiled kernel, but keeps it
short: one matrix product weighs all children of a node, and prices stay floats.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from faircg._kernel.bits import ConditionBits, count, unpack, weigh
from faircg._kernel.results import EnumerationResult, SearchResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircg._kernel.limits import Limits
    from faircg._kernel.priced_bits import PricedBits
    from faircg._kernel.results import Rule, Rules

SIMILAR = 0.9
"""Rules whose coverages overlap more than this (Jaccard) count as variants."""


@dataclass(frozen=True, eq=False)
class _Node:
    """A rule under extension: its rows, and the conditions it may still get."""

    bound: float  # no extension has a smaller reduced cost
    rule: Rule
    rows: NDArray[np.intp]
    candidates: NDArray[np.intp]


@dataclass(eq=False)
class _Met:
    """The best rules met so far, at most ``room`` of them."""

    room: int
    heap: list[tuple[float, int, Rule]] = field(default_factory=list)

    def offer(self, cost: float, rule: Rule) -> None:
        """Keep the rule if it is among the best; ties go to the shorter."""
        item = (-cost, -len(rule), tuple(-j for j in rule))
        if len(self.heap) < self.room:
            heapq.heappush(self.heap, item)
        elif self.heap and item > self.heap[0]:
            heapq.heapreplace(self.heap, item)

    def rules(self) -> list[Rule]:
        """Best first."""
        return [tuple(-j for j in item[2]) for item in sorted(self.heap, reverse=True)]


@dataclass(frozen=True, eq=False)
class _Tree:
    """All rules of some conditions, and what is summed over the rows they cover."""

    priced: PricedBits
    meets: NDArray[np.float64]  # (n_rows, n_conditions)
    weights: NDArray[np.float64]  # (n_rows, n_sums): paid, won, more

    @classmethod
    def over(cls, priced: PricedBits, rows: NDArray[np.intp], *more: float) -> Self:
        """Take some of the rows; ``more`` are further weights, equal for all rows."""
        bits, prices = priced.bits, priced.prices[rows]
        meets = unpack(bits.bits, bits.n_rows)[:, rows].T.astype(np.float64)
        columns = [np.maximum(prices, 0.0), np.minimum(prices, 0.0)]
        columns += [np.full(len(rows), weight) for weight in more]
        return cls(priced, meets, np.column_stack(columns))

    def root(self, bound: float) -> _Node:
        """Return the rule without conditions."""
        everything = np.arange(self.priced.bits.n_conditions)
        return _Node(bound, (), np.arange(len(self.meets)), everything)

    def sums(self, node: _Node) -> NDArray[np.float64]:
        """Sum the weights over the rows of each child, (n_sums, n_candidates)."""
        rows, weights, meets = node.rows, self.weights, self.meets
        if 8 * len(rows) > len(meets):  # copying many rows costs more than it saves
            inside = np.zeros_like(weights)
            inside[rows] = weights[rows]
            return np.asarray((inside.T @ meets)[:, node.candidates])
        return np.asarray(weights[rows].T @ meets[rows])[:, node.candidates]

    def price_of(self, n_conditions: int) -> float:
        """Return what a rule pays for its conditions and for itself."""
        return self.priced.condition_price * (1 + n_conditions)

    def children(
        self,
        node: _Node,
        candidates: NDArray[np.intp],
        opened: NDArray[np.intp],
        bounds: NDArray[np.float64],
    ) -> list[_Node]:
        """Open some children, which may add only the candidates before them (OPUS)."""
        family = self.priced.bits.family
        children = []
        for i in opened:
            left = candidates[:i]
            left = left[family[left] != family[candidates[i]]]
            if len(left):
                rows = node.rows[self.meets[node.rows, candidates[i]] > 0]
                rule = _with(node.rule, candidates[i])
                children.append(_Node(float(bounds[i]), rule, rows, left))
        return children


def search(
    priced: PricedBits, *, cutoff: float, keep: int, limits: Limits
) -> SearchResult:
    """As :func:`faircg._kernel.search`, for arguments that were checked there."""
    is_over = limits.clock()
    price, depth = priced.condition_price, priced.max_conditions
    rows = np.flatnonzero(priced.prices)
    tree = _Tree.over(priced, rows)
    slack = 1e-12 * (np.abs(priced.prices[rows]).sum() + price)
    met = _Met(room=8 * keep + 64)
    best, nodes = cutoff, 0
    all_gains = float(tree.weights[:, 1].sum()) + 2 * price  # no rule is cheaper
    stack = [tree.root(all_gains)]
    while stack:
        node = stack.pop()
        if node.bound >= best - slack:
            continue
        if is_over(len(node.candidates) * priced.bits.n_words):
            stack.append(node)
            break
        size = len(node.rule) + 1
        nodes += len(node.candidates)
        paid, won = tree.sums(node)
        total = paid + won + tree.price_of(size)
        for c in np.flatnonzero(total < cutoff):
            met.offer(float(total[c]), _with(node.rule, node.candidates[c]))
        best = min(best, total.min(initial=math.inf))
        if size == depth:
            continue
        removed = tree.weights[node.rows, 0].sum() - paid
        alive = won + tree.price_of(size + 1) < best - slack
        useful = np.flatnonzero(alive & (removed > price + slack))
        # Conditions with more gain come first.
        useful = useful[np.lexsort((node.candidates[useful], won[useful]))]
        candidates = node.candidates[useful]
        families = priced.bits.family[candidates]
        bounds = _bounds(families, removed[useful], paid[useful], price, depth - size)
        bounds += won[useful] + tree.price_of(size)
        opened = np.flatnonzero(bounds < best - slack)
        children = tree.children(node, candidates, opened, bounds)
        children.sort(key=lambda child: -child.bound)  # the smallest bound is on top
        stack.extend(children)

    is_complete = not any(node.bound < best - slack for node in stack)
    open_bound = min((node.bound for node in stack), default=math.inf)
    rules, costs = choose(priced, met.rules(), cutoff, keep)
    bound = best if is_complete else min(best, open_bound)
    if len(costs):
        bound = min(bound, float(costs[0]))
    return SearchResult(rules, costs, is_complete, float(bound), nodes)


def enumerate_below(
    priced: PricedBits, *, cutoff: float, most: int, limits: Limits
) -> EnumerationResult:
    """As :func:`faircg._kernel.enumerate_below`, for arguments checked there."""
    is_over = limits.clock()
    price, depth = priced.condition_price, priced.max_conditions
    tree = _Tree.over(priced, np.arange(priced.bits.n_rows), 1.0)
    limit = cutoff + 1e-12 * (np.abs(priced.prices).sum() + price)
    found: list[tuple[float, int, Rule]] = []
    stack = [tree.root(-math.inf)]
    while stack and len(found) <= most:
        if is_over(len(stack[-1].candidates) * priced.bits.n_words):
            break
        node = stack.pop()
        size = len(node.rule) + 1
        paid, won, covered = tree.sums(node)
        total = paid + won + tree.price_of(size)
        for c in np.flatnonzero((total <= limit) & (covered > 0)):
            found.append((float(total[c]), size, _with(node.rule, node.candidates[c])))
        if size == depth:
            continue
        # Adding a condition may be needed even if it changes nothing, so only the
        # plain bound counts here: whatever is added, it costs its price.
        alive = (won + tree.price_of(size + 1) <= limit) & (covered > 0)
        candidates, paid = node.candidates[alive], paid[alive]
        families = priced.bits.family[candidates]
        removed = tree.weights[node.rows, 0].sum() - paid
        bounds = _bounds(families, removed, paid, price, depth - size, least=1)
        bounds += won[alive] + tree.price_of(size)
        stack += tree.children(
            node, candidates, np.flatnonzero(bounds <= limit), bounds
        )

    too_many = len(found) > most
    if too_many:
        found.clear()
    found.sort()
    costs = np.array([item[0] for item in found])
    rules = tuple(item[2] for item in found)
    return EnumerationResult(rules, costs, not stack and not too_many, too_many)


def choose(
    priced: PricedBits, rules: list[Rule], cutoff: float, keep: int
) -> tuple[Rules, NDArray[np.float64]]:
    """Pick the best rules of different coverage, variants of a better rule last."""
    if not rules or keep == 0:
        return (), np.empty(0)
    bits = priced.bits
    short = sorted({_shortened(bits, rule) for rule in rules})
    packed = bits.cover(short)
    sizes = np.array([len(rule) for rule in short])
    costs = weigh(packed, priced.prices)
    costs += priced.condition_price * (1 + sizes)
    order = sorted(range(len(short)), key=lambda k: (costs[k], sizes[k], short[k]))
    seen: set[bytes] = set()
    chosen: list[int] = []
    variants: list[int] = []
    for k in order:
        key = packed[k].tobytes()
        if costs[k] >= cutoff or key in seen or len(chosen) == keep:
            continue
        seen.add(key)
        (variants if _is_variant(packed[k], packed[chosen]) else chosen).append(k)
    picked = sorted(
        chosen + variants[: keep - len(chosen)],
        key=lambda k: (costs[k], sizes[k], short[k]),
    )
    return tuple(short[k] for k in picked), costs[picked]


def _with(rule: Rule, condition: int) -> Rule:
    return tuple(sorted((*rule, int(condition))))


def _is_variant(one: NDArray[np.uint64], others: NDArray[np.uint64]) -> bool:
    both = count(one & others)
    either = count(one | others)
    return bool(np.any(both > SIMILAR * either))


def _shortened(bits: ConditionBits, rule: Rule) -> Rule:
    """Without the conditions that change nothing, the last ones dropped first."""
    covered = bits.cover([rule])
    for condition in reversed(rule):
        rest = tuple(j for j in rule if j != condition)
        if rest and np.array_equal(bits.cover([rest]), covered):
            rule = rest
    return rule


def _largest_per_family(
    family: NDArray[np.int32], removed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the largest removal of each family, largest first."""
    by_family: dict[int, float] = {}
    for f, value in zip(family.tolist(), removed.tolist(), strict=True):
        by_family[f] = max(value, by_family.get(f, 0.0))
    return np.sort(np.array(list(by_family.values())))[::-1]


def _bounds(
    family: NDArray[np.int32],
    removed: NDArray[np.float64],
    paid: NDArray[np.float64],
    condition_price: float,
    more: int,
    least: int = 0,
) -> NDArray[np.float64]:
    """Least that ``least`` to ``more`` further conditions leave to pay, per child."""
    best = np.full(len(paid), math.inf)
    steps = np.cumsum(_largest_per_family(family, removed)[:more])
    for t, taken in enumerate([0.0, *steps]):
        if t >= least:
            left = condition_price * t + np.maximum(0.0, paid - taken)
            best = np.minimum(best, left)
    return best
