"""What a rule set does to the people of one part of the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from faircg.evaluate.counts import group_totals, total
from faircg.evaluate.gaps import Gap, gaps_of
from faircg.evaluate.shares import Share, shares_of
from faircg.groups import EVERYBODY
from faircg.printable import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from faircg.evaluate.references import Reference
    from faircg.fairness import Criterion, Family, GroupCounts
    from faircg.typing import Value


@dataclass(frozen=True, slots=True)
class GroupResult:
    """What a rule set does to one group: counts, and the usual rates by name."""

    name: str
    counts: GroupCounts
    shares: Mapping[str, Share]


@dataclass(frozen=True, slots=True)
class PartResult:
    """What a rule set does to the people of one part of the data.

    Gaps that the criterion bounds come first, then the usual ones. ``recorded`` counts
    come from the model file, not from data given now. Groups of the training data are
    ``absent`` if they have nobody here; ``unknown`` groups were not in it. The
    ``references`` are what is simpler, and ``only`` is the label that everybody gets,
    if that is so.
    """

    name: str
    groups: tuple[GroupResult, ...]
    overall: GroupResult
    gaps: tuple[Gap, ...]
    recorded: bool = False
    absent: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    per_person: int = 1
    references: tuple[Reference, ...] = ()
    only: Value | None = None

    @property
    def impact_ratios(self) -> dict[str, float | None]:
        """Selection rate of each group as a share of the highest; None of nobody."""
        rates = {g.name: g.shares["selection rate"].value for g in self.groups}
        highest = max((rate for rate in rates.values() if rate), default=None)
        return {
            name: None if rate is None or highest is None else rate / highest
            for name, rate in rates.items()
        }

    @property
    def lines(self) -> tuple[GroupResult, ...]:
        """The groups, where there are several, and everybody."""
        return (*(self.groups if len(self.groups) > 1 else ()), self.overall)

    @property
    def watched(self) -> tuple[Gap, ...]:
        """The gaps that the criterion is about, with a limit or without."""
        return tuple(gap for gap in self.gaps if gap.limit is not None)

    @property
    def bounded(self) -> tuple[Gap, ...]:
        """The gaps for which a limit was set."""
        return tuple(gap for gap in self.gaps if gap.is_bounded)

    @property
    def within(self) -> bool | None:
        """Whether all bounds hold; None if that is not known.

        A group that is not here may be the one that differs, so that its absence leaves
        the question open.
        """
        answers = [gap.within for gap in self.bounded]
        if not answers:
            return None
        if False in answers:
            return False
        return None if None in answers or self.absent else True

    @property
    def notes(self) -> tuple[str, ...]:
        """Which groups of the training data are not here, and which are new."""
        here, notes = f"“{shown(self.name, 40)}”", []
        if self.per_person > 1:
            notes.append(
                f"The weights of {here} have decimals: people are counted in parts, "
                f"and all counts are {self.per_person:,} times the weights."
            )
        if self.absent:
            notes.append(
                f"{_named(self.absent)} of the training data has nobody in {here}: "
                "what is not there is not compared, so that nothing can be said to be "
                "satisfied."
            )
        if self.unknown:
            notes.append(
                f"{_named(self.unknown)} in {here} was not in the training data."
            )
        return tuple(notes)

    def gap_of(self, rate: str) -> Gap | None:
        """Return the gap of one rate; None if it was not measured here."""
        return next((gap for gap in self.gaps if gap.rate == rate), None)

    @property
    def widest(self) -> Gap | None:
        """What leaves the least room within its limit; None without a bound."""
        known = [gap for gap in self.bounded if gap.value is not None]
        return min(known, key=lambda gap: gap.room) if known else None

    @property
    def largest_gap(self) -> float | None:
        """The largest gap of the criterion's rates; None if it is not known."""
        gaps = [gap.value for gap in self.watched if gap.kind == "difference"]
        if not gaps or None in gaps:
            return None
        return float(max(gap for gap in gaps if gap is not None))


def _named(groups: tuple[str, ...]) -> str:
    names = ", ".join(shown(group, 60) for group in groups)
    return f"The group {names}" if len(groups) == 1 else f"Each of the groups {names}"


def part_result(
    name: str,
    counts: Mapping[str, GroupCounts],
    criterion: Criterion | None,
    *,
    families: Sequence[Family] = (),
    recorded: bool = False,
    trained: Collection[str] = (),
    per_person: int = 1,
) -> PartResult:
    """Describe one part of the data from the counts of the finest parts of its people.

    The groups of each of the ``families`` are compared; without any, every part is a
    group. ``trained`` are the groups of the training data, to say who is not here.
    Where weights have decimals, ``per_person`` are counted for each person, and gaps
    have no interval.
    """
    here = group_totals(counts, families)
    compared = {
        part for family in families for g in family.groups.values() for part in g
    }
    strangers = [part for part in counts if families and part not in compared]
    # Other groups altogether (another column) are not compared with those of training.
    is_same_column = bool({*here} & {*trained})
    everybody = total(counts.values())
    gaps = gaps_of(counts, criterion, families)
    if per_person > 1:
        gaps = tuple(replace(gap, low=None, high=None) for gap in gaps)
    return PartResult(
        name=name,
        groups=tuple(
            GroupResult(name, inside, shares_of(inside, parts=per_person))
            for name, inside in here.items()
        ),
        overall=GroupResult(
            EVERYBODY, everybody, shares_of(everybody, parts=per_person)
        ),
        gaps=gaps,
        per_person=per_person,
        recorded=recorded,
        absent=tuple(g for g in trained if is_same_column and g not in here),
        unknown=tuple(
            g for g in (*here, *strangers) if is_same_column and g not in trained
        ),
    )
