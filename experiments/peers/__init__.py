"""The rival methods, all with one interface, and the settings they are tried with.

Three protocols: ``"paper"`` has the grids of the paper's appendix, ``"committed"``
those behind the tables we publish (ten folds of all data sets in under half an hour of
one core), ``"quick"`` a handful of settings for a first look. A peer is made by
``PEERS["zafar"].make("equalized_odds", covariance=0.1)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier

from experiments.peers.base import CRITERIA as CRITERIA
from experiments.peers.base import BasePeer as BasePeer
from experiments.peers.base import Peer as Peer
from experiments.peers.boosting import BoostingPeer as BoostingPeer
from experiments.peers.hardt import GridThresholdPeer as GridThresholdPeer
from experiments.peers.hardt import RandomisedThresholdPeer as RandomisedThresholdPeer
from experiments.peers.reductions import (
    ExponentiatedGradientPeer as ExponentiatedGradientPeer,
)
from experiments.peers.streed import OptimalTreePeer as OptimalTreePeer
from experiments.peers.trees import LogisticPeer as LogisticPeer
from experiments.peers.trees import TreePeer as TreePeer
from experiments.peers.zafar import ZafarPeer as ZafarPeer

PROTOCOLS = ("paper", "committed", "quick")

Settings = Mapping[str, Any]
Grid = Callable[[str, str | None, str | None], tuple[Settings, ...]]
"""From protocol, criterion and data set to the settings to try."""

ZAFAR_TAU: Mapping[str, float] = MappingProxyType(
    {"adult": 5.0, "compas": 20.0, "default": 0.5}
)
"""First price of slack for each data set, from the paper's table of settings."""

_DEFAULT_TAU = 5.0

_LINEAR_30 = tuple(np.linspace(0.0, 0.5, 30).tolist())
"""Thirty values from 0 to one half: the paper's range for covariances and epsilons."""

