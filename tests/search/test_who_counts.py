"""Groups that a fold lacks, and weights."""

import numpy as np
import pandas as pd
import pytest

from faircg.exceptions import FairCGError
from made_up import make_people
from search.small import GROUPS, X, Y, search, without_seconds


def test_a_group_absent_from_a_test_part():
    """The fold's gap is unknown; the pooled gap is not."""
    few = np.array(["f"] * 8 + ["m"] * 232)
    order = np.arange(240) % 2
    y = np.where(np.arange(240) < 8, order, Y)
    splits = [
        (np.r_[0:4, 8:160], np.r_[4:8, 160:240]),
        (np.r_[0:8, 80:240], np.r_[8:80]),
    ]
    found = search(y=y, groups=few, cv=splits)
    by_fold = found.cv_results_.groupby("fold")["test_gap"]
    assert by_fold.apply(lambda gap: gap.isna().all()).tolist() == [False, True]
    assert found.frontier_["pooled_gap"].notna().all()


def test_a_group_absent_from_every_test_part():
    """Every gap is unknown, and the most accurate point is left; it was an error.

    It came after the whole search, and the search was lost.
    """
    groups = np.array(["f"] * 80 + ["m"] * 160)
    found = search(groups=groups, cv=[(np.r_[0:160], np.r_[160:240])])
    assert found.cv_results_["test_gap"].isna().all()
    (point,) = found.frontier_.itertuples()
    assert np.isnan(point.pooled_gap)
    assert point.test_accuracy == found.cv_results_["test_accuracy"].max()
    assert found.best_epsilon_ == point.epsilon
    with pytest.raises(FairCGError, match="no point has a pooled test gap"):
        search(groups=groups, cv=[(np.r_[0:160], np.r_[160:240])], target_gap=0.5)


def test_a_group_that_weighs_nothing_is_not_there():
    """The estimator fitted it, and its search said that it has no positive sample."""
    groups = np.where(np.arange(240) < 12, "nobody", GROUPS)
    weights = (np.arange(240) >= 12).astype(int)
    grid = {"complexities": (3,), "epsilons": (0.1,), "fine_epsilons": (0.1,)}
    splits = [(np.arange(0, 240, 2), np.arange(1, 240, 2))]
    weighted = search(groups=groups, weights=weights, cv=splits, **grid)
    assert list(weighted.fairness_.groups) == ["f", "m"]
    rest = [(np.arange(0, 228, 2), np.arange(1, 228, 2))]
    without = search(X[12:], Y[12:], GROUPS[12:], cv=rest, **grid)
    pd.testing.assert_frame_equal(
        without_seconds(weighted.cv_results_), without_seconds(without.cv_results_)
    )


@pytest.mark.parametrize(
    "seed",
    [pytest.param(s, marks=[pytest.mark.long] if s >= 8 else []) for s in range(100)],
)
def test_integer_weights_are_repetitions(seed):
    """A sample of weight k is k samples, where the splits keep its copies together."""
    X, y, groups = make_people(60, seed=seed)
    rng = np.random.default_rng(seed)
    weights, fold = rng.integers(0, 4, len(y)), rng.integers(0, 2, len(y))
    for stratum in {*zip(groups, y, strict=True)}:  # everybody is in both folds
        members = np.flatnonzero((groups == stratum[0]) & (y == stratum[1]))
        fold[members[:2]], weights[members[:2]] = (0, 1), (1, 2)
    rows = np.repeat(np.arange(len(y)), weights)

    def splits(fold):
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in (0, 1)]

    grid = {"complexities": (3,), "epsilons": (0.1,), "fine_epsilons": (0.1,)}
    grid |= {"thresholds": {"age": [30, 40], "pay": [0.0]}, "max_conditions": 1}
    grid["warm_start_rules"] = None
    weighted = search(X, y, groups, weights, cv=splits(fold), **grid)
    repeated = search(
        X.iloc[rows], y[rows], groups.iloc[rows], cv=splits(fold[rows]), **grid
    )
    pd.testing.assert_frame_equal(
        without_seconds(weighted.cv_results_), without_seconds(repeated.cv_results_)
    )
    pd.testing.assert_frame_equal(weighted.frontier_, repeated.frontier_)
    assert weighted.rule_set_ == repeated.rule_set_
    assert weighted.fairness_ == repeated.fairness_
    counts = [
        name
        for name in weighted.cv_results_
        if name.startswith("test_") and ":" in name
    ]
    assert weighted.cv_results_[counts].to_numpy().sum() == weights.sum()


def test_a_test_part_that_nobody_counts_in():
    """A fold without any weight has no accuracy: an error, not a NaN."""
    splits = [(np.arange(160), np.arange(160, 240))]
    with pytest.raises(ValueError, match="test part of fold 0 has nobody who counts"):
        search(weights=(np.arange(240) < 160).astype(int), cv=splits)
