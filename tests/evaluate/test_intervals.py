"""Intervals hold the true value as often as they say, whatever the population is."""

import numpy as np
import pytest
from scipy.stats import binom

from faircg.evaluate import share_of
from faircg.evaluate.gaps import gap_interval

CONFIDENCE = 0.95
SIZES = (1, 2, 5, 17, 60, 240)
RATES = np.linspace(0, 1, 81)
POPULATIONS, SAMPLES = 500, 40


@pytest.mark.parametrize("size", SIZES)
def test_the_interval_of_a_share_holds_the_true_rate(size, record_property):
    """Not by simulation: the chance of each count is known for every true rate."""
    record_property("cases", len(RATES))
    shares = [share_of(count, size, CONFIDENCE) for count in range(size + 1)]
    for rate in RATES:
        holds = [share.low <= rate <= share.high for share in shares]
        chance = binom.pmf(np.arange(size + 1), size, rate)[holds].sum()
        assert chance >= CONFIDENCE - 1e-12, rate


def test_the_interval_of_a_gap_holds_the_true_gap(record_property):
    """Populations of two to five groups, some of them tiny, some with rates of 0 or 1.

    In each of them it holds often enough, up to what chance does to forty samples; of
    all samples together in more than are promised.
    """
    record_property("cases", POPULATIONS)
    rng = np.random.default_rng(20)
    held = np.zeros(POPULATIONS, dtype=int)
    for population in range(POPULATIONS):
        n_groups = rng.integers(2, 6)
        sizes = rng.integers(1, rng.choice([8, 60, 400]) + 1, n_groups)
        rates = np.clip(rng.normal(0.5, 0.4, n_groups), 0, 1)
        gap = rates.max() - rates.min()
        for counts in rng.binomial(sizes, rates, (SAMPLES, n_groups)):
            low, high = gap_interval([*zip(counts, sizes, strict=True)], CONFIDENCE)
            held[population] += low <= gap <= high
    assert held.min() >= binom.ppf(1e-4 / POPULATIONS, SAMPLES, CONFIDENCE)
    assert held.sum() >= CONFIDENCE * POPULATIONS * SAMPLES
