"""References: what a rule set must beat to be worth reading.

Always the more frequent label of the training data, and a plain tree learned from it
(:mod:`faircg.plain_tree`), counted on the same people as the rule set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from faircg.evaluate.counts import total
from faircg.evaluate.gaps import gap_or_nan
from faircg.evaluate.part_results import part_result
from faircg.evaluate.shares import RATES, share_of
from faircg.fairness import GroupCounts
from faircg.printable import spoken_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from faircg.evaluate.part_results import PartResult
    from faircg.evaluate.shares import Share
    from faircg.fairness import Criterion, Family
    from faircg.model import RuleSetModel
    from faircg.typing import Value


@dataclass(frozen=True, slots=True)
class Reference:
    """How often something simple is right, and the gap that a criterion would see.

    The gap is None without a criterion, or if a group has nobody to count.
    """

    name: str
    accuracy: Share
    gap: float | None


def only_label(counts: GroupCounts, labels: tuple[Value, Value]) -> Value | None:
    """Return the label that everybody gets; None if both occur.

    Examples
    --------
    >>> only_label(GroupCounts(3, 0, 4, 0), ("no", "yes"))
    'yes'
    >>> only_label(GroupCounts(3, 0, 4, 1), ("no", "yes"))
    """
    n_positive = counts.true_positives + counts.false_positives
    if counts.total and n_positive in (0, counts.total):
        return labels[int(n_positive > 0)]
    return None


def with_references(
    part: PartResult,
    model: RuleSetModel,
    counts: Mapping[str, GroupCounts],
    by_tree: Mapping[str, GroupCounts] | None,
    criterion: Criterion | None = None,
    families: Sequence[Family] = (),
) -> PartResult:
    """Add to a result what is simpler, counted on the same people.

    ``counts`` are those of the finest parts of the people, ``by_tree`` the same of the
    plain tree's decisions; None if nobody knows them.
    """
    part = replace(part, only=only_label(part.overall.counts, model.labels))
    if not model.groups:
        return part
    trained = total(model.groups.values())
    often = int(trained.positives > trained.negatives)
    always = {
        name: GroupCounts(c.positives, 0, c.negatives, 0)
        if often
        else GroupCounts(0, c.positives, 0, c.negatives)
        for name, c in counts.items()
    }
    found = {f"always {spoken_value(model.labels[often])}": always}
    if by_tree:
        found["a plain tree of depth 4"] = dict(by_tree)
    references = []
    for name, of in found.items():
        right = share_of(*RATES["accuracy"](total(of.values())), parts=part.per_person)
        gap = gap_or_nan(of, criterion, families) if criterion else None
        known = None if gap is None or gap != gap else gap
        references.append(Reference(name, right, known))
    return replace(part, references=tuple(references))


def recorded_result(
    model: RuleSetModel,
    name: str,
    criterion: Criterion | None,
    *,
    held_out: bool = False,
) -> PartResult:
    """Describe what a model file records of training, or of held-out people."""
    counts, simple = model.groups, model.baseline
    by_tree = None if simple is None else simple.groups
    if held_out:
        counts = model.held_out
        by_tree = None if simple is None else simple.held_out
    part = part_result(
        name,
        counts,
        criterion,
        families=model.families,
        recorded=True,
        trained=model.group_names if held_out else (),
        per_person=model.asked.people_parts or 1,
    )
    return with_references(part, model, counts, by_tree, criterion, model.families)
