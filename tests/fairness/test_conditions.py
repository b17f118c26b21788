"""Criteria by name and by object: numbers, names, ``&``, epsilon, the other label."""

from __future__ import annotations

import copy
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from conditions import CASES, People
from faircg.evaluate import group_counts
from faircg.evaluate.gaps import bounded_gaps, fairness_of
from faircg.fairness import (
    CRITERIA,
    RATES,
    AccuracyParity,
    BoundedGroupLoss,
    Cap,
    DemographicParity,
    Difference,
    EqualityOfOpportunity,
    EqualizedOdds,
    Family,
    Floor,
    FourFifths,
    GroupCounts,
    GroupSizes,
    Linear,
    LinearConstraint,
    Mirrored,
    PrecisionFloor,
    Rate,
    RateCap,
    RateFloor,
    RateRatio,
    Ratio,
    criterion_by_name,
    exact,
    rates_of,
)
from faircg.fairness.constraint import criterion_at, criterion_of, takes_epsilon
from faircg.fairness.criterion import Together
from faircg.fairness.exact_numbers import read_typed, typed
from faircg.fairness.rate_rows import RateRows
from faircg.fairness.rates import all_hold
from faircg.groups import Groups

with warnings.catch_warnings():  # what fairlearn's own imports warn of is not ours
    warnings.simplefilter("ignore")
    from fairlearn.metrics import (
        MetricFrame,
        demographic_parity_ratio,
        false_negative_rate,
        false_positive_rate,
        selection_rate,
        true_negative_rate,
        true_positive_rate,
    )
from sklearn.metrics import accuracy_score, precision_score, zero_one_loss


def negative_predictive_value(y_true, y_pred):
    return precision_score(y_true, y_pred, pos_label=0)


THEIRS = {
    "true_positive_rate": true_positive_rate,
    "false_negative_rate": false_negative_rate,
    "false_positive_rate": false_positive_rate,
    "true_negative_rate": true_negative_rate,
    "selection_rate": selection_rate,
    "accuracy": accuracy_score,
    "error_rate": zero_one_loss,
    "precision": precision_score,
    "negative_predictive_value": negative_predictive_value,
}


def drawn(seed: int, n_groups: int):
    rng = np.random.default_rng([seed, n_groups, 7])
    codes = np.concatenate(
        [np.tile(np.arange(n_groups), 4), rng.integers(0, n_groups, 120)]
    )
    four = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], n_groups, axis=0)
    more = rng.integers(0, 2, (120, 2))
    y, predicted = np.vstack([four, more]).T
    return y, predicted, codes


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("n_groups", [2, 3, 5])
def test_what_is_bounded_is_fairlearns_number(rate, n_groups):
    """Lowest, highest and ratio of every rate, to the last digits."""
    for seed in range(4):
        y, predicted, codes = drawn(seed, n_groups)
        names = tuple(map(str, range(n_groups)))
        counts = group_counts(predicted == 1, y == 1, Groups(codes, names))
        frame = MetricFrame(
            metrics=THEIRS[rate], y_true=y, y_pred=predicted, sensitive_features=codes
        )
        asked = [
            (RateFloor(rate, 0.5), frame.group_min()),
            (RateCap(rate, 0.5), frame.group_max()),
        ]
        if rate not in ("precision", "negative_predictive_value"):
            asked.append((RateRatio(rate, 0.5), frame.ratio(method="between_groups")))
        for criterion, expected in asked:
            (value,) = fairness_of(counts, criterion).gaps.values()
            assert value == pytest.approx(expected, abs=1e-12)
            (gap,) = bounded_gaps(counts, criterion)
            assert float(gap.value) == pytest.approx(expected, abs=1e-12)
            assert gap.within == fairness_of(counts, criterion).within_epsilon
        if rate == "error_rate":
            parity = fairness_of(counts, AccuracyParity(0.1))
            assert parity.gap == pytest.approx(frame.difference(), abs=1e-12)
        if rate == "selection_rate":
            theirs = demographic_parity_ratio(y, predicted, sensitive_features=codes)
            (ours,) = fairness_of(counts, FourFifths()).gaps.values()
            assert ours == pytest.approx(theirs, abs=1e-12)


