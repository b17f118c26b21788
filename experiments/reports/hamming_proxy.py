"""Figure "Hamming proxy": the true gap under the paper's equalized-odds rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from experiments.frames import at_largest_complexity, by_data, over_folds
from experiments.layout import (
    COLOURS,
    DATA_NAMES,
    MARKERS,
    markdown,
    new_figure,
    shares,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.reports.base import Frames

NAME = "hamming_proxy"
TITLE = "The Hamming proxy for false positives in equalized odds"
LARGEST = 0.2
"""Larger epsilons bind nothing."""
LABELS = {"optimised": "proxy rows", "returned": "true rates"}


def results(frames: Frames) -> pd.DataFrame:
    """Average both winners over folds, for each epsilon at the largest complexity."""
    parts = []
    for data, frame in by_data(frames["grid"]).items():
        chosen = frame[
            (frame["thresholds"] == "quantile")
            & (frame["criterion"] == "equalized_odds")
            & (frame["epsilon"] <= LARGEST)
        ]
        chosen = at_largest_complexity(chosen)
        means = over_folds(chosen, ["winner", "epsilon"])
        means.insert(0, "data", data)
        parts.append(means)
    return pd.concat(parts, ignore_index=True)


def tables(results: pd.DataFrame) -> dict[str, str]:
    """Return the gaps in numbers."""
    rows = [
        [
            DATA_NAMES[row.data],
            f"{100 * row.epsilon:g}",
            LABELS[row.winner],
            shares(row.train_odds_gap, row.train_odds_gap_std),
            shares(row.test_odds_gap, row.test_odds_gap_std),
            f"{100 * row.pooled_odds_gap:.1f}",
            shares(row.test_accuracy, row.test_accuracy_std),
        ]
        for row in results.itertuples()
    ]
    header = (
        "data",
        "epsilon %",
        "constraint on",
        "train gap %",
        "test gap %, fold mean",
        "test gap %, pooled",
        "test accuracy %",
    )
    return {NAME: markdown(header, rows)}


def figures(results: pd.DataFrame) -> dict[str, Figure]:
    """Plot true equalized odds against epsilon."""
    names = list(results["data"].unique())
    figure, axes = new_figure(1, len(names))
    for ax, data in zip(axes[0], names, strict=True):
        k = 0
        for winner, label in LABELS.items():
            here = results[(results["data"] == data) & (results["winner"] == winner)]
            for part, column in (
                ("train", "train_odds_gap"),
                ("test, pooled", "pooled_odds_gap"),
                ("test, fold mean", "test_odds_gap"),
            ):
                ax.plot(
                    100 * here["epsilon"],
                    100 * here[column],
                    marker=MARKERS[k],
                    color=COLOURS[k],
                    ms=4,
                    label=f"{label}, {part}",
                )
                k += 1
        ends = [0, 100 * results["epsilon"].max()]
        ax.plot(ends, ends, "--", color="grey", lw=1, label="epsilon")
        ax.set(
            title=DATA_NAMES[data], xlabel="epsilon, %", ylabel="equalized odds gap, %"
        )
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4
    )
    return {NAME: figure}


def words(results: pd.DataFrame) -> str:
    """Say whether the train gap ever exceeds epsilon, and what test does."""
    excess = (results["train_odds_gap"] - results["epsilon"]).max()
    parts = []
    for data, part in results.groupby("data", sort=False):
        by = part.groupby("winner")["test_accuracy"].mean()
        gain = 100 * (by["returned"] - by["optimised"])
        over = 100 * (part["pooled_odds_gap"] - part["epsilon"]).max()
        parts.append(
            f"{DATA_NAMES[data]}: the pooled test gap is at most {over:.1f} points "
            f"above epsilon, and judging by true rates brings {gain:+.2f} points of "
            "test accuracy on average"
        )
    wider = int((results["test_odds_gap"] > results["pooled_odds_gap"]).sum())
    outcome = (
        "never exceeds epsilon" if excess <= 0 else f"exceeds it by {100 * excess:.2f}"
    )
    return (
        "The master's false positive rows count a negative once for every rule that "
        "covers it, as in the paper ('proxy rows': the rule set of lowest Hamming "
        "loss). 'True rates' is the rule set that users get: the fewest errors of all "
        "rule sets seen whose true rates, recounted in integers, are within epsilon, "
        f"whether the proxy allows them or not. The train gap {outcome}. "
        f"{'; '.join(parts)}. The fold mean of the test gap exceeds the pooled "
        f"gap in {wider} of {len(results)} rows: a small test fold shows a gap even "
        "where there is none."
    )
