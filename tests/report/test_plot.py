"""Plots: what an axis says is where it says it, and no mark covers another."""

import math
import random
import re
from dataclasses import replace
from itertools import pairwise

import pandas as pd
import pytest

from faircg.model import Feature, RuleSetModel
from faircg.printable import percent
from faircg.report import render_report, report_of_model
from faircg.report.plot import (
    APART,
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    apart,
    frontier_plots,
    interval_charts,
    share_ticks,
    tick_digits,
)
from faircg.rules import Condition, Rule, RuleSet


def said(ticks):
    """Read the numbers on an axis, which must be in proportion to their places."""
    values = [float(tick.text.removesuffix(" %")) for tick in ticks]
    assert len(set(values)) == len(values) > 2
    slopes = [
        (after.at - before.at) / (high - low)
        for (before, after), (low, high) in zip(
            pairwise(ticks), pairwise(values), strict=True
        )
    ]
    assert slopes == pytest.approx([slopes[0]] * len(slopes), rel=1e-3)
    return values


def of_groups(first, second, people):
    """Make a report of a rule that everybody named True meets."""
    model = RuleSetModel(
        RuleSet((Rule((Condition("x", "=", True),)),), "1"),
        (Feature("x", "boolean"),),
        (0, 1),
    )
    table = pd.DataFrame({"x": [k % 8 > 2 for k in range(people)]})
    groups = [first if k % 3 else second for k in range(people)]
    return report_of_model(
        model, table, [k % 2 for k in range(people)], sensitive_features=groups
    )


def crowded(report, *places):
    """Measure the first points of a report anew, as accuracy and gap."""
    points = [
        replace(
            report.points[k % len(report.points)],
            point=replace(
                report.points[k % len(report.points)].point,
                cross_validated=replace(
                    report.points[0].point.cross_validated, accuracy=y, gap=x
                ),
            ),
        )
        for k, (y, x) in enumerate(places)
    ]
    return replace(report, points=tuple(points), shown=None)


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0.37, 0.49, ["35.0 %", "37.5 %", "40.0 %", "42.5 %", "45.0 %"]),
        (0.9991, 0.9999, ["99.90 %", "99.92 %", "99.94 %"]),
        (0.1, 0.6, ["10 %", "20 %", "30 %"]),
        (0.99995, 1.0, ["99.995 %", "99.996 %"]),
    ],
)
def test_ticks_are_written_with_the_digits_of_their_step(low, high, texts):
    """37.5 is not 38, and six ticks do not all say 100."""
    values = share_ticks([low, high])
    digits = tick_digits(values)
    found = [percent(value, digits) for value in values]
    assert found[: len(texts)] == texts
    for value, text in zip(values, found, strict=True):
        assert float(text.removesuffix(" %")) == pytest.approx(100 * value, abs=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.004, 0.67, 0.999, 1.0])
def test_ticks_around_one_value_stay_shares(share):
    """Points that are all alike do not stretch the axis to 120 %."""
    values = share_ticks([share, share])
    assert 0 <= values[0] <= share <= values[-1] <= 1
    assert values[-1] - values[0] <= 0.03


@pytest.mark.parametrize("people", [40, 700, 60_000])
def test_axes_of_the_charts_tell_the_truth(people):
    """Intervals stand where the ticks say that they are."""
    report = of_groups("a", "b", people)
    for chart in interval_charts(report.points[0]):
        values = said(chart.ticks)
        first, last = chart.ticks[0], chart.ticks[-1]
        for row, group in zip(chart.rows, report.points[0].main.groups, strict=True):
            for item in row.intervals:
                part = (item.x - first.at) / (last.at - first.at)
                told = values[0] + part * (values[-1] - values[0])
                share = float(group.shares[chart.rate].value)
                assert told == pytest.approx(100 * share, abs=0.1)


def test_axes_of_the_frontier_tell_the_truth(report):
    """By cross-validation and on each part; also where points hardly differ."""
    for made in (
        report,
        crowded(report, (0.6612, 0.0), (0.6681, 0.011)),
        crowded(report, (0.66, 0.0), (0.66, 0.0)),
    ):
        for plot in frontier_plots(made):
            assert min(said(plot.x_ticks)) >= 0
            assert 0 <= min(said(plot.y_ticks)) < max(said(plot.y_ticks)) <= 100


def distances(places):
    return [
        math.dist(one, other)
        for k, one in enumerate(places)
        for other in places[k + 1 :]
    ]


@pytest.mark.parametrize("seed", range(20))
def test_marks_keep_apart(seed):
    """Whatever their places, marks do not cover each other and stay on the plot."""
    draw = random.Random(seed)
    width = draw.choice([0.0, 1.0, 15.0, 200.0])
    x, y = draw.uniform(LEFT, WIDTH - RIGHT), draw.uniform(TOP, HEIGHT - BOTTOM)
    places = [
        (
            min(max(x + draw.uniform(-width, width), LEFT), WIDTH - RIGHT),
            min(max(y + draw.uniform(-width, width), TOP), HEIGHT - BOTTOM),
        )
        for _ in range(draw.randint(2, 14))
    ]
    found = apart(places)
    assert min(distances(found)) > APART - 0.1
    for x, y in found:
        assert LEFT <= x <= WIDTH - RIGHT
        assert TOP <= y <= HEIGHT - BOTTOM


def test_a_moved_mark_is_tied_to_its_true_place(report):
    """The line still goes through what was measured, and the page says so."""
    made = crowded(report, (0.66, 0.02), (0.662, 0.021), (0.7, 0.3))
    plot = frontier_plots(made)[0]
    assert [mark.is_moved for mark in plot.marks] == [True, True, False]
    corners = [tuple(map(float, corner.split(","))) for corner in plot.line.split()]
    assert len(corners) == 7
    first, second, third = plot.marks
    assert corners[1] == (first.x, first.y)
    assert corners[4] == (second.x, second.y)
    assert corners[6] == (third.x, third.y)
    assert corners[0] == corners[2] != corners[1]
    note = "dotted line leads to their true places"
    assert note in " ".join(render_report(made).split())
    calm = crowded(report, (0.6, 0.0), (0.65, 0.1), (0.7, 0.3))
    assert not frontier_plots(calm)[0].has_moved


def test_a_long_name_is_shortened_in_a_chart_and_told_in_full():
    """Beside the intervals there is room for some thirty characters."""
    long, other = "first " + "G" * 300 + " last", "second " + "G" * 300 + " last"
    report = of_groups(long, other, 40)
    page = render_report(report)
    drawn = re.findall(r'<text class="row"[^>]*>([^<]*)</text>', page)
    assert {*drawn} == {
        "first GGGGGGGGGGG … GGGGG last",
        "second GGGGGGGGGG … GGGGG last",
    }
    for name in (long, other):
        assert re.search(rf"<title>{name}, train: [\d.]+ %", page)