@st.composite
def people(draw):
    """Draw parts of people, perhaps empty ones, and families of groups of them."""
    sizes = st.tuples(st.integers(0, 6), st.integers(0, 6))
    parts = draw(st.lists(sizes, min_size=2, max_size=5))
    missed = [draw(st.integers(0, p)) for p, _ in parts]
    hit = [draw(st.integers(0, n)) for _, n in parts]
    names = tuple(f"part {k}" for k in range(len(parts)))
    families = []
    for number in range(draw(st.integers(1, 2))):
        of = draw(st.lists(st.integers(0, 2), min_size=len(parts), max_size=len(parts)))
        groups = {
            f"{number}, {g}": tuple(n for n, o in zip(names, of, strict=True) if o == g)
            for g in sorted(set(of))
        }
        families.append(Family(groups, f"family {number}"))
    positives, negatives = np.array(parts).T
    return (
        GroupSizes(names, positives, negatives, tuple(families)),
        np.array(missed),
        np.array(hit),
    )


@settings(max_examples=200, deadline=None)
@given(people(), st.sampled_from(CASES))
def test_rows_hold_at_some_level_exactly_if_the_criterion_does(found, case):
    """Rows, recount, quick look, known level and plain counting: one truth."""
    parts, missed, hit = found
    at = {name: k for k, name in enumerate(parts.names)}
    groups = [
        [at[part] for part in inside]
        for family in parts.families
        for inside in family.groups.values()
    ]
    whole = [
        (int(parts.positives[g].sum()), int(parts.negatives[g].sum())) for g in groups
    ]
    try:
        rates = rates_of(case.criterion, parts)
    except ValueError:
        assert any(0 in size for size in whole)  # somebody has nobody to count
        return
    families = []
    for family in parts.families:
        counts = []
        for inside in family.groups.values():
            g = [at[part] for part in inside]
            p, n = parts.positives[g].sum(), parts.negatives[g].sum()
            m, h = missed[g].sum(), hit[g].sum()
            counts.append(People(int(p - m), int(m), int(h), int(n - h)))
        families.append(counts)
    holds = all_hold(rates, missed, hit)
    assert holds == all(case.holds(counts) for counts in families)
    rows = RateRows.build(rates, len(parts.names))
    fixed = rows.missed @ missed + rows.hit @ hit + rows.constant
    assert fits(rows, fixed) == holds
    quick = [rate.violations(missed[None], hit[None]).max() for rate in rates]
    assert (max(quick) <= 1e-12) == holds
    level = rows.weight * rows.levels(missed.astype(float), hit.astype(float))[rows.of]
    inside = (rows.lower <= fixed + level + 1e-9) & (fixed + level - 1e-9 <= rows.upper)
    assert inside.all() == holds
    for array in (rows.missed, rows.hit, rows.constant):
        assert (array == np.rint(array)).all()


def fits(rows, fixed):
    """Whether there are levels at which all rows hold."""
    left, right = [], []
    for sign, ends in ((1.0, rows.upper), (-1.0, rows.lower)):
        for r in np.flatnonzero(np.isfinite(ends)):
            line = np.zeros(rows.n_levels)
            line[rows.of[r]] = sign * rows.weight[r]
            left.append(line)
            right.append(sign * (ends[r] - fixed[r]) + 1e-9)
    answer = linprog(np.zeros(rows.n_levels), A_ub=left, b_ub=right, bounds=(0, 1))
    return answer.status == 0


