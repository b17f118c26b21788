"""What a fit and a search both need: groups, limits, first rules, messages."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from faircg.groups import Groups, groups_of
from faircg.mining import MINERS
from faircg.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from faircg.binarize import ConditionBinarizer
    from faircg.colgen.pricing.base import Pricer
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.fairness import Criterion
    from faircg.rules import Condition
    from faircg.typing import Conditions

DEFAULT_CONDITIONS = 6
"""Conditions per rule when ``max_conditions`` is None and pricing is not exact."""
MINING_SHARE = 0.1
"""Part of the time that mining first rules may take."""


def groups_for(
    criterion: Criterion | None,
    sensitive_features: Any,
    n_rows: int,
    *,
    missing: str = "raise",
) -> Groups:
    """Read the groups that a criterion compares; one of all people without both."""
    if sensitive_features is None and criterion is not None:
        raise ValueError(
            f"constraint={criterion.name!r} compares groups; pass "
            "sensitive_features=... to fit"
        )
    return groups_of(sensitive_features, n_rows, missing=missing)


def depths_for(
    binarizer: ConditionBinarizer,
    max_complexity: int,
    max_conditions: int | None,
    pricing: str | Pricer,
) -> tuple[int, ...]:
    """Return the limits D to go through, step by step.

    More conditions than there are families, or than C allows, cannot help.
    """
    useful = max(1, int(binarizer.families_.max(initial=-1)) + 1)
    most = max(1, min(useful, int(max_complexity) - 1))
    if max_conditions is not None:
        return (min(int(max_conditions), most),)
    if pricing != "exact":
        return (min(DEFAULT_CONDITIONS, most),)
    return tuple(range(min(2, most), most + 1))


def first_rules(
    source: str | Iterable[Rule] | None,
    problem: Problem,
    binarizer: ConditionBinarizer,
    *,
    max_conditions: int,
    seed: int,
    deadline: Deadline,
) -> set[Conditions]:
    """Return the rules to begin with: mined, given, or none."""
    if source is None or not binarizer.conditions_:
        return set()
    if not isinstance(source, str):
        return {_numbered(rule, binarizer.conditions_) for rule in source}
    if source not in MINERS:
        raise ValueError(
            f"warm_start_rules={source!r} is not known; use one of "
            f"{sorted(MINERS)}, None or rules"
        )
    share = deadline.within(MINING_SHARE * deadline.remaining())
    return MINERS[source](problem, max_conditions, seed, share)


@contextmanager
def messages(verbose: int, name: str = "faircg") -> Iterator[None]:
    """Let messages of a logger through, as far as ``verbose`` asks for them."""
    if not verbose:
        yield
        return
    source = logging.getLogger(name)
    before, handler = source.level, logging.StreamHandler()
    source.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    source.addHandler(handler)
    try:
        yield
    finally:
        source.removeHandler(handler)
        source.setLevel(before)


def _numbered(rule: Rule, conditions: tuple[Condition, ...]) -> Conditions:
    if not isinstance(rule, Rule):
        raise ValueError(f"warm_start_rules must be rules (faircg.Rule), not {rule!r}")
    number = {condition: j for j, condition in enumerate(conditions)}
    unknown = [str(c) for c in rule.conditions if c not in number]
    if unknown:
        raise ValueError(
            f"warm_start_rules: {unknown[0]!r} is not a condition of this table; "
            "conditions use the binarizer's cut points and categories"
        )
    return tuple(sorted(number[c] for c in rule.conditions))
