"""Records as frames: accuracies and gaps beside the counts, predictions apart."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from experiments.counting import accuracy, gaps, pooled
from experiments.protocol import CRITERIA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from experiments.tasks import Record

SHORT = {"equality_of_opportunity": "opportunity", "equalized_odds": "odds"}
"""Criteria in names of columns."""


def frame_of(
    records: Sequence[Record],
) -> tuple[pd.DataFrame, dict[str, NDArray[np.uint8]]]:
    """Return the records with what follows from their counts, and the predictions.

    Equal predictions are kept once; the column ``prediction`` says which.
    """
    frame = pd.DataFrame(list(records))
    packed: dict[str, NDArray[np.uint8]] = {}
    parts = []
    for data, part in frame.groupby("data", sort=False):
        part = part.dropna(axis="columns", how="all").copy()
        for name in ("train", "test"):
            part[f"{name}_accuracy"] = accuracy(part, name)
            for criterion in CRITERIA:
                part[f"{name}_{SHORT[criterion]}_gap"] = gaps(part, name, criterion)
        if "predictions" in part:
            codes, distinct = pd.factorize(part["predictions"])
            part["prediction"] = codes
            packed[str(data)] = np.stack(
                [np.frombuffer(base64.b64decode(t), dtype=np.uint8) for t in distinct]
            )
            part = part.drop(columns="predictions")
        parts.append(part)
    return pd.concat(parts, ignore_index=True), packed


def over_folds(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Average over folds, with deviations, and the gaps of the pooled counts.

    The frame is of one data set. The pooled gap adds the counts of the test folds up
    and takes the gap once: chance alone makes the gap of each small fold wide.
    """
    values = [
        name
        for name in frame.columns
        if name.endswith(("_accuracy", "_gap"))
        or name in ("complexity", "hamming_loss", "seconds", "n_rules")
    ]
    grouped = frame.groupby(list(by), dropna=False)
    means = grouped[values].mean()
    spreads = grouped[values].std(ddof=0).add_suffix("_std")
    folds = grouped["fold"].nunique().rename("folds")
    table = pd.concat([means, spreads, folds], axis="columns").reset_index()
    sums = pooled(frame, by)
    sums = table[list(by)].merge(sums, on=list(by), how="left")
    for criterion in CRITERIA:
        name = f"pooled_{SHORT[criterion]}_gap"
        table[name] = gaps(sums, "test", criterion)
    return table


def by_data(frame: pd.DataFrame) -> Mapping[str, pd.DataFrame]:
    """Split a frame by data set; columns of other data sets' groups are dropped."""
    return {
        str(data): part.dropna(axis="columns", how="all")
        for data, part in frame.groupby("data", sort=False)
    }


def at_largest_complexity(frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the records with the largest limit on complexity that is there."""
    return frame[frame["max_complexity"] == frame["max_complexity"].max()]
