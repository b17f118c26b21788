import sklearn
from sklearn.utils.estimator_checks import parametrize_with_checks

from faircg import ConditionBinarizer, FairRuleSetClassifier
from scikit_checks import run

ESTIMATORS = [
    FairRuleSetClassifier(
        max_complexity=6,
        max_conditions=2,
        thresholds="quantile",
        n_thresholds=4,
        warm_start_rules=None,
        time_limit=20,
    ),
    FairRuleSetClassifier(
        max_complexity=4,
        max_conditions=1,
        pricing="greedy",
        thresholds="quantile",
        warm_start_rules="tree",
        time_limit=20,
    ),
    ConditionBinarizer(),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_own_checks_pass(estimator, check):
    """The estimators keep every promise of scikit-learn, with no exception."""
    run(check, estimator)


@parametrize_with_checks(ESTIMATORS)
def test_the_checks_pass_with_metadata_routing(estimator, check):
    """The same holds when I switch metadata routing on."""
    with sklearn.config_context(enable_metadata_routing=True):
        run(check, estimator)
