"""What a policy costs lies between the two numbers that are told."""

import pytest

from faircg import FairRuleSetClassifier, price_of_policy
from faircg.policy_price import PolicyPrice
from test_policy import best_loss, has_the_sign, learn, people_of

SEEDS = [
    pytest.param(range(k, k + 10), marks=[pytest.mark.long] if k else [])
    for k in range(0, 100, 10)
]


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_true_price_lies_between_the_bounds(seeds):
    """All rule sets are listed with each part of the policy, and without it."""
    n_exact = 0
    for seed in seeds:
        table, y, group, monotone = people_of(seed)
        question = {
            "max_conditions": 2,
            "max_complexity": 5,
            "objective": "hamming" if seed % 2 else "zero_one",
            "epsilon": (0.0, 0.2, 1.0)[seed % 3],
        }
        errors = {**question, "objective": "zero_one"}

        def allowed(conditions, *, directed=True, apart=True, monotone=monotone):
            tested = {condition.feature for condition in conditions}
            goes = all(has_the_sign(c, monotone) for c in conditions)
            together = {"pay", "member"} <= tested
            return (goes or not directed) and not (together and apart)

        clf = learn(
            table,
            y,
            group,
            **question,
            monotone=monotone,
            not_together=[("pay", "member")],
            rules_for="positive",
        )
        prices = price_of_policy(clf, table, y, sensitive_features=group)
        assert [p.parameter for p in prices] == ["monotone", "not_together"]
        asked = {**errors, "rules_for": "positive"}
        strict = best_loss(table, y, group, asked, allowed)
        for price, loose in zip(prices, ("directed", "apart"), strict=True):
            best = best_loss(
                table,
                y,
                group,
                asked,
                lambda c, loose=loose: allowed(c, **{loose: False}),
            )
            assert price.at_least <= strict - best <= price.at_most
            n_exact += price.at_least == price.at_most
    assert n_exact > len(seeds)


def test_a_feature_left_out_has_a_price():
    """Pay says all about the label, and may not be used."""
    table, y, _, _ = people_of(0)
    table["pay"] = y * 1.0
    clf = FairRuleSetClassifier(exclude=["pay"], objective="zero_one", max_complexity=2)
    clf.fit(table, y)
    (price,) = price_of_policy(clf, table, y)
    assert price.parameter == "exclude"
    assert price.at_least == price.at_most == (clf.predict(table) != y).sum() > 0
    assert str(price).startswith("the features left out cost exactly")


def test_without_a_policy_nothing_has_a_price():
    """And nothing is fitted again."""
    table, y, _, _ = people_of(0)
    clf = FairRuleSetClassifier(max_complexity=2).fit(table, y)
    assert price_of_policy(clf, table, y) == ()


def test_other_data_are_refused():
    """A price of other people would be no price of this policy."""
    table, y, _, _ = people_of(0)
    clf = FairRuleSetClassifier(max_complexity=2, exclude=["pay"]).fit(table, y)
    with pytest.raises(ValueError, match="not the data that the classifier was fitted"):
        price_of_policy(clf, table, ~y)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ((1, 1), "keeping features apart costs exactly 1 wrong prediction"),
        ((0, 12), "keeping features apart costs at least 0 and at most 12 wrong"),
        ((3, 3), "keeping features apart costs exactly 3 wrong predictions"),
        ((0, 0), "keeping features apart costs nothing"),
    ],
)
def test_prices_are_told_in_words(bounds, words):
    """One sentence, whether the price is known or bounded."""
    price = PolicyPrice("not_together", *bounds)
    assert str(price).startswith(words)
