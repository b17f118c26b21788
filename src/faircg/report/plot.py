"""Plots: where ticks, marks and intervals go; the template only draws them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from faircg.printable import percent, shown
from faircg.report.words import points_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from faircg.report.contents import PointResult, Report

    Measured = Sequence[tuple[float, float | None]]  # accuracy and gap of each point

WIDTH: Final = 480
HEIGHT: Final = 330
LEFT, RIGHT, TOP, BOTTOM = 62, 20, 20, 52
APART: Final = 34.0
"""Least distance of two marks: twice the radius of the ring that answers to a click."""
LINE: Final = 17
"""Height of one interval in its chart."""
LONGEST_NAME: Final = 30
"""Characters of a group's name in a chart; the full name is in the titles."""
CHARTED: Final = ("false negative rate", "false positive rate")
"""Rates whose intervals are drawn."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A position on an axis, and what is written there."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of the frontier: its number, place, what stands in it and what it means.

    ``is_moved`` says that it is drawn beside its true place, so as not to cover
    another.
    """

    index: int
    x: float
    y: float
    text: str
    label: str
    is_moved: bool = False


@dataclass(frozen=True, slots=True)
class FrontierPlot:
    """One way to measure the points: by cross-validation, or on one part of the data.

    Marks go from left to right. ``line`` has the corners of the line through their true
    places, with a detour to every mark that is drawn elsewhere.
    """

    name: str
    x_title: str
    y_title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    line: str

    @property
    def has_moved(self) -> bool:
        """Whether some mark is not drawn in its true place."""
        return any(mark.is_moved for mark in self.marks)


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
    """One rate of all groups on all parts."""

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


