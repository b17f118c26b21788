"""Bad input: one clear sentence each; type and text of the error are asserted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError

from faircg import Condition, FairRuleSetClassifier, Rule
from faircg.fairness import EqualityOfOpportunity, EqualizedOdds

N = 40
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 70, N),
        "job": RNG.choice(["cook", "nurse", "clerk"], N),
        "member": RNG.random(N) < 0.5,
    }
)
Y = (X["member"] | (X["job"] == "cook")).astype(int).to_numpy()
GROUPS = np.array(["f", "m"] * (N // 2))
OPPORTUNITY = "equality_of_opportunity"
ODDS = "equalized_odds"


def fit(X=X, y=Y, groups=None, weights=None, **parameters):
    """Fit quickly."""
    parameters = {
        "max_complexity": 4,
        "max_conditions": 2,
        "warm_start_rules": None,
        "time_limit": 20,
        **parameters,
    }
    clf = FairRuleSetClassifier(**parameters)
    return clf.fit(X, y, sensitive_features=groups, sample_weight=weights)


def at(row, value, values, dtype=object):
    """Return a copy of the values with one of them replaced."""
    changed = np.array(values, dtype=dtype)
    changed[row] = value
    return changed


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ones(N), r"y has only one class, 1\.0; two classes are needed"),
        (np.zeros(N, dtype=int), "y has only one class, 0;"),
        (["yes"] * N, "y has only one class, 'yes'"),
        (np.arange(N) % 3, r"Only binary .*multiclass\. y has 3 classes: \[0, 1, 2\]"),
        (np.arange(N) % 10, r"y has 10 classes: \[0, 1, 2, 3, 4\] and more"),
        (np.array(["a", "b", "c", "d"] * 10), r"y has 4 classes: \['a', 'b', 'c'"),
        (RNG.random(N), "Unknown label type: continuous"),
        (at(3, np.nan, Y, float), r"y contains NaN or infinity in 1 rows \(first: 3\)"),
        (at(3, np.inf, Y, float), r"y contains NaN or infinity in 1 rows \(first: 3\)"),
        (at(5, None, Y), r"y contains NaN: 1 labels are missing \(first row: 5\)"),
        (
            at(5, np.nan, np.where(Y, "a", "b")),
            r"1 labels are missing \(first row: 5\)",
        ),
        (pd.Series(Y, dtype="Int64").where(Y == 1), "y contains NaN or infinity"),
        (
            pd.Series(np.where(Y, "a", "b"), dtype="string").where(Y == 1),
            "y contains NaN: .* labels are missing",
        ),
        (pl.Series(at(0, None, Y).tolist()), "y contains NaN"),
        (np.array([1, "a"] * 20, dtype=object), "y mixes numbers and texts"),
        (np.array(["2020-01-01", "2020-01-02"] * 20, "M8[D]"), "y holds datetime64"),
        (np.array([b"a", b"b"] * 20), r"y holds \|S1; labels must be text"),
        (np.c_[Y, Y], "y should be a 1d array"),
        (None, "y should be a 1d array"),
        (Y[:-1], "X has 40 rows and y has 39: .*inconsistent numbers of samples"),
        (np.r_[Y, Y], "X has 40 rows and y has 80"),
        ([], "X has 40 rows and y has 0"),
    ],
    ids=range(22),
)
def test_bad_labels(y, message):
    """What was found in y is named."""
    with pytest.raises(ValueError, match=message):
        fit(y=y)


def test_a_column_of_labels_is_flattened_with_a_warning():
    """A frame of one column is what I meant, and I am told."""
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        fit(y=Y[:, np.newaxis])


@pytest.mark.parametrize(
    ("pos_label", "y"), [(7, Y), ("1", Y), ("maybe", np.where(Y, "yes", "no"))]
)
def test_a_positive_label_that_is_no_label(pos_label, y):
    """A typing error in pos_label is found, with the labels there are."""
    with pytest.raises(ValueError, match=r"pos_label=.* is not a label; y has \["):
        fit(y=y, pos_label=pos_label)


@pytest.mark.parametrize(
    ("groups", "constraint", "message"),
    [
        (
            None,
            OPPORTUNITY,
            "constraint='equality_of_opportunity' compares groups; pass",
        ),
        (
            None,
            ODDS,
            "constraint='equalized_odds' compares groups; pass sensitive_feat",
        ),
        (None, EqualizedOdds(0.1), "compares groups; pass sensitive_features"),
        (GROUPS[:-1], OPPORTUNITY, "X has 40 rows and sensitive_features has 39"),
        (GROUPS[:-1], None, "X has 40 rows and sensitive_features has 39"),
        ([], OPPORTUNITY, "X has 40 rows and sensitive_features has 0"),
        (
            at(range(7), None, GROUPS),
            OPPORTUNITY,
            r"7 missing values \(first rows: \[0, 1, 2, 3, 4\]\).*missing_groups=",
        ),
        (
            np.where(Y == 1, "m", GROUPS),
            OPPORTUNITY,
            r"group 'f' has no positive sample \(0 positive, \d+ negative\).*merge it",
        ),
        (
            np.where(Y == 0, "m", GROUPS),
            ODDS,
            r"group 'f' has no negative sample \(\d+ positive, 0 negative\).*merge it",
        ),
        ("sex", OPPORTUNITY, "sensitive_features must be one column"),
        (pl.LazyFrame({"s": GROUPS}), OPPORTUNITY, "must be one column"),
        (np.zeros((N, 1, 1)), OPPORTUNITY, "must be one column"),
    ],
    ids=range(12),
)
def test_bad_groups(groups, constraint, message):
    """Groups that are absent, too few, missing or empty are named with their counts."""
    with pytest.raises(ValueError, match=message):
        fit(groups=groups, constraint=constraint)


def test_weights_can_empty_a_group():
    """A group whose positives all weigh zero has none."""
    weights = np.where((GROUPS == "f") & (Y == 1), 0, 1)
    with pytest.raises(ValueError, match="group 'f' has no positive sample"):
        fit(groups=GROUPS, constraint=OPPORTUNITY, weights=weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(N, -1), "must not be negative; found -1 in row 0"),
        (at(4, 2**0.5, np.ones(N), float), r"1\.414\d* has too many digits"),
        (np.zeros(N), "at least one non-zero|zero for every sample"),
        (np.full(N, np.nan), "sample_weight contains NaN"),
        (np.full(N, np.inf), "sample_weight contains infinity"),
        (np.ones(N - 1), r"sample_weight.shape == \(39,\), expected \(40,\)"),
        (np.ones((N, 2)), "Sample weights must be 1D array"),
        ("heavy", "could not convert string to float: 'heavy'"),
        (Y, "sample_weight leaves only one class"),
        (1 - Y, "sample_weight leaves only one class"),
        (np.full(N, 1e300), "too large to be counted exactly"),
        (np.full(N, 2.0**53), "too large to be counted exactly"),
    ],
    ids=range(12),
)
def test_bad_weights(weights, message):
    """Weights can be counted exactly, or an error says which one cannot."""
    with pytest.raises(ValueError, match=message):
        fit(weights=weights)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (np.full(N, -1.0), "costs must not be negative; found -1 in row 0"),
        (at(4, 2**0.5, np.ones(N), float), r"costs: 1\.414\d* has too many digits"),
        (np.zeros(N), "costs nothing in any row that counts"),
        (np.full(N, np.nan), "costs contains NaN"),
        (np.full(N, np.inf), "costs contains infinity"),
        (np.ones(N - 1), r"one number for each of the 40 rows, not .* \(39,\)"),
        (np.ones((N, 2)), r"one number for each of the 40 rows, not .* \(40, 2\)"),
        (["dear"] * N, "could not convert string to float: 'dear'"),
        (np.full(N, 1e300), "too large to be counted exactly"),
        (at(4, 1e15, np.full(N, 1e-6), float), "too large to be counted exactly"),
    ],
    ids=range(10),
)
def test_bad_costs_of_rows(costs, message):
    """What cannot be meant is an error that names it."""
    with pytest.raises(ValueError, match=message):
        FairRuleSetClassifier().fit(X, Y, costs=costs)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cost_false_positive": -1}, "cost_false_positive.* or a float in"),
        ({"cost_false_negative": np.nan}, "cost_false_negative.* or a float in"),
        ({"cost_false_negative": np.inf}, "cost_false_negative.* or a float in"),
        ({"cost_false_positive": "5"}, "cost_false_positive.* or a float in"),
        ({"cost_false_positive": 0, "cost_false_negative": 0}, "are both 0"),
        ({"cost_false_positive": 1e300}, "the costs differ too much"),
        ({"cost_false_positive": 10**400}, "cost_false_positive must be a number"),
        ({"cost_false_positive": np.pi}, r"cost_false_positive: 3\.14\d* has too many"),
        ({"class_weight": "even"}, "class_weight.* must be a str among {'balanced'}"),
        ({"class_weight": {2: 1.0}}, r"names 2, which is no label; .* are \[0, 1\]"),
        ({"class_weight": {0: -1}}, "class_weight must be a number of at least 0"),
        ({"class_weight": {0: 0, 1: 0}}, "costs nothing in any row that counts"),
    ],
    ids=range(12),
)
def test_bad_costs_of_errors(parameters, message):
    """Negative, endless and senseless costs are refused before any work."""
    with pytest.raises(ValueError, match=message):
        FairRuleSetClassifier(**parameters).fit(X, Y)


NUMBER = "parameter of FairRuleSetClassifier must be a float in the range"
WHOLE = "parameter of FairRuleSetClassifier must be an int in the range"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "constraint",
            "fair",
            r"constraint 'fair' is not known; use one of \['accuracy_parity', .*"
            r"'four_fifths', 'precision_floor', 'predictive_equality'\], RATE_floor",
        ),
        ("constraint", "EO", "constraint 'EO' is not known"),
        ("constraint", 3, "'constraint' .* 'rates', a callable or None. Got 3"),
        ("constraint", float, "neither the name of a criterion, nor a criterion"),
        ("time_limit", 10**400, r"in the range \(0.0, 1000000000000.0\] or None"),
        ("max_complexity", 10**30, rf"{WHOLE} \[0, 2147483647\]"),
        ("epsilon", -0.1, r"'epsilon' .*\[0.0, 1.0\] or None\. Got -0"),
        ("epsilon", 5, r"'epsilon' .*\[0.0, 1.0\] or None\. Got 5"),
        ("epsilon", np.nan, r"'epsilon' .*a float in the range.* Got nan"),
        ("epsilon", np.inf, r"'epsilon' .*a float in the range.* Got inf"),
        ("epsilon", "small", r"'epsilon' .*a float in the range.* Got 'small'"),
        ("max_complexity", -1, rf"'max_complexity' {WHOLE}.* Got -1"),
        ("max_complexity", 2.5, rf"'max_complexity' {WHOLE}.* Got 2\.5"),
        ("max_complexity", "big", rf"'max_complexity' {WHOLE}.* Got 'big'"),
        ("max_complexity", None, rf"'max_complexity' {WHOLE}.* Got None"),
        ("max_conditions", 0, rf"'max_conditions' {WHOLE}.* Got 0"),
        ("max_conditions", -3, rf"'max_conditions' {WHOLE}.* Got -3"),
        ("max_conditions", 1.5, rf"'max_conditions' {WHOLE}.* Got 1\.5"),
        ("objective", "auc", "'objective' parameter .*must be a str among .*Got 'auc'"),
        ("objective", None, "'objective' parameter .* Got None"),
        (
            "pricing",
            "magic",
            r"pricing='magic' is not known; use one of \['exact', 'gr",
        ),
        ("pricing", None, "'pricing' parameter .* implementing 'price'. Got None"),
        ("pricing", 3, "'pricing' parameter .* implementing 'price'. Got 3"),
        ("warm_start_rules", "oak", "warm_start_rules='oak' is not known; use one of"),
        ("warm_start_rules", 3, "'warm_start_rules' parameter .* Got 3"),
        ("warm_start_rules", ["age"], "must be rules .* not 'age'"),
        (
            "warm_start_rules",
            [Rule((Condition("age", ">", 1.5),))],
            "'age > 1.5' is not a condition of this table",
        ),
        (
            "thresholds",
            "magic",
            r"thresholds='magic' is not known; use one of \['auto', 'quantile', ",
        ),
        ("thresholds", 3, "'thresholds' parameter .* Got 3"),
        (
            "thresholds",
            {"pay": [1]},
            "thresholds names 'pay', which is not a feature; the features are 'age'",
        ),
        ("thresholds", {"age": ["x"]}, "cut points of 'age' must be a list of finite"),
        ("thresholds", {"age": [np.inf]}, "cut points of 'age' must be a list of fin"),
        ("thresholds", {"age": 3}, "cut points of 'age' must be a list of finite"),
        ("thresholds", {"job": [3]}, "cut points for 'job', which is category"),
        ("n_thresholds", 1, rf"'n_thresholds' {WHOLE}.* Got 1"),
        ("n_thresholds", 2.5, rf"'n_thresholds' {WHOLE}.* Got 2\.5"),
        ("exclude", "age", "'exclude' parameter .* array-like. Got 'age'"),
        ("exclude", 3, "'exclude' parameter .* array-like. Got 3"),
        (
            "exclude",
            ["pay"],
            "exclude names 'pay', which is not a feature; the features are 'age'",
        ),
        ("time_limit", 0, rf"'time_limit' {NUMBER}.* Got 0"),
        ("time_limit", -1, rf"'time_limit' {NUMBER}.* Got -1"),
        ("time_limit", np.nan, rf"'time_limit' {NUMBER}.* Got nan"),
        ("time_limit", "long", rf"'time_limit' {NUMBER}.* Got 'long'"),
        ("work_limit", 0, rf"'work_limit' {NUMBER}.* Got 0"),
        ("memory_limit", -1, rf"'memory_limit' {NUMBER}.* Got -1"),
        ("pricing_time_limit", 0, rf"'pricing_time_limit' {NUMBER}.* Got 0"),
        ("random_state", "x", "'random_state' parameter .* Got 'x'"),
        ("n_jobs", 1.5, "'n_jobs' parameter .* Got 1.5"),
        ("verbose", -1, "'verbose' parameter .* Got -1"),
        ("missing_groups", "drop", "'missing_groups' parameter .* Got 'drop'"),
        ("strict", 3, "'strict' parameter .* Got 3"),
        ("on_interrupt", "stay", "'on_interrupt' parameter .* Got 'stay'"),
    ],
)
def test_bad_parameters(name, value, message):
    """Each parameter refuses nonsense by its name, in fit and not before."""
    parameters = {"constraint": OPPORTUNITY, name: value}
    with pytest.raises(ValueError, match=message):
        fit(groups=GROUPS, **parameters)


@pytest.mark.parametrize("criterion", [EqualityOfOpportunity, EqualizedOdds])
@pytest.mark.parametrize("epsilon", [-0.1, np.nan, np.inf])
def test_a_criterion_refuses_a_bad_epsilon(criterion, epsilon):
    """A constraint object checks its own epsilon at once."""
    with pytest.raises(ValueError, match="epsilon must be a number of at least 0"):
        criterion(epsilon)


def test_separate_epsilons_are_both_checked():
    """The bound for negatives is checked as well."""
    with pytest.raises(ValueError, match="epsilon_negatives must be a number"):
        EqualizedOdds(0.1, epsilon_negatives=-1)


def test_an_unknown_parameter_is_refused():
    """A misspelt parameter is an error of Python's."""
    with pytest.raises(TypeError, match="epsilom"):
        FairRuleSetClassifier(epsilom=0.1)


