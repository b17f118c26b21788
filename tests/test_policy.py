"""What rules may test: directions, and features that are not to be combined."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from faircg import (
    Condition,
    ConditionBinarizer,
    FairRuleSetClassifier,
    FairRuleSetClassifierCV,
    Rule,
    RuleSetModel,
)
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import PRICERS
from faircg.colgen.problem import Problem
from faircg.colgen.select import Selection
from faircg.datasets import load_adult, load_compas, load_default
from faircg.policy import Policy
from oracle import Instance, Limits, best_rule_set
from random_draws import tried
from test_properties import FEW, PEOPLE, QUESTIONS, fit, table_of

WAYS = ("increasing", "decreasing")
NAMES = ("pay", "debt", "member", "job")
SEEDS = [
    range(8),
    *(
        pytest.param(range(k, k + 12), marks=pytest.mark.long)
        for k in range(8, 200, 12)
    ),
]
SIGNS = {"increasing": (">", True), "decreasing": ("<=", False)}


def people_of(seed):
    """Draw a dozen people, some of them without a value, and a question about them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 13))
    y = np.concatenate([[True, False] * 2, rng.random(n - 4) < 0.5])
    group = np.concatenate([[0, 0, 1, 1], rng.integers(0, 2, n - 4)])
    pay = rng.integers(0, 4, n) + y * rng.integers(0, 2)
    table = pd.DataFrame(
        {
            "pay": pay.astype(float),
            "debt": rng.integers(0, 3, n).astype(float),
            "member": rng.random(n) < 0.5,
        }
    )
    if rng.random() < 0.5:
        table.loc[rng.random(n) < 0.2, "pay"] = np.nan
    names = [*table.columns[rng.permutation(3)]]
    chosen = names[: rng.integers(1, 4)]
    monotone = {name: WAYS[rng.integers(2)] for name in chosen}
    return table, y, group, monotone


def has_the_sign(condition, monotone):
    """Say, without the package's help, whether a condition goes its feature's way."""
    if condition.feature not in monotone or condition.operator.startswith("is "):
        return True
    sign, truth = SIGNS[monotone[condition.feature]]
    if condition.operator == "=":
        return condition.value is truth
    return condition.operator == sign


def turned(monotone):
    """Return the directions of rules that say whom to refuse."""
    other = dict(zip(WAYS, reversed(WAYS), strict=True))
    return {feature: other[way] for feature, way in monotone.items()}


def check_nobody_is_harmed(clf, table, monotone):
    """Raise each feature in its direction, by much or little: nobody is refused."""
    before, rng = clf.predict(table), np.random.default_rng(0)
    for name, way in monotone.items():
        column, up = table[name], way == "increasing"
        if column.dtype == bool:
            moved = pd.Series(up, index=table.index)
        else:
            steps = rng.integers(0, 1 + int(np.ptp(column.dropna())), len(table))
            moved = column + (steps if up else -steps)
        after = clf.predict(table.assign(**{name: moved}))
        accepted = clf.model_.labels[1]
        assert not ((before == accepted) & (after != accepted)).any()


def best_loss(table, y, group, question, allowed):
    """List every rule set of allowed rules, and return the lowest loss.

    Rules that say whom to refuse should cover the negatives, and a positive whom they
    cover is one whom the criterion counts.
    """
    binarizer = ConditionBinarizer(thresholds="quantile", n_thresholds=3).fit(table)
    accepts = question["rules_for"] == "positive"
    instance = Instance(
        binarizer.transform(table),
        y if accepts else ~y,
        group,
        binarizer.families_,
        2,
        question["max_conditions"],
        question["max_complexity"],
    )
    rules = [
        rule
        for rule in instance.rules
        if allowed([binarizer.conditions_[j] for j in rule])
    ]
    instance.__dict__["rules"] = rules
    counted = "missed" if accepts else "hit"
    limits = Limits(**{counted: question["epsilon"]})
    return best_rule_set(instance, question["objective"], limits)


