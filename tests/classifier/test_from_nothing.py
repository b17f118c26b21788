"""A search that is given no rules finds those that a constraint needs."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from faircg import FairRuleSetClassifier
from faircg.exceptions import InfeasibleConstraintError

EPSILON = Fraction(1, 50)
MAX_COMPLEXITY = 6


def people(seed):
    """Draw a few people, three answers each."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 14))
    answers = rng.random((n, 3)) < 0.5
    return answers, np.arange(n) % 2, rng.permutation(n) % 2


def outcomes(answers, y, groups):
    """List the wrong predictions and the gap of error rates of all rule sets."""
    conditions = [answers[:, j] == value for j in range(3) for value in (True, False)]
    rules = [
        (len(chosen) + 1, np.logical_and.reduce([conditions[i] for i in chosen]))
        for size in (1, 2)
        for chosen in combinations(range(6), size)
    ]
    for size in range(4):
        for chosen in combinations(rules, size):
            if sum(complexity for complexity, _ in chosen) <= MAX_COMPLEXITY:
                covered = np.zeros(len(y), dtype=bool)
                for _, covers in chosen:
                    covered |= covers
                wrong = covered != (y == 1)
                rates = [
                    Fraction(int(wrong[groups == g].sum()), int((groups == g).sum()))
                    for g in (0, 1)
                ]
                yield int(wrong.sum()), abs(rates[0] - rates[1])


@pytest.mark.parametrize("seed", range(15))
def test_accuracy_parity_is_met_from_nothing_where_it_can_be(seed):
    """The empty rule set has a gap here, so that there is nothing to begin with.

    "No rule set was found" was said in 37 of 70 such cases in which there is one: the
    linear program over no rules has no solution, and so no prices for others.
    """
    answers, y, groups = people(seed)
    known = [*outcomes(answers, y, groups)]
    allowed = [errors for errors, gap in known if gap <= EPSILON]
    clf = FairRuleSetClassifier(
        constraint="accuracy_parity",
        epsilon=float(EPSILON),
        max_complexity=MAX_COMPLEXITY,
        max_conditions=2,
        objective="zero_one",
        warm_start_rules=None,
        random_state=0,
    )
    X = pd.DataFrame(answers, columns=[*"abc"])
    if allowed:
        clf.fit(X, y, sensitive_features=groups)
        assert (clf.predict(X) != y).sum() == min(allowed)
        assert clf.certificate_.status == "optimal"
        return
    with pytest.raises(InfeasibleConstraintError, match="no rule set") as told:
        clf.fit(X, y, sensitive_features=groups)
    assert told.value.loosen_by + EPSILON == min(gap for _, gap in known)
