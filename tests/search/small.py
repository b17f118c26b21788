"""A small grid on a few people, searched in a moment."""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV
from made_up import gap, make_people

OPPORTUNITY = "equality_of_opportunity"
ODDS = "equalized_odds"
SMALL = {
    "epsilons": (0.05, 1.0),
    "complexities": (3, 6),
    "fine_epsilons": (0.02, 0.05, 1.0),
    "cv": 3,
}
FIT = {
    "constraint": OPPORTUNITY,
    "max_conditions": 2,
    "thresholds": "quantile",
    "n_thresholds": 4,
    "rules_for": "positive",
    "warm_start_rules": None,
    "time_limit": 60,
}
N_COARSE, N_FINE = 4, 6
X, Y, GROUPS = make_people(240)


def make_search(**parameters):
    """Put parameters of both kinds where they belong."""
    own = FairRuleSetClassifierCV().get_params(deep=False)
    parameters = {**SMALL, **FIT, **parameters}
    inner = {name: parameters.pop(name) for name in {*parameters} - {*own}}
    parameters.setdefault("estimator", FairRuleSetClassifier(**inner))
    return FairRuleSetClassifierCV(**parameters)


def search(X=X, y=Y, groups=GROUPS, weights=None, **parameters):
    """Search a small grid under equality of opportunity."""
    return make_search(**parameters).fit(
        X, y, sensitive_features=groups, sample_weight=weights
    )


def parts(y=Y, n_splits=3):
    """Return the folds that the search makes of an integer."""
    splitter = StratifiedKFold(n_splits, shuffle=True, random_state=0)
    return list(splitter.split(np.zeros((len(y), 1)), y))


def gaps(y, covered, groups, labels):
    """Recount the difference between groups of the covered share of each label."""
    return [gap(y, covered, groups, label) for label in labels]


def without_seconds(frame):
    return frame.drop(columns="seconds")
