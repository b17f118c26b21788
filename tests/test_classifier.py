import io
import json
import pickle
import signal
import subprocess
import sys
import threading
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from faircg import Condition, FairRuleSetClassifier, Rule, RuleSet, RuleSetModel
from faircg.colgen.pricing import PRICERS, GreedyPricer
from faircg.exceptions import UnseenCategoryWarning
from faircg.fairness import Difference, EqualityOfOpportunity, EqualizedOdds, Rate

OPPORTUNITY = "equality_of_opportunity"
ODDS = "equalized_odds"


def make_people(n=80, seed=0):
    """Make up people, noisy labels and groups that matter."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "job": rng.choice(["cook", "nurse", "clerk"], n),
            "member": rng.random(n) < 0.5,
            "pay": rng.normal(size=n).round(2),
        }
    )
    groups = pd.Series(rng.choice(["f", "m"], n), name="sex")
    label = (X["age"] > 40) & X["member"] | (X["job"] == "cook") & (groups == "m")
    label ^= rng.random(n) < 0.1
    return X, label.astype(int).to_numpy(), groups


X, Y, GROUPS = make_people()
SMALL = {
    "max_complexity": 6,
    "max_conditions": 2,
    "n_thresholds": 4,
    "warm_start_rules": None,
    "time_limit": 60,
}


def fit(X=X, y=Y, groups=GROUPS, weights=None, **parameters):
    """Fit a small classifier under equality of opportunity."""
    parameters = {"constraint": OPPORTUNITY, **SMALL, **parameters}
    clf = FairRuleSetClassifier(**parameters)
    return clf.fit(X, y, sensitive_features=groups, sample_weight=weights)


def record(clf):
    """Return the model as JSON, times aside."""
    data = clf.model_.to_dict()
    data["certificate"] = {**data["certificate"], "seconds": 0}
    return json.dumps(data)


def gap(y, predictions, groups, label=1):
    """Recount the largest difference of a group's share of covered people."""
    rates = []
    for group in sorted(set(groups)):
        chosen = (np.asarray(groups) == group) & (y == label)
        rates.append(Fraction(int(predictions[chosen].sum()), int(chosen.sum())))
    return max(rates) - min(rates)


@pytest.fixture(scope="module")
def clf():
    """Fit once what several tests look at."""
    return fit()


# What fit exposes


def test_the_defaults_are_the_documented_ones():
    """A classifier without arguments has the parameters of the documentation."""
    assert FairRuleSetClassifier().get_params() == {
        "groups": "intersection",
        "constraint": None,
        "epsilon": None,
        "max_complexity": 20,
        "max_conditions": None,
        "objective": "hamming",
        "cost_false_positive": 1,
        "cost_false_negative": 1,
        "class_weight": None,
        "pricing": "exact",
        "warm_start_rules": "forest",
        "thresholds": "quantile",
        "n_thresholds": 10,
        "exclude": (),
        "monotone": None,
        "not_together": (),
        "time_limit": 300.0,
        "pricing_time_limit": 45.0,
        "random_state": 0,
        "n_jobs": None,
        "verbose": 0,
        "pos_label": None,
        "rules_for": "positive",
        "missing_groups": "raise",
        "strict": False,
        "on_interrupt": "raise",
        "callbacks": (),
    }


def test_the_rule_set_is_made_of_readable_rules(clf):
    """Rules know my columns and values, and print as English."""
    assert isinstance(clf.rule_set_, RuleSet)
    assert all(isinstance(rule, Rule) for rule in clf.rule_set_.rules)
    for rule in clf.rule_set_.rules:
        for condition in rule.conditions:
            assert isinstance(condition, Condition)
            assert condition.feature in X.columns
    assert str(clf.rule_set_).startswith("Predict 1 if\n    ")
    assert 0 < clf.rule_set_.complexity <= 6


