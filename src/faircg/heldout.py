"""People who were held out of a fit: counts, accuracy and gaps of predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from faircg.fairness import GroupSizes
from faircg.fairness.metrics import count_people, gap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from faircg.fairness import Criterion
    from faircg.groups import Groups
    from faircg.typing import BoolVector, IntVector

COUNTS = ("true_positives", "false_negatives", "false_positives", "true_negatives")
"""What is counted for each group of the test part."""


def count_predictions(
    covered: BoolVector, is_positive: BoolVector, codes: IntVector, groups: Groups
) -> dict[str, IntVector]:
    """Count the people of each group by true label and prediction."""
    masks = {
        "true_positives": is_positive & covered,
        "false_negatives": is_positive & ~covered,
        "false_positives": ~is_positive & covered,
        "true_negatives": ~is_positive & ~covered,
    }
    ones = np.ones(len(codes), dtype=np.int64)
    return {
        kind: count_people(mask, codes, ones, len(groups.names))
        for kind, mask in masks.items()
    }


def accuracy(counts: Mapping[str, IntVector]) -> float:
    """Return the share of right predictions."""
    right = counts["true_positives"].sum() + counts["true_negatives"].sum()
    return float(right / sum(counts[kind].sum() for kind in COUNTS))


def largest_gap(
    counts: Mapping[str, IntVector],
    names: tuple[str, ...],
    criterion: Criterion | None,
) -> float:
    """Return the criterion's largest gap; an error if a group has nobody to count."""
    if criterion is None:
        return 0.0
    missed, covered = counts["false_negatives"], counts["false_positives"]
    sizes = GroupSizes(
        names, counts["true_positives"] + missed, covered + counts["true_negatives"]
    )
    rates = criterion.rates(sizes)
    return max(float(gap(rate, missed, covered)) for rate in rates)


def gap_or_nan(
    counts: Mapping[str, IntVector],
    names: tuple[str, ...],
    criterion: Criterion | None,
) -> float:
    """Return the criterion's largest gap; NaN if a group has nobody to count."""
    try:
        return largest_gap(counts, names, criterion)
    except ValueError:
        return float("nan")