_DEPTHS_20 = tuple(np.unique(np.linspace(1, 30, 20).round().astype(int)).tolist())
"""Twenty depths from 1 to 30, rounded to whole numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerEntry:
    """A peer as experiments see it.

    Attributes
    ----------
    label
        Its name in tables.
    factory
        Makes the estimator from settings, all by keyword.
    criteria
        Criteria it can be asked for; ``None`` is no constraint. One that has only
        ``None`` belongs into every comparison all the same, with the gap it has.
    grid
        The settings of each protocol; see :meth:`settings`.
    """

    label: str
    factory: Callable[..., Peer]
    criteria: tuple[str | None, ...]
    grid: Grid

    def settings(
        self, protocol: str, criterion: str | None, dataset: str | None = None
    ) -> tuple[Settings, ...]:
        """Return the settings to try; none where the criterion is not supported.

        Examples
        --------
        >>> PEERS["zafar"].settings("quick", "equalized_odds", "adult")[0]
        {'covariance': 0.0, 'tau': 5.0}
        >>> PEERS["boosting"].settings("quick", "equalized_odds")
        ()
        """
        if protocol not in PROTOCOLS:
            raise ValueError(f"protocol {protocol!r} is not known; use {PROTOCOLS}")
        if criterion not in self.criteria:
            return ()
        return self.grid(protocol, criterion, dataset)

    def make(self, criterion: str | None = None, **settings: Any) -> Peer:
        """Make the estimator; a criterion it does not support is an error."""
        if criterion not in self.criteria:
            raise ValueError(
                f"{self.label} does not support the criterion {criterion!r}; it "
                f"supports {list(self.criteria)}"
            )
        if self.criteria == (None,):
            return self.factory(**settings)
        return self.factory(criterion=criterion, **settings)


def _each(name: str, values: tuple[Any, ...]) -> tuple[Settings, ...]:
    return tuple({name: value} for value in values)


def _zafar(
    protocol: str, criterion: str | None, dataset: str | None
) -> tuple[Settings, ...]:
    if criterion is None:
        return ({"covariance": None},)
    tau = ZAFAR_TAU.get(dataset or "", _DEFAULT_TAU)
    shares = {
        "paper": _LINEAR_30,
        "committed": (0.0, 0.25, 0.5),
        "quick": (0.0, 0.25, 0.5),
    }[protocol]
    return tuple({"covariance": share, "tau": tau} for share in shares)


def _mixed_thresholds(
    protocol: str, criterion: str | None, dataset: str | None
) -> tuple[Settings, ...]:
    if criterion is None:
        return ({},)
    if criterion == "equalized_odds":  # no tolerance there
        return ({"epsilon": 0.0},)
    if protocol == "paper":
        return _each("epsilon", (0.0, 0.01, 0.025, 0.05, 0.1, 0.15))
    return _each("epsilon", (0.0, 0.05, 0.1))


def _threshold_grid(
    protocol: str, criterion: str | None, dataset: str | None
) -> tuple[Settings, ...]:
    if criterion is None:
        return ({},)
    epsilons = {
        "paper": (0.0, 0.005, *(np.arange(1, 21) / 100).tolist(), 0.25, 0.3, 0.5),
        "committed": (0.01, 0.025, 0.05, 0.1),
        "quick": (0.01, 0.05, 0.1),
    }[protocol]
    return _each("epsilon", epsilons)


def _reductions(
    protocol: str, criterion: str | None, dataset: str | None
) -> tuple[Settings, ...]:
    depths = _DEPTHS_20 if protocol == "paper" else (5,)
    if criterion is None:
        return _each("max_depth", depths)
    epsilons = {
        "paper": _LINEAR_30,
        # A bound of epsilon allows two groups to differ by almost twice as much.
        "committed": (0.005, 0.03),
        "quick": (0.005, 0.03),
    }[protocol]
    return tuple(
        {"max_depth": depth, "epsilon": epsilon}
        for depth in depths
        for epsilon in epsilons
    )


def _optimal_tree(
    protocol: str, criterion: str | None, dataset: str | None
) -> tuple[Settings, ...]:
    # Depth 3 ends within seconds on compas only.
    if protocol == "paper":
        size: Settings = {"max_depth": 3, "time_limit": 150.0}
    elif dataset == "compas":
        size = {"max_depth": 3, "time_limit": 60.0}
    else:
        size = {"max_depth": 2, "time_limit": 60.0}
    if criterion is None:
        return (size,)
    epsilons = {
        "paper": (0.0, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2),
        "committed": (0.01, 0.025, 0.05, 0.1),
        "quick": (0.01, 0.05, 0.1),
    }[protocol]
    return tuple({"epsilon": epsilon, **size} for epsilon in epsilons)


def _tree(
    protocol: str, criterion: str | None, dataset: str | None
) -> tuple[Settings, ...]:
    depths = {
        "paper": _DEPTHS_20,
        "committed": (1, 2, 3, 4, 5, 6, 8),
        "quick": (2, 3, 5),
    }[protocol]
    return _each("max_depth", depths)


def _boosting(
    protocol: str, criterion: str | None, dataset: str | None
) -> tuple[Settings, ...]:
    # The usual 31 leaves learn compas by heart; small trees are better there.
    return _each("num_leaves", (31, 7))


def _one(
    protocol: str, criterion: str | None, dataset: str | None
) -> tuple[Settings, ...]:
    return ({},)


def _over_boosting(factory: Callable[..., Peer]) -> Callable[..., Peer]:
    """Return the peer with LightGBM as its scorer."""

    def make(**settings: Any) -> Peer:
        scorer = LGBMClassifier(
            n_jobs=1,
            random_state=0,
            deterministic=True,
            force_row_wise=True,
            verbosity=-1,
        )
        return factory(estimator=scorer, **settings)

    return make


_ALL = (None, *CRITERIA)

PEERS: Mapping[str, PeerEntry] = MappingProxyType(
    {
        "zafar": PeerEntry(
            label="Zafar 2017", factory=ZafarPeer, criteria=_ALL, grid=_zafar
        ),
        "hardt": PeerEntry(
            label="Hardt 2016 (threshold grid)",
            factory=GridThresholdPeer,
            criteria=_ALL,
            grid=_threshold_grid,
        ),
        "hardt_randomised": PeerEntry(
            label="Hardt 2016 (randomised)",
            factory=RandomisedThresholdPeer,
            criteria=_ALL,
            grid=_mixed_thresholds,
        ),
        "hardt_boosting": PeerEntry(
            label="Hardt 2016 (randomised, LightGBM)",
            factory=_over_boosting(RandomisedThresholdPeer),
            criteria=CRITERIA,
            grid=_mixed_thresholds,
        ),
        "reductions": PeerEntry(
            label="Fairlearn reductions (trees)",
            factory=ExponentiatedGradientPeer,
            criteria=_ALL,
            grid=_reductions,
        ),
        "streed": PeerEntry(
            label="STreeD (optimal tree)",
            factory=OptimalTreePeer,
            criteria=OptimalTreePeer.supported,
            grid=_optimal_tree,
        ),
        "tree": PeerEntry(
            label="decision tree", factory=TreePeer, criteria=(None,), grid=_tree
        ),
        "logistic": PeerEntry(
            label="logistic regression",
            factory=LogisticPeer,
            criteria=(None,),
            grid=_one,
        ),
        "boosting": PeerEntry(
            label="LightGBM", factory=BoostingPeer, criteria=(None,), grid=_boosting
        ),
    }
)
"""The rival methods by short name."""