def test_the_certificate_has_the_promised_fields(clf):
    """Status, bound, gap and scope of the proof are there, and frozen."""
    certificate = clf.certificate_
    assert certificate.status == "optimal"
    assert certificate.proven_optimal is True
    assert certificate.lp_proven is True
    assert certificate.lower_bound == certificate.objective
    assert certificate.gap == 0.0
    assert certificate.lp_value <= certificate.objective + 1e-6
    assert (certificate.max_conditions, certificate.max_complexity) == (2, 6)
    assert (certificate.constraint, certificate.epsilon) == (OPPORTUNITY, 0.05)
    assert certificate.rates == "exact"
    assert certificate.seconds > 0
    assert "proven optimal" in str(certificate)
    with pytest.raises(FrozenInstanceError):
        certificate.status = "optimal"


def test_the_fairness_is_a_recount(clf):
    """Counts, rates and the gap equal what I count myself from the predictions."""
    predictions = clf.predict(X)
    for name, counts in clf.fairness_.groups.items():
        mine = (name == GROUPS).to_numpy()
        assert counts.true_positives == (mine & (Y == 1) & (predictions == 1)).sum()
        assert counts.false_negatives == (mine & (Y == 1) & (predictions == 0)).sum()
        assert counts.false_positives == (mine & (Y == 0) & (predictions == 1)).sum()
        assert counts.true_negatives == (mine & (Y == 0) & (predictions == 0)).sum()
    assert clf.fairness_.within_epsilon is True
    assert clf.fairness_.gap == float(gap(Y, predictions, GROUPS))
    assert clf.fairness_.gap <= 0.05
    assert clf.fairness_.gaps == {"false negative rate": clf.fairness_.gap}


def test_the_history_has_one_record_per_round(clf):
    """Rounds are numbered, the value falls and the bound rises."""
    history = clf.history_
    assert [entry.number for entry in history] == list(range(1, len(history) + 1))
    values = [entry.lp_value for entry in history]
    bounds = [entry.lower_bound for entry in history]
    assert values == sorted(values, reverse=True)
    assert bounds == sorted(bounds)
    assert history[-1].lp_value == pytest.approx(clf.certificate_.lp_value)
    assert history[-1].is_complete


def test_scikit_learns_attributes_are_there(clf):
    """Classes, number and names of features are as in any classifier."""
    assert clf.classes_.tolist() == [0, 1]
    assert clf.n_features_in_ == 4
    assert clf.feature_names_in_.tolist() == list(X.columns)
    assert isinstance(clf.model_, RuleSetModel)
    assert clf.score(X, Y) == (clf.predict(X) == Y).mean()


def test_without_a_constraint_nobody_needs_groups():
    """Groups are optional then, and everybody is one group."""
    clf = fit(groups=None, constraint=None)
    assert list(clf.fairness_.groups) == ["everybody"]
    assert clf.fairness_.gap == 0.0
    assert clf.certificate_.constraint is None
    assert clf.certificate_.epsilon is None


def test_groups_without_a_constraint_are_reported_and_change_nothing():
    """I can look at the groups of a rule set that was not constrained."""
    blind, seeing = fit(groups=None, constraint=None), fit(constraint=None)
    assert seeing.rule_set_ == blind.rule_set_
    assert list(seeing.fairness_.groups) == ["f", "m"]


def test_the_constraint_costs_accuracy_and_binds():
    """Without the constraint the gap is larger and the accuracy not lower."""
    free, fair = fit(constraint=None), fit(epsilon=0.0)
    assert gap(Y, free.predict(X), GROUPS) > Fraction(1, 20)
    assert gap(Y, fair.predict(X), GROUPS) == 0
    assert free.score(X, Y) >= fair.score(X, Y)
    assert free.certificate_.objective <= fair.certificate_.objective


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("objective", ["hamming", "zero_one"])
def test_equalized_odds_hold_on_true_rates(objective, epsilon):
    """Both rates are within epsilon in a recount with fractions, not by a proxy."""
    clf = fit(constraint=ODDS, epsilon=epsilon, objective=objective, max_complexity=4)
    predictions = clf.predict(X)
    for label in (0, 1):
        assert gap(Y, predictions, GROUPS, label) <= Fraction(str(epsilon))
    proxy = objective == "hamming"
    assert clf.certificate_.rates == ("proxy" if proxy else "exact")
    assert clf.certificate_.loss == objective
    if not proxy:
        errors = int((predictions != Y).sum())
        assert clf.certificate_.objective == errors


# Prediction


