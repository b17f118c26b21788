"""Values that are easily taken for one another are told apart or refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from faircg import FairRuleSetClassifier
from made_up import make_people

FLAG = np.arange(60) % 3 == 0
NOISE = np.random.default_rng(0).normal(size=60)
MIXED = {
    "1 and '1'": (1, "1"),
    "1 and True": (1, True),
    "1.0 and '1'": (1.0, "1"),
    "True and 'True'": (True, "True"),
}


def of(one, other):
    """Return a column that holds one value or the other."""
    values = np.empty(len(FLAG), dtype=object)
    values[:] = [one if flag else other for flag in FLAG]
    return values


def fit(X=None, y=None, **others):
    X = pd.DataFrame({"noise": NOISE}) if X is None else X
    y = FLAG.astype(int) if y is None else y
    constraint = "demographic_parity" if "sensitive_features" in others else None
    clf = FairRuleSetClassifier(constraint=constraint, max_complexity=4)
    return clf.fit(X, y, **others)


WAYS = {
    "labels": lambda values: fit(pd.DataFrame({"flag": FLAG}), values),
    "labels of a list": lambda values: fit(pd.DataFrame({"f": FLAG}), values.tolist()),
    "groups": lambda values: fit(sensitive_features=values),
    "a feature": lambda values: fit(pd.DataFrame({"a": values})),
    "an array": lambda values: fit(values.reshape(-1, 1)),
    "categories": lambda values: fit(pd.DataFrame({"a": pd.Categorical(values)})),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_nul_in_a_text_is_refused(way):
    r"""Labels "a" and "a\0" had 60 of 60 predictions inverted, proven optimal."""
    with pytest.raises(ValueError, match="NUL character"):
        WAYS[way](of("a\0", "a"))
    with pytest.raises(ValueError, match="NUL character"):
        WAYS[way](of("b", "a\0"))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MIXED)
def test_values_of_several_types_are_refused(way, kind):
    """1, 1.0, "1" and True: one value here and another there."""
    if way == "categories" and kind == "1 and True":
        pytest.skip("pandas itself has one category of the two")
    with pytest.raises((ValueError, TypeError), match="mixes"):
        WAYS[way](of(*MIXED[kind]))


@pytest.mark.parametrize("way", ["labels", "labels of a list", "a feature", "an array"])
def test_two_unicode_forms_are_two_texts(way):
    """An accented letter in one character or in two: told apart, by every text."""
    values = of("\u00e9", "e\u0301")
    clf = WAYS[way](values)
    assert clf.certificate_.errors == 0
    if way.startswith("labels"):
        found = clf.predict(pd.DataFrame({clf.features_.names[0]: FLAG}))
        assert (found == values).all()
    else:
        assert fit(sensitive_features=values).fairness_.groups.keys() == {*values}


def test_masked_arrays_are_refused():
    """The mask was not looked at, and what lay below it was learned."""
    mask = np.arange(60) < 5
    numbers = np.ma.masked_array(NOISE, mask=mask)
    labels = np.ma.masked_array(FLAG.astype(int), mask=mask)
    with pytest.raises(ValueError, match="X is a masked array"):
        fit(numbers.reshape(-1, 1))
    with pytest.raises(ValueError, match="y is a masked array"):
        fit(y=labels)
    for name in ("sensitive_features", "sample_weight", "costs"):
        with pytest.raises(ValueError, match=f"{name} is a masked array"):
            fit(**{name: labels})
    clf = fit(NOISE.reshape(-1, 1))
    with pytest.raises(ValueError, match="X is a masked array"):
        clf.predict(numbers.reshape(-1, 1))
    whole = np.ma.masked_array(NOISE, mask=False).reshape(-1, 1)
    assert (clf.predict(whole) == clf.predict(NOISE.reshape(-1, 1))).all()


def test_whole_numbers_that_would_be_rounded_are_refused():
    """2^53 and 2^53 + 1 are one float: two people of different labels became one."""
    account = np.where(FLAG, 2**53, 2**53 + 1)
    for X in (
        pd.DataFrame({"account": account}),
        pd.DataFrame({"account": pd.array(account, dtype="Int64")}),
        account.reshape(-1, 1),
        account.astype(object).reshape(-1, 1),
    ):
        with pytest.raises(ValueError, match=r"above 2\^53 are rounded"):
            fit(X)
    assert fit(pd.DataFrame({"account": account - 1})).certificate_.errors == 0
    assert fit(pd.DataFrame({"account": account.astype(str)})).certificate_.errors == 0


@pytest.mark.parametrize("weight", [2e8, 1e11, 1e12])
@pytest.mark.parametrize("objective", ["hamming", "zero_one"])
def test_large_weights_are_counted_and_never_repeated(weight, objective):
    """One weight of 1e12 was a MemoryError, and 1e11 lost answers of the solver."""
    weights = np.ones(60)
    weights[1] = weight
    clf = FairRuleSetClassifier(max_complexity=6, objective=objective)
    clf.fit(NOISE.reshape(-1, 1), FLAG.astype(int), sample_weight=weights)
    wrong = clf.predict(NOISE.reshape(-1, 1)) != FLAG
    assert clf.certificate_.errors == weights[wrong].sum() < 60
    assert clf.certificate_.errors_lower_bound <= clf.certificate_.errors


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("objective", ["hamming", "zero_one"])
def test_people_who_weigh_as_much_as_a_nation_change_nothing(seed, objective):
    """Near 1e11 the solver's absolute tolerances ended one fit in seven by an error."""
    X, y, groups = make_people(40, seed)
    weights = np.random.default_rng(seed).integers(1, 9, 40)
    clf = FairRuleSetClassifier(
        constraint="equalized_odds",
        epsilon=0.1,
        objective=objective,
        max_complexity=6,
        max_conditions=2,
        warm_start_rules=None,
    )
    one, other = (
        clone(clf).fit(X, y, sensitive_features=groups, sample_weight=each)
        for each in (weights, weights * 10**11)
    )
    assert other.certificate_.status == one.certificate_.status == "optimal"
    assert other.certificate_.objective == 10**11 * one.certificate_.objective
    assert other.certificate_.errors == 10**11 * one.certificate_.errors
