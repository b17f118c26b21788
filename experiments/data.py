"""The three data sets as every experiment sees them: table, labels, groups, folds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from sklearn.model_selection import StratifiedKFold

from experiments.protocol import N_SPLITS, SEED
from faircg.datasets import load_adult, load_compas, load_default
from faircg.features import Features
from faircg.groups import read_groups
from faircg.labelled import LabelledTable
from faircg.labels import Labels
from faircg.table import read_table

if TYPE_CHECKING:
    import pandas as pd

    from faircg.groups import Groups
    from faircg.table import Table
    from faircg.typing import BoolVector, IntVector

_LOADERS: Final = {"compas": load_compas, "adult": load_adult, "default": load_default}


@dataclass(frozen=True, eq=False)
class Data:
    """One data set."""

    name: str
    X: pd.DataFrame
    table: Table
    is_positive: BoolVector
    groups: Groups

    @property
    def labelled(self) -> LabelledTable:
        """Everybody, as an estimator reads them; each counts once."""
        labels = Labels(np.array([0, 1]), self.is_positive, positive=1)
        weights = np.ones(self.table.n_rows, dtype=np.int64)
        features = Features.of(self.table)
        return LabelledTable(features, self.table, labels, self.groups, weights)

    @cached_property
    def folds(self) -> tuple[tuple[IntVector, IntVector], ...]:
        """The training and the test part of each of the ten folds."""
        splitter = StratifiedKFold(N_SPLITS, shuffle=True, random_state=SEED)
        return tuple(splitter.split(self.X, self.is_positive))

    def split(self, fold: int) -> tuple[IntVector, IntVector]:
        """Return the training and the test part of one of the ten folds."""
        return self.folds[fold]


@cache
def load(name: str) -> Data:
    """Read a data set, once a process."""
    raw = _LOADERS[name]()
    return Data(
        name,
        raw.X,
        read_table(raw.X),
        np.asarray(raw.y).astype(bool),
        read_groups(raw.sensitive_features),
    )
