"""The searches in NumPy: fallback without a compiler, and oracle of the tests.

It explores the same tree with the same bounds as the compiled kernel, but keeps it
short: one matrix product weighs all children of a node, and prices stay floats.
"""

from __future__ import annotations

import heapq
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from faircg._kernel.bits import ConditionBits, count, unpack, weigh
from faircg._kernel.results import EnumerationResult, SearchResult, StopFlag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircg._kernel.results import Rules

Rule = tuple[int, ...]

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


@dataclass(eq=False)
class _Clock:
    """Whether to go on."""

    seconds: float
    stop: StopFlag | None
    start: float = field(default_factory=time.monotonic)

    def is_over(self) -> bool:
        """Whether the time is used up or somebody set the flag."""
        if self.stop is not None and self.stop.is_set():
            return True
        return time.monotonic() - self.start >= self.seconds


def search(
    bits: ConditionBits,
    prices: NDArray[np.float64],
    condition_price: float,
    max_conditions: int,
    *,
    cutoff: float = -1e-6,
    keep: int = 100,
    seconds: float = math.inf,
    stop: StopFlag | None = None,
) -> SearchResult:
    """As :func:`faircg._kernel.search`, for arguments that were checked there."""
    clock = _Clock(seconds, stop)
    priced = np.flatnonzero(prices)
    meets = unpack(bits.bits, bits.n_rows)[:, priced].T.astype(np.float64)
    prices_left = prices[priced]
    cost, gain = np.maximum(prices_left, 0.0), np.minimum(prices_left, 0.0)
    weights = np.column_stack([cost, gain])
    slack = 1e-12 * (np.abs(prices_left).sum() + condition_price)

    met = _Met(room=8 * keep + 64)
    best = cutoff
    nodes = 0
    all_gains = float(gain.sum()) + 2 * condition_price  # no rule is cheaper
    everything = np.arange(bits.n_conditions)
    stack = [_Node(all_gains, (), np.arange(len(priced)), everything)]
    while stack:
        node = stack.pop()
        if node.bound >= best - slack:
            continue
        if clock.is_over():
            stack.append(node)
            break
        size = len(node.rule) + 1
        nodes += len(node.candidates)
        paid, won = _sums(meets, weights, node)
        total = paid + won + condition_price * (1 + size)
        for c in np.flatnonzero(total < cutoff):
            met.offer(float(total[c]), _with(node.rule, node.candidates[c]))
        best = min(best, total.min(initial=math.inf))
        if size == max_conditions:
            continue
        removed = weights[node.rows, 0].sum() - paid
        alive = won + condition_price * (2 + size) < best - slack
        useful = np.flatnonzero(alive & (removed > condition_price + slack))
        useful = useful[np.lexsort((node.candidates[useful], won[useful]))]
        # Conditions with more gain come first and are the only ones that later
        # children may add (OPUS); the order alone makes every rule appear once.
        bounds = _bounds(
            bits.family[node.candidates[useful]],
            removed[useful],
            paid[useful],
            condition_price,
            max_conditions - size,
        )
        bounds += won[useful] + condition_price * (1 + size)
        opened = []
        for i in np.flatnonzero(bounds < best - slack):
            added = node.candidates[useful[i]]
            left = node.candidates[useful[:i]]
            left = left[bits.family[left] != bits.family[added]]
            if len(left):
                rows = node.rows[meets[node.rows, added] > 0]
                rule = _with(node.rule, added)
                opened.append(_Node(float(bounds[i]), rule, rows, left))
        opened.sort(key=lambda child: -child.bound)  # the smallest bound is on top
        stack.extend(opened)

    is_complete = not any(node.bound < best - slack for node in stack)
    open_bound = min((node.bound for node in stack), default=math.inf)
    rules, costs = choose(bits, prices, condition_price, met.rules(), cutoff, keep)
    bound = best if is_complete else min(best, open_bound)
    if len(costs):
        bound = min(bound, float(costs[0]))
    return SearchResult(rules, costs, is_complete, float(bound), nodes)


def enumerate_below(
    bits: ConditionBits,
    prices: NDArray[np.float64],
    condition_price: float,
    max_conditions: int,
    *,
    cutoff: float,
    most: int = 1_000_000,
    seconds: float = math.inf,
    stop: StopFlag | None = None,
) -> EnumerationResult:
    """As :func:`faircg._kernel.enumerate_below`, for arguments checked there."""
    clock = _Clock(seconds, stop)
    meets = unpack(bits.bits, bits.n_rows).T.astype(np.float64)
    cost, gain = np.maximum(prices, 0.0), np.minimum(prices, 0.0)
    weights = np.column_stack([cost, gain, np.ones(bits.n_rows)])
    limit = cutoff + 1e-12 * (np.abs(prices).sum() + condition_price)

    found: list[tuple[float, int, Rule]] = []
    everything = np.arange(bits.n_conditions)
    stack = [_Node(-math.inf, (), np.arange(bits.n_rows), everything)]
    while stack and len(found) <= most and not clock.is_over():
        node = stack.pop()
        size = len(node.rule) + 1
        paid, won, covered = _sums(meets, weights, node)
        total = paid + won + condition_price * (1 + size)
        for c in np.flatnonzero((total <= limit) & (covered > 0)):
            found.append((float(total[c]), size, _with(node.rule, node.candidates[c])))
        if size == max_conditions:
            continue
        # Adding a condition may be needed even if it changes nothing, so only the
        # plain bound counts here: whatever is added, it costs its price.
        alive = (won + condition_price * (2 + size) <= limit) & (covered > 0)
        bounds = _bounds(
            bits.family[node.candidates[alive]],
            weights[node.rows, 0].sum() - paid[alive],
            paid,
            condition_price,
            max_conditions - size,
            least=1,
        )
        bounds += won + condition_price * (1 + size)
        for i, c in enumerate(np.flatnonzero(alive)):
            left = node.candidates[alive][:i]
            left = left[bits.family[left] != bits.family[node.candidates[c]]]
            if len(left) and bounds[c] <= limit:
                rows = node.rows[meets[node.rows, node.candidates[c]] > 0]
                rule = _with(node.rule, node.candidates[c])
                stack.append(_Node(float(bounds[c]), rule, rows, left))

    too_many = len(found) > most
    if too_many:
        found.clear()
    found.sort()
    costs = np.array([item[0] for item in found])
    rules = tuple(item[2] for item in found)
    return EnumerationResult(rules, costs, not stack and not too_many, too_many)


def choose(
    bits: ConditionBits,
    prices: NDArray[np.float64],
    condition_price: float,
    rules: list[Rule],
    cutoff: float,
    keep: int,
) -> tuple[Rules, NDArray[np.float64]]:
    """Pick the best rules of different coverage, variants of a better rule last."""
    if not rules or keep == 0:
        return (), np.empty(0)
    short = sorted({_shortened(bits, rule) for rule in rules})
    packed = bits.cover(short)
    sizes = np.array([len(rule) for rule in short])
    costs = weigh(packed, prices) + condition_price * (1 + sizes)
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


def _sums(
    meets: NDArray[np.float64], weights: NDArray[np.float64], node: _Node
) -> NDArray[np.float64]:
    """Sum the weights over the rows of each child, (n_weights, n_candidates)."""
    if 8 * len(node.rows) > len(meets):  # copying many rows costs more than it saves
        inside = np.zeros_like(weights)
        inside[node.rows] = weights[node.rows]
        return np.asarray((inside.T @ meets)[:, node.candidates])
    return np.asarray(weights[node.rows].T @ meets[node.rows])[:, node.candidates]


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
