"""Cut points that are found by themselves: nothing important is lost, and they read."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faircg import Condition, ConditionBinarizer, FairRuleSetClassifier, RuleSetModel
from faircg.cuts import auto_cuts, readable_cut
from faircg.report.words import condition_words

ONES = np.ones(400, dtype=np.int64)


def cuts(values, labels=None, parts=10):
    """Return the cut points of a column."""
    values = np.asarray(values, dtype=float)
    weights = np.ones(len(values), dtype=np.int64)
    return auto_cuts(values, labels, weights, parts)


def test_few_values_are_cut_between_all_of_them():
    """Deciles missed the one cut that mattered in a column of seven values."""
    values = [1] * 400 + [2, 3, 4, 5, 6, 7]
    assert cuts(values) == [1, 2, 3, 4, 5, 6]


def test_many_values_are_cut_where_the_labels_change():
    """A gain that hardly anybody has is worth a cut if the label hangs on it."""
    gain = np.where(np.arange(1000) < 940, 0.0, np.arange(1000) * 10.0)
    found = cuts(gain, gain > 9700)
    assert any(((gain > cut) == (gain > 9700)).all() for cut in found)
    assert len(found) <= 9


@pytest.mark.parametrize("code", [999.0, -1e6])
def test_a_stray_code_takes_no_cut_from_the_rest(code):
    """999 for "not known" has a cut of its own; ages keep all of theirs."""
    rng = np.random.default_rng(0)
    ages = rng.integers(18, 90, 2000).astype(float)
    labels = rng.random(2000) < (ages % 20) / 20
    plain = cuts(ages, labels, parts=5)
    coded, given = np.append(ages, [code] * 20), np.append(labels, [True] * 20)
    found = cuts(coded, given, parts=5)
    assert set(plain) < set(found)
    [own] = set(found) - set(plain)
    assert ((coded > own) == (coded == code)).all() or (
        (coded <= own) == (coded == code)
    ).all()


def test_without_labels_there_are_quantiles():
    """A binarizer in a pipeline of its own may not know the labels."""
    assert len(cuts(np.arange(1000.0))) == 9


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_readable_cut_divides_its_neighbours(one, other):
    """Fewer digits never move a person to the other side, whatever the numbers."""
    low, high = sorted((one, other))
    if low < high:
        assert low <= readable_cut(low, high) < high


@given(st.integers(-10_000, 10_000), st.integers(1, 400), st.integers(0, 4))
def test_no_shorter_number_near_the_middle_would_do(low, step, decimals):
    """I read ratio > 0.27, not ratio > 0.2744000053."""
    scale = Decimal(10) ** decimals
    below, above = float(low / scale), float((low + step) / scale)
    digits = [
        len(Decimal(repr(x)).normalize().as_tuple().digits)
        for x in (below, readable_cut(below, above))
    ]
    quarter = (above - below) / 4
    shorter = (
        float(f"{value:.{n}g}")
        for n in range(1, digits[1])
        for value in np.linspace(below + quarter, above - quarter, 50)
    )
    assert readable_cut(below, above) == below or not any(
        below + quarter <= value <= above - quarter for value in shorter
    )


def test_weights_are_repetitions():
    """A person of weight three is that person three times."""
    rng = np.random.default_rng(1)
    values, labels = rng.normal(size=300), rng.random(300) < 0.4
    weights = rng.integers(1, 4, 300)
    repeated = auto_cuts(
        values.repeat(weights),
        labels.repeat(weights),
        ONES.repeat(3)[: weights.sum()],
        6,
    )
    assert auto_cuts(values, labels, weights, 6) == repeated


def test_zero_and_one_read_as_no_and_yes_and_are_tested_as_numbers():
    """Dummies of a file are numbers; "not married" says more than "married <= 0"."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(
        {"married": rng.integers(0, 2, 60), "kids": rng.integers(0, 3, 60)}
    )
    y = X["married"].to_numpy()
    clf = FairRuleSetClassifier(max_complexity=2, warm_start_rules=None).fit(X, 1 - y)
    read = RuleSetModel.from_json(clf.model_.to_json())
    assert str(clf.rule_set_) == str(read.rule_set)
    assert str(clf.rule_set_).endswith("married")
    [[condition]] = [rule.conditions for rule in read.rule_set]
    assert (condition.operator, condition.value) in (("<=", 0), (">", 0))
    assert condition_words(condition)[1] in ("is yes", "is no")
    names = ConditionBinarizer().fit(X).get_feature_names_out()
    assert names.tolist()[:2] == ["not married", "married"]
    assert "kids <= 0" in names


def test_how_a_condition_reads_makes_no_other_condition():
    """Rules that I give by hand meet those of a table."""
    assert Condition("married", ">", 0) == Condition(
        "married", ">", 0, is_yes_or_no=True
    )
