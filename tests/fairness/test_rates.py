"""Rates and bounds: what is written into rows is what is recounted."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from faircg.fairness import Cap, Difference, Floor, GroupSizes, Rate, Ratio
from faircg.fairness.metrics import GroupCounts
from faircg.fairness.rate_rows import RateRows
from faircg.fairness.rates import AMONG

BOUNDS = (Difference, Ratio, Floor, Cap)
SHARES = [
    (counted, among)
    for among in (("positives",), ("negatives",), ("positives", "negatives"))
    for counted in chain.from_iterable(
        combinations([kind for kind in AMONG if AMONG[kind] in among], size)
        for size in (1, 2, 3)
    )
]


@st.composite
def people(draw):
    """Draw groups with a positive and a negative each, and what happens to them."""
    sizes = st.tuples(st.integers(1, 9), st.integers(1, 9))
    groups = draw(st.lists(sizes, min_size=1, max_size=4))
    missed = [draw(st.integers(0, p)) for p, _ in groups]
    hit = [draw(st.integers(0, n)) for _, n in groups]
    return tuple(map(np.array, (*zip(*groups, strict=True), missed, hit)))


@settings(max_examples=300, deadline=None)
@given(people(), st.sampled_from(SHARES))
def test_a_rate_is_the_share_that_its_names_say(drawn, names):
    """Counted one kind of people at a time, without weights or constants."""
    positives, negatives, missed, hit = drawn
    counted, among = names
    labels = tuple(map(str, range(len(positives))))
    rate = Rate("share", counted, among, Difference(1))
    found = rate.of(GroupSizes(labels, positives, negatives)).values(missed, hit)
    for g, value in enumerate(found):
        counts = GroupCounts(
            int(positives[g] - missed[g]),
            int(missed[g]),
            int(hit[g]),
            int(negatives[g] - hit[g]),
        )
        whole = sum(getattr(counts, kind) for kind in among)
        assert value == Fraction(sum(getattr(counts, k) for k in counted), whole)
        assert 0 <= value <= 1


@settings(max_examples=300, deadline=None)
@given(
    people(),
    st.sampled_from(SHARES),
    st.sampled_from(BOUNDS),
    st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.8, 1.0]),
)
def test_rows_hold_at_some_level_exactly_if_the_bound_does(drawn, names, bound, limit):
    """Rows, recount, quick look and known level: four answers, one truth."""
    positives, negatives, missed, hit = drawn
    groups = GroupSizes(tuple(map(str, positives)), positives, negatives)
    rate = Rate("share", *names, bound(limit)).of(groups)
    rows = RateRows.build([rate], len(positives))
    fixed = rows.missed @ missed + rows.hit @ hit + rows.constant
    ends = [
        (sign * (end - fixed), sign * rows.weight)
        for sign, end in ((1.0, rows.upper), (-1.0, rows.lower))
    ]
    right = np.concatenate([bounds for bounds, _ in ends]) + 1e-9
    left = np.concatenate([weights for _, weights in ends])
    finite = np.isfinite(right)
    answer = linprog(
        [0.0], A_ub=left[finite, np.newaxis], b_ub=right[finite], bounds=(0, 1)
    )
    holds = rate.holds(missed, hit)
    assert (answer.status == 0) == holds
    violations = rate.violations(missed[np.newaxis], hit[np.newaxis])
    assert (violations <= 1e-12).tolist() == [holds]
    level = rows.weight * rows.levels(missed.astype(float), hit.astype(float))[rows.of]
    inside = (rows.lower <= fixed + level + 1e-9) & (fixed + level - 1e-9 <= rows.upper)
    assert inside.all() == holds


@pytest.mark.parametrize(
    ("counted", "among"),
    [
        ((), ("positives",)),
        (("false_positives",), ("positives",)),
        (("true_positives",), ()),
        (("selected",), ("positives", "negatives")),
        (("true_positives",), ("positives", "everybody")),
    ],
)
def test_a_rate_that_is_no_share_cannot_be_said(counted, among):
    """Weights and constants used to be typed in, and a forgotten one was believed."""
    with pytest.raises(ValueError, match="a rate counts some of"):
        Rate("share", counted, among, Difference(0.1))


@pytest.mark.parametrize("bound", [Ratio, Floor, Cap])
@pytest.mark.parametrize("limit", [-0.1, 1.1, float("nan")])
def test_a_limit_that_is_no_share_is_refused(bound, limit):
    """The message names what was asked and the number."""
    with pytest.raises(ValueError, match=r"must be a number from 0 to 1, not"):
        bound(limit)


def test_four_fifths_is_a_ratio_of_selection_rates():
    """Eight of ten beside ten of ten is just allowed; nobody anywhere is, too."""
    groups = GroupSizes(("a", "b"), np.array([5, 5]), np.array([5, 5]))
    rate = Rate(
        "selection rate",
        counted=("true_positives", "false_positives"),
        among=("positives", "negatives"),
        bound=Ratio(0.8),
    ).of(groups)
    nobody = np.array([0, 0])
    assert rate.holds(missed=nobody, hit=np.array([3, 5]))
    assert not rate.holds(missed=nobody, hit=np.array([2, 5]))
    assert rate.holds(missed=np.array([5, 5]), hit=nobody)
