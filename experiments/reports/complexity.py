"""Table "complexity": how large the rule sets are that cross-validation chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from experiments.frames import by_data, over_folds
from experiments.layout import DATA_NAMES, markdown, with_spread
from experiments.paper import COMPLEXITY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.reports.base import Frames

NAME = "complexity"
TITLE = "Complexity of the rule sets"
EPSILONS = (0.01, 0.1, 0.5)


def results(frames: Frames) -> pd.DataFrame:
    """Choose the limit on complexity with the best mean test accuracy."""
    parts = []
    for data, frame in by_data(frames["grid"]).items():
        chosen = frame[
            (frame["winner"] == "returned")
            & (frame["criterion"] == "equality_of_opportunity")
            & frame["epsilon"].isin(EPSILONS)
        ]
        means = over_folds(chosen, ["thresholds", "epsilon", "max_complexity"])
        means.insert(0, "data", data)
        best = means.sort_values(["test_accuracy"], kind="stable")
        parts.append(best.groupby(["thresholds", "epsilon"]).tail(1).sort_index())
    return pd.concat(parts, ignore_index=True)


def tables(results: pd.DataFrame) -> dict[str, str]:
    """Return complexity, ours beside the paper's."""
    rows = []
    for (data, epsilon), part in results.groupby(["data", "epsilon"], sort=False):
        cells = {
            row.thresholds: with_spread(row.complexity, row.complexity_std)
            + f", limit {row.max_complexity:.0f}"
            for row in part.itertuples()
        }
        rows.append(
            [
                DATA_NAMES[data],
                f"{epsilon:g}",
                cells["quantile"],
                cells["tree"],
                COMPLEXITY[data][epsilon],
            ]
        )
    header = ("data", "epsilon", "ours, deciles", "ours, supervised", "paper")
    return {NAME: markdown(header, rows)}


def figures(results: pd.DataFrame) -> dict[str, Figure]:
    """No figure."""
    return {}


def words(results: pd.DataFrame) -> str:
    """Compare with the paper."""
    parts = []
    for data, part in results[results["thresholds"] == "quantile"].groupby(
        "data", sort=False
    ):
        ours = part["complexity"].mean()
        theirs = sum(COMPLEXITY[data].values()) / len(COMPLEXITY[data])
        parts.append(f"{DATA_NAMES[data]} {ours:.1f} (paper {theirs:.1f})")
    return (
        "Mean complexity (rules plus conditions) of the rule sets at the limit that "
        "has the best mean test accuracy on the folds, under equality of opportunity. "
        f"With deciles, on average over epsilon: {'; '.join(parts)}. The paper's Adult "
        "rule sets are larger than the largest limit that its appendix lists (40). "
        "Where only one limit was run, nothing was chosen."
    )
