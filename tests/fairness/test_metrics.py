"""Rates and gaps, against fairlearn's and against fractions."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

from faircg.evaluate import group_counts
from faircg.evaluate.counts import count_people
from faircg.evaluate.gaps import fairness_of
from faircg.fairness import (
    DemographicParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    GroupCounts,
    GroupSizes,
    PredictiveEquality,
    exact,
    rates_of,
)
from faircg.fairness.rate_rows import RateRows
from faircg.fairness.rates import all_hold
from faircg.groups import Groups

with warnings.catch_warnings():  # what fairlearn's own imports warn of is not ours
    warnings.simplefilter("ignore")
    from fairlearn.metrics import (
        MetricFrame,
        demographic_parity_difference,
        equal_opportunity_difference,
        equalized_odds_difference,
        false_negative_rate,
        false_positive_rate,
        selection_rate,
        true_positive_rate,
    )
from sklearn.metrics import accuracy_score

COUNTS = [
    pytest.param(6, id="few"),
    pytest.param(60, id="many", marks=pytest.mark.long),
]


def random_predictions(seed: int, n_groups: int):
    """Draw labels, predictions and groups; nobody's group lacks either label."""
    rng = np.random.default_rng([seed, n_groups])
    codes = np.concatenate(
        [np.tile(np.arange(n_groups), 2), rng.integers(0, n_groups, 150)]
    )
    y = np.concatenate(
        [np.repeat([True, False], n_groups), rng.random(150) < rng.uniform(0.2, 0.8)]
    )
    predicted = rng.random(len(y)) < rng.uniform(0.1, 0.9)
    return y, predicted, codes


@pytest.mark.parametrize("n_groups", [2, 3, 4, 5])
@pytest.mark.parametrize("count", COUNTS)
def test_rates_and_gaps_equal_fairlearns(n_groups, count):
    """To the last digits, for every group and every rate."""
    names = tuple(f"g{g}" for g in range(n_groups))
    metrics = {
        "true_positive_rate": true_positive_rate,
        "false_negative_rate": false_negative_rate,
        "false_positive_rate": false_positive_rate,
        "selection_rate": selection_rate,
        "accuracy": accuracy_score,
    }
    for seed in range(count):
        y, predicted, codes = random_predictions(seed, n_groups)
        of = np.array(names)[codes]
        counts = group_counts(predicted, y, Groups(codes, names))
        frame = MetricFrame(
            metrics=metrics, y_true=y, y_pred=predicted, sensitive_features=of
        ).by_group
        odds = fairness_of(counts, EqualizedOdds(0.1))
        opportunity = fairness_of(counts, EqualityOfOpportunity(0.1))
        for name in names:
            for metric in metrics:
                ours = getattr(odds.groups[name], metric)
                assert ours == pytest.approx(frame.loc[name, metric], abs=1e-12)
            assert odds.groups[name].total == (of == name).sum()
        theirs = {"y_true": y, "y_pred": predicted, "sensitive_features": of}
        assert opportunity.gap == pytest.approx(
            equal_opportunity_difference(**theirs), abs=1e-12
        )
        assert odds.gap == pytest.approx(equalized_odds_difference(**theirs), abs=1e-12)
        assert set(odds.gaps) == {"false negative rate", "false positive rate"}
        parity = fairness_of(counts, DemographicParity(0.1))
        assert parity.gap == pytest.approx(
            demographic_parity_difference(**theirs), abs=1e-12
        )
        assert parity.within_epsilon == (parity.gap <= 0.1)
        equality = fairness_of(counts, PredictiveEquality(0.1))
        spread = frame["false_positive_rate"].max() - frame["false_positive_rate"].min()
        assert equality.gap == pytest.approx(spread, abs=1e-12)


def test_without_a_criterion_there_is_no_gap_and_nothing_to_violate():
    """The counts are described all the same."""
    y, predicted, codes = random_predictions(0, 2)
    described = fairness_of(group_counts(predicted, y, Groups(codes, ("a", "b"))), None)
    assert described.gap == 0.0
    assert described.gaps == {}
    assert described.within_epsilon


