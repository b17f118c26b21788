"""Check that everything is there, and that a recount of predictions agrees.

The recount starts from the predictions alone: people of each group by true label and
prediction, in integers, and the gap as a fraction. What a table says must follow.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from experiments.counting import KINDS, PARTS, column, recount
from experiments.data import load
from experiments.protocol import CRITERIA
from experiments.sources.masters import OBJECTIVES
from experiments.sources.mining import SOURCES
from faircg.fairness import exact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from experiments.protocol import Protocol

TABLES = (
    "no_constraint",
    "thresholds",
    "diverging_rates",
    "complexity",
    "zero_one_select",
    "hamming_vs_zero_one",
    "hamming_proxy",
    "rule_mining_pool_sizes",
    "sample_rule_sets",
    "frontier_margins",
)
TABLES_BY_DATA = ("frontier", "rule_mining")
FIGURES = (
    "frontier",
    "diverging_rates",
    "hamming_vs_zero_one",
    "hamming_proxy",
    "rule_mining_losses",
    "rule_mining_rounds",
)
RESULTS = (
    "no_constraint",
    "frontier",
    "thresholds",
    "diverging_rates",
    "complexity",
    "zero_one_select",
    "hamming_vs_zero_one",
    "hamming_proxy",
    "rule_mining",
    "sample_rule_sets",
    "grid",
    "peers",
    "mining",
    "masters",
    "samples",
)


def check(protocol: Protocol, folder: Path) -> list[str]:
    """Return what is missing or wrong; nothing if all is well."""
    problems = [
        f"{file.relative_to(folder)} is missing or empty"
        for file in _expected(protocol, folder)
        if not file.exists() or not file.stat().st_size
    ]
    if problems:
        return problems
    frames = {
        name: pd.read_csv(folder / f"{name}.csv")
        for name in ("grid", "mining", "masters", "samples")
    }
    with np.load(folder / "predictions.npz") as stored:
        predictions = dict(stored)
    problems += _missing_cells(protocol, frames)
    for source, frame in frames.items():
        problems += _wrong_counts(source, frame, predictions)
    return problems


def _expected(protocol: Protocol, folder: Path) -> Iterator[Path]:
    yield folder / "provenance.json"
    yield folder / "predictions.npz"
    for name in RESULTS:
        yield folder / f"{name}.csv"
    for name in TABLES:
        yield folder / "tables" / f"{name}.md"
    for name in TABLES_BY_DATA:
        for data in protocol.data:
            yield folder / "tables" / f"{name}_{data}.md"
    for name in FIGURES:
        yield folder / "figures" / f"{name}.svg"
        yield folder / "figures" / f"{name}.png"


Cells: TypeAlias = set[tuple[object, ...]]


def cells_of(protocol: Protocol) -> dict[str, Cells]:
    """Return the cells that each of our sources must have."""
    grid: Cells = {
        (data, fold, thresholds, criterion, epsilon, complexity, winner)
        for data, part in protocol.data.items()
        for fold in range(part.folds)
        for thresholds, one in part.grids.items()
        for criterion in CRITERIA
        for epsilon in one.fine_epsilons
        for complexity in one.fine_complexities
        for winner in ("returned", "optimised")
    }
    mining: Cells = {
        (data, fold, criterion, epsilon, source)
        for data, part in protocol.data.items()
        for fold in range(part.few_folds)
        for criterion in CRITERIA
        for epsilon in protocol.fixed_epsilons
        for source in SOURCES
    }
    masters: Cells = {
        (data, fold, epsilon, complexity, objective)
        for data, part in protocol.data.items()
        for fold in range(part.few_folds)
        for epsilon in protocol.fixed_epsilons
        for complexity in part.master_complexities
        for objective in OBJECTIVES
    }
    return {"grid": grid, "mining": mining, "masters": masters}


KEYS = {
    "grid": [
        "data",
        "fold",
        "thresholds",
        "criterion",
        "epsilon",
        "max_complexity",
        "winner",
    ],
    "mining": ["data", "fold", "criterion", "epsilon", "rules_from"],
    "masters": ["data", "fold", "epsilon", "max_complexity", "objective"],
}


def _missing_cells(
    protocol: Protocol, frames: Mapping[str, pd.DataFrame]
) -> Iterator[str]:
    for source, wanted in cells_of(protocol).items():
        found = set(frames[source][KEYS[source]].itertuples(index=False, name=None))
        for cell in sorted(wanted - found, key=repr)[:5]:
            yield f"{source}.csv lacks the cell {cell}"
        if len(frames[source]) != len(found):
            yield f"{source}.csv has a cell twice"


def _wrong_counts(
    source: str, frame: pd.DataFrame, predictions: Mapping[str, np.ndarray]
) -> Iterator[str]:
    for row in frame.to_dict("records"):
        data = load(row["data"])
        packed = predictions[f"{source}_{row['data']}"][int(row["prediction"])]
        covered = np.unpackbits(packed, count=data.table.n_rows).astype(bool)
        where = f"{source}.csv, {[row[k] for k in KEYS.get(source, ['data'])]}"
        for part in PARTS:
            counts = recount(data, int(row["fold"]), covered, part)
            for group, of_group in counts.items():
                if any(of_group[k] != row[column(part, k, group)] for k in KINDS):
                    yield f"{where}: the {part} counts of {group} are not those stored"
            if part == "train" and isinstance(row["criterion"], str):
                widest = gap(counts, row["criterion"])
                if widest > exact(row["epsilon"]):
                    yield (
                        f"{where}: the train gap {float(widest):.6f} exceeds epsilon "
                        f"{row['epsilon']:g}"
                    )


def gap(counts: Mapping[str, Mapping[str, int]], criterion: str) -> Fraction:
    """Return the gap between groups as a fraction."""
    pairs = [("false_negatives", "true_positives")]
    if criterion == "equalized_odds":
        pairs.append(("false_positives", "true_negatives"))
    widest = Fraction(0)
    for wrong, right in pairs:
        rates = [Fraction(c[wrong], c[wrong] + c[right]) for c in counts.values()]
        widest = max(widest, max(rates) - min(rates))
    return widest