def learn(table, y, group, **question):
    clf = FairRuleSetClassifier(
        constraint="equality_of_opportunity",
        thresholds="quantile",
        n_thresholds=3,
        warm_start_rules="tree",
        **question,
    )
    return clf.fit(table, y, sensitive_features=group)


def check_against_listing(seed, **policy):
    """Fit, and compare with the best of all allowed rule sets."""
    table, y, group, monotone = people_of(seed)
    question = {
        "max_conditions": 2,
        "max_complexity": 5 + seed % 3,
        "objective": "hamming" if seed % 4 else "zero_one",
        "epsilon": (0.0, 0.2, 1.0)[seed % 3],
        "rules_for": ("positive", "negative")[seed // 4 % 2],
    }
    policy = policy or {"monotone": monotone}
    helps, apart = policy.get("monotone", {}), policy.get("not_together", ())
    ways = helps if question["rules_for"] == "positive" else turned(helps)

    def allowed(conditions):
        tested = {condition.feature for condition in conditions}
        return all(has_the_sign(c, ways) for c in conditions) and not any(
            {one, other} <= tested
            for names in apart
            for one, other in combinations(names, 2)
        )

    clf = learn(table, y, group, **question, **policy)
    assert all(allowed(rule.conditions) for rule in clf.rule_set_)
    check_nobody_is_harmed(clf, table, helps)
    best = best_loss(table, y, group, question, allowed)
    assert clf.certificate_.lower_bound <= best <= clf.certificate_.objective
    if clf.certificate_.proven_optimal:
        assert clf.certificate_.objective == best
    return clf.certificate_.proven_optimal


@pytest.mark.parametrize("seeds", SEEDS)
def test_directions_leave_the_best_of_the_allowed_rule_sets(seeds):
    """The proven optimum is that of all rule sets whose conditions go their way."""
    proven = [check_against_listing(seed) for seed in seeds]
    assert sum(proven) > len(seeds) / 2


@pytest.mark.parametrize("seeds", SEEDS)
def test_features_apart_leave_the_best_of_the_allowed_rule_sets(seeds):
    """The proven optimum is that of all rule sets without a forbidden pair."""
    sets = [
        [("pay", "member")],
        [("pay", "debt"), ("debt", "member")],
        [("pay", "debt", "member")],
    ]
    proven = [
        check_against_listing(seed, not_together=sets[seed % 3]) for seed in seeds
    ]
    assert sum(proven) > len(seeds) / 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("pricing", sorted(PRICERS))
def test_every_pricer_keeps_features_apart(pricing):
    """Greedy growth, integer programs and samples combine nothing that is forbidden."""
    data = load_compas()
    clf = FairRuleSetClassifier(
        not_together=[("priors", "sex"), ("priors", "high_score")],
        monotone={"priors": "increasing"},
        max_complexity=8,
        max_conditions=2,
        pricing=pricing,
        time_limit=3,
    )
    clf.fit(data.X[:1500], data.y[:1500])
    tested = [{c.feature for c in rule.conditions} for rule in clf.rule_set_]
    assert any("priors" in names for names in tested)
    assert not any(
        "priors" in names and names & {"sex", "high_score"} for names in tested
    )


def test_a_forbidden_rule_enters_no_pool_and_wins_nothing():
    """However a rule is found, it is not used where it is not allowed."""
    rows = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=bool)
    labels = rows.all(axis=1)
    problem = Problem.merge(
        rows, labels, families=np.array([0, 1]), max_complexity=9, parts=((0,), (1,))
    )
    pool = Pool(problem, [(0, 1), (0,)])
    assert pool.rules == ((0,),)
    selection = Selection(problem)
    assert not selection.offer([(0, 1)]).recount.is_feasible
    assert selection.returned_winner.rules == ()


