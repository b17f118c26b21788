"""People per rule: how many each rule covers, of which groups, and which labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.evaluate.shares import Share, share_of
from faircg.fairness.metrics import count_people

if TYPE_CHECKING:
    from collections.abc import Mapping

    from faircg.evaluate.coverage import Coverage
    from faircg.groups import Groups
    from faircg.typing import BoolVector

NEARLY_ALL: Final = 0.95
"""Share of a rule's people from which on they are nearly all of one group."""
NEARLY_EVERYBODY: Final = 0.9
"""Share of everybody from which on a group is too large for that to mean anything."""
FEWEST_COVERED: Final = 20
"""People that a rule must cover for it to be looked at."""


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The people that one rule covers, of everybody, or that any rule covers.

    ``only_this`` counts those that no other rule covers (for any rule: that one rule
    covers), ``newly`` those that no rule above covers. ``precision`` is the share with
    the positive label, None without labels; ``groups`` has the covered people of each
    group.
    """

    covered: Share
    only_this: int
    newly: int
    precision: Share | None = None
    groups: Mapping[str, Share] = field(default_factory=dict)

    @property
    def one_sided(self) -> str | None:
        """The group that nearly all covered people are of, though it is not everybody.

        What such a rule tests may stand in for the group.
        """
        n_covered, n_people = self.covered.count, self.covered.size
        if n_covered < FEWEST_COVERED:
            return None
        for name, inside in self.groups.items():
            is_nearly_all = inside.count >= NEARLY_ALL * n_covered
            if is_nearly_all and inside.size < NEARLY_EVERYBODY * n_people:
                return name
        return None


def rule_results(
    coverage: Coverage,
    is_positive: BoolVector | None = None,
    groups: Groups | None = None,
) -> tuple[RuleResult, ...]:
    """Count the people that each rule covers; the last entry is about any rule."""
    times, any_rule = coverage.times, coverage.any
    everybody = np.ones(len(times), dtype=bool)
    n_people = coverage.people(everybody)

    def result(covered: BoolVector, above: BoolVector) -> RuleResult:
        n_covered = coverage.people(covered)
        precision = None
        if is_positive is not None:
            precision = share_of(coverage.people(covered & is_positive), n_covered)
        return RuleResult(
            covered=share_of(n_covered, n_people),
            only_this=coverage.people(covered & (times == 1)),
            newly=coverage.people(covered & ~above),
            precision=precision,
            groups=_by_group(coverage, covered, groups),
        )

    above = ~everybody
    results = []
    for covered in coverage.masks:
        results.append(result(covered, above))
        above = above | covered
    return (*results, result(any_rule, ~everybody))


def _by_group(
    coverage: Coverage, covered: BoolVector, groups: Groups | None
) -> dict[str, Share]:
    if groups is None:
        return {}
    weights = coverage.weights
    if weights is None:
        weights = np.ones(len(covered), dtype=np.int64)
    inside, sizes = (
        count_people(rows, groups.codes, weights, len(groups.names)).tolist()
        for rows in (covered, np.ones_like(covered))
    )
    return {
        name: share_of(count, size)
        for name, count, size in zip(groups.names, inside, sizes, strict=True)
    }
