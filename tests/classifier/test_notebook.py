"""What a notebook shows: rules, groups and the certificate, escaped."""

import numpy as np
import pandas as pd

from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV


def test_results_have_a_small_escaped_form():
    """A column of this name must not run in anybody's notebook."""
    rng = np.random.default_rng(0)
    name = "<script>alert(1)</script>"
    X = pd.DataFrame({name: rng.integers(0, 5, 80), "b": rng.integers(0, 5, 80)})
    groups = rng.choice(["<b>A</b>", "B"], 80)
    clf = FairRuleSetClassifier(
        constraint="demographic_parity", epsilon=0.9, max_complexity=2, max_conditions=1
    )
    assert "Predict" not in clf._repr_html_()
    clf.fit(X, X[name] > 2, sensitive_features=groups)
    forms = [v._repr_html_() for v in (clf.rule_set_, clf.certificate_, clf.fairness_)]
    shown = clf._repr_html_()
    for form in forms:
        assert form in shown
        assert "<script" not in form
        assert "<b>" not in form
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &gt; 2" in forms[0]
    assert "&lt;b&gt;A&lt;/b&gt;" in forms[2]
    search = FairRuleSetClassifierCV(clf, complexities=(2,), epsilons=(1.0,), cv=2)
    assert forms[0] not in search._repr_html_()
    search.fit(X, X[name] > 2, sensitive_features=groups)
    assert search.rule_set_._repr_html_() in search._repr_html_()
    assert search.predict_proba(X).shape == (80, 2)
    assert search.decision_function(X).shape == (80,)
