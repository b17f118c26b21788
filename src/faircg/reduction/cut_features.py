"""Numeric features cut into few intervals, from the numbers that occur and how often.

A rule can only tell on which side of a cut point a number is. So of a feature all that
matters is the interval of each person's number, and of the numbers themselves how many
people of each label have which: a small table, from which the cut points come.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from faircg.cuts import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from faircg.features import NumericRange
    from faircg.typing import FloatVector, IntVector

logger = logging.getLogger(__name__)

MOST_LEVELS: Final = 100_000
"""Different numbers of a feature beyond which cut points come from some of them."""
STEPS: Final = 1e6 * (5**0.5 - 1)
"""Steps in which a range is gone through to take some of its numbers: no whole one."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The numbers of a feature, sorted, and the people of each label who have them."""

    values: FloatVector
    negatives: IntVector
    positives: IntVector

    def cuts(self, way: str, parts: int) -> list[float]:
        """Return the cut points of one of the :data:`~faircg.cuts.THRESHOLDS`."""
        people = np.concatenate([self.negatives, self.positives])
        values, has_label = np.tile(self.values, 2), people > 0
        labels = np.repeat([False, True], len(self.values))
        return THRESHOLDS[way](
            values[has_label], labels[has_label], people[has_label], parts
        )


@dataclass(frozen=True, slots=True)
class Cutting:
    """How numeric features are cut: in one way, but for cut points given by hand."""

    way: str
    parts: int
    given: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def of(self, name: str, levels: Levels, known: NumericRange) -> CutFeature:
        """Cut a feature whose numbers are in that range."""
        if name in self.given:
            cuts = np.array(sorted({float(cut) for cut in self.given[name]}))
        else:
            cuts = np.array(levels.cuts(self.way, self.parts), dtype=float)
        examples = np.append(cuts, known.high)
        interval = np.searchsorted(cuts, levels.values, side="left")
        is_answer = np.isin(levels.values, (0.0, 1.0))
        order = np.lexsort((levels.values, is_answer, interval))
        present, first = np.unique(interval[order], return_index=True)
        examples[present] = levels.values[order][first]
        return CutFeature(tuple(cuts.tolist()), examples, known)


@dataclass(frozen=True, slots=True, eq=False)
class CutFeature:
    """Cut points of a feature, a number of each interval, and the range of all.

    The number stands for all of its interval. It is neither 0 nor 1 if others are
    there, so that a feature that is always 0 or 1 is one afterwards, and no other is.
    """

    cuts: tuple[float, ...]
    examples: FloatVector
    range: NumericRange

    def codes(self, values: FloatVector) -> IntVector:
        """Return the interval of each number; a missing one is of the last."""
        found: IntVector = np.searchsorted(self.cuts, values, side="left")
        return np.minimum(found, len(self.cuts))

    def decoded(self, codes: FloatVector) -> FloatVector:
        """Return the examples of intervals, by number; of a missing one none."""
        places = np.where(np.isnan(codes), len(self.examples), codes).astype(np.int64)
        found: FloatVector = np.append(self.examples, np.nan)[places]
        return found


def sampled_share(name: str, n_levels: int) -> float:
    """Return the share of a feature's different numbers that cut points come from."""
    if n_levels <= MOST_LEVELS:
        return 1.0
    logger.info(
        "%r has %d different numbers; cut points come from about %d of them",
        name,
        n_levels,
        MOST_LEVELS,
    )
    return MOST_LEVELS / n_levels


def is_sampled(values: FloatVector, known: NumericRange, share: float) -> IntVector:
    """Say which numbers are looked at: as good as by chance, but always the same.

    A number decides it by itself, by arithmetic that every database does alike.
    """
    steps = (values - known.low) / known.scale * STEPS
    return np.flatnonzero(steps - np.floor(steps) < share)
