"""Counts, rates and gaps of the experiments, against fairlearn and naive sums."""

import numpy as np
import pandas as pd
import pytest
from experiments.check import gap
from experiments.counting import accuracy, count_both, gaps, pack, recount, unpack
from experiments.data import load
from experiments.frames import frame_of, over_folds
from fairlearn.metrics import (
    equalized_odds_difference,
    true_positive_rate_difference,
)


@pytest.fixture(scope="module")
def predicted():
    """Make up predictions for COMPAS."""
    data = load("compas")
    rng = np.random.default_rng(0)
    noise = rng.random(len(data.is_positive)) < 0.4
    return data, data.is_positive ^ noise


@pytest.mark.parametrize("fold", [0, 7])
def test_gaps_are_those_of_fairlearn(predicted, fold):
    data, covered = predicted
    frame = pd.DataFrame([count_both(data, fold, covered)])
    for part, rows in zip(("train", "test"), data.split(fold), strict=True):
        truth, answer = data.is_positive[rows], covered[rows]
        groups = data.groups.codes[rows]
        assert accuracy(frame, part)[0] == pytest.approx((truth == answer).mean())
        for criterion, difference in (
            ("equality_of_opportunity", true_positive_rate_difference),
            ("equalized_odds", equalized_odds_difference),
        ):
            expected = difference(truth, answer, sensitive_features=groups)
            assert gaps(frame, part, criterion)[0] == pytest.approx(expected)
            counts = recount(data, fold, covered, part)
            assert float(gap(counts, criterion)) == pytest.approx(expected)


def test_counts_of_probabilities_are_expectations(predicted):
    data, _ = predicted
    chance = np.random.default_rng(1).random(len(data.is_positive))
    counts = count_both(data, 3, chance)
    train, _ = data.split(3)
    name, code = data.groups.names[1], 1
    here = train[(data.groups.codes[train] == code) & data.is_positive[train]]
    assert counts[f"train_true_positives: {name}"] == pytest.approx(chance[here].sum())
    assert counts[f"train_false_negatives: {name}"] == pytest.approx(
        (1 - chance[here]).sum()
    )


def test_predictions_survive_packing(predicted):
    _, covered = predicted
    assert (unpack(pack(covered), len(covered)) == covered).all()


def test_pooling_adds_counts_before_the_gap_is_taken(predicted):
    data, covered = predicted
    records = [
        {"data": "compas", "fold": fold, "x": 1, **count_both(data, fold, covered)}
        for fold in range(10)
    ]
    frame, _ = frame_of(records)
    pooled = over_folds(frame, ["x"])["pooled_odds_gap"][0]
    # The test folds are a partition, so pooling them is measuring everybody.
    expected = equalized_odds_difference(
        data.is_positive, covered, sensitive_features=data.groups.codes
    )
    assert pooled == pytest.approx(expected)
    assert frame["test_odds_gap"].mean() > pooled