def test_prediction_needs_no_groups(clf):
    """The sensitive attribute is no column of the table and no argument."""
    predictions = clf.predict(X)
    assert predictions.shape == Y.shape
    assert set(predictions) == {0, 1}
    with pytest.raises(TypeError, match="sensitive_features"):
        clf.predict(X, sensitive_features=GROUPS)


def test_the_model_finds_columns_by_name(clf):
    """Shuffled columns, more columns, or only the tested ones give the same answer."""
    predictions = clf.predict(X)
    turned = X[X.columns[::-1]].assign(unused=pd.Timestamp(0))
    assert (clf.model_.predict(turned) == predictions).all()
    tested = list(clf.rule_set_.features)
    assert (clf.model_.predict(X[tested]) == predictions).all()
    with pytest.raises(ValueError, match="same order"):
        clf.predict(X[X.columns[::-1]])


def test_pandas_polars_and_csv_agree(clf):
    """The same people give the same model, wherever they come from."""
    read = pd.read_csv(io.StringIO(X.to_csv(index=False)))
    polars = pl.from_pandas(X)
    nullable = X.convert_dtypes()
    categorical = X.assign(job=X["job"].astype("category"))
    for table in (read, polars, nullable, categorical):
        other = fit(X=table)
        assert record(other) == record(clf)
        assert (other.predict(table) == clf.predict(X)).all()
        assert (clf.predict(table) == clf.predict(X)).all()


def test_polars_labels_and_groups_work(clf):
    """Everything may be polars."""
    other = fit(pl.from_pandas(X), pl.Series(Y), pl.Series(GROUPS.to_list()))
    assert record(other) == record(clf)


def test_arrays_work():
    """An array has columns x0, x1, ..."""
    array = X[["age", "pay"]].to_numpy()
    clf = fit(X=array)
    assert set(clf.rule_set_.features) <= {"x0", "x1"}
    assert not hasattr(clf, "feature_names_in_")
    assert (clf.predict(array.tolist()) == clf.predict(array)).all()


def test_missing_values_are_conditions_of_their_own():
    """When being missing matters, a rule can say so, and predicts by it."""
    table = X.assign(pay=X["pay"].where(Y == 0))
    clf = fit(X=table, constraint=None)
    assert str(clf.rule_set_) == "Predict 1 if\n    pay is missing"
    assert (clf.predict(table) == Y).all()
    assert clf.predict(X.assign(pay=1.0)).sum() == 0


def test_an_unseen_category_is_false_for_equality():
    """A new job meets no "= job", and I am warned with a count."""
    table, labels = X[["job"]], (X["job"] == "cook").astype(int)
    clf = fit(X=table, y=labels, constraint=None)
    new = pd.DataFrame({"job": ["pilot", "cook", None]})
    with pytest.warns(UnseenCategoryWarning, match=r"1 row holds .*'pilot'"):
        assert clf.predict(new).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "labels",
    [("no", "yes"), (False, True), (-1, 1), (0.0, 1.0), (3, 7), ("1", "2")],
)
def test_labels_of_any_two_values(clf, labels):
    """My labels come back as they are; the positive one is classes_[1]."""
    y = np.array(labels)[Y]
    other = fit(y=y)
    assert other.rule_set_.rules == clf.rule_set_.rules
    assert other.classes_.tolist() == list(labels)
    assert other.classes_.dtype == y.dtype
    assert other.predict(X).tolist() == np.array(labels)[clf.predict(X)].tolist()
    assert str(other.rule_set_).startswith(f"Predict {labels[1]} if")
    assert (other.model_.predict(X) == other.predict(X)).all()


def test_the_positive_label_can_be_chosen(clf):
    """Rules then describe the other class, and predictions keep their labels."""
    turned = fit(y=1 - Y, pos_label=0)
    assert turned.rule_set_.rules == clf.rule_set_.rules
    assert turned.classes_.tolist() == [0, 1]
    assert (turned.predict(X) == 1 - clf.predict(X)).all()
    assert str(turned.rule_set_).startswith("Predict 0 if")
    assert (turned.model_.predict(X) == turned.predict(X)).all()


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_labels_of_pandas_types(dtype):
    """Text labels of any pandas type are text labels."""
    clf = fit(y=pd.Series(np.where(Y, "yes", "no"), dtype=dtype))
    assert clf.classes_.tolist() == ["no", "yes"]
    assert json.loads(clf.model_.to_json())["labels"] == ["no", "yes"]


