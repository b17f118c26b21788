"""Cut points of numeric features: where to ask whether a value is at most that."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from faircg.typing import FloatVector, IntVector

SMALLEST_PART = 0.005
"""Share of the people that a part cut off by ``thresholds="tree"`` must hold."""
MOST_PARTS = 100_000
"""Parts beyond which a feature is not divided: nobody could read such rules."""
FEW_VALUES = 20
"""Most distinct values between all of which ``thresholds="auto"`` cuts."""


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
    # Checking the arguments takes longer than the tree where there are few people.
    people = values[:, np.newaxis]
    if is_plain := bool(np.abs(distinct).max() <= np.finfo(np.float32).max):
        people = people.astype(np.float32)
    tree.fit(people, labels, sample_weight=weights, check_input=not is_plain)
    inner = tree.tree_.children_left != tree.tree_.children_right
    cuts = np.unique(tree.tree_.threshold[inner])
    return sorted({_shortest(float(cut), distinct) for cut in cuts})


def auto_cuts(
    values: FloatVector, labels: NDArray[Any] | None, weights: IntVector, parts: int
) -> list[float]:
    """Cut points that lose little: between all of few values, or else by the labels.

    A code far away from all other values, such as 999, has a cut of its own and takes
    none from the rest. Without labels the rest is cut at quantiles.

    Examples
    --------
    >>> people = np.ones(5, dtype=np.int64)
    >>> auto_cuts(np.array([0.0, 1.0, 2.0, 3.5, 8.0]), None, people, 10)
    [0.0, 1.0, 3.0, 6.0]
    >>> ages = np.array([*range(20, 60), 999.0])
    >>> auto_cuts(ages, ages > 41, np.ones(41, dtype=np.int64), 2)
    [41.0, 500.0]
    """
    distinct = np.unique(values)
    if len(distinct) <= FEW_VALUES:
        return _between(distinct, range(1, len(distinct)))
    first, last = _without_codes(distinct)
    plain = (values >= distinct[first]) & (values <= distinct[last])
    if labels is None:
        cuts = quantile_cuts(values[plain], weights[plain], parts)
    else:
        cuts = tree_cuts(values[plain], labels[plain], weights[plain], parts)
    places = np.searchsorted(distinct, cuts, side="right")
    return _between(distinct, sorted({first, *places.tolist(), last + 1}))


def _without_codes(distinct: FloatVector) -> tuple[int, int]:
    """Return the first and the last value that is not farther off than all are wide."""
    first, last = 0, len(distinct) - 1
    if distinct[last] - distinct[last - 1] > distinct[last - 1] - distinct[1]:
        last -= 1
    if distinct[1] - distinct[0] > distinct[last] - distinct[1]:
        first += 1
    return first, last


def _between(distinct: FloatVector, places: Iterable[int]) -> list[float]:
    """Cut before the values at these places, if there is one before them."""
    inner = [place for place in places if 0 < place < len(distinct)]
    pairs = [(float(distinct[j - 1]), float(distinct[j])) for j in inner]
    return [readable_cut(low, high) for low, high in pairs]


def readable_cut(low: float, high: float) -> float:
    """Return the number with the fewest digits that divides two neighbouring values.

    It is near their middle, where no value of anybody is expected, unless the lower
    one has fewer decimals: whole numbers are cut at whole numbers.

    Examples
    --------
    >>> readable_cut(37, 38), readable_cut(20, 30), readable_cut(0.27, 0.28)
    (37.0, 25.0, 0.27)
    >>> readable_cut(0.2744000053, 0.2753)
    0.275
    """
    quarter = (high - low) / 4
    middle = low + 2 * quarter
    for digits in range(1, 18):
        rounded = float(f"{middle:.{digits}g}")
        if low + quarter <= rounded <= high - quarter and rounded < high:
            return float(low) if _decimals(low) < _decimals(rounded) else rounded
    return float(low)


def _decimals(number: float) -> int:
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


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
    "auto": auto_cuts,
    "quantile": lambda values, labels, weights, parts: quantile_cuts(
        values, weights, parts
    ),
    "tree": tree_cuts,
}
"""Ways to find cut points by the name that users ask for them with.

They get the values of a feature, the labels of the people (None if none were given),
their weights, and how many parts there may be.
"""
