"""Options that several commands share, and their words in ``--help``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from faircg.cli.config import read_config


class Constraint(StrEnum):
    """Criteria that can be named on the command line."""

    none = "none"
    equality_of_opportunity = "equality_of_opportunity"
    equalized_odds = "equalized_odds"


class Pricing(StrEnum):
    """Ways to search rules."""

    exact = "exact"
    ip = "ip"
    ip_dash = "ip_dash"
    greedy = "greedy"
    sampled = "sampled"


class Thresholds(StrEnum):
    """Ways to choose cut points of numeric columns."""

    quantile = "quantile"
    tree = "tree"


class WarmStart(StrEnum):
    """Where the first rules come from."""

    none = "none"
    tree = "tree"
    forest = "forest"
    fair_tree = "fair_tree"


class Objective(StrEnum):
    """The loss that the integer program minimises."""

    hamming = "hamming"
    zero_one = "zero_one"


class MissingGroups(StrEnum):
    """What to do with rows whose group is missing."""

    refuse = "raise"
    group = "group"


class Direction(StrEnum):
    """The decisions for which a change is searched."""

    to_positive = "to_positive"
    to_negative = "to_negative"
    both = "both"
    none = "none"


Data: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="CSV (.csv, .csv.gz) or Parquet file, - for CSV on standard input, or "
        "the name of an embedded data set: adult, compas, default."
    ),
]
Model: TypeAlias = Annotated[Path, typer.Argument(help="Model file written by fit.")]
Target: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Column with the true label, of two values.", metavar="COLUMN"),
]
Sensitive: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of the groups; give it again to combine columns.",
        metavar="COLUMN",
    ),
]
Positive: TypeAlias = Annotated[
    str | None, typer.Option(help="Value of the target that rules predict.")
]
ConstraintOption: TypeAlias = Annotated[
    Constraint, typer.Option(help="What must be close between groups.")
]
MaxConditions: TypeAlias = Annotated[
    int | None, typer.Option(help="Most conditions of one rule; none deepens.")
]
Exclude: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column that rules may not test; give it again for more.", metavar="COLUMN"
    ),
]
Category: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of number codes that are names, not quantities.", metavar="COLUMN"
    ),
]
ThresholdsOption: TypeAlias = Annotated[
    Thresholds, typer.Option(help="How numeric columns are cut.")
]
NThresholds: TypeAlias = Annotated[
    int, typer.Option("--n-thresholds", help="Equal parts that quantiles cut into.")
]
WarmStartOption: TypeAlias = Annotated[
    WarmStart, typer.Option(help="Where the first rules come from.")
]
PricingOption: TypeAlias = Annotated[
    Pricing, typer.Option(help="How rules are searched.")
]
MissingGroupsOption: TypeAlias = Annotated[
    MissingGroups,
    typer.Option(help="Rows without a group: an error, or a group of their own."),
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Seed of everything random.")]
Immutable: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column that no change may touch; give it again for more.",
        metavar="COLUMN",
    ),
]
DirectionOption: TypeAlias = Annotated[
    Direction, typer.Option(help="Decisions for which the smallest change is told.")
]
Rows: TypeAlias = Annotated[
    int,
    typer.Option(help="Rows that the report shows one by one; 0 for none.", min=0),
]
Title: TypeAlias = Annotated[str, typer.Option(help="Heading of the report.")]
Validation: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Data for validation with the same columns, shown beside.", metavar="DATA"
    ),
]
Test: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Held-out data with the same columns, shown beside.", metavar="DATA"
    ),
]
Owner: TypeAlias = Annotated[str, typer.Option(help="Who answers for the model.")]
IntendedUse: TypeAlias = Annotated[str, typer.Option(help="What the model is for.")]
OutOfScope: TypeAlias = Annotated[str, typer.Option(help="What it is not for.")]
Date: TypeAlias = Annotated[str, typer.Option(help="Date to print; no clock is read.")]
Strict: TypeAlias = Annotated[
    bool, typer.Option("--strict", help="Refuse categories never seen in training.")
]
AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print the results as JSON.")
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no notes.")
]
Config: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="TOML file with options, such as epsilon = 0.05; what is given on the "
        "command line wins.",
        callback=read_config,
        is_eager=True,
    ),
]