# Sameness


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


def test_the_index_of_a_frame_is_ignored(clf):
    """Rows are matched by position, never by label."""
    rng = np.random.default_rng(2)
    other = fit(
        X=X.set_index(rng.permutation(len(Y))),
        y=pd.Series(Y, index=rng.permutation(len(Y))),
        groups=GROUPS.set_axis(rng.permutation(len(Y))),
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


# Living with scikit-learn


def test_pickle(clf):
    """A pickled classifier predicts the same."""
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict(X) == clf.predict(X)).all()
    assert record(again) == record(clf)


def test_clone(clf):
    """A clone has the parameters and has learned nothing."""
    copy = clone(clf)
    assert copy.get_params() == clf.get_params()
    assert not hasattr(copy, "rule_set_")


def test_fit_does_not_touch_its_parameters():
    """What I pass to the constructor stays as I passed it."""
    exclude, thresholds = ["job"], {"age": [40.0]}
    clf = fit(exclude=exclude, thresholds=thresholds)
    assert clf.exclude is exclude
    assert clf.thresholds is thresholds
    assert (exclude, thresholds) == (["job"], {"age": [40.0]})


def test_pipeline():
    """A pipeline with scaled and untouched columns fits and predicts."""
    numbers = X[["age", "pay"]].assign(member=X["member"].astype(float))
    columns = ColumnTransformer(
        [("scale", StandardScaler(), ["age", "pay"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    model = FairRuleSetClassifier(constraint=OPPORTUNITY, **SMALL)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(sensitive_features=True)
        pipeline = make_pipeline(columns, model)
        pipeline.fit(numbers, Y, sensitive_features=GROUPS)
    predictions = pipeline.predict(numbers)
    assert gap(Y, predictions, GROUPS) <= Fraction(1, 20)
    assert set(model.rule_set_.features) <= {"age", "pay", "member"}


def test_grid_search_over_epsilon():
    """GridSearchCV passes the groups of each fold, by metadata routing."""
    model = FairRuleSetClassifier(
        constraint=OPPORTUNITY, **{**SMALL, "max_complexity": 3}
    )
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(sensitive_features=True)
        search = GridSearchCV(model, {"epsilon": [0.0, 0.1, 1.0]}, cv=2)
        search.fit(X, Y, sensitive_features=GROUPS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = search.best_estimator_
    assert gap(Y, search.predict(X), GROUPS) <= Fraction(str(best.epsilon))
    assert list(best.fairness_.groups) == ["f", "m"]


def test_groups_that_were_not_requested_are_an_error():
    """Without set_fit_request scikit-learn refuses to pass the groups silently."""
    model = FairRuleSetClassifier(constraint=OPPORTUNITY, **SMALL)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(model, {"epsilon": [0.1]}, cv=2)
        with pytest.raises(ValueError, match="sensitive_features"):
            search.fit(X, Y, sensitive_features=GROUPS)


def test_cross_validation_without_a_constraint():
    """cross_val_score works out of the box."""
    model = FairRuleSetClassifier(**{**SMALL, "max_complexity": 3})
    assert cross_val_score(model, X, Y, cv=2).min() > 0.5


def test_fitting_in_a_worker_thread(clf):
    """A web server may fit outside of the main thread."""
    found = []
    thread = threading.Thread(target=lambda: found.append(record(fit())))
    thread.start()
    thread.join()
    assert found == [record(clf)]


def test_verbose_reports_rounds(capfd):
    """With verbose=1 each round is a line; without it there is silence."""
    fit()
    assert capfd.readouterr() == ("", "")
    fit(verbose=1)
    out, err = capfd.readouterr()
    assert out == ""
    assert "round 1: LP" in err
    fit()
    assert capfd.readouterr() == ("", "")


# Parameters


@pytest.mark.parametrize("pricing", PRICERS)
def test_every_pricing_is_feasible_and_honest(clf, pricing):
    """Each way of pricing gives a feasible rule set and never a wrong bound."""
    other = fit(pricing=pricing)
    assert gap(Y, other.predict(X), GROUPS) <= Fraction(1, 20)
    certificate = other.certificate_
    assert certificate.lower_bound <= clf.certificate_.objective
    assert certificate.objective >= clf.certificate_.objective
    assert certificate.lp_value >= clf.certificate_.lp_value - 1e-6
    if pricing == "greedy":
        assert certificate.lp_proven is False
    else:
        assert certificate.objective == clf.certificate_.objective
        assert certificate.status == "optimal"


@pytest.mark.filterwarnings("ignore:Setting a:DeprecationWarning")  # by fairlearn
@pytest.mark.parametrize("source", [None, "tree", "forest", "fair_tree"])
def test_every_warm_start_reaches_the_optimum(clf, source):
    """Where the rules come from changes the way, not the value."""
    other = fit(warm_start_rules=source)
    assert other.certificate_.objective == clf.certificate_.objective
    assert other.certificate_.lp_value == pytest.approx(clf.certificate_.lp_value)


def test_my_own_rules_can_be_the_warm_start(clf):
    """The rules of an earlier fit start the next one."""
    again = fit(warm_start_rules=clf.rule_set_)
    assert again.certificate_.objective == clf.certificate_.objective
    listed = fit(warm_start_rules=list(clf.rule_set_.rules), pricing="greedy")
    assert listed.score(X, Y) >= clf.score(X, Y)


def test_excluded_features_are_not_tested(clf):
    """A feature that rules may not use is in no rule, whatever it would bring."""
    assert "age" in clf.rule_set_.features
    other = fit(exclude=["age"])
    assert "age" not in other.rule_set_.features
    assert other.rule_set_.rules
    assert other.certificate_.objective >= clf.certificate_.objective
    assert (other.model_.predict(X.drop(columns="age")) == other.predict(X)).all()


def test_excluding_every_feature_gives_the_empty_rule_set():
    """With nothing to test, nobody is predicted positive, and that is proven best."""
    clf = fit(exclude=list(X.columns))
    assert clf.rule_set_ == RuleSet((), label="1")
    assert clf.predict(X).sum() == 0
    assert clf.certificate_.status == "optimal"
    assert clf.certificate_.objective == Y.sum()


@pytest.mark.parametrize("column", [[1.0], ["same"], [True], [np.nan]])
@pytest.mark.parametrize("constraint", [None, OPPORTUNITY, ODDS])
def test_a_constant_table_gives_the_empty_rule_set(column, constraint):
    """Where nobody can be told apart, there is no rule and no error."""
    table = pd.DataFrame({"a": column * len(Y)})
    clf = fit(X=table, constraint=constraint)
    assert len(clf.rule_set_) == 0
    assert clf.certificate_.status == "optimal"
    assert clf.predict(table).tolist() == [0] * len(Y)
    assert RuleSetModel.from_json(clf.model_.to_json()).predict(table).sum() == 0


def test_a_constant_feature_beside_others_is_ignored(clf):
    """A constant column changes nothing."""
    other = fit(X=X.assign(same=1.0))
    assert other.rule_set_ == clf.rule_set_


@pytest.mark.parametrize("complexity", [0, 1])
def test_no_room_for_a_rule_gives_the_empty_rule_set(complexity):
    """A complexity below two allows no rule at all."""
    clf = fit(max_complexity=complexity)
    assert len(clf.rule_set_) == 0
    assert clf.certificate_.status == "optimal"
    assert clf.certificate_.objective == Y.sum()


@pytest.mark.parametrize(("complexity", "conditions"), [(2, 1), (3, 3), (7, 1), (9, 3)])
def test_limits_on_size_are_kept(complexity, conditions):
    """No rule is longer, and no rule set larger, than I allowed."""
    clf = fit(max_complexity=complexity, max_conditions=conditions, pricing="greedy")
    assert clf.rule_set_.complexity <= complexity
    assert all(len(rule.conditions) <= conditions for rule in clf.rule_set_)


def test_cut_points_by_hand_appear_in_rules():
    """Rules use the cut points that I gave, and no others."""
    clf = fit(thresholds={"age": [40], "pay": [0]}, constraint=None)
    values = {
        c.value
        for rule in clf.rule_set_
        for c in rule.conditions
        if c.feature in ("age", "pay")
    }
    assert values <= {40.0, 0.0}
    assert "age > 40" in str(clf.rule_set_)


def test_three_groups():
    """Any two of three groups are within epsilon."""
    groups = np.random.default_rng(5).choice(["a", "b", "c"], len(Y))
    clf = fit(groups=groups, epsilon=0.1)
    assert gap(Y, clf.predict(X), groups) <= Fraction(1, 10)
    assert list(clf.fairness_.groups) == ["a", "b", "c"]


def test_two_sensitive_columns():
    """The combinations of two columns are the groups."""
    both = pd.DataFrame({"sex": GROUPS, "old": np.where(X["age"] > 40, "old", "young")})
    clf = fit(groups=both, epsilon=0.2)
    joined = "sex = " + both["sex"] + ", old = " + both["old"]
    assert list(clf.fairness_.groups) == sorted(set(joined))
    assert gap(Y, clf.predict(X), joined) <= Fraction(1, 5)
    polars = fit(groups=pl.from_pandas(both), epsilon=0.2)
    assert record(polars) == record(clf)


def test_one_group_is_always_fair():
    """With one group there is nothing to compare."""
    clf = fit(groups=["everybody"] * len(Y), epsilon=0.0)
    assert clf.rule_set_ == fit(constraint=None).rule_set_


def test_missing_groups_can_be_a_group():
    """People without a group are a group when I say so."""
    groups = GROUPS.where(np.arange(len(Y)) >= 30)
    clf = fit(groups=groups, missing_groups="group", epsilon=0.2)
    assert list(clf.fairness_.groups) == ["(missing)", "f", "m"]
    assert gap(Y, clf.predict(X), groups.fillna("?")) <= Fraction(1, 5)


def test_a_constraint_object_has_its_own_epsilon(clf):
    """The object's epsilon counts; one beside it was ignored, and is now an error."""
    given = fit(constraint=EqualityOfOpportunity(0.05))
    assert record(given) == record(clf)
    same = fit(constraint=EqualityOfOpportunity, epsilon=0.05)
    assert given.rule_set_ == same.rule_set_
    with pytest.raises(ValueError, match=r"has the epsilon 0\.05, and epsilon=1 was"):
        fit(constraint=EqualityOfOpportunity(0.05), epsilon=1.0)
    odds = fit(constraint=EqualizedOdds(0.2, epsilon_negatives=0.0), epsilon=0.2)
    assert gap(Y, odds.predict(X), GROUPS, 1) <= Fraction(1, 5)
    assert gap(Y, odds.predict(X), GROUPS, 0) == 0


@dataclass(frozen=True)
class PredictiveEquality:
    """A criterion of my own: false positive rates differ by at most epsilon."""

    epsilon: float
    name: str = "predictive_equality"

    def rates(self):
        bound = Difference(self.epsilon)
        return [Rate("false positive rate", ["false_positives"], ["negatives"], bound)]


@pytest.mark.parametrize("objective", ["hamming", "zero_one"])
def test_a_criterion_of_my_own(objective):
    """Any object with a name, an epsilon and rates is a constraint."""
    clf = fit(constraint=PredictiveEquality(0.0), objective=objective, max_complexity=4)
    assert gap(Y, clf.predict(X), GROUPS, label=0) == 0
    assert clf.certificate_.constraint == "predictive_equality"
    assert list(clf.fairness_.gaps) == ["false positive rate"]


class CountingPricer:
    """A pricer of my own: greedy, and counting its calls."""

    def __init__(self):
        self.calls = 0

    def price(self, asked):
        self.calls += 1
        return GreedyPricer().price(asked)


def test_a_pricer_of_my_own():
    """Any object with a price method searches for rules."""
    pricer = CountingPricer()
    clf = fit(pricing=pricer)
    assert pricer.calls == len(clf.history_) > 0
    assert record(clf) == record(fit(pricing="greedy"))


# Time and interruption


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
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(
    ("on_interrupt", "outcome"), [("raise", "raised"), ("return", "returned")]
)
def test_an_interrupt_keeps_the_best_so_far(on_interrupt, outcome):
    """After Ctrl-C I have control and the best rule set so far, early."""
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
    assert out.splitlines() == [outcome, "interrupted True 3000"]
    assert process.returncode == 0
