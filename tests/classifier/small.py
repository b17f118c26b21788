"""A small classifier of a few people, fitted in a moment."""

from faircg import FairRuleSetClassifier
from made_up import make_people

OPPORTUNITY = "equality_of_opportunity"
ODDS = "equalized_odds"
X, Y, GROUPS = make_people(80)
SMALL = {
    "max_complexity": 6,
    "max_conditions": 2,
    "thresholds": "quantile",
    "n_thresholds": 4,
    "rules_for": "positive",
    "warm_start_rules": None,
    "time_limit": 60,
}


def fit(X=X, y=Y, groups=GROUPS, weights=None, **parameters):
    """Fit a small classifier under equality of opportunity."""
    parameters = {"constraint": OPPORTUNITY, **SMALL, **parameters}
    clf = FairRuleSetClassifier(**parameters)
    return clf.fit(X, y, sensitive_features=groups, sample_weight=weights)


def record(clf):
    """Return the model as its file has it."""
    return clf.model_.to_json()
