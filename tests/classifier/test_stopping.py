"""Time limits and interruption."""

import signal
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from classifier.small import ODDS, OPPORTUNITY
from faircg import FairRuleSetClassifier
from made_up import gap


def make_hard(n=3_000):
    """Make up data that no time limit of a test suffices for."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(n, 8))
    score = table[:, 0] + table[:, 1] * table[:, 2] + rng.normal(size=n)
    return table, (score > 0).astype(int), rng.integers(0, 2, n)


@pytest.mark.parametrize("constraint", [OPPORTUNITY, ODDS])
@pytest.mark.parametrize("warm_start_rules", [None, "tree"])
def test_a_time_limit_gives_the_best_so_far(constraint, warm_start_rules):
    """When time is up there is a feasible rule set, a warning and an honest status."""
    table, labels, groups = make_hard()
    clf = FairRuleSetClassifier(
        constraint=constraint, time_limit=0.2, warm_start_rules=warm_start_rules
    )
    with pytest.warns(ConvergenceWarning, match=r"time limit of 0\.2 s was reached"):
        clf.fit(table, labels, sensitive_features=groups)
    assert clf.certificate_.status == "time_limit"
    assert clf.certificate_.proven_optimal is False
    assert clf.certificate_.lower_bound <= clf.certificate_.objective
    assert clf.fairness_.within_epsilon
    assert clf.rule_set_.complexity <= 20
    assert gap(labels, clf.predict(table), groups) <= Fraction(1, 20)


INTERRUPTED = """
import faulthandler
import numpy as np
from faircg import FairRuleSetClassifier

faulthandler.dump_traceback_later(300, exit=True)  # should it hear nothing
rng = np.random.default_rng(0)
X = rng.normal(size=(3_000, 8))
y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0).astype(int)
clf = FairRuleSetClassifier(
    constraint="equality_of_opportunity", warm_start_rules=None, max_conditions=3,
    time_limit=1e6, verbose=1, on_interrupt={on_interrupt!r},
)
try:
    clf.fit(X, y, sensitive_features=rng.integers(0, 2, len(X)))
    print("returned")
except KeyboardInterrupt:
    print("raised")
print(clf.certificate_.status, clf.fairness_.within_epsilon, len(clf.predict(X)))
wrong = (clf.predict(X) != y).mean()
print(len(clf.rule_set_.rules) > 0, wrong < min(y.mean(), 1 - y.mean()))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(
    ("on_interrupt", "outcome"), [("raise", "raised"), ("return", "returned")]
)
def test_an_interrupt_keeps_the_best_so_far(on_interrupt, outcome):
    """After Ctrl-C I have control and the best rule set so far, early.

    That is no empty one, and better than always the more frequent label.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(on_interrupt=on_interrupt)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert any("round 1" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
    finally:
        process.kill()
        process.wait()
    assert out.splitlines() == [outcome, "interrupted True 3000", "True True"]
    assert process.returncode == 0