def share_ticks(shares: Sequence[float], most: int = 6) -> list[float]:
    """Return round numbers that enclose shares and are shares themselves.

    Examples
    --------
    >>> share_ticks([0.67, 0.67])
    [0.66, 0.665, 0.67, 0.675, 0.68]
    >>> share_ticks([1.0, 1.0])
    [0.99, 0.992, 0.994, 0.996, 0.998, 1.0]
    >>> share_ticks([])
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    low, high = min(shares, default=0.0), max(shares, default=1.0)
    if high - low < 1e-9:
        low, high = max(0.0, low - 0.01), min(1.0, high + 0.01)
    return nice_ticks(low, high, most)


def tick_digits(values: Sequence[float]) -> int:
    """Return how many decimals tell all ticks as they are, in percent.

    Examples
    --------
    >>> tick_digits([0.35, 0.4]), tick_digits([0.35, 0.375]), tick_digits([1, 0.9995])
    (0, 1, 2)
    """
    for digits in range(10):
        scaled = [100 * value * 10**digits for value in values]
        if all(abs(value - round(value)) < 1e-6 for value in scaled):
            return digits
    return 10


def apart(
    places: Sequence[tuple[float, float]], distance: float = APART
) -> list[tuple[float, float]]:
    """Move places that are too near each other, each as little as it takes.

    Places that are far enough from all others stay; all stay within the axes. Where
    there is no room for so many, some remain nearer.

    Examples
    --------
    >>> apart([(100.0, 100.0), (300.0, 100.0)])
    [(100.0, 100.0), (300.0, 100.0)]
    >>> apart([(100.0, 100.0), (110.0, 100.0)])
    [(88.0, 100.0), (122.0, 100.0)]
    """
    found = [list(place) for place in places]
    for _ in range(500):
        is_settled = True
        for one, other in combinations(range(len(found)), 2):
            dx = found[other][0] - found[one][0]
            dy = found[other][1] - found[one][1]
            length = math.hypot(dx, dy)
            if length >= distance - 0.01:
                continue
            is_settled = False
            if length < 0.01:  # the same place: leave it along a slant
                dx, dy, length = 0.8, -0.6, 1.0
                push = distance / 2
            else:
                push = (distance - length) / 2
            for place, way in ((found[one], -push), (found[other], push)):
                x, y = place[0] + way * dx / length, place[1] + way * dy / length
                place[0] = min(max(x, LEFT), WIDTH - RIGHT)
                place[1] = min(max(y, TOP), HEIGHT - BOTTOM)
        if is_settled:
            break
    return [(round(x, 2), round(y, 2)) for x, y in found]


def frontier_plots(report: Report) -> tuple[FrontierPlot, ...]:
    """Place the points once for cross-validation, and once for every part."""
    if len(report.points) < 2:
        return ()
    measured: list[tuple[str, Measured]] = []
    folds = [point.point.cross_validated for point in report.points]
    if None not in folds:
        found = [(fold.accuracy, fold.gap) for fold in folds if fold is not None]
        measured.append(("cross-validation", found))
    names = dict.fromkeys(name for point in report.points for name in point.parts)
    for name in names:
        if all(name in point.parts for point in report.points):
            parts = [point.parts[name] for point in report.points]
            found = [(part.overall.counts.accuracy, part.largest_gap) for part in parts]
            measured.append((name, found))
    return tuple(_plot(report, name, found) for name, found in measured)


def _plot(report: Report, name: str, measured: Measured) -> FrontierPlot:
    complexities = [r.point.model.rule_set.complexity for r in report.points]
    by_gap = all(gap is not None for _, gap in measured)
    across = [
        float(gap) if by_gap and gap is not None else float(complexity)
        for (_, gap), complexity in zip(measured, complexities, strict=True)
    ]
    accuracies = [accuracy for accuracy, _ in measured]
    x_values = (
        share_ticks([0.0, *across]) if by_gap else nice_ticks(0.0, max([5.0, *across]))
    )
    spread = max(accuracies) - min(accuracies)  # room below, where the other axis is
    y_values = share_ticks([max(0.0, min(accuracies) - spread / 20), *accuracies])
    x_at = _scale(x_values, LEFT, WIDTH - RIGHT)
    y_at = _scale(y_values, HEIGHT - BOTTOM, TOP)
    true = [(x_at(x), y_at(y)) for x, y in zip(across, accuracies, strict=True)]
    drawn = apart(true)
    marks = []
    for k, (x, y) in enumerate(zip(across, accuracies, strict=True)):
        gap = f"gap {points_of(x)} points, " if by_gap else ""
        label = (
            f"Point {k + 1}{', chosen' if k == report.chosen else ''}: accuracy "
            f"{percent(y)}, {gap}complexity {complexities[k]}"
        )
        is_moved = math.dist(true[k], drawn[k]) > 1
        marks.append(Mark(k, *drawn[k], str(complexities[k]), label, is_moved))
    marks.sort(key=lambda mark: (true[mark.index][0], mark.index))
    corners = []
    for mark in marks:
        corners.append(true[mark.index])
        if mark.is_moved:
            corners += [(mark.x, mark.y), true[mark.index]]
    x_digits, y_digits = tick_digits(x_values), tick_digits(y_values)
    return FrontierPlot(
        name=name,
        x_title="gap between groups, percentage points" if by_gap else "complexity",
        y_title="accuracy, percent",
        x_ticks=tuple(
            Tick(x_at(v), f"{100 * v:.{x_digits}f}" if by_gap else f"{v:g}")
            for v in x_values
        ),
        y_ticks=tuple(Tick(y_at(v), f"{100 * v:.{y_digits}f}") for v in y_values),
        marks=tuple(marks),
        line=" ".join(f"{x},{y}" for x, y in corners),
    )


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
    shares = [g.shares[rate] for part in parts for g in part.groups]
    ends = [end for share in shares if share.size for end in (share.low, share.high)]
    values = share_ticks(ends, most=5)
    digits = tick_digits(values)
    at = _scale(values, 12, WIDTH - 12)
    rows, y = [], 12.0
    for name in names:
        intervals: list[Interval] = []
        for number, part in enumerate(parts):
            found = [g.shares[rate] for g in part.groups if g.name == name]
            for share in found:
                if share.value is None:
                    continue
                interval = Interval(
                    part=number,
                    y=y + LINE * (len(intervals) + 1),
                    x=at(share.value),
                    low=at(share.low),
                    high=at(share.high),
                    text=f"{shown(name, 400)}, {shown(part.name, 40)}: "
                    f"{percent(share.value)} "
                    f"({percent(share.low)} to {percent(share.high)})",
                )
                intervals.append(interval)
        rows.append(IntervalRow(_brief(name), y + 4, tuple(intervals)))
        y += LINE * (max(len(intervals), 1) + 1) + 8
    ticks = tuple(Tick(at(v), percent(v, digits)) for v in values)
    return IntervalChart(rate, y + 22, ticks, tuple(rows))


def _brief(name: str) -> str:
    """Return a name that fits into a chart: both ends of it if it is long."""
    text = shown(name, 400)
    if len(text) <= LONGEST_NAME:
        return text
    tail = LONGEST_NAME // 3
    return f"{text[: LONGEST_NAME - tail - 3]} … {text[-tail:]}"