@settings(max_examples=100, deadline=None)
@given(people(), st.sampled_from(CASES))
def test_the_other_label_turns_the_names_and_not_the_truth(found, case):
    """With labels and decisions turned around, the mirrored criterion says the same."""
    parts, missed, hit = found
    try:
        rates = rates_of(case.criterion, parts)
    except ValueError:
        return
    turned = GroupSizes(parts.names, parts.negatives, parts.positives, parts.families)
    mirrored = rates_of(Mirrored(case.criterion), turned)
    # Rules for the other label that decide the same about everybody: whom they miss
    # there are the negatives that are selected here.
    assert all_hold(mirrored, hit, missed) == all_hold(rates, missed, hit)
    assert [rate.name for rate in mirrored] == [rate.name for rate in rates]
    twice = rates_of(Mirrored(Mirrored(case.criterion)), parts)
    assert all_hold(twice, missed, hit) == all_hold(rates, missed, hit)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_criterion_has_a_name_that_reads_back(case):
    """What a model file records is enough to ask the same again."""
    criterion = case.criterion
    assert copy.deepcopy(criterion) == criterion
    assert pickle.loads(pickle.dumps(criterion)) == criterion
    if isinstance(criterion, LinearConstraint):
        return
    again = criterion_of(criterion.name, criterion.epsilon)
    if "&" not in criterion.name or isinstance(criterion, Together):
        assert again.name == criterion.name
    assert [exact(r.bound.limit) for r in again.rates()] == [
        exact(r.bound.limit) for r in criterion.rates()
    ]
    assert [(r.name, type(r.bound)) for r in again.rates()] == [
        (r.name, type(r.bound)) for r in criterion.rates()
    ]


@pytest.mark.parametrize(
    ("text", "epsilon", "limits"),
    [
        ("demographic_parity", None, [0.05]),
        ("demographic_parity", 0.1, [0.1]),
        ("demographic_parity=0.02", None, [0.02]),
        ("demographic_parity=1/3", None, [Fraction(1, 3)]),
        ("four_fifths", None, [0.8]),
        ("four_fifths=0.9", None, [0.9]),
        ("precision_floor = 0.7", None, [0.7]),
        ("equalized_odds & precision_floor=0.7", 0.1, [0.1, 0.1, 0.7]),
        ("equalized_odds=0.02&demographic_parity", 0.1, [0.02, 0.02, 0.1]),
        ("accuracy_floor=0.6", None, [0.6]),
        ("bounded_group_loss=0.3", None, [0.3]),
    ],
)
def test_names_and_numbers(text, epsilon, limits):
    """A number after the name is its own; epsilon goes to gaps without one."""
    made = criterion_by_name(text, epsilon)
    assert [rate.bound.limit for rate in made.rates()] == limits


@pytest.mark.parametrize(
    ("text", "epsilon", "message"),
    [
        ("precision_floor", None, "needs a number of its own, such as precision_floor"),
        ("precision_floor", 0.7, "needs a number of its own"),
        ("precision_floor=0.7", 0.05, "nothing in 'precision_floor=0.7' takes it"),
        ("four_fifths", 0.05, "nothing in 'four_fifths' takes it"),
        ("equalized_odds=0.1", 0.05, "nothing in 'equalized_odds=0.1' takes it"),
        ("bounded_group_loss=1.2", None, "must be a number from 0 to 1"),
        ("four_fifths=x", None, "'x' is no number, such as 0.8 or 4/5"),
        ("four_fifths=1/0", None, "'1/0' is no number"),
        ("goodness_floor=1", None, "'goodness_floor' is not known"),
        ("precision_ratio=0.8", None, "a floor or a cap, but no ratio"),
        ("equalized_odds &", None, "'' is not known"),
    ],
)
def test_nobody_mistakes_an_allowed_gap_for_a_floor(text, epsilon, message):
    """Epsilon never becomes the limit of a floor, a cap or a ratio."""
    with pytest.raises(ValueError, match=message):
        criterion_by_name(text, epsilon)


