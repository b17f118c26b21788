"""Counts, shares and gaps against loops, scipy and fairlearn."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, precision_score

from faircg.evaluate import Coverage, group_counts, part_result, share_of, total
from faircg.evaluate.gaps import fairness_of, gap_interval, gap_of, gap_or_nan
from faircg.evaluate.shares import RATES, shares_of
from faircg.fairness import EqualityOfOpportunity, EqualizedOdds, GroupCounts
from faircg.groups import read_groups

with warnings.catch_warnings():  # what fairlearn's own imports warn of is not ours
    warnings.simplefilter("ignore")
    from fairlearn.metrics import (
        MetricFrame,
        false_negative_rate,
        false_positive_rate,
        selection_rate,
        true_negative_rate,
        true_positive_rate,
    )

METRICS = {
    "accuracy": accuracy_score,
    "false negative rate": false_negative_rate,
    "false positive rate": false_positive_rate,
    "selection rate": selection_rate,
    "precision": precision_score,
    "true positive rate": true_positive_rate,
    "true negative rate": true_negative_rate,
}


def people(seed):
    """Draw decisions, labels, groups and weights of some people."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 80))
    names = np.array(["a", "b", "c"])[rng.integers(0, 3, n)]
    return rng.random(n) < 0.5, rng.random(n) < 0.4, names, rng.integers(1, 5, n)


@pytest.mark.parametrize("seed", range(20))
def test_counts_are_those_of_a_loop_over_people(seed):
    """Each row stands for as many people as its weight says."""
    covered, truth, names, weights = people(seed)
    expected = {name: dict.fromkeys(GroupCounts.__slots__, 0) for name in set(names)}
    for c, t, name, weight in zip(covered, truth, names, weights, strict=True):
        kind = {
            (True, True): "true_positives",
            (False, True): "false_negatives",
            (True, False): "false_positives",
            (False, False): "true_negatives",
        }[bool(c), bool(t)]
        for _ in range(weight):
            expected[name][kind] += 1
    counts = group_counts(covered, truth, read_groups(names), weights)
    assert counts == {name: GroupCounts(**of) for name, of in expected.items()}
    assert total(counts.values()).total == weights.sum()
    alone = group_counts(covered, truth, read_groups(names))
    assert total(alone.values()).total == len(names)


@pytest.mark.parametrize("seed", range(20))
def test_rates_and_gaps_equal_fairlearns(seed):
    """Every rate of every group to 1e-12, weights included, and its gap."""
    covered, truth, names, weights = people(seed)
    frame = MetricFrame(
        metrics=METRICS,
        y_true=truth,
        y_pred=covered,
        sensitive_features=names,
        sample_params={name: {"sample_weight": weights} for name in METRICS},
    )
    counts = group_counts(covered, truth, read_groups(names), weights)
    for name, c in counts.items():
        for rate, share in shares_of(c, RATES).items():
            assert share.value == pytest.approx(frame.by_group[rate][name], abs=1e-12)
    for rate, difference in frame.difference().items():
        assert float(gap_of(rate, counts).value) == pytest.approx(difference, abs=1e-12)
    odds = EqualizedOdds(0.1)
    largest = max(frame.difference()[["false negative rate", "false positive rate"]])
    assert gap_or_nan(counts, odds) == pytest.approx(largest, abs=1e-12)
    assert fairness_of(counts, odds).gap == gap_or_nan(counts, odds)


def test_losses_are_those_of_a_loop():
    """Hamming loss counts a negative once for every rule that covers it."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        masks, truth = rng.random((3, 30)) < 0.3, rng.random(30) < 0.5
        weights = rng.integers(0, 4, 30)
        hamming = zero_one = 0
        for k in range(30):
            times = int(masks[:, k].sum())
            hamming += int(weights[k]) * (times == 0 if truth[k] else times)
            zero_one += int(weights[k]) * (truth[k] != (times > 0))
        coverage = Coverage(masks, weights)
        assert coverage.loss(truth, "hamming") == hamming
        assert coverage.loss(truth, "zero_one") == zero_one


def test_the_gap_of_a_rate_names_its_groups():
    """The difference is a fraction, and it is said between whom it is."""
    counts = {"a": GroupCounts(1, 2, 3, 4), "b": GroupCounts(5, 1, 0, 4)}
    gap = gap_of("false negative rate", counts)
    assert gap.value == Fraction(2, 3) - Fraction(1, 6)
    assert (gap.lowest, gap.highest) == ("b", "a")
    assert gap.limit is None
    assert gap.within is None


def test_intervals_equal_those_of_scipy():
    """Clopper-Pearson, at the edges too."""
    rng = np.random.default_rng(0)
    pairs = [(0, 1), (1, 1), (0, 50), (50, 50), (16300, 32561)]
    pairs += [
        (int(rng.integers(0, n + 1)), n) for n in rng.integers(1, 400, 40).tolist()
    ]
    for count, size in pairs:
        for level in (0.95, 0.975):
            ours = share_of(count, size, level)
            theirs = binomtest(count, size).proportion_ci(level, method="exact")
            assert ours.low == pytest.approx(theirs.low, abs=1e-9)
            assert ours.high == pytest.approx(theirs.high, abs=1e-9)


def test_a_share_of_nobody_is_no_number():
    """Zero of zero is neither zero nor one; everything is possible."""
    nobody = share_of(0, 0)
    assert (nobody.value, nobody.low, nobody.high) == (None, 0.0, 1.0)


def test_the_interval_of_a_gap_covers_the_true_gap():
    """Of 400 simulated samples of three groups at least 95 in 100 cover it."""
    rng = np.random.default_rng(1)
    truth, sizes = np.array([0.3, 0.36, 0.42]), np.array([80, 200, 500])
    covered = 0
    for _ in range(400):
        counts = rng.binomial(sizes, truth)
        low, high = gap_interval(
            list(zip(counts.tolist(), sizes.tolist(), strict=True))
        )
        covered += low <= 0.12 <= high
    assert covered >= 380


def test_a_group_without_positives_is_said_to_be_not_estimable():
    """It must not vanish and look like a gap of zero."""
    counts = {"a": GroupCounts(3, 1, 2, 4), "b": GroupCounts(0, 0, 2, 4)}
    part = part_result("test", counts, EqualityOfOpportunity(0.05))
    (gap,) = part.bounded
    assert gap.value is None
    assert part.within is None
    assert "group 'b' has no positive sample" in gap.reason


def test_equalized_odds_needs_both_gaps():
    """One gap within and one beyond is beyond."""
    counts = {"a": GroupCounts(50, 50, 10, 90), "b": GroupCounts(50, 50, 30, 70)}
    part = part_result("test", counts, EqualizedOdds(0.1))
    assert [(g.rate, g.within) for g in part.bounded] == [
        ("false negative rate", True),
        ("false positive rate", False),
    ]
    assert part.within is False
    assert part.widest.rate == "false positive rate"
