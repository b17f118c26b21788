"""Plots: where ticks, marks and intervals go; the template only draws them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from faircg.report.words import percent, points_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from faircg.report.values import PartResult, PointResult, Report

WIDTH: Final = 480
HEIGHT: Final = 330
LEFT, RIGHT, TOP, BOTTOM = 62, 20, 20, 52
LINE: Final = 17
"""Height of one interval in its chart."""
CHARTED: Final = ("false negative rate", "false positive rate")
"""Rates whose intervals are drawn."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A position on an axis, and what is written there."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of the frontier: its number, place and description."""

    index: int
    x: float
    y: float
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class FrontierPlot:
    """One way to measure the points: by cross-validation, or on one part of the data.

    Attributes
    ----------
    name
        How the points were measured.
    x_title, y_title
        What the axes show.
    x_ticks, y_ticks
        Ticks of the axes.
    marks
        The points, from left to right.
    line
        Corners of the line through them.
    """

    name: str
    x_title: str
    y_title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    line: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A share of one group on one part: the mark and both ends of its interval."""

    part: int
    y: float
    x: float
    low: float
    high: float
    text: str


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One group: where its name stands, and its intervals."""

    name: str
    y: float
    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """One rate of all groups on all parts.

    Attributes
    ----------
    rate
        Name of the rate.
    height
        Of the drawing.
    ticks
        Of the axis.
    rows
        The groups.
    """

    rate: str
    height: float
    ticks: tuple[Tick, ...]
    rows: tuple[IntervalRow, ...]


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers that enclose an interval.

    Examples
    --------
    >>> nice_ticks(0.0, 0.23)
    [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]
    >>> nice_ticks(3.0, 3.0)
    [2.4, 2.6, 2.8, 3.0, 3.2, 3.4, 3.6]
    """
    if high <= low:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / (most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def frontier_plots(report: Report) -> tuple[FrontierPlot, ...]:
    """Place the points once for cross-validation, and once for every part."""
    if len(report.points) < 2:
        return ()
    ways: list[tuple[str, Callable[[PointResult], tuple[float, float | None]]]] = []
    if all(p.point.cross_validated is not None for p in report.points):
        ways.append(("cross-validation", _by_folds))
    names = dict.fromkeys(n for p in report.points for n in p.parts)
    for name in names:
        if all(name in p.parts for p in report.points):
            ways.append((name, _on_part(name)))
    return tuple(_plot(report, name, measure) for name, measure in ways)


def _by_folds(result: PointResult) -> tuple[float, float | None]:
    found = result.point.cross_validated
    assert found is not None
    return found.accuracy, found.gap


def _on_part(name: str) -> Callable[[PointResult], tuple[float, float | None]]:
    def measure(result: PointResult) -> tuple[float, float | None]:
        part = result.parts[name]
        return part.overall.counts.accuracy, largest_gap(part)

    return measure


def largest_gap(part: PartResult) -> float | None:
    """Return the largest gap of the criterion's rates; None if it is not known."""
    gaps = [gap.value for gap in part.watched]
    if not gaps or None in gaps:
        return None
    return float(max(gap for gap in gaps if gap is not None))


def _plot(
    report: Report,
    name: str,
    measure: Callable[[PointResult], tuple[float, float | None]],
) -> FrontierPlot:
    measured = [measure(result) for result in report.points]
    complexities = [r.point.model.rule_set.complexity for r in report.points]
    by_gap = all(gap is not None for _, gap in measured)
    across = [
        float(gap) if by_gap and gap is not None else float(complexity)
        for (_, gap), complexity in zip(measured, complexities, strict=True)
    ]
    accuracies = [accuracy for accuracy, _ in measured]
    x_values = nice_ticks(min([0.0, *across]), max(across))
    y_values = nice_ticks(min(accuracies), max(accuracies))
    x_at = _scale(x_values, LEFT, WIDTH - RIGHT)
    y_at = _scale(y_values, HEIGHT - BOTTOM, TOP)
    marks = []
    for k, (x, y) in enumerate(zip(across, accuracies, strict=True)):
        gap = f"gap {points_of(x)} points, " if by_gap else ""
        label = (
            f"Point {k + 1}{', chosen' if k == report.chosen else ''}: accuracy "
            f"{percent(y)}, {gap}complexity {complexities[k]}"
        )
        marks.append(Mark(k, x_at(x), y_at(y), str(complexities[k]), label))
    marks.sort(key=lambda mark: (mark.x, mark.index))
    digits = 0 if _step(y_values) >= 0.00999 else 1 if _step(y_values) > 0.0009 else 2
    return FrontierPlot(
        name=name,
        x_title="gap between groups, percentage points" if by_gap else "complexity",
        y_title="accuracy",
        x_ticks=tuple(
            Tick(x_at(v), f"{100 * v:g}" if by_gap else f"{v:g}") for v in x_values
        ),
        y_ticks=tuple(Tick(y_at(v), percent(v, digits)) for v in y_values),
        marks=tuple(marks),
        line=" ".join(f"{mark.x},{mark.y}" for mark in marks),
    )


def _step(values: Sequence[float]) -> float:
    return values[1] - values[0]


def _scale(
    values: Sequence[float], start: float, end: float
) -> Callable[[float], float]:
    low, high = values[0], values[-1]

    def at(value: float) -> float:
        return round(start + (end - start) * (value - low) / (high - low), 2)

    return at


def interval_charts(result: PointResult) -> tuple[IntervalChart, ...]:
    """Place the intervals of the error rates of every group on every part."""
    return tuple(_chart(result, rate) for rate in CHARTED)


def _chart(result: PointResult, rate: str) -> IntervalChart:
    parts = list(result.parts.values())
    names = dict.fromkeys(g.name for part in parts for g in part.groups)
    ends = [
        end
        for part in parts
        for g in part.groups
        if g.shares[rate].size
        for end in (g.shares[rate].low, g.shares[rate].high)
    ]
    values = nice_ticks(min(ends, default=0.0), max(ends, default=1.0))
    at = _scale(values, 12, WIDTH - 12)
    rows, y = [], 12.0
    for name in names:
        row_y = y + 4
        intervals = []
        y += LINE
        for number, part in enumerate(parts):
            for group in part.groups:
                share = group.shares[rate]
                if group.name != name or share.value is None:
                    continue
                intervals.append(
                    Interval(
                        part=number,
                        y=y,
                        x=at(share.value),
                        low=at(share.low),
                        high=at(share.high),
                        text=(
                            f"{part.name}: {percent(share.value)} "
                            f"({percent(share.low)} to {percent(share.high)})"
                        ),
                    )
                )
                y += LINE
        if not intervals:
            y += LINE
        rows.append(IntervalRow(shown(name, 48), row_y, tuple(intervals)))
        y += 8
    ticks = tuple(Tick(at(v), percent(v, 0)) for v in values)
    return IntervalChart(rate, y + 22, ticks, tuple(rows))
