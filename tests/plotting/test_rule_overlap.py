"""RuleOverlapDisplay counts people as a loop over people does."""

import numpy as np
import pytest

from faircg import FairRuleSetClassifier, RuleSet
from faircg.plotting import RuleOverlapDisplay
from faircg.table import read_table


def naive(rule_set, X):
    """For each pair of rules the people that both cover, one person at a time."""
    table = read_table(X)
    masks = [rule.covers(table) for rule in rule_set]
    counts = np.zeros((len(masks), len(masks)), dtype=int)
    for person in range(len(X)):
        for i, one in enumerate(masks):
            for j, other in enumerate(masks):
                counts[i, j] += one[person] and other[person]
    return counts


def test_numbers_and_shades_are_the_people_of_each_pair(clf, compas, ax):
    display = RuleOverlapDisplay.from_estimator(clf, compas.X, ax=ax)
    expected = naive(clf.rule_set_, compas.X)
    assert len(expected) > 1
    np.testing.assert_array_equal(display.counts_, expected)
    shades = display.image_.get_array()
    for i in range(len(expected)):
        for j in range(len(expected)):
            if j <= i:
                assert display.text_[i, j].get_text() == f"{expected[i, j]:,}"
                assert display.text_[i, j].get_position() == (j, i)
                assert shades[i, j] == expected[i, j]
            else:
                assert shades.mask[i, j]
    covered = clf.predict(compas.X) == 1
    assert display.covered_by_any_ == covered.sum()
    table = clf.rule_table(compas.X, totals=True)
    assert display.covered_once_ == table["only_this_rule"].iloc[-1]
    assert ax.get_xticklabels()[0].get_text() == "rule 1"
    names = [" ".join(tick.get_text().split()) for tick in ax.get_yticklabels()]
    assert names == [f"{k}: {rule}" for k, rule in enumerate(clf.rule_set_, 1)]


def test_numbers_are_readable_on_every_shade(ax):
    """White on dark and black on light: at least 3 to 1 in luminance."""
    covered = np.array([np.arange(120) < 10 * k for k in range(1, 13)])
    display = RuleOverlapDisplay(covered, [f"rule {k}" for k in range(12)]).plot(ax)

    def luminance(rgb):
        rgb = np.asarray(rgb[:3])
        linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return float(linear @ (0.2126, 0.7152, 0.0722))

    for (i, j), text in display.text_.items():
        shade = display.image_.to_rgba(np.array([[display.counts_[i, j]]]))[0, 0]
        ink = {"white": 1.0, "black": 0.0}[text.get_color()]
        light, dark = sorted((luminance(shade), ink), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3, (i, j)


def test_models_rule_sets_and_searches_are_counted_alike(clf, search, compas, ax):
    of_model = RuleOverlapDisplay.from_rules(clf.model_, compas.X, ax=ax)
    of_rules = RuleOverlapDisplay.from_rules(clf.rule_set_, compas.X, ax=ax)
    np.testing.assert_array_equal(of_model.counts_, of_rules.counts_)
    of_search = RuleOverlapDisplay.from_estimator(search, compas.X, ax=ax)
    np.testing.assert_array_equal(of_search.counts_, naive(search.rule_set_, compas.X))


def test_arrays_without_names(ax):
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    clf = FairRuleSetClassifier(max_complexity=4, rules_for="positive")
    clf.fit(X, [0, 1, 1, 1])
    display = RuleOverlapDisplay.from_estimator(clf, X, ax=ax)
    assert display.covered_by_any_ == 3


def test_the_empty_rule_set_says_so(compas, ax):
    display = RuleOverlapDisplay.from_rules(RuleSet(()), compas.X, ax=ax)
    assert [text.get_text() for text in ax.texts] == ["no rules: nobody is covered"]
    assert "0.0% (0 of 5,278)" in ax.get_title(loc="left")
    assert display.image_ is None


def test_names_must_fit():
    with pytest.raises(ValueError, match="a row for each of the 2 rules"):
        RuleOverlapDisplay(np.ones((1, 3), dtype=bool), ["a", "b"])