def test_a_rate_of_nobody_is_not_a_number():
    """A group without negatives has no false positive rate, and says so."""
    described = fairness_of({"a": GroupCounts(2, 1, 0, 0)}, None)
    assert np.isnan(described.groups["a"].false_positive_rate)
    assert described.groups["a"].true_positive_rate == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("missed", "sizes", "epsilon", "allowed"),
    [
        ([3, 4], [10, 10], 0.1, True),  # 0.4 - 0.3 is 0.10000000000000003 as floats
        ([3, 4], [10, 10], 0.09999999, False),
        ([1, 0], [20, 7], 0.05, True),
        ([3, 0], [59, 7], 0.05, False),  # 0.0508...
        ([1, 0], [3, 5], 1 / 3, True),  # the float that one third is
        ([1, 0], [3, 5], 0.333333333333333, False),  # one third is more
        ([1, 0], [3, 5], Fraction(1, 3), True),
        ([1, 0], [3, 5], 0.33333333333333337, True),
        ([7, 14], [10, 20], 0.0, True),
        ([7, 14], [10, 21], 0.0, False),
        ([0, 5], [9, 5], 1.0, True),
        ([1, 3, 2], [10, 10, 10], 0.2, True),  # the widest pair decides
        ([1, 3, 4], [10, 10, 10], 0.2, False),
    ],
)
def test_epsilon_is_compared_as_the_number_that_was_typed(
    missed, sizes, epsilon, allowed
):
    """On the boundary a fraction decides, not a rounding error."""
    names = tuple(map(str, range(len(sizes))))
    groups = GroupSizes(names, np.array(sizes), np.array([4] * len(sizes)))
    rates = rates_of(EqualityOfOpportunity(epsilon), groups)
    nobody = np.zeros(len(sizes), dtype=np.int64)
    assert all_hold(rates, np.array(missed), nobody) is allowed
    shares = [Fraction(m, s) for m, s in zip(missed, sizes, strict=True)]
    assert rates[0].gap(np.array(missed), nobody) == max(shares) - min(shares)


def test_numpy_floats_are_read_like_pythons():
    """An epsilon from a grid of NumPy numbers means the same."""
    assert exact(np.float64(0.05)) == exact(0.05) == Fraction(1, 20)
    assert exact(0) == 0


def test_each_rate_of_equalized_odds_has_its_own_epsilon():
    """A gap of negatives is judged by the limit for negatives."""
    groups = GroupSizes(("a", "b"), np.array([10, 10]), np.array([10, 10]))
    missed, hit = np.array([0, 1]), np.array([0, 3])
    assert not all_hold(rates_of(EqualizedOdds(0.1), groups), missed, hit)
    separate = rates_of(EqualizedOdds(0.1, epsilon_negatives=0.3), groups)
    assert all_hold(separate, missed, hit)
    swapped = rates_of(EqualizedOdds(0.3, epsilon_negatives=0.1), groups)
    assert not all_hold(swapped, missed, hit)
    assert all_hold(rates_of(EqualityOfOpportunity(0.1), groups), missed, hit)


def test_people_count_as_often_as_their_weight():
    """Weights are whole people."""
    counts = count_people(
        np.array([True, True, False, True]),
        Groups(np.array([0, 1, 0, 1]), ("a", "b", "c")),
        np.array([2, 1, 5, 3]),
    )
    assert counts == [2, 4, 0]


def test_rows_hold_whole_people_and_whole_sizes():
    """Rows are scaled by the group's size, so no coefficient is ever tiny."""
    groups = GroupSizes(("a", "b", "c"), np.array([3, 40, 5]), np.array([7, 8, 90_000]))
    rows = RateRows.build(rates_of(EqualizedOdds(0.05), groups), 3)
    for array in (rows.missed, rows.hit, rows.weight, rows.constant):
        assert (array == np.rint(array)).all()
    assert rows.weight.tolist() == [-3, -40, -5, -7, -8, -90_000]
    assert rows.missed[:3].tolist() == np.eye(3).tolist()
    assert rows.hit[3:].tolist() == np.eye(3).tolist()
    assert not rows.missed[3:].any()
    assert not rows.hit[:3].any()
