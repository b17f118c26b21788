"""The pooled frontier of a search: what no other point beats on held-out people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from faircg.evaluate.counts import KINDS
from faircg.evaluate.gaps import gap_or_nan
from faircg.fairness import GroupCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from faircg.fairness import Criterion, Family

AVERAGED: Final = (
    "train_accuracy",
    "test_accuracy",
    "train_gap",
    "test_gap",
    "complexity",
    "n_rules",
    "train_hamming_loss",
    "train_zero_one_loss",
)
"""Columns of which a point has the mean over its folds; one of the losses is there."""


def count_columns(counts: Mapping[str, GroupCounts]) -> dict[str, int]:
    """Return the test counts of one fold as columns of ``cv_results_``."""
    return {
        f"test_{kind}: {name}": getattr(c, kind)
        for name, c in counts.items()
        for kind in KINDS
    }


def pooled_points(
    results: pd.DataFrame,
    criterion: Criterion | None,
    families: Sequence[Family] = (),
) -> pd.DataFrame:
    """Average over folds, add up the counts, and mark what no other point beats.

    The points go from the smallest ``pooled_gap`` to the largest, and then to those
    where a group has nobody to count (NaN); the criterion may have any epsilon.
    """
    import pandas as pd

    start = f"test_{KINDS[0]}: "
    columns = [str(c) for c in results.columns if str(c).startswith(start)]
    names = [column.removeprefix(start) for column in columns]
    if not names or results.empty:
        raise ValueError(
            "this is no table cv_results_ of FairRuleSetClassifierCV: it has no "
            f"columns that begin with {start!r}, or no rows"
        )
    points = []
    point: Any
    for point, rows in results.groupby(["epsilon", "max_complexity"]):
        counts = {
            name: GroupCounts(
                *(int(rows[f"test_{kind}: {name}"].sum()) for kind in KINDS)
            )
            for name in names
        }
        points.append(
            {
                "epsilon": point[0],
                "max_complexity": point[1],
                "pooled_gap": gap_or_nan(counts, criterion, families),
                **{name: float(rows[name].mean()) for name in AVERAGED if name in rows},
                "test_accuracy_std": float(rows["test_accuracy"].std(ddof=0)),
            }
        )
    order = ["pooled_gap", "test_accuracy", "complexity", "max_complexity", "epsilon"]
    frame = pd.DataFrame(points).sort_values(
        order, ascending=[True, False, True, True, True], ignore_index=True
    )
    before = frame["test_accuracy"].cummax().shift(fill_value=-np.inf)
    return frame.assign(on_frontier=frame["test_accuracy"] > before)
