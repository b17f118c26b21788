"""Rules for either label: whom to accept, whom to refuse, or whichever errs less."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from certificates import certificate
from faircg import (
    Condition,
    ConditionBinarizer,
    FairRuleSetClassifier,
    FairRuleSetClassifierCV,
    Rule,
    RuleSet,
    RuleSetModel,
    rule_table,
)
from faircg.colgen.certificate import Certificate
from faircg.datasets import load_compas
from faircg.evaluate import part_result
from faircg.exceptions import InfeasibleConstraintError, ModelFormatError
from faircg.explain import explain
from faircg.export import FORMATS, export_model
from faircg.fairness import CRITERIA, RateFloor
from faircg.fairness.mirrored import Mirrored
from faircg.model import Feature
from faircg.report import render_report, report_of_model
from faircg.sides import joint_certificate
from oracle import Instance, Limits, best_rule_set

EPSILONS = (0.0, 0.1, 0.3, 1.0)
SEEDS = [
    range(8),
    *(
        pytest.param(range(k, k + 12), marks=pytest.mark.long)
        for k in range(8, 200, 12)
    ),
]


def people_of(seed):
    """Draw a dozen people of two groups, with both labels in each."""
    rng = np.random.default_rng([seed, 11])
    n = int(rng.integers(8, 13))
    y = np.concatenate([[True, False] * 2, rng.random(n - 4) < 0.5])
    group = np.concatenate([[0, 0, 1, 1], rng.integers(0, 2, n - 4)])
    table = pd.DataFrame(
        {
            "pay": (rng.integers(0, 4, n) + y).astype(float),
            "debt": rng.integers(0, 3, n).astype(float),
            "member": rng.random(n) < 0.5,
        }
    )
    return table, y, group


SATISFIED_BY_NOBODY = (
    "demographic_parity",
    "equality_of_opportunity",
    "equalized_odds",
    "predictive_equality",
)
"""Criteria that hold when everybody gets the same decision, whichever it is."""


def question_of(seed):
    """Ask for another criterion, loss and limit with every seed."""
    names = [None, *SATISFIED_BY_NOBODY]
    return names[seed % len(names)], {
        "epsilon": EPSILONS[seed % 4],
        "objective": "hamming" if seed % 3 else "zero_one",
        "max_conditions": 2,
        "max_complexity": 4 + seed % 4,
        "thresholds": "quantile",
        "n_thresholds": 3,
        "warm_start_rules": "tree",
    }


def fitted(table, y, group, **asked):
    """Fit, or return None where no rule set satisfies the constraint."""
    asked = {"rules_for": "positive", **asked}
    if asked["constraint"] is None:
        asked["epsilon"] = None
    try:
        return FairRuleSetClassifier(**asked).fit(table, y, sensitive_features=group)
    except InfeasibleConstraintError:
        return None


@pytest.mark.parametrize("seeds", SEEDS)
def test_refusing_is_accepting_with_labels_and_criterion_turned_around(seeds):
    """The same rules, the same loss, and every prediction the other one."""
    for seed in seeds:
        table, y, group = people_of(seed)
        name, asked = question_of(seed)
        epsilon, costs = asked.pop("epsilon"), (1, (1, 2.5, 0.5)[seed % 3])
        criterion = None if name is None else CRITERIA[name](epsilon)
        other = None if name is None else Mirrored(criterion)
        refusing = fitted(
            table,
            y,
            group,
            constraint=criterion,
            rules_for="negative",
            cost_false_positive=costs[0],
            cost_false_negative=costs[1],
            **asked,
        )
        turned = fitted(
            table,
            ~y,
            group,
            constraint=other,
            cost_false_positive=costs[1],
            cost_false_negative=costs[0],
            **asked,
        )
        if refusing is None or turned is None:
            assert refusing is turned
            continue
        assert refusing.rule_set_.rules == turned.rule_set_.rules
        assert (refusing.predict(table) == ~turned.predict(table)).all()
        for found in ("objective", "lower_bound", "returned_loss", "proven_optimal"):
            assert getattr(refusing.certificate_, found) == getattr(
                turned.certificate_, found
            )
        assert refusing.fairness_.within_epsilon


def gap_of(counted, among, group):
    """Return the largest difference of a share between groups, exactly."""
    rates = [
        Fraction(
            int((counted & among & (group == g)).sum()),
            int((among & (group == g)).sum()),
        )
        for g in np.unique(group)
    ]
    return max(rates) - min(rates)


@pytest.mark.parametrize("seeds", SEEDS)
def test_refusal_rules_are_the_best_of_all_lists(seeds):
    """Every refusal rule set is listed; rates are counted on the true labels."""
    n_proven = 0
    for seed in seeds:
        table, y, group = people_of(seed)
        epsilon, C = EPSILONS[seed % 4], 4 + seed % 3
        clf = FairRuleSetClassifier(
            constraint="equality_of_opportunity",
            epsilon=epsilon,
            objective="zero_one",
            max_conditions=2,
            max_complexity=C,
            thresholds="quantile",
            n_thresholds=3,
            warm_start_rules=None,
            rules_for="negative",
        ).fit(table, y, sensitive_features=group)
        accepted = clf.predict(table)
        assert gap_of(accepted, y, group) <= Fraction(str(epsilon))
        binarizer = ConditionBinarizer(thresholds="quantile", n_thresholds=3).fit(table)
        # Whom the rules should cover are the negatives, and a positive whom they cover
        # is a false negative.
        instance = Instance(
            binarizer.transform(table), ~y, group, binarizer.families_, 2, 2, C
        )
        best = best_rule_set(instance, "zero_one", Limits(hit=epsilon))
        assert clf.certificate_.lower_bound <= best <= (accepted != y).sum()
        if clf.certificate_.proven_optimal:
            n_proven += 1
            assert (accepted != y).sum() == best
    assert n_proven > len(seeds) / 2


@pytest.mark.parametrize("seeds", SEEDS)
def test_auto_is_never_worse_than_either_label(seeds):
    """It keeps the rule set that makes fewer wrong predictions, then the simpler."""
    for seed in seeds:
        table, y, group = people_of(seed)
        name, asked = question_of(seed)
        fits = {
            rules_for: fitted(
                table, y, group, constraint=name, rules_for=rules_for, **asked
            )
            for rules_for in ("positive", "negative", "auto")
        }
        found = {
            rules_for: ((clf.predict(table) != y).sum(), clf.rule_set_.complexity)
            for rules_for, clf in fits.items()
            if clf is not None
        }
        if not found:
            continue
        sides = [found[r] for r in ("positive", "negative") if r in found]
        assert found["auto"] == min(sides)
        if len(sides) < 2:
            assert fits["auto"].certificate_.lower_bound == 0
            continue
        kept = fits["auto"].rule_set_.rules_for
        assert kept == (
            "positive" if found["auto"] == found["positive"] else "negative"
        )
        assert fits["auto"].model_.asked.rules_for == "auto"
        bounds = [fits[r].certificate_.lower_bound for r in ("positive", "negative")]
        assert fits["auto"].certificate_.lower_bound == min(bounds)


@pytest.mark.parametrize(
    ("first", "second", "status", "lower_bound"),
    [
        ((10, 10, "optimal"), (13, 12, "feasible"), "optimal", 10),
        ((10, 10, "optimal"), (13, 9, "time_limit"), "time_limit", 9),
        ((10, 8, "feasible"), (10, 9, "interrupted"), "interrupted", 8),
    ],
)
def test_the_joint_certificate_speaks_of_both_labels(
    first, second, status, lower_bound
):
    """Nothing is called optimal that rules for the other label might beat."""
    one, other = (
        certificate(
            objective=float(objective),
            lower_bound=float(bound),
            status=how,
            proven_optimal=how == "optimal",
            returned_loss=float(objective),
            errors=objective,
            errors_lower_bound=bound,
        )
        for objective, bound, how in (first, second)
    )
    joint = joint_certificate(one, [one, other])
    assert isinstance(joint, Certificate)
    assert (joint.status, joint.lower_bound) == (status, lower_bound)
    assert joint.proven_optimal == (status == "optimal")
    assert joint.objective == min(first[0], second[0])
    assert joint.errors_lower_bound == lower_bound
    unknown = joint_certificate(one, [one, certificate(lp_value=None)])
    assert unknown.errors_lower_bound is unknown.lp_value is None


REFUSE = Rule((Condition("debt", ">", 2),))
MODEL = RuleSetModel(
    RuleSet((REFUSE,), label="refuse", rules_for="negative"),
    (Feature("debt", "numeric"),),
    ("refuse", "grant"),
)
DEBTS = pd.DataFrame({"debt": [1.0, 3, np.nan]})


def test_whoever_meets_a_refusal_rule_is_refused():
    """Everybody else is accepted, as is whose value is missing."""
    assert MODEL.predict(DEBTS).tolist() == ["grant", "refuse", "grant"]
    assert MODEL.covers(DEBTS).tolist() == [False, True, False]
    assert MODEL.accepts(DEBTS).tolist() == [True, False, True]
    assert str(MODEL.rule_set) == "Predict refuse if\n    debt > 2"
    empty = RuleSet((), label="refuse", rules_for="negative")
    assert str(empty) == "Never predict refuse (the empty rule set)"
    nobody = RuleSetModel(empty, (), ("refuse", "grant"))
    assert nobody.predict(DEBTS).tolist() == ["grant"] * 3


def test_the_file_says_that_rules_refuse():
    """A reader that knows no refusal rules must not take them for the others."""
    text = MODEL.to_json()
    assert RuleSetModel.from_json(text) == MODEL
    assert json.loads(text)["rule_set"]["rules_for"] == "negative"
    accepting = RuleSetModel(RuleSet((REFUSE,)), MODEL.features, (0, 1))
    assert "rules_for" not in json.loads(accepting.to_json())["rule_set"]
    with pytest.raises(ModelFormatError, match="rules_for cannot be 'auto'"):
        RuleSetModel.from_json(text.replace('"negative"', '"auto"'))
    with pytest.raises(ValueError, match="rules_for='both' is not known"):
        RuleSet((), rules_for="both")


def test_documents_name_both_labels():
    """Markdown and LaTeX say who gets which label."""
    words = "Predict refuse if any rule holds, grant otherwise."
    for name in ("markdown", "latex"):
        assert words in export_model(MODEL, name).replace("{,}", ",")
    assert "markdown" in FORMATS


def test_reasons_of_a_refusal_are_the_rules_met():
    """Who is refused reads why, and what would change it; who is accepted, that."""
    refused = explain(MODEL, DEBTS)[1]
    assert str(refused) == (
        "Row 1: predicted refuse\n"
        "  because debt > 2\n"
        "    here debt = 3\n"
        "  smallest change to get grant: debt at most 2 instead of 3"
    )
    accepted = explain(MODEL, DEBTS, direction="to_negative")[0]
    assert accepted.is_positive
    assert str(accepted).startswith("Row 0: predicted grant, as no rule covers it")
    assert accepted.change_status == "found"
    assert explain(MODEL, DEBTS)[0].change_status == "not asked"


def test_precision_of_a_refusal_rule_counts_the_negatives():
    """Of the two people covered one should have been refused."""
    table = pd.DataFrame({"debt": [3.0, 4, 1]})
    found = rule_table(MODEL, table, ["refuse", "grant", "grant"])
    assert found["covered_positives"].tolist() == [1]
    assert found["precision"].tolist() == [0.5]
    bare = rule_table(MODEL.rule_set, table, ["refuse", "grant", "grant"])
    pd.testing.assert_frame_equal(found, bare)


@pytest.fixture(scope="module")
def refusing():
    """COMPAS with rules that say who is not expected to be charged again."""
    data = load_compas()
    clf = FairRuleSetClassifier(
        constraint="equalized_odds",
        epsilon=0.1,
        max_complexity=8,
        max_conditions=2,
        exclude=["race"],
        monotone={"priors": "increasing", "high_score": "increasing"},
        rules_for="negative",
    )
    return data, clf.fit(data.X, data.y, sensitive_features=data.sensitive_features)


def test_refusal_rules_go_the_other_way(refusing):
    """More priors help the positive label, so a refusal rule asks for few of them."""
    data, clf = refusing
    conditions = [c for rule in clf.rule_set_ for c in rule.conditions]
    assert any(c.feature == "priors" for c in conditions)
    for c in conditions:
        if c.feature == "priors":
            assert c.operator == "<="
        if c.feature == "high_score":
            assert c.value is False
    more = data.X.assign(priors=data.X["priors"] + 1)
    assert not (clf.predict(data.X) > clf.predict(more)).any()
    assert clf.model_.asked.increasing == ("priors", "high_score")


def test_the_criterion_speaks_of_the_positive_label(refusing):
    """Both rates are within epsilon, counted from predictions and true labels."""
    data, clf = refusing
    accepted, truth = clf.predict(data.X) == 1, (data.y == 1).to_numpy()
    group = data.sensitive_features.to_numpy()
    for among in (truth, ~truth):
        assert gap_of(accepted, among, group) <= Fraction("0.1")
    part = part_result("train", clf.fairness_.groups, CRITERIA["equalized_odds"](0.1))
    assert part.within
    assert clf.certificate_.constraint == "equalized_odds"


def test_the_report_tells_refusal_rules(refusing):
    """Sentences, tables and glossary name the labels the right way round."""
    data, clf = refusing
    report = report_of_model(
        clf.model_, data.X, data.y, sensitive_features=data.sensitive_features
    )
    page = render_report(report)
    assert "Predict “0” if at least one rule holds, otherwise “1”" in page
    assert "It predicts “0” for whoever meets" in page
    assert "the rules predict “0”: they say whom to refuse" in page
    point = report.points[0]
    assert list(point.parts) == ["train"], "the counts are those recorded"
    assert point.loss == clf.certificate_.returned_loss
    precise = point.rules["train"][-1].precision
    covered = clf.model_.covers(data.X)
    assert precise.count == (covered & (data.y == 0)).sum()


def test_a_group_without_positives_is_named_as_the_user_names_it():
    """The message speaks of the labels in the data, whatever the rules are for."""
    table = pd.DataFrame({"pay": [1.0, 2, 3, 4]})
    for rules_for in ("positive", "negative", "auto"):
        clf = FairRuleSetClassifier(
            constraint="equality_of_opportunity", rules_for=rules_for
        )
        with pytest.raises(
            ValueError, match=r"'b' has no positive sample \(0 positive"
        ):
            clf.fit(table, [0, 1, 0, 0], sensitive_features=list("aabb"))


def test_given_rules_are_for_one_label():
    """With auto nobody knows which; beside a label they are first rules for it."""
    table, y, _ = people_of(0)
    rule = Rule((Condition("member", "=", True),))
    with pytest.raises(ValueError, match="warm_start_rules are for one label"):
        FairRuleSetClassifier(warm_start_rules=[rule], rules_for="auto").fit(table, y)
    clf = FairRuleSetClassifier(warm_start_rules=[rule], rules_for="negative")
    assert clf.fit(table, y).rule_set_.rules_for == "negative"


@pytest.mark.parametrize("rules_for", ["negative", "auto"])
def test_a_search_over_folds_counts_refusals(rules_for):
    """Test accuracy and gap are those of the predictions, recounted by hand."""
    data = load_compas()
    rows = np.random.default_rng(0).permutation(len(data.y))[:600]
    X, y = data.X.iloc[rows], data.y.iloc[rows]
    groups = data.sensitive_features.iloc[rows]
    halves = [(np.arange(300), np.arange(300, 600))]
    search = FairRuleSetClassifierCV(
        FairRuleSetClassifier(
            constraint="equality_of_opportunity", max_conditions=1, rules_for=rules_for
        ),
        epsilons=(0.1,),
        complexities=(4,),
        cv=halves,
    ).fit(X, y, sensitive_features=groups)
    (found,) = search.cv_results_.to_dict("records")
    rule_set = found["rule_set"]
    test = X.iloc[300:]
    features = tuple(
        f for f in (Feature.of(c) for c in _columns(X)) if f.name in rule_set.features
    )
    model = RuleSetModel(rule_set, features, (0, 1))
    accepted, truth = model.predict(test) == 1, (y.iloc[300:] == 1).to_numpy()
    assert found["test_accuracy"] == pytest.approx((accepted == truth).mean())
    gap = gap_of(accepted, truth, groups.iloc[300:].to_numpy())
    assert found["test_gap"] == pytest.approx(float(gap))
    assert found["lower_bound"] <= found["best_hamming_loss"]
    if rules_for == "negative":
        assert rule_set.rules_for == "negative"
        assert search.best_estimator_.rule_set_.rules_for == "negative"


def _columns(X):
    from faircg.table import read_table

    return read_table(X).columns.values()


def test_auto_takes_the_label_that_can_satisfy_the_constraint():
    """Three of four must be accepted, and no one rule does; who refuses nobody does.

    Nothing is said of the other label then: an error knows no bound.
    """
    table = pd.DataFrame({"a": [1, 0, 0, 0] * 2, "b": [0, 1, 0, 0] * 2})
    y, group = [1, 1, 0, 1, 1, 1, 1, 0], list("aaaabbbb")
    clf = FairRuleSetClassifier(
        constraint=RateFloor("selection_rate", 0.75),
        rules_for="positive",
        max_complexity=2,
        max_conditions=1,
        monotone={"a": "increasing", "b": "increasing"},
    )
    with pytest.raises(InfeasibleConstraintError):
        clf.fit(table, y, sensitive_features=group)
    clf.set_params(rules_for="auto").fit(table, y, sensitive_features=group)
    assert clf.rule_set_.rules_for == "negative"
    assert clf.certificate_.lower_bound == 0
    assert not clf.certificate_.proven_optimal
    assert clf.certificate_.errors_lower_bound is None
    search = FairRuleSetClassifierCV(clf, epsilons=(1,), complexities=(2,), cv=2)
    found = search.fit(table, y, sensitive_features=group).cv_results_
    assert {rules.rules_for for rules in found["rule_set"]} == {"negative"}
    assert (found["lower_bound"] == 0).all()


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_rules_are_for_the_rarer_label_by_default(share):
    """It takes fewer rules; of labels that are as frequent it is the positive one."""
    table = pd.DataFrame({"age": np.arange(40)})
    y = np.arange(40) < 40 * share
    clf = FairRuleSetClassifier(warm_start_rules=None, max_complexity=2).fit(table, y)
    expected = "positive" if share <= 0.5 else "negative"
    assert clf.rule_set_.rules_for == expected
    assert (clf.predict(table) == y).all()
