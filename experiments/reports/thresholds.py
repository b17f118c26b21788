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
WORDS = {"quantile": "deciles", "tree": "supervised"}


def results(frames: Frames) -> pd.DataFrame:
    """Average both over folds, each at the largest complexity that both were run with.

    Where they share none, each is taken at the largest of its own.
    """
    parts = []
    for data, frame in by_data(frames["grid"]).items():
        frame = frame[frame["winner"] == "returned"]
        limits = {
            str(how): set(part["max_complexity"])
            for how, part in frame.groupby("thresholds")
        }
        shared = set.intersection(*limits.values())
        for how, own in limits.items():
            chosen = frame[
                (frame["thresholds"] == how)
                & (frame["max_complexity"] == max(shared or own))
            ]
            means = over_folds(
                chosen, ["thresholds", "criterion", "epsilon", "max_complexity"]
            )
            means.insert(0, "data", data)
            parts.append(means)
    both = pd.concat(parts, ignore_index=True)
    keys = ["data", "criterion", "epsilon"]
    kept = both.groupby(keys)["thresholds"].transform("nunique") == len(WORDS)
    return both[kept].reset_index(drop=True)


def tables(results: pd.DataFrame) -> dict[str, str]:
    """Return train and test accuracy side by side."""
    rows = []
    keys = ["data", "criterion", "epsilon"]
    for (data, criterion, epsilon), part in results.groupby(keys, sort=False):
        one = part.set_index("thresholds")
        gain = one["test_accuracy"]["tree"] - one["test_accuracy"]["quantile"]
        limits = [f"{one['max_complexity'][how]:.0f}" for how in WORDS]
        rows.append(
            [
                DATA_NAMES[data],
                CRITERION_NAMES[criterion],
                f"{epsilon:g}",
                limits[0] if len(set(limits)) == 1 else " / ".join(limits),
                *(
                    shares(one[f"{p}_accuracy"][t], one[f"{p}_accuracy_std"][t], 2)
                    for p in ("train", "test")
                    for t in WORDS
                ),
                f"{100 * gain:+.2f}",
            ]
        )
    header = (
        "data",
        "criterion",
        "epsilon",
        "C",
        "train %, deciles",
        "train %, supervised",
        "test %, deciles",
        "test %, supervised",
        "gain, points",
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
    unequal = [
        DATA_NAMES[data]
        for data, part in results.groupby("data", sort=False)
        if part["max_complexity"].nunique() > 1
    ]
    caveat = (
        f" On {' and '.join(unequal)} the two were run with different limits on "
        "complexity (column C), so that a part of the difference is due to those."
        if unequal
        else ""
    )
    return (
        "The same searches, once with deciles and once with the cut points of a "
        "shallow tree for each numeric feature, learned on the training fold. Mean "
        "gain in test accuracy over all epsilons and both criteria, in points: "
        f"{'; '.join(parts)}. {verdict}.{caveat}"
    )