def test_epsilon_of_criteria_that_are_joined():
    """The common one can be changed; where there is none, that is refused in words."""
    both = EqualizedOdds(0.05) & PrecisionFloor(0.7)
    wider = criterion_at(both, 0.2)
    assert wider == EqualizedOdds(0.2) & PrecisionFloor(0.7)
    assert both.epsilon == 0.05
    assert takes_epsilon(both)
    apart = DemographicParity(0.1) & EqualityOfOpportunity(0.02)
    assert apart.epsilon is None
    assert apart.name == "demographic_parity=0.1 & equality_of_opportunity=0.02"
    assert not takes_epsilon(apart)
    assert criterion_at(apart, 0.2) == apart
    with pytest.raises(ValueError, match="no single allowed gap"):
        criterion_of(apart, 0.2)
    three = both & DemographicParity(0.05)
    assert len(three.criteria) == 3
    assert three.epsilon == 0.05
    with pytest.raises(ValueError, match="& joins criteria"):
        EqualizedOdds(0.1) & "four_fifths"


def test_a_criterion_of_my_own_joins_others():
    """It needs no base class on either side of the sign."""

    class Mine:
        name, epsilon = "mine", None

        def rates(self):
            among = ("positives",)
            return (Rate("recall", ("true_positives",), among, Floor(0.3)),)

    for both in (Mine() & FourFifths(), FourFifths() & Mine()):
        assert {rate.name for rate in both.rates()} == {"recall", "selection rate"}
    assert (FourFifths() & Mine()).name == "four_fifths & mine"


def test_two_bounds_on_one_rate_are_told_apart():
    """Demographic parity and four fifths both look at selection rates."""
    counts = {"a": GroupCounts(5, 1, 1, 3), "b": GroupCounts(2, 2, 1, 5)}
    both = fairness_of(counts, DemographicParity(0.5) & FourFifths(0.4))
    assert both.gaps == {
        "selection rate": pytest.approx(0.3),
        "ratio of the selection rate": pytest.approx(0.5),
    }
    assert both.allowed == {"selection rate": 0.5, "ratio of the selection rate": 0.4}
    assert both.bounds["ratio of the selection rate"] == "ratio"
    assert both.within_epsilon
    assert "ratio of the selection rate: 0.5000, at least 0.4" in str(both)
    twice = fairness_of(counts, DemographicParity(0.5) & DemographicParity(0.2))
    assert not twice.within_epsilon
    assert len(twice.gaps) == 2


def test_a_group_of_which_nobody_is_selected_has_no_precision():
    """It violates no floor; the lowest precision is that of the others."""
    counts = {"a": GroupCounts(3, 1, 1, 5), "b": GroupCounts(0, 2, 0, 4)}
    found = fairness_of(counts, PrecisionFloor(0.7))
    assert found.within_epsilon
    assert found.gaps == {"lowest precision": 0.75}
    nobody = {"a": GroupCounts(0, 4, 0, 6), "b": GroupCounts(0, 2, 0, 4)}
    (gap,) = bounded_gaps(nobody, PrecisionFloor(0.7))
    assert (gap.value, gap.within) == (None, True)


@pytest.mark.parametrize(
    ("number", "means"),
    [
        (1 / 3, Fraction(1, 3)),
        (2 / 7, Fraction(2, 7)),
        (0.3, Fraction(3, 10)),
        (0.1 + 0.2, Fraction("0.30000000000000004")),
        (0.9999999999999999, Fraction("0.9999999999999999")),
        (1e-7, Fraction(1, 10**7)),
        (0.0, Fraction(0)),
        (12345.6789, Fraction("12345.6789")),
        (Fraction(5, 13), Fraction(5, 13)),
        (np.float64(0.05), Fraction(1, 20)),
    ],
)
def test_what_prints_as_equal_is_equal(number, means):
    """``epsilon=1/3`` refused a gap of exactly one third."""
    assert exact(number) == means
    assert exact(read_typed(typed(number))) == means


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_quotient_of_small_numbers_is_that_fraction(part, whole):
    """Every share of at most a million people can be typed as a division."""
    if part <= whole:
        assert exact(part / whole) == Fraction(part, whole)


