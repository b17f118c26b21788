"""Groups as they are told in a terminal: with their attribute, and who is selected."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from faircg.evaluate import PartResult

FOUR_FIFTHS = 0.8
"""Impact ratio below which an effect is called adverse by the rule of that name."""


def with_attribute(part: PartResult, columns: Sequence[str]) -> PartResult:
    """Name the groups of one column with it, as those of several columns are.

    Examples
    --------
    >>> from faircg.evaluate import part_result
    >>> from faircg.fairness import GroupCounts
    >>> counts = {"no": GroupCounts(1, 1, 1, 1), "yes": GroupCounts(1, 1, 0, 2)}
    >>> part = with_attribute(part_result("data", counts, None), ["member"])
    >>> [group.name for group in part.groups]
    ['member = no', 'member = yes']
    """
    if len(columns) != 1:
        return part

    def named(group: str) -> str:
        return f"{columns[0]} = {group}" if group in known else group

    known = {group.name for group in part.groups} if len(part.groups) > 1 else set()
    return replace(
        part,
        groups=tuple(replace(group, name=named(group.name)) for group in part.groups),
        gaps=tuple(
            replace(gap, lowest=named(gap.lowest), highest=named(gap.highest))
            for gap in part.gaps
        ),
    )


def impact_lines(part: PartResult) -> Iterator[str]:
    """Say how the lowest selection rate compares with the highest.

    Examples
    --------
    >>> from faircg.evaluate import part_result
    >>> from faircg.fairness import GroupCounts
    >>> counts = {"a": GroupCounts(1, 1, 0, 2), "b": GroupCounts(2, 0, 0, 2)}
    >>> print(*impact_lines(part_result("data", counts, None)))
    impact ratio: 0.5000, below four fifths (selected: a 25.0%, b 50.0%)
    """
    rates = {g.name: g.shares["selection rate"].value for g in part.groups}
    for gap in part.gaps:
        about = gap.rate.removeprefix("selection rate")
        if gap.kind != "difference" or about == gap.rate or gap.value is None:
            continue
        low, high = rates.get(gap.lowest), rates.get(gap.highest)
        if low is None or high is None:
            continue
        title = f"impact ratio{about}"
        if not high:
            yield f"{title}: nobody is selected in any group"
            continue
        is_less = "below" if low / high < FOUR_FIFTHS else "not below"
        yield (
            f"{title}: {low / high:.4f}, {is_less} four fifths (selected: "
            f"{gap.lowest} {low:.1%}, {gap.highest} {high:.1%})"
        )
