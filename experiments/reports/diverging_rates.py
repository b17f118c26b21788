"""Figure "diverging true positive rates": what relaxing epsilon does to each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from experiments.counting import groups_of, missed_rate, pooled
from experiments.frames import at_largest_complexity, by_data
from experiments.layout import (
    COLOURS,
    DATA_NAMES,
    MARKERS,
    markdown,
    new_figure,
    percent,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.reports.base import Frames

NAME = "diverging_rates"
TITLE = "True positive rates of both groups as epsilon grows"


def results(frames: Frames) -> pd.DataFrame:
    """Pool the counts of all folds for each epsilon, at the largest complexity."""
    parts = []
    for data, frame in by_data(frames["grid"]).items():
        chosen = frame[
            (frame["winner"] == "returned")
            & (frame["thresholds"] == "quantile")
            & (frame["criterion"] == "equality_of_opportunity")
        ]
        chosen = at_largest_complexity(chosen)
        sums = pooled(chosen, ["epsilon"])
        for group in groups_of(chosen):
            parts += [
                pd.DataFrame(
                    {
                        "data": data,
                        "epsilon": sums["epsilon"],
                        "group": group,
                        "part": part,
                        "true_positive_rate": 1 - missed_rate(sums, part, group),
                    }
                )
                for part in ("train", "test")
            ]
    return pd.concat(parts, ignore_index=True)


def tables(results: pd.DataFrame) -> dict[str, str]:
    """Return the rates in numbers."""
    rows = [
        [
            DATA_NAMES[data],
            group,
            part,
            *(percent(rate) for rate in rows["true_positive_rate"]),
        ]
        for (data, group, part), rows in results[results["data"] == "compas"].groupby(
            ["data", "group", "part"], sort=False
        )
    ]
    epsilons = sorted(results.loc[results["data"] == "compas", "epsilon"].unique())
    header = ("data", "group", "part", *(f"epsilon {e:g}" for e in epsilons))
    return {NAME: markdown(header, rows)}


def figures(results: pd.DataFrame) -> dict[str, Figure]:
    """Plot the rates against epsilon, evenly spaced."""
    names = list(results["data"].unique())
    figure, axes = new_figure(1, len(names))
    for ax, data in zip(axes[0], names, strict=True):
        here = results[results["data"] == data]
        labels = [f"{e:g}" for e in sorted(here["epsilon"].unique())]
        for k, ((group, part), rows) in enumerate(
            here.groupby(["group", "part"], sort=False)
        ):
            ax.plot(
                range(len(rows)),
                100 * rows["true_positive_rate"],
                color=COLOURS[k // 2],
                marker=MARKERS[k // 2],
                linestyle="-" if part == "train" else "--",
                ms=4,
                label=f"{group}, {part}",
            )
        ax.set_xticks(range(len(labels)), labels, fontsize=7)
        ax.set(title=DATA_NAMES[data], xlabel="epsilon", ylabel="true positive rate, %")
        ax.legend(fontsize=7)
    return {NAME: figure}


def words(results: pd.DataFrame) -> str:
    """Say how far the groups drift apart on COMPAS."""
    wide = results[results["data"] == "compas"].pivot_table(
        index=["part", "epsilon"], columns="group", values="true_positive_rate"
    )
    spread = 100 * (wide.max(axis="columns") - wide.min(axis="columns"))
    tight, loose = 0.01, results["epsilon"].max()
    return (
        "Counts pooled over the folds, deciles, largest complexity. On COMPAS at "
        f"epsilon {tight:g} the two rates are {spread['train', tight]:.1f} points "
        f"apart on the training folds and {spread['test', tight]:.1f} on the test "
        f"folds; at epsilon {loose:g} {spread['train', loose]:.1f} and "
        f"{spread['test', loose]:.1f}."
    )
