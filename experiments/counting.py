"""Counts of predictions, and everything that is computed from them.

A record of an experiment keeps, for the training and the test part, how many people of
each group are predicted rightly and wrongly; accuracies and gaps always come from
these. Counts of randomised methods are expectations.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from experiments.data import Data
    from faircg.typing import BoolVector

KINDS: Final = (
    "true_positives",
    "false_negatives",
    "false_positives",
    "true_negatives",
)
PARTS: Final = ("train", "test")


def column(part: str, kind: str, group: str) -> str:
    """Name the column of one count."""
    return f"{part}_{kind}: {group}"


def count_both(
    data: Data, fold: int, probability: NDArray[np.floating] | BoolVector
) -> dict[str, float]:
    """Count predictions for all people, as probabilities of predicting yes."""
    chance = np.asarray(probability, dtype=float)
    counts = {}
    for part, rows in zip(PARTS, data.split(fold), strict=True):
        positive, codes = data.is_positive[rows], data.groups.codes[rows]
        yes = chance[rows]
        people = {
            "true_positives": positive * yes,
            "false_negatives": positive * (1.0 - yes),
            "false_positives": ~positive * yes,
            "true_negatives": ~positive * (1.0 - yes),
        }
        for kind, values in people.items():
            sums = np.bincount(codes, values, minlength=len(data.groups.names))
            for name, total in zip(data.groups.names, sums, strict=True):
                counts[column(part, kind, name)] = float(total)
    return counts


def groups_of(frame: pd.DataFrame) -> list[str]:
    """Return the groups that a frame of one data set has counts for."""
    start = column("train", "true_positives", "")
    return [
        name.removeprefix(start)
        for name in frame.columns
        if name.startswith(start) and frame[name].notna().any()
    ]


def accuracy(frame: pd.DataFrame, part: str) -> NDArray[np.floating]:
    """Return the share of right predictions, record by record."""
    totals = {
        kind: sum(
            frame[column(part, kind, group)].to_numpy() for group in groups_of(frame)
        )
        for kind in KINDS
    }
    right = totals["true_positives"] + totals["true_negatives"]
    return np.asarray(right / sum(totals.values()))


def missed_rate(frame: pd.DataFrame, part: str, group: str) -> NDArray[np.floating]:
    """Return the false negative rate of a group, record by record."""
    return _share(frame, part, group, of="false_negatives", besides="true_positives")


def hit_rate(frame: pd.DataFrame, part: str, group: str) -> NDArray[np.floating]:
    """Return the false positive rate of a group, record by record."""
    return _share(frame, part, group, of="false_positives", besides="true_negatives")


def _share(
    frame: pd.DataFrame, part: str, group: str, *, of: str, besides: str
) -> NDArray[np.floating]:
    counted = np.asarray(frame[column(part, of, group)], dtype=np.float64)
    others = np.asarray(frame[column(part, besides, group)], dtype=np.float64)
    return counted / (counted + others)


def gaps(frame: pd.DataFrame, part: str, criterion: str) -> NDArray[np.floating]:
    """Return the gap of a criterion between any two groups, record by record."""
    if frame.empty:
        raise ValueError("there are no records to take gaps of")
    rates = [missed_rate]
    if criterion == "equalized_odds":
        rates.append(hit_rate)
    widest = np.zeros(len(frame))
    for rate in rates:
        values = np.stack([rate(frame, part, group) for group in groups_of(frame)])
        widest = np.maximum(widest, values.max(axis=0) - values.min(axis=0))
    return widest


def pooled(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Add the counts of all folds up: one record for each setting."""
    counts = [
        column(part, kind, group)
        for part in PARTS
        for kind in KINDS
        for group in groups_of(frame)
    ]
    return frame.groupby(list(by), dropna=False, as_index=False)[counts].sum()


def pack(covered: NDArray[np.bool_]) -> str:
    """Write predictions down as text, one bit for each person."""
    return base64.b64encode(np.packbits(covered).tobytes()).decode()


def unpack(text: str, n_people: int) -> NDArray[np.bool_]:
    """Read predictions again."""
    bits = np.frombuffer(base64.b64decode(text), dtype=np.uint8)
    return np.unpackbits(bits, count=n_people).astype(bool)


def recount(
    data: Data, fold: int, covered: NDArray[np.bool_], part: str
) -> Mapping[str, Mapping[str, int]]:
    """Count by group, in integers and by plain loops over masks: what checks use."""
    rows = dict(zip(PARTS, data.split(fold), strict=True))[part]
    answer: dict[str, dict[str, int]] = {}
    for code, name in enumerate(data.groups.names):
        here = rows[data.groups.codes[rows] == code]
        positive, yes = data.is_positive[here], covered[here]
        answer[name] = {
            "true_positives": int((positive & yes).sum()),
            "false_negatives": int((positive & ~yes).sum()),
            "false_positives": int((~positive & yes).sum()),
            "true_negatives": int((~positive & ~yes).sum()),
        }
    return answer