def test_parameters_are_keyword_only():
    """Nobody guesses the order of twenty parameters."""
    with pytest.raises(TypeError, match="positional"):
        FairRuleSetClassifier(OPPORTUNITY)
    with pytest.raises(TypeError, match="positional"):
        FairRuleSetClassifier().fit(X, Y, GROUPS)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (X[:0], ValueError, r"0 sample\(s\)"),
        (X[[]], ValueError, r"0 feature\(s\)"),
        (pl.from_pandas(X)[:0], ValueError, r"0 sample\(s\)"),
        (np.zeros((0, 2)), ValueError, r"0 sample\(s\)"),
        (np.zeros((N, 0)), ValueError, r"0 feature\(s\)"),
        (np.zeros(N), ValueError, "Expected 2D array, got 1D array"),
        (np.zeros((N, 1, 1)), ValueError, "Found array with dim 3"),
        (None, ValueError, "Expected 2D array, got scalar"),
        ("people.csv", ValueError, "Expected 2D array, got scalar"),
        (X["age"], ValueError, "Expected a 2-dimensional container"),
        (sparse.eye_array(N, format="csr"), TypeError, "Sparse data was passed"),
        (pl.from_pandas(X).lazy(), TypeError, "the table is lazy .*collect it first"),
        (pd.concat([X, X], axis=1), ValueError, "must be unique; repeated"),
        (X.set_axis([0, "a", "b"], axis=1), TypeError, "Feature names are only supp"),
        (X.assign(age=np.inf), ValueError, "'age' has infinity in 40 rows"),
        (X.assign(day=pd.Timestamp(0)), ValueError, "'day' holds Datetime"),
        (X.assign(z=1j), TypeError, "'z' .*complex"),
        (X.assign(age=[1, "a"] * 20), TypeError, "'age' mixes .*'int', 'str'"),
        (np.array([["2020-01-01"]] * N, dtype="M8[D]"), ValueError, "'x0' holds datet"),
        (np.full((N, 1), 1j), ValueError, "[Cc]omplex"),
    ],
    ids=range(20),
)
def test_bad_tables(table, error, message):
    """A table that cannot be used says why."""
    with pytest.raises(error, match=message):
        fit(X=table)


