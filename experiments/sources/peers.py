"""The peers on the same folds, binarized like ours, each with its own settings."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.preprocessing import OrdinalEncoder

from experiments.counting import count_both
from experiments.data import Data, load
from experiments.peers import PEERS
from experiments.protocol import CRITERIA, Protocol
from faircg.binarize import ConditionBinarizer

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.tasks import Record

PRESENTATIONS: Final = {
    "zafar": ("quantile",),
    "hardt": ("quantile", "tree"),
    "hardt_randomised": ("quantile", "tree"),
    "hardt_boosting": ("quantile", "tree"),
    "reductions": ("quantile",),
    "streed": ("quantile",),
    "tree": ("quantile", "tree"),
    "logistic": ("quantile", "tree"),
    "boosting": ("quantile", "tree", "raw"),
}
"""How each peer sees the data: deciles as in the paper, our supervised cut points where
a fit is cheap, and the raw columns for the ceiling of accuracy."""


def present(data: Data, fold: int, how: str) -> Any:
    """Return the whole data set as a peer sees it; only training rows are learned from.

    Conditions are rows of zeros and ones; raw columns have their categories numbered.
    """
    train, _ = data.split(fold)
    if how == "raw":
        frame = data.X.copy()
        text = [n for n in frame if frame[n].dtype.kind not in "biuf"]
        encoder = OrdinalEncoder(
            handle_unknown="use_encoded_value",
            unknown_value=-1,
            encoded_missing_value=-2,
        )
        encoder.fit(frame.iloc[train][text].astype(object))
        frame[text] = encoder.transform(frame[text].astype(object))
        return frame.astype(float).to_numpy()
    binarizer = ConditionBinarizer(thresholds=how, n_thresholds=10)
    binarizer.fit(data.table.take(train), data.is_positive[train])
    return np.asarray(binarizer.transform(data.table))


@dataclass(frozen=True, slots=True)
class PeerTask:
    """One peer with all its settings for a criterion, on one training fold."""

    data: str
    fold: int
    peer: str
    criterion: str | None
    thresholds: str
    grid: str
    source: str = "peers"

    def __str__(self) -> str:
        words = (self.peer, self.data, self.criterion, self.thresholds)
        return f"peer {' '.join(map(str, words))} fold {self.fold}"

    @property
    def most_seconds(self) -> float:
        """From what single fits took on two cores."""
        one = {"reductions": 15.0, "zafar": 5.0, "streed": 15.0}.get(self.peer, 2.0)
        if self.data == "compas":
            one = min(one, 3.0)
        return one * len(
            PEERS[self.peer].settings(self.grid, self.criterion, self.data)
        )

    def run(self, cache: Path) -> list[Record]:
        """Fit every setting."""
        data, entry = load(self.data), PEERS[self.peer]
        X = present(data, self.fold, self.thresholds)
        names = np.array(data.groups.names)[data.groups.codes]
        train, _ = data.split(self.fold)
        labels = data.is_positive.astype(int)
        records: list[Record] = []
        for setting in entry.settings(self.grid, self.criterion, self.data):
            started = time.perf_counter()
            peer = entry.make(self.criterion, **setting)
            peer.fit(X[train], labels[train], sensitive_features=names[train])
            seconds = time.perf_counter() - started
            records.append(
                {
                    "data": self.data,
                    "fold": self.fold,
                    "peer": self.peer,
                    "label": entry.label,
                    "criterion": self.criterion,
                    "thresholds": self.thresholds,
                    "setting": ", ".join(f"{k}={v}" for k, v in setting.items()),
                    "needs_groups": peer.needs_groups,
                    "is_randomised": peer.is_randomised,
                    "is_readable": peer.is_readable,
                    "seconds": seconds,
                    **count_both(
                        data,
                        self.fold,
                        peer.predict_probability(X, sensitive_features=names),
                    ),
                }
            )
        return records


def tasks(protocol: Protocol) -> list[PeerTask]:
    """Return all tasks of a protocol, fold by fold."""
    return [
        PeerTask(data, fold, peer, criterion, thresholds, protocol.peers)
        for fold in range(max(part.folds for part in protocol.data.values()))
        for data, part in protocol.data.items()
        if fold < part.folds
        for peer, entry in PEERS.items()
        if not protocol.peer_names or peer in protocol.peer_names
        for criterion in (None, *CRITERIA)
        if entry.settings(protocol.peers, criterion, data)
        for thresholds in PRESENTATIONS[peer]
    ]
