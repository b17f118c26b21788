"""Simplify: the same decisions for every person there could be, with less to read.

Rules see a feature through a few bins of its values (:mod:`faircg.explain.bins`), one
of which is "missing". So a rule is a box, a set of bins of each feature that it tests,
and whether some rules cover all that another covers is decided exactly: for values
that nobody had in training as well.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from faircg.explain.bins import choice_bins, number_bins
from faircg.rules import Condition, Rule, RuleSet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from faircg.table import Kind

Box: TypeAlias = dict[str, frozenset[int]]
"""The bins of each feature that a rule tests; features that it does not are absent."""
MOST_PIECES: Final = 2000
"""Pieces of one rule that are looked at before it is kept as it is."""


def simplified(rule_set: RuleSet, kinds: Mapping[str, Kind]) -> RuleSet:
    """Return a rule set that decides everything alike and is no more complex.

    Conditions and rules that change no decision are left out, whatever the values,
    missing ones and categories never seen among them; two rules that only differ in one
    feature, of which they take every value, become one that asks for its presence.

    Parameters
    ----------
    rule_set
        The rules.
    kinds
        Kind of each feature that they test.

    Examples
    --------
    >>> young, old = Condition("age", "<=", 30), Condition("age", ">", 30)
    >>> rules = RuleSet((Rule((young,)), Rule((old,))))
    >>> print(simplified(rules, {"age": "numeric"}))
    Predict positive if
        age is present
    """
    rules = [*rule_set.rules]
    shapes = _Shapes(rules, kinds)
    rules = [rule for rule in rules if all(shapes.box(rule).values())]
    step: list[Rule] | None = rules
    while step is not None:
        rules = step
        step = (
            _shorter(rules, shapes) or _fewer(rules, shapes) or _joined(rules, shapes)
        )
    return replace(rule_set, rules=tuple(rules))


class _Shapes:
    """The boxes of rules: which bins of a feature meet each condition."""

    def __init__(self, rules: Sequence[Rule], kinds: Mapping[str, Kind]) -> None:
        conditions = {c for rule in rules for c in rule.conditions}
        features = {c.feature for c in conditions}
        conditions |= {Condition(name, "is present") for name in features}
        self._met: dict[Condition, frozenset[int]] = {}
        self.every: Box = {}
        for name in features:
            own = [c for c in conditions if c.feature == name]
            if kinds[name] == "numeric":
                column = number_bins(name, own, None, whole=False).column()
            else:
                column = choice_bins(name, own, kinds[name], ()).column()
            self.every[name] = frozenset(range(len(column.values)))
            for condition in own:
                met = np.flatnonzero(condition.holds(column))
                self._met[condition] = frozenset(met.tolist())

    def box(self, rule: Rule) -> Box:
        """Return the bins that meet all conditions of a rule."""
        box: Box = {}
        for c in rule.conditions:
            box[c.feature] = box.get(c.feature, self.every[c.feature]) & self._met[c]
        return box

    def covers(self, rules: Sequence[Rule], rule: Rule) -> bool:
        """Say whether some rules cover all that another does; no if it takes long."""
        return self._is_inside(self.box(rule), [*map(self.box, rules)], [MOST_PIECES])

    def _is_inside(self, box: Box, others: list[Box], left: list[int]) -> bool:
        left[0] -= 1
        for position, other in enumerate(others):
            inside = {f: box.get(f, self.every[f]) & bins for f, bins in other.items()}
            if left[0] < 0 or not all(inside.values()):
                continue
            rest = dict(box)
            for feature, bins in inside.items():
                outside = rest.get(feature, self.every[feature]) - bins
                piece = {**rest, feature: outside}
                if outside and not self._is_inside(piece, others[position + 1 :], left):
                    return False
                rest[feature] = bins
            return True
        return False


def _shorter(rules: list[Rule], shapes: _Shapes) -> list[Rule] | None:
    """Leave out one condition of a rule, if all that it then covers is covered."""
    for position, rule in enumerate(rules):
        for condition in rule.conditions:
            kept = tuple(c for c in rule.conditions if c != condition)
            if kept and shapes.covers(rules, Rule(kept)):
                return [*rules[:position], Rule(kept), *rules[position + 1 :]]
    return None


def _fewer(rules: list[Rule], shapes: _Shapes) -> list[Rule] | None:
    """Leave out one rule, the longest first, if the others cover all that it does."""
    for rule in sorted(rules, reverse=True):
        others = [other for other in rules if other is not rule]
        if others and shapes.covers(others, rule):
            return others
    return None


def _joined(rules: list[Rule], shapes: _Shapes) -> list[Rule] | None:
    """Join two rules that take, of one feature, every value that is present."""
    for one, other in combinations(rules, 2):
        boxes = shapes.box(one), shapes.box(other)
        differing = [f for f in boxes[0] if boxes[0][f] != boxes[1].get(f)]
        if len(differing) != 1 or boxes[0].keys() != boxes[1].keys():
            continue
        (feature,) = differing
        shared = tuple(c for c in one.conditions if c.feature != feature)
        whole = Rule((*shared, Condition(feature, "is present")))
        if boxes[0][feature] | boxes[1][feature] == shapes.box(whole)[feature]:
            return [whole, *(rule for rule in rules if rule not in (one, other))]
    return None