@pytest.mark.filterwarnings("ignore::faircg.exceptions.UnseenCategoryWarning")
@tried(
    PEOPLE,
    PEOPLE,
    QUESTIONS,
    st.dictionaries(st.sampled_from(["age", "member"]), st.sampled_from(WAYS)),
    st.sampled_from(["positive", "negative", "auto"]),
    few=FEW,
)
def test_more_of_what_helps_never_harms(people, others, question, monotone, rules_for):
    """Raise a feature in its direction: nobody who was accepted is refused."""
    clf = fit(people, {**question, "monotone": monotone, "rules_for": rules_for})
    for crowd in (people, others):
        before = clf.predict(table_of(crowd))
        for name, way in monotone.items():
            after = clf.predict(table_of([moved(p, name, way) for p in crowd]))
            assert not (before & ~after).any()


def moved(person, name, way):
    """Move a value one step in its direction; one that is missing stays so."""
    value, up = person[name], way == "increasing"
    if name == "member":
        return {**person, name: up}
    return person if value is None else {**person, name: value + (1 if up else -1)}


DATA = {
    "compas": (load_compas, {"priors": "increasing", "high_score": "increasing"}),
    "adult": (
        load_adult,
        {"education_num": "increasing", "capital_gain": "increasing"},
    ),
    "default": (load_default, {"PAY_0": "increasing", "LIMIT_BAL": "decreasing"}),
}


@pytest.mark.parametrize(
    "name",
    [
        "compas",
        *(pytest.param(n, marks=pytest.mark.long) for n in ("adult", "default")),
    ],
)
@pytest.mark.parametrize(
    ("constraint", "rules_for"),
    [
        (None, "positive"),
        ("equality_of_opportunity", "positive"),
        ("equality_of_opportunity", "negative"),
    ],
)
def test_no_rule_on_real_data_has_the_wrong_sign(name, constraint, rules_for):
    """Of whoever has more priors nobody reads "at most 10 priors"."""
    load, monotone = DATA[name]
    data = load()
    clf = FairRuleSetClassifier(
        constraint=constraint,
        max_complexity=8,
        max_conditions=2,
        monotone=monotone,
        rules_for=rules_for,
        work_limit=200,  # by the clock, a machine that does much else proves less
        time_limit=3_600,
        pricing_time_limit=2,
    ).fit(data.X, data.y, sensitive_features=data.sensitive_features)
    assert clf.certificate_.proven_optimal
    conditions = [c for rule in clf.rule_set_ for c in rule.conditions]
    assert any(c.feature in monotone for c in conditions)
    ways = turned(monotone) if rules_for == "negative" else monotone
    assert all(has_the_sign(c, ways) for c in conditions)
    check_nobody_is_harmed(clf, data.X, monotone)


