"""Bounds, criteria and their words, worked out by hand: what each number must be.

The other tests here compare with fairlearn and with fractions on random people; these
say what is meant, one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from faircg.fairness import (
    Cap,
    DemographicParity,
    Difference,
    EqualityOfOpportunity,
    EqualizedOdds,
    Floor,
    Linear,
    LinearConstraint,
    Mirrored,
    PrecisionFloor,
    Rate,
    Ratio,
)
from faircg.fairness.bounds import Bound, Margin, check_epsilon
from faircg.fairness.exact_numbers import exact, read_typed, typed
from faircg.fairness.families import Family, GroupSizes
from faircg.fairness.rate_rows import RateRows

THIRD, HALF, FIFTH = Fraction(1, 3), Fraction(1, 2), Fraction(1, 5)


@pytest.mark.parametrize(
    ("bound", "demand", "title"),
    [
        (
            Difference(0.2),
            "the rate may differ between any two groups by at most 20 percentage "
            "points",
            "rate",
        ),
        (
            Difference(0.01),
            "the rate may differ between any two groups by at most 1 percentage point",
            "rate",
        ),
        (
            Ratio(0.8),
            "the rate of every group is at least 80 % of any other group's",
            "ratio of the rate",
        ),
        (Floor(0.3), "the rate of every group is at least 30 %", "lowest rate"),
        (Cap(0.7), "the rate of every group is at most 70 %", "highest rate"),
        (Margin(), "rate holds in every group", "margin of rate"),
    ],
)
def test_what_is_asked_of_a_rate_in_words(bound, demand, title):
    assert bound.demand("rate") == demand
    assert bound.title("rate") == title


def test_a_bound_of_my_own_has_words_too():
    """Its name and its limit, if it says nothing better."""

    @dataclass(frozen=True)
    class Spread(Bound):
        def violation(self, smallest, largest, limit):
            return largest - smallest - limit

        def rows(self, size):
            return ()

    assert Spread(0.25).demand("rate") == "the rate has a spread of 0.25"
    assert Spread(0.25).title("rate") == "rate"
    assert Spread(0.25).told_apart([3, 4]).limit == 0.25
    assert Spread(0.25).level(0.1, 0.9) == 0.0
    assert Spread(0.25).measured(FIFTH, HALF) == Fraction(3, 10)
    with pytest.raises(ValueError, match=r"^the limit of a spread must be a number "):
        Spread(1.01)


@pytest.mark.parametrize(
    ("bound", "exceeded", "measured", "level"),
    [
        (Difference(0.2), "1/10", "3/10", 0.2),
        (Ratio(0.8), "1/5", "2/5", 0.5),
        (Floor(0.3), "1/10", "1/5", 0.0),
        (Cap(0.7), "-1/5", "1/2", 0.0),
        (Margin(), "-1/5", "1/5", 0.0),
    ],
)
def test_rates_of_a_fifth_and_a_half(bound, exceeded, measured, level):
    """How far the limit is exceeded, what is compared with it, and the level."""
    limit = exact(bound.limit)
    assert bound.violation(FIFTH, HALF, limit) == Fraction(exceeded)
    assert bound.measured(FIFTH, HALF) == Fraction(measured)
    assert bound.level(0.2, 0.5) == level


def test_rates_of_zero_have_a_ratio_of_one():
    assert Ratio(0.8).measured(Fraction(0), Fraction(0)) == 1


@pytest.mark.parametrize(
    ("bound", "rows"),
    [
        (Difference(0.2), [(-7.0, 0.0, 1.4)]),
        (Ratio(0.8), [(-7.0, -inf, 0.0), (-5.6, 0.0, inf)]),
        (Floor(0.3), [(0.0, 3.0, inf)]),
        (Cap(0.7), [(0.0, -inf, 4.0)]),
        (Margin(), [(0.0, 0.0, inf)]),
    ],
)
def test_rows_of_a_group_of_seven(bound, rows):
    """Weight of the level, lower and upper end; floors and caps in whole people."""
    assert np.array(bound.rows(7)) == pytest.approx(np.array(rows))


@pytest.mark.parametrize(
    ("bound", "easier", "easiest", "lacks"),
    [
        (Difference(0.2), "3/10", "1", "3/10"),
        (Ratio(0.8), "7/10", "0", "3/10"),
        (Floor(0.3), "1/5", "0", "0"),
        (Cap(0.7), "4/5", "1", "0"),
    ],
)
def test_easier_limits_stay_shares(bound, easier, easiest, lacks):
    """A difference or a cap becomes larger, a floor or a ratio smaller."""
    assert bound.loosened(Fraction(1, 10)).limit == Fraction(easier)
    assert bound.loosened(Fraction(2)).limit == Fraction(easiest)
    assert bound.loosened(Fraction(0)).limit == exact(bound.limit)
    assert type(bound.loosened(Fraction(1, 10))) is type(bound)
    assert bound.shortfall(HALF) == Fraction(lacks)
    assert bound.shortfall(exact(bound.limit)) == 0
    assert bound.loosened(bound.shortfall(HALF)).shortfall(HALF) == 0


def test_a_limit_a_hair_below_a_gap_becomes_the_gap_before_it():
    """Groups of 4 and 6 have gaps of twelfths; others are left as they are."""
    almost = Difference(Fraction(3, 12) - Fraction(1, 10**9))
    assert almost.told_apart([4, 6]).limit == Fraction(2, 12)
    assert almost.told_apart([4, 6, 0]).limit == Fraction(2, 12)
    plain = Difference(0.2)
    assert plain.told_apart([4, 6]) is plain
    assert Difference(0.25).told_apart([4, 6]) == Difference(0.25)
    assert plain.told_apart([5]) is plain
    # Of a thousand people a solver notices a millionth of a person, and no less.
    near = Difference(HALF - Fraction(1, 10**6))
    assert near.told_apart([2, 2]) is near
    assert Difference(HALF - Fraction(1, 10**7)).told_apart([2, 2]).limit == 0


@pytest.mark.parametrize("wrong", [-0.01, nan, inf])
def test_an_epsilon_is_a_number_of_at_least_zero(wrong):
    check_epsilon(0)
    check_epsilon(5.0)
    words = r"^my epsilon must be a number of at least 0 \(0\.05 allows a gap of five "
    with pytest.raises(ValueError, match=words + r"percentage points\), not "):
        check_epsilon(wrong, "my epsilon")
    with pytest.raises(ValueError, match=r"^epsilon must"):
        Difference(wrong)


def test_floors_and_caps_are_shares():
    for bound in (Floor, Cap, Ratio):
        assert bound(0).limit == 0
        assert bound(1).limit == 1
        name = bound.__name__.lower()
        words = f"^the limit of a {name} must be a number from 0 to 1, not 1.5$"
        with pytest.raises(ValueError, match=words):
            bound(1.5)
    assert Margin(-3).limit == -3
    with pytest.raises(ValueError, match=r"^a limit must be a finite number, not inf$"):
        Margin(inf)


def test_numbers_are_read_as_typed():
    assert exact(Fraction(1, 7)) == Fraction(1, 7)
    assert exact(0.1 + 0.2) == Fraction("0.30000000000000004")
    assert exact(1e-6) == Fraction(1, 10**6)
    assert exact(1 / 999_999) == Fraction(1, 999_999)
    assert exact(3) == 3
    assert (typed(2.0), typed(0.5), typed(THIRD), typed(-1)) == (
        "2",
        "0.5",
        "1/3",
        "-1",
    )
    assert typed(Fraction(10**17 + 1)) == "100000000000000001"
    assert read_typed("1e-3") == 0.001
    assert read_typed("2/6") == THIRD
    with pytest.raises(ValueError, match=r"^'1/0' divides by zero$"):
        read_typed("1/0")


SELECTED = ("true_positives", "false_positives")
SIZES = GroupSizes(("a", "b"), np.array([4, 6]), np.array([5, 10]))


def test_rows_and_what_they_charge():
    """Two rates of two groups: a row each, whole coefficients, and duals that count."""
    rates = [rate.of(SIZES) for rate in EqualizedOdds(0.1).rates()]
    rows = RateRows.build(rates, 2)
    assert rows.missed.tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]
    assert rows.hit.tolist() == [[0, 0], [0, 0], [1, 0], [0, 1]]
    assert rows.constant.tolist() == [0, 0, 0, 0]
    assert rows.of.tolist() == [0, 0, 1, 1]
    assert rows.weight.tolist() == [-4, -6, -5, -10]
    assert rows.lower.tolist() == [0, 0, 0, 0]
    assert rows.upper == pytest.approx([0.4, 0.6, 0.5, 1.0])
    duals = np.array([1.0, 2.0, 3.0, -4.0])
    assert rows.missed_charge(duals).tolist() == [-1, -2]
    assert rows.hit_charge(duals).tolist() == [-3, 4]
    levels = rows.levels(np.array([1.0, 3.0]), np.array([5.0, 2.0]))
    assert levels == pytest.approx([0.25, 0.2])
    selected = [rate.of(SIZES) for rate in DemographicParity(0.1).rates()]
    rows = RateRows.build(selected, 2)
    assert rows.constant.tolist() == [4, 6]
    assert rows.missed.tolist() == [[-1, 0], [0, -1]]
    assert rows.weight.tolist() == [-9, -16]


def test_a_rate_is_counted_by_hand():
    """Of 4 and 6 positives 1 and 3 are missed; of 5 and 10 negatives 5 and 2 hit."""
    missed, hit = np.array([1, 3]), np.array([5, 2])
    (precision,) = (rate.of(SIZES) for rate in PrecisionFloor(0.5).rates())
    assert precision.shares(missed, hit) == ((3, 8), (3, 5))
    assert precision.values(missed, hit) == (Fraction(3, 8), Fraction(3, 5))
    assert precision.counts(missed, hit).tolist() == [-2, 1]
    assert not precision.holds(missed, hit)
    assert precision.holds(missed, np.array([3, 2]))
    assert precision.gap(missed, hit) == Fraction(9, 40)
    assert precision.measured(missed, hit) == Fraction(3, 8)
    nobody = np.array([4, 6]), np.array([0, 0])
    assert precision.values(*nobody) == ()
    assert precision.gap(*nobody) == 0
    assert precision.measured(*nobody) is None
    found = precision.violations(np.array([missed, missed]), np.array([hit, [3, 2]]))
    assert found.tolist() == [2, 0]


def test_a_cap_on_the_precision_is_counted_by_hand():
    """At most a half of those selected: 3 of 8 are fewer, 3 of 5 are one too many."""
    missed, hit = np.array([1, 3]), np.array([5, 2])
    cap = Rate("share", ("true_positives",), SELECTED, Cap(0.5)).of(SIZES)
    assert cap.counts(missed, hit).tolist() == [2, -1]
    assert cap.names == ("a", "b")
    found = cap.violations(np.array([missed, [1, 6]]), np.array([hit, [5, 2]]))
    assert found.tolist() == [1, -2]


def test_gaps_of_many_counts_are_each_by_itself():
    """A gap of a quarter, and one of three quarters, beside a limit of a tenth."""
    (rate,) = (r.of(SIZES) for r in EqualityOfOpportunity(0.1).rates())
    missed, hit = np.array([[1.0, 3.0], [1.0, 6.0]]), np.zeros((2, 2))
    assert rate.violations(missed, hit) == pytest.approx([0.15, 0.65])


def test_a_rate_turned_to_the_other_label():
    rate = Rate("share", ("true_positives",), SELECTED, Floor(0.5))
    refused = ("true_negatives", "false_negatives")
    assert rate.mirrored() == Rate("share", ("true_negatives",), refused, Floor(0.5))
    (turned,) = Mirrored(EqualityOfOpportunity(0.1)).rates()
    assert (turned.counted, turned.among) == (("false_positives",), ("negatives",))
    assert turned.bound == Difference(0.1)


def test_a_group_that_has_nobody_is_named():
    empty = GroupSizes(("a", "b"), np.array([4, 0]), np.array([5, 10]))
    words = (
        r"^group 'b' has no positive sample \(0 positive, 10 negative\), so its false "
        r"negative rate is undefined; merge it with another group, leave its rows out, "
        r"or drop the constraint$"
    )
    with pytest.raises(ValueError, match=words):
        EqualityOfOpportunity(0.1).rates()[0].of(empty)


def test_a_sum_is_counted_by_hand():
    """In sixths: a half of those found less a third of those hit is at least one."""
    weights = {"true_positives": HALF, "false_positives": -THIRD}
    sums = Linear("sum", weights, 1).of(SIZES)
    missed, hit = np.array([1, 3]), np.array([1, 2])
    assert sums.counts(missed, hit).tolist() == [3 * 3 - 2 - 6, 3 * 3 - 4 - 6]
    assert sums.sizes.tolist() == [6, 6]
    assert sums.names == ("a", "b")
    assert sums.values(missed, hit) == (Fraction(1, 6), Fraction(-1, 6))
    assert not sums.holds(missed, hit)
    assert sums.holds(missed, np.array([1, 1]))
    assert (sums.name, sums.title, sums.limit) == ("sum", "margin of sum", 0.0)


def test_at_most_is_at_least_of_the_opposite():
    """At most one false alarm more than are found."""
    weights = {"false_positives": 1, "true_positives": -1}
    (sums,) = LinearConstraint("alarms", weights, at_most=1).rates()
    turned = {"false_positives": -1, "true_positives": 1}
    assert sums == Linear("alarms", turned, -1)
    assert sums.of(SIZES).holds(np.array([1, 3]), np.array([4, 4]))
    assert not sums.of(SIZES).holds(np.array([1, 3]), np.array([4, 5]))
    plain = LinearConstraint("alarms", turned, at_least=-1)
    assert plain.rates() == (sums,)
    for both in ({}, {"at_least": 1, "at_most": 2}):
        words = r"^alarms: give at_least or at_most, one of them$"
        with pytest.raises(ValueError, match=words):
            LinearConstraint("alarms", weights, **both)


def test_limits_that_cannot_be_counted_exactly_are_refused():
    words = (
        r"^sum: the number for true_positives is 1e-07; people are counted exactly "
        r"with numbers of at most 1,000,000 and six decimals$"
    )
    with pytest.raises(ValueError, match=words):
        Linear("sum", {"true_positives": 1e-7})
    with pytest.raises(
        ValueError, match=r"^sum: the number for the sum is -1000001.0;"
    ):
        Linear("sum", {"true_positives": 1}, -1_000_001)
    assert Linear("sum", {"true_positives": 1_000_000}, 1e-6).at_least == 1e-6
    precise = PrecisionFloor(0.1234567)
    with pytest.raises(ValueError, match=r"^the limit of the precision is 0.1234567;"):
        precise.rates()[0].of(SIZES)


def test_families_add_up_their_parts():
    """One attribute of two: groups of several parts, and a name that says which."""
    sizes = GroupSizes(
        ("f, x", "f, y", "m, x"), np.array([1, 2, 4]), np.array([3, 5, 7])
    )
    sex = Family({"f": ("f, x", "f, y"), "m": ("m, x", "m, z")}, about="sex")
    groups, members = sizes.by_group(sex)
    assert groups.names == ("f", "m")
    assert groups.positives.tolist() == [3, 4]
    assert groups.negatives.tolist() == [8, 7]
    assert members.tolist() == [[1, 1, 0], [0, 0, 1]]
    (rate,) = (r.of(sizes, sex) for r in EqualityOfOpportunity(0.1).rates())
    assert rate.name == "false negative rate (sex)"
    assert rate.by_group(np.array([1, 1, 2])).tolist() == [2, 2]
    here = sex.among(["m, x", "m, z"])
    assert (here.groups, here.about) == ({"m": ("m, x", "m, z")}, "sex")
