"""What changes nothing about the result."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from classifier.small import GROUPS, ODDS, OPPORTUNITY, X, Y, fit, record


@pytest.mark.parametrize("pricing", ["exact", "sampled"])
def test_the_same_seed_gives_the_same_bytes(pricing):
    """Fitting again changes nothing, in another object or in the same one."""
    first = fit(pricing=pricing, warm_start_rules="forest", random_state=7)
    expected = record(first)
    assert record(clone(first).fit(X, Y, sensitive_features=GROUPS)) == expected
    assert record(first.fit(X, Y, sensitive_features=GROUPS)) == expected


@pytest.mark.parametrize("jobs", [2, -1])
def test_threads_do_not_change_the_result(clf, jobs):
    """One thread or many: the same bytes."""
    assert record(fit(n_jobs=jobs)) == record(clf)


def test_the_order_of_samples_does_not_matter(clf):
    """Shuffling the rows gives the same model."""
    order = np.random.default_rng(1).permutation(len(Y))
    other = fit(X=X.iloc[order], y=Y[order], groups=GROUPS.iloc[order])
    assert record(other) == record(clf)


def test_the_index_of_a_frame_changes_nothing(clf):
    """Rows are matched by position; groups with another index are refused."""
    rng = np.random.default_rng(2)
    index = rng.permutation(len(Y))
    other = fit(
        X=X.set_index(index),
        y=pd.Series(Y, index=rng.permutation(len(Y))),
        groups=GROUPS.set_axis(index),
    )
    assert record(other) == record(clf)


def test_renaming_groups_changes_only_their_names(clf):
    """Which group comes first in the alphabet decides nothing."""
    other = fit(groups=GROUPS.map({"f": "z", "m": "a"}))
    assert other.rule_set_ == clf.rule_set_
    assert other.fairness_.groups["z"] == clf.fairness_.groups["f"]


@pytest.mark.parametrize("constraint", [None, OPPORTUNITY, ODDS])
def test_integer_weights_are_repeated_rows(constraint):
    """A weight of three is the row three times, a weight of zero no row: same bytes."""
    weights = np.random.default_rng(3).integers(0, 4, len(Y))
    rows = np.repeat(np.arange(len(Y)), weights)
    parameters = {"constraint": constraint, "max_complexity": 4}
    weighted = fit(weights=weights, **parameters)
    repeated = fit(X.iloc[rows], Y[rows], GROUPS.iloc[rows], **parameters)
    assert record(weighted) == record(repeated)


def test_equal_weights_change_nothing_but_the_counts(clf):
    """Everybody twice is the same rule set with twice the loss."""
    twice = fit(weights=np.full(len(Y), 2.0))
    assert twice.certificate_.objective == 2 * clf.certificate_.objective
    assert twice.fairness_.gap <= 0.05
