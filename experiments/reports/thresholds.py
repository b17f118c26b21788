"""Deciles or supervised cut points: the same searches with both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from experiments.frames import by_data, over_folds
from experiments.layout import CRITERION_NAMES, DATA_NAMES, markdown, shares

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.reports.base import Frames

NAME = "thresholds"
TITLE = "Deciles or supervised cut points"


def results(frames: Frames) -> pd.DataFrame:
    """Average both over folds at the points that both have."""
    parts = []
    for data, frame in by_data(frames["grid"]).items():
        keys = ["criterion", "epsilon", "max_complexity"]
        means = over_folds(frame[frame["winner"] == "returned"], ["thresholds", *keys])
        both = means.groupby(keys)["thresholds"].transform("nunique") == 2
        shared = means[both]
        largest = shared["max_complexity"] == shared["max_complexity"].max()
        shared = shared[largest].copy()
        shared.insert(0, "data", data)
        parts.append(shared)
    return pd.concat(parts, ignore_index=True)


def tables(results: pd.DataFrame) -> dict[str, str]:
    """Return train and test accuracy side by side."""
    rows = []
    keys = ["data", "criterion", "epsilon"]
    for (data, criterion, epsilon), part in results.groupby(keys, sort=False):
        one = part.set_index("thresholds")
        gain = one["test_accuracy"]["tree"] - one["test_accuracy"]["quantile"]
        rows.append(
            [
                *(DATA_NAMES[data], CRITERION_NAMES[criterion], f"{epsilon:g}"),
                *(
                    shares(one[f"{p}_accuracy"][t], one[f"{p}_accuracy_std"][t], 2)
                    for p in ("train", "test")
                    for t in ("quantile", "tree")
                ),
                f"{100 * gain:+.2f}",
            ]
        )
    header = (
        *("data", "criterion", "epsilon", "train %, deciles", "train %, supervised"),
        *("test %, deciles", "test %, supervised", "gain, points"),
    )
    return {NAME: markdown(header, rows)}


def figures(results: pd.DataFrame) -> dict[str, Figure]:
    """No figure."""
    return {}


def gains(results: pd.DataFrame) -> dict[str, float]:
    """Return the mean gain in test accuracy of supervised cut points, by data set."""
    means = results.groupby(["data", "thresholds"], sort=False)["test_accuracy"].mean()
    return {
        str(data): float(means[data, "tree"] - means[data, "quantile"])
        for data in results["data"].unique()
    }


def words(results: pd.DataFrame) -> str:
    """Say where they are better."""
    found = gains(results)
    parts = [f"{DATA_NAMES[d]} {100 * gain:+.2f}" for d, gain in found.items()]
    verdict = (
        "They are better on all data sets"
        if all(gain > 0 for gain in found.values())
        else "They are not better on all data sets, so deciles stay the default"
    )
    return (
        "The same searches, with the same limits, once with deciles and once with the "
        "cut points of a shallow tree for each numeric feature, learned on the "
        "training fold. Mean gain in test accuracy over all epsilons and both "
        f"criteria, in points: {'; '.join(parts)}. {verdict}."
    )
