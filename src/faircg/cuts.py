"""Cut points of numeric features: where to ask whether a value is at most that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from faircg.typing import FloatVector, IntVector

SMALLEST_PART = 0.005
"""Share of the people that a part cut off by ``thresholds="tree"`` must hold."""


def quantile_cuts(values: FloatVector, weights: IntVector, parts: int) -> list[float]:
    """Cut points at the unique inner quantiles, written with as few digits as do.

    A quantile between two data values may be any number between them; the shortest
    decimal near it divides the same people and reads better.

    Examples
    --------
    >>> quantile_cuts(np.array([0.1, 0.2, 0.3, 0.4]), np.ones(4, dtype=int), 2)
    [0.25]
    >>> quantile_cuts(np.array([1.0, 0.0]), np.array([11, 1]), 10)
    [0.0]
    """
    distinct = np.unique(values)
    if len(distinct) < 2:
        return []
    if len(distinct) == 2:
        # Quantiles would lose a rare value; two values have just one way to be cut.
        return [float(distinct[0])]
    cuts = np.unique(_quantiles(values, weights, np.arange(1, parts) / parts))
    # Of quantiles that divide the same people (0 and 0.3 between 0 and 1) keep one.
    _, first = np.unique(
        np.searchsorted(distinct, cuts, side="right"), return_index=True
    )
    return sorted({_shortest(float(cut), distinct) for cut in cuts[first]})


def _quantiles(
    values: FloatVector, weights: IntVector, levels: FloatVector
) -> FloatVector:
    """Return ``np.quantile(np.repeat(values, weights), levels)``, to the last bit.

    Nothing is repeated: survey weights stand for more people than memory holds.
    """
    order = np.argsort(values)
    last = np.cumsum(weights[order])  # one past the last place of each value
    places = (last[-1] - 1) * levels
    below = np.floor(places)
    low, high = (
        values[order][np.searchsorted(last, place, side="right")]
        for place in (below, np.minimum(below + 1, last[-1] - 1))
    )
    share, step = places - below, high - low
    upper = high - step * (1 - share)
    return np.asarray(np.where(share < 0.5, low + step * share, upper))


def tree_cuts(
    values: FloatVector, labels: NDArray[Any] | None, weights: IntVector, parts: int
) -> list[float]:
    """Cut points of a decision tree on one feature, with as few digits as do.

    Every part holds at least one in two hundred people, so that no cut is made for a
    handful of them.

    Examples
    --------
    >>> values = np.array([0.0] * 95 + [3.0, 8.0, 9.0, 9.5, 9.9])
    >>> tree_cuts(values, values > 5, np.ones(100, dtype=np.int64), 10)
    [6.0]
    """
    if labels is None:
        raise ValueError(
            "thresholds='tree' chooses cut points by the labels; pass y to fit"
        )
    from sklearn.tree import DecisionTreeClassifier

    distinct = np.unique(values)
    if len(distinct) < 2:
        return []
    tree = DecisionTreeClassifier(
        max_leaf_nodes=parts, min_weight_fraction_leaf=SMALLEST_PART, random_state=0
    )
    tree.fit(values[:, np.newaxis], labels, sample_weight=weights)
    inner = tree.tree_.children_left != tree.tree_.children_right
    cuts = np.unique(tree.tree_.threshold[inner])
    return sorted({_shortest(float(cut), distinct) for cut in cuts})


def _shortest(cut: float, distinct: FloatVector) -> float:
    """Return the number with the fewest digits near ``cut`` that divides alike."""
    upper = int(np.searchsorted(distinct, cut, side="right"))
    if upper == 0 or upper == len(distinct):
        return cut
    low, high = distinct[upper - 1], distinct[upper]
    if cut == low:
        return cut
    for digits in range(1, 18):
        rounded = float(f"{cut:.{digits}g}")
        if low <= rounded < high and abs(rounded - cut) <= 0.25 * (high - low):
            return rounded
    return cut


Way: TypeAlias = (
    "Callable[[FloatVector, NDArray[Any] | None, IntVector, int], list[float]]"
)
THRESHOLDS: Final[Mapping[str, Way]] = {
    "quantile": lambda values, labels, weights, parts: quantile_cuts(
        values, weights, parts
    ),
    "tree": tree_cuts,
}
"""Ways to find cut points by the name that users ask for them with.

They get the values of a feature, the labels of the people (None if none were given),
their weights, and how many parts there may be.
"""
