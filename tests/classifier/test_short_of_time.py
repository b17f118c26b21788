"""Time that is over before the search begins: fewer conditions, still a rule set."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from faircg import Condition, FairRuleSetClassifier, Rule, binarize
from faircg.binarize import ConditionBinarizer
from faircg.colgen.stop import Deadline
from faircg.table import read_table

RNG = np.random.default_rng(5)
WIDE = pd.DataFrame(RNG.random((60, 50)), columns=[f"f{j}" for j in range(50)])
LABELS = WIDE["f0"].to_numpy() + 0.2 * RNG.random(60) > 0.55
EVERYBODY = np.ones(60, dtype=np.int64)


def looking(ticks):
    """Make a deadline that comes after so many looks at the clock, on any machine."""
    counter = itertools.count()
    return Deadline(float(ticks), clock=lambda: float(next(counter)))


def learned(deadline):
    """Learn the conditions of the wide table until a deadline."""
    return ConditionBinarizer().learn(read_table(WIDE), LABELS, EVERYBODY, deadline)


@pytest.mark.parametrize("ticks", [1, 200, 500])
def test_conditions_are_made_of_as_many_features_as_time_allows(ticks):
    """The first feature always has some; those that may lack some are named.

    A table of 40 rows and 10,000 columns took 54 s for its conditions alone, within a
    time limit of 5 s.
    """
    whole, part = learned(Deadline()), learned(looking(ticks))
    assert whole.left_out_ == ()
    made = [name for name in WIDE if name not in part.left_out_]
    assert part.left_out_ == tuple(WIDE)[len(made) :] != ()
    assert part.conditions_
    assert {c.feature for c in part.conditions_} <= {*made, part.left_out_[0]}
    # Before it is late they are those that labels choose, afterwards quantiles.
    early = [c for c in whole.conditions_ if c.feature in made[: len(made) // 4]]
    assert part.conditions_[: len(early)] == tuple(early)


def test_more_conditions_than_can_be_merged_in_time_are_thinned(monkeypatch):
    """Merging looks at no clock: 300,000 rows of 200 numbers were 14 s late of 20.

    What is made is some of what would have been, of every feature.
    """
    whole = learned(Deadline())
    monkeypatch.setattr(binarize, "BITS_PER_SECOND", 300.0)  # of 60 rows
    part = learned(Deadline.after(60.0))
    assert 2 * len(WIDE.columns) <= len(part.conditions_) <= 300
    assert {*part.conditions_} < {*whole.conditions_}
    assert {c.feature for c in part.conditions_} == {*WIDE}
    assert len(part.left_out_) > 0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_without_time_for_all_features_claims_nothing_about_the_others(n_jobs):
    """It is at least as good as the majority, and says what it did not look at.

    Directions, cut points and rules that name features which were left out are no
    error then.
    """
    clf = FairRuleSetClassifier(
        time_limit=1e-3,
        monotone={"f49": "increasing"},
        thresholds={"f48": [0.5], "f0": [0.6]},
        warm_start_rules=[Rule((Condition("f48", "<=", 0.5),))],
        n_jobs=n_jobs,
    )
    with pytest.warns(match="of 50 features were made, as time was short"):
        clf.fit(WIDE, LABELS)
    certificate = clf.certificate_
    assert certificate.status == "time_limit"
    assert not certificate.proven_optimal
    assert certificate.lower_bound == 0
    assert certificate.errors_lower_bound is None
    assert certificate.any_classifier_errors is None
    wrong = int((clf.predict(WIDE) != LABELS).sum())
    assert wrong == certificate.errors <= min(LABELS.sum(), (~LABELS).sum())


def test_of_many_different_rows_features_that_are_not_cut_in_time_are_left_out(
    monkeypatch,
):
    """300,000 rows of 200 numbers took 36 s to merge and cut, within a limit of 5 s."""
    monkeypatch.setattr("faircg.labelled.MOST_DISTINCT", 20)
    clf = FairRuleSetClassifier(time_limit=1e-3)
    with pytest.warns(match="as time was short"):
        clf.fit(WIDE, LABELS)
    assert clf.certificate_.status == "time_limit"
    assert clf.certificate_.errors <= min(LABELS.sum(), (~LABELS).sum())


def test_with_time_for_all_nothing_is_left_out():
    """The same fit with the usual limit proves what it finds."""
    clf = FairRuleSetClassifier(max_conditions=1, max_complexity=2)
    clf.fit(WIDE, LABELS)
    assert clf.certificate_.status == "optimal"
    assert clf.certificate_.depths is None