def test_one_person_is_too_few():
    """One row has one class."""
    with pytest.raises(ValueError, match="y has only one class"):
        fit(X=X[:1], y=Y[:1])


def test_predicting_before_fitting():
    """An estimator that has learned nothing says so."""
    with pytest.raises(NotFittedError, match="not fitted yet"):
        FairRuleSetClassifier().predict(X)


@pytest.fixture(scope="module")
def clf():
    """Fit a classifier that tests every feature."""
    labels = (X["age"] > 40) & X["member"] | (X["job"] == "cook")
    fitted = fit(y=labels, max_complexity=8)
    assert set(fitted.rule_set_.features) == {"age", "job", "member"}
    return fitted


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (X.drop(columns="age"), ValueError, "age"),
        (X.assign(age="old"), ValueError, "'age' was numeric .* is category now"),
        (X.assign(job=3), ValueError, "'job' was category .* is numeric now"),
        (X.assign(member="yes"), ValueError, "'member' was boolean .* is category"),
        (X.assign(member=2), ValueError, "'member' was boolean .* is numeric"),
        (X.assign(age=-np.inf), ValueError, "'age' has infinity"),
        (X[:0], ValueError, r"0 sample\(s\)"),
        (pl.from_pandas(X).lazy(), TypeError, "lazy .*collect it first"),
    ],
    ids=range(8),
)
def test_bad_tables_to_predict(clf, table, error, message):
    """A table that is not like the training table says how it differs."""
    with pytest.raises(error, match=message):
        clf.predict(table)


def test_an_array_after_a_frame_is_refused(clf):
    """Columns are found by name; an array has none, so nothing is guessed."""
    with (
        pytest.warns(UserWarning, match="does not have valid feature names"),
        pytest.raises(ValueError, match=r"lacks 3 features .*'age', 'job', 'member'"),
    ):
        clf.predict(X.astype(object).to_numpy())


def test_an_unseen_category_can_be_an_error():
    """With strict=True a new category stops the prediction."""
    strict = fit(y=Y, strict=True)
    with pytest.raises(ValueError, match=r"'job': 40 rows .*never seen .*'pilot'"):
        strict.predict(X.assign(job="pilot"))


def test_a_failed_fit_leaves_the_old_model():
    """When a second fit is refused, the first one's rules still predict."""
    clf = fit()
    before = clf.predict(X)
    clf.set_params(constraint=OPPORTUNITY)
    with pytest.raises(ValueError, match="compares groups"):
        clf.fit(X, 1 - Y)
    assert (clf.predict(X) == before).all()