def test_conditions_of_the_wrong_sign_are_left_out():
    """Of booleans true is the higher; a missing value is neither."""
    table = pd.DataFrame(
        {
            "pay": [1, 2, 3, 4, np.nan],
            "member": [True, False, True, False, True],
            "job": list("abcab"),
        }
    )

    def found(**monotone):
        binarizer = ConditionBinarizer(
            thresholds="quantile", n_thresholds=2, monotone=monotone
        ).fit(table)
        return [str(c) for c in binarizer.conditions_ if c.feature != "job"]

    both = ["pay is missing", "pay is present"]
    assert found() == ["pay <= 2.5", "pay > 2.5", *both, "member", "not member"]
    assert found(pay="increasing", member="increasing") == [
        "pay > 2.5",
        *both,
        "member",
    ]
    assert found(pay="decreasing", member="decreasing") == [
        "pay <= 2.5",
        *both,
        "not member",
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"monotone": {"job": "increasing"}}, "'job', whose values are categories"),
        ({"monotone": {"pya": "increasing"}}, "monotone names 'pya', which is not a"),
        ({"monotone": {"pay": "up"}}, "direction of 'pay' is 'increasing' or"),
        ({"monotone": {"pay": "increasing", 0: "increasing"}}, "'pay' twice"),
        (
            {"monotone": {"pay": "increasing"}, "exclude": ["pay"]},
            "monotone names 'pay', which exclude leaves out",
        ),
        ({"not_together": [("pay", "dept")]}, "not_together names 'dept', which is"),
        ({"not_together": [("pay",)]}, "needs two features at least"),
        ({"not_together": ["pay", "debt"]}, "list of pairs of features"),
        (
            {"not_together": [("pay", "debt")], "exclude": ["debt"]},
            "not_together names 'debt', which exclude leaves out",
        ),
        (
            {"warm_start_rules": [Rule((Condition("pay", "<=", 1.5),))]},
            "'pay <= 1.5' has the wrong sign; by monotone, rules may test 'pay > ...'",
        ),
        (
            {"warm_start_rules": [Rule((Condition("member", "=", False),))]},
            "'not member' has the wrong sign; by monotone, rules may test 'member'",
        ),
        (
            {
                "warm_start_rules": [
                    Rule((Condition("pay", ">", 1.5), Condition("debt", ">", 1.5)))
                ]
            },
            "tests both 'pay' and 'debt', which not_together forbids",
        ),
    ],
)
def test_a_policy_that_cannot_be_kept_is_an_error(settings, words):
    """No direction and no pair is dropped without a word."""
    table = pd.DataFrame(
        {
            "pay": [1.0, 2, 1, 2],
            "debt": [1.0, 1, 2, 2],
            "member": [True, False, True, True],
            "job": list("abab"),
        }
    )
    policy = {"monotone": {"pay": "increasing", "member": "increasing"}}
    if "exclude" not in settings:
        policy["not_together"] = [("pay", "debt")]
    with pytest.raises(ValueError, match=words):
        FairRuleSetClassifier(**{**policy, **settings}).fit(table, [0, 1, 0, 1])


def test_too_many_parts_are_an_error():
    """Seven pairs of their own leave 128 ways to choose; each would be searched."""
    names = [f"x{k}" for k in range(14)]
    conditions = [Condition(name, "=", True) for name in names]
    pairs = tuple(zip(names[::2], names[1::2], strict=True))
    assert len(Policy(apart=pairs[:6]).parts(conditions)) == 64
    with pytest.raises(ValueError, match="more than 64 ways"):
        Policy(apart=pairs).parts(conditions)


def test_the_model_remembers_the_policy(tmp_path):
    """Whoever opens the file years later reads what rules were not allowed to do."""
    table, y, group, _ = people_of(0)
    clf = learn(
        table,
        y,
        group,
        monotone={"pay": "increasing", 2: "decreasing"},
        not_together=[("pay", "debt")],
    )
    clf.model_.save(tmp_path / "model.json")
    asked = RuleSetModel.load(tmp_path / "model.json").asked
    assert asked.increasing == ("pay",)
    assert asked.decreasing == ("member",)
    assert asked.not_together == (("pay", "debt"),)


def test_every_fold_keeps_the_policy():
    """The search over folds asks the same of every fit."""
    data = load_compas()
    search = FairRuleSetClassifierCV(
        FairRuleSetClassifier(
            max_conditions=2,
            monotone={"priors": "increasing"},
            not_together=[("priors", "high_score")],
        ),
        complexities=(5,),
        cv=2,
    ).fit(data.X, data.y)
    rules = [rule for found in search.cv_results_["rule_set"] for rule in found]
    rules += search.rule_set_.rules
    assert any(c.feature == "priors" for rule in rules for c in rule.conditions)
    for rule in rules:
        assert all(has_the_sign(c, {"priors": "increasing"}) for c in rule.conditions)
        tested = {c.feature for c in rule.conditions}
        assert not {"priors", "high_score"} <= tested
