"""Data that are not what training had: other encodings, other rows, one group."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from faircg import FairRuleSetClassifier, rule_table
from faircg.evaluate import People
from faircg.exceptions import SensitiveFeatureWarning, UnseenCategoryWarning

RNG = np.random.default_rng(0)
PEOPLE = pd.DataFrame(
    {"job": RNG.choice(["cook", "nurse"], 200), "age": RNG.integers(18, 80, 200)}
)
LABELS = ((PEOPLE["job"] == "cook") ^ (RNG.random(200) < 0.1)).to_numpy()
GROUPS = pd.Series(RNG.choice(["a", "b"], 200), name="town")


def fitted(**options: object) -> FairRuleSetClassifier:
    """Fit rules that test the job."""
    clf = FairRuleSetClassifier(max_complexity=4, max_conditions=1, **options)
    return clf.fit(PEOPLE, LABELS)


def test_another_encoding_is_refused():
    """All jobs were in capitals: one note, and approvals fell from 95 % to 5 %."""
    shouted = PEOPLE.assign(job=PEOPLE["job"].str.upper())
    with pytest.raises(ValueError, match=r"most of its 200 values .*strict=False"):
        fitted().predict(shouted)
    with pytest.warns(UnseenCategoryWarning, match="200 rows hold"):
        assert not fitted(strict=False).predict(shouted).any()
    some = PEOPLE.assign(job=PEOPLE["job"].where(PEOPLE.index < 120, "smith"))
    with pytest.warns(UnseenCategoryWarning, match="80 rows hold"):
        fitted().predict(some)
    with pytest.raises(ValueError, match="80 rows hold"):
        fitted(strict=True).predict(some)


def test_one_new_person_is_no_encoding():
    """A single smith is news, not a mistake."""
    with pytest.warns(UnseenCategoryWarning):
        fitted().predict(PEOPLE[:1].assign(job="smith"))


def test_groups_in_another_order_are_refused():
    """I sorted the groups and not the people, and nobody noticed."""
    clf, shuffled = FairRuleSetClassifier(max_complexity=4), GROUPS.sort_values()
    with pytest.raises(ValueError, match="index of sensitive_features differs"):
        clf.fit(PEOPLE, LABELS, sensitive_features=shuffled)
    weights = pd.Series(np.ones(200), index=PEOPLE.index[::-1])
    with pytest.raises(ValueError, match=r"index of sample_weight .* row 0: 199 and 0"):
        clf.fit(PEOPLE, LABELS, sample_weight=weights)
    model = fitted().model_
    with pytest.raises(ValueError, match="index of sensitive_features differs"):
        rule_table(model, PEOPLE, sensitive_features=shuffled)
    with pytest.raises(ValueError, match="index of sensitive_features differs"):
        People.read(PEOPLE, LABELS, sensitive_features=shuffled, models=[model])
    clf.fit(PEOPLE, LABELS, sensitive_features=shuffled.to_numpy())  # as I wish


def test_an_epsilon_alone_bounds_nothing():
    """A gap of 20.7 points came out of epsilon=0.05, as no constraint was named."""
    with pytest.raises(ValueError, match=r"no constraint says of what.*equalized_odds"):
        FairRuleSetClassifier(epsilon=0.05).fit(PEOPLE, LABELS)


def test_one_group_cannot_be_compared():
    """Everybody was of one group, and the constraint was satisfied on this data."""
    clf = FairRuleSetClassifier(constraint="demographic_parity", max_complexity=4)
    with pytest.raises(ValueError, match="everybody is of the group 'a'"):
        clf.fit(PEOPLE, LABELS, sensitive_features=["a"] * 200)
    capped = FairRuleSetClassifier(
        constraint="selection_rate_cap=0.6", max_complexity=4, max_conditions=1
    )
    capped.fit(PEOPLE, LABELS, sensitive_features=["a"] * 200)
    assert capped.fairness_.within_epsilon


def test_rules_on_the_groups_themselves_are_noted():
    """Nobody told me that the rules test what defines the groups."""
    job = PEOPLE["job"]
    clf = FairRuleSetClassifier(max_complexity=4, max_conditions=1)
    with pytest.warns(SensitiveFeatureWarning, match="the rules test 'job', which"):
        clf.fit(PEOPLE, LABELS, sensitive_features=job)
    clf.set_params(exclude=["job"]).fit(PEOPLE, LABELS, sensitive_features=job)
    assert "job" not in clf.rule_set_.features
