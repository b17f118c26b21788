"""Checks of old versions of scikit-learn that are wrong themselves."""

import numpy as np
import pytest
from sklearn.utils import estimator_checks

from faircg import FairRuleSetClassifier


def run(check, estimator):
    """Run a check, or skip it where it gives its two fits different labels.

    Until 1.6 the first sample said which class is the lower one, also after samples
    were shuffled: "weighted" and "repeated" people then had opposite labels.
    """
    name = getattr(check, "func", check).__name__
    two = estimator_checks._enforce_estimator_tags_y(
        FairRuleSetClassifier(), np.array([2, 0, 1])
    )
    if name.startswith("check_sample_weight_equivalence") and two[0] == two.min():
        pytest.skip("this version of scikit-learn shuffles labels before it names them")
    check(estimator)
