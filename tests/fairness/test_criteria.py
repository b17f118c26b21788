"""Criteria: what they refuse, and the words they refuse it with."""

from __future__ import annotations

import numpy as np
import pytest

from faircg.fairness import (
    CRITERIA,
    DemographicParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    GroupSizes,
    criterion_by_name,
    rates_of,
)
from faircg.fairness.constraint import takes_epsilon


@pytest.mark.parametrize("criterion", [EqualityOfOpportunity(0.1), EqualizedOdds(0.1)])
def test_a_group_without_positives_is_named_with_its_counts_and_the_ways_out(criterion):
    """Its false negative rate does not exist, so no bound on it can be kept."""
    groups = GroupSizes(("young", "old"), np.array([4, 0]), np.array([5, 6]))
    with pytest.raises(ValueError, match="has no positive sample") as error:
        rates_of(criterion, groups)
    text = str(error.value)
    assert "group 'old'" in text
    assert "(0 positive, 6 negative)" in text
    assert "false negative rate is undefined" in text
    assert "merge it with another group" in text


def test_a_group_of_nobody_is_said_to_be_one():
    """It had "no any sample"."""
    groups = GroupSizes(("young", "old"), np.array([4, 0]), np.array([5, 0]))
    with pytest.raises(ValueError, match=r"group 'old' has no sample \(0 positive, 0"):
        rates_of(DemographicParity(0.1), groups)


def test_a_group_without_negatives_matters_only_to_equalized_odds():
    """Equality of opportunity never looks at negatives."""
    groups = GroupSizes(("young", "old"), np.array([4, 3]), np.array([0, 6]))
    assert len(rates_of(EqualityOfOpportunity(0.1), groups)) == 1
    with pytest.raises(
        ValueError,
        match=r"group 'young' has no negative sample \(4 positive, 0 negative\), so "
        "its false positive rate is undefined",
    ):
        rates_of(EqualizedOdds(0.1), groups)


@pytest.mark.parametrize("epsilon", [-0.01, float("nan"), float("inf")])
def test_an_epsilon_that_is_no_share_is_refused_at_once(epsilon):
    """The message says what a sensible number means."""
    with pytest.raises(
        ValueError, match=r"epsilon must be a number of at least 0 \(0.0"
    ):
        EqualityOfOpportunity(epsilon)
    with pytest.raises(ValueError, match=r"^epsilon must be"):
        EqualizedOdds(epsilon)
    with pytest.raises(ValueError, match=r"^epsilon_negatives must be"):
        EqualizedOdds(0.1, epsilon_negatives=epsilon)


def test_criteria_are_found_by_name_and_know_it():
    """An unknown name is answered with the known ones."""
    for name in CRITERIA:
        if takes_epsilon(f"{name}"):
            criterion = criterion_by_name(name, 0.1)
            assert criterion.name == name
            assert criterion.epsilon == 0.1
    with pytest.raises(ValueError, match="'odds' is not known; use one of") as error:
        criterion_by_name("odds", 0.1)
    assert all(name in str(error.value) for name in CRITERIA)


def test_two_epsilons_are_both_in_the_name():
    """A certificate said "equalized odds within 0.5", and was proven for 0.1 as well.

    Rule sets with fewer errors kept equalized odds within 0.5, which it denied.
    """
    assert EqualizedOdds(0.5, epsilon_negatives=0.5).name == "equalized_odds"
    odds = EqualizedOdds(0.5, epsilon_negatives=0.1)
    assert odds.name == "equality_of_opportunity & predictive_equality=0.1"