@given(st.floats(0, 1, allow_subnormal=False))
def test_every_float_stands_for_one_number_that_is_it(number):
    """The fraction prints as the same float, and reads back as itself."""
    assert float(exact(number)) == number
    assert exact(read_typed(typed(number))) == exact(number)


def test_a_linear_condition_says_what_it_cannot_take():
    """Unknown kinds of people, no limit or two, and numbers beyond exact counting."""
    with pytest.raises(ValueError, match="weighs some of"):
        LinearConstraint("odd", {"winners": 1}, at_least=0)
    with pytest.raises(ValueError, match="give at_least or at_most"):
        LinearConstraint("odd", {"true_positives": 1})
    with pytest.raises(ValueError, match="give at_least or at_most"):
        LinearConstraint("odd", {"true_positives": 1}, at_least=0, at_most=3)
    with pytest.raises(ValueError, match="six decimals"):
        Linear("odd", {"true_positives": 0.123456789})
    three = LinearConstraint("three", {"true_positives": 1}, at_least=3)
    groups = GroupSizes(("a",), np.array([5]), np.array([0]))
    (rate,) = rates_of(three, groups)
    assert rate.holds(np.array([2]), np.array([0]))
    assert not rate.holds(np.array([3]), np.array([0]))
    assert rate.measured(np.array([3]), np.array([0])) == -1


def test_each_family_has_its_own_epsilon():
    """Sexes may differ by a tenth, races by none; a floor has no epsilon to change."""
    names = ("f, x", "f, y", "m, x", "m, y")
    sex = Family({"f": names[:2], "m": names[2:]}, "sex", 0.1)
    race = Family({"x": names[::2], "y": names[1::2]}, "race")
    ten = np.full(4, 10)
    parts = GroupSizes(names, ten, ten, (sex, race))
    rates = rates_of(EqualityOfOpportunity(0), parts)
    assert [(r.name, r.limit) for r in rates] == [
        ("false negative rate (sex)", 0.1),
        ("false negative rate (race)", 0.0),
    ]
    none = np.zeros(4, dtype=np.int64)
    assert all_hold(rates, np.array([1, 1, 2, 2]), none)
    assert not all_hold(rates, np.array([1, 1, 3, 3]), none)
    assert not all_hold(rates, np.array([1, 0, 1, 0]), none)
    with pytest.raises(ValueError, match="no single allowed gap"):
        rates_of(FourFifths(), parts)


def test_a_part_without_anybody_does_no_harm():
    """Only a group without anybody to count has no rate."""
    names = ("f, x", "f, y", "m, x")
    family = Family({"f": names[:2], "m": names[2:]})
    parts = GroupSizes(names, np.array([0, 4, 5]), np.array([3, 2, 2]), (family,))
    (rate,) = rates_of(EqualityOfOpportunity(0.1), parts)
    assert rate.sizes.tolist() == [4, 5]
    alone = GroupSizes(names, np.array([0, 4, 5]), np.array([3, 2, 2]))
    with pytest.raises(ValueError, match="group 'f, x' has no positive sample"):
        rates_of(EqualityOfOpportunity(0.1), alone)


@pytest.mark.parametrize("bound", [Difference(0.1), Ratio(0.8)])
def test_precision_cannot_be_compared(bound):
    """Whom it is a share of depends on the decisions: no linear row says that."""
    with pytest.raises(ValueError, match="a floor or a cap, but no"):
        Rate(
            "precision",
            ("true_positives",),
            ("true_positives", "false_positives"),
            bound,
        )


def test_every_name_is_a_criterion():
    """Each takes one number, and says its name back."""
    for name in CRITERIA:
        made = criterion_by_name(f"{name}=0.5")
        assert made.name.partition("=")[0] == name
        assert all(rate.bound.limit == 0.5 for rate in made.rates())
    assert isinstance(BoundedGroupLoss(0.5).rates()[0].bound, Cap)
