"""What each parameter does."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from classifier.small import GROUPS, ODDS, OPPORTUNITY, X, Y, fit, record
from faircg import RuleSet, RuleSetModel
from faircg.colgen.pricing import PRICERS, GreedyPricer
from faircg.fairness import Difference, EqualityOfOpportunity, EqualizedOdds, Rate
from made_up import gap


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


def test_a_fraction_above_one_is_no_gap():
    """Fraction(4, 3) was taken, although 1.5 is refused: it bounds nothing."""
    with pytest.raises(ValueError, match="epsilon=4/3 is more than any gap"):
        fit(epsilon=Fraction(4, 3))


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


def test_a_third_is_a_third():
    """As a fraction it ended in an error about isnan; a float means the same."""
    first, second = (fit(epsilon=epsilon) for epsilon in (Fraction(1, 3), 1 / 3))
    assert first.rule_set_ == second.rule_set_
    assert gap(Y, first.predict(X), GROUPS) <= Fraction(1, 3)
    assert first.certificate_.epsilon == second.certificate_.epsilon == 1 / 3
