"""Options that several commands share, and their words in ``--help``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, get_args

import typer

from faircg.cli.completion import complete_data
from faircg.cli.config import read_config
from faircg.exceptions import FairCGError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class OptionValueError(FairCGError):
    """A value of an option that cannot be used.

    No ValueError, which typer would show with the usage of the command around it.
    """


def share(option: str, words: str) -> Callable[[Any], float]:
    """Return a reader of numbers between 0 and 1.

    Parameters
    ----------
    option
        Its name, for the error.
    words
        How to say a percentage, such as ``"%g percentage points"``.

    Examples
    --------
    >>> read = share("--epsilon", "%g percentage points")
    >>> read("0.05"), read(1)
    (0.05, 1.0)
    >>> read("5%")
    Traceback (most recent call last):
    faircg.cli.options.OptionValueError: --epsilon: '5%' is not a number between 0 and
    1; for 5 percentage points write 0.05
    """

    def read(value: Any) -> float:
        """Read a value, typed or of a settings file."""
        number = _number(value)
        if 0 <= number <= 1:
            return number
        text = str(value).strip()
        hint = ""
        plain = _number(text.removesuffix("%").replace(",", "."))
        is_percentage = text.endswith("%") or plain > 1
        if is_percentage and 0 <= plain <= 100:
            hint = f"; for {words % plain} write {plain / 100:.12g}"
        elif 0 <= plain <= 1:
            hint = f"; write {plain:g}"
        raise OptionValueError(
            f"{option}: {text!r} is not a number between 0 and 1{hint}"
        )

    return read


def seconds(option: str) -> Callable[[Any], float]:
    """Return a reader of seconds, which are more than none."""

    def read(value: Any) -> float:
        """Read a value, typed or of a settings file."""
        number = _number(value)
        if number > 0:
            return number
        raise OptionValueError(
            f"{option}: {str(value).strip()!r} is not a number of seconds above 0"
        )

    return read


def whole(option: str, least: int) -> Callable[[Any], int]:
    """Return a reader of whole numbers from the least on."""

    def read(value: Any) -> int:
        """Read a value, typed or of a settings file."""
        try:
            number = int(str(value).strip())
        except ValueError:
            number = least - 1
        if number >= least:
            return number
        raise OptionValueError(
            f"{option}: {str(value).strip()!r} is not a whole number of at least "
            f"{least}"
        )

    return read


def _number(value: Any) -> float:
    """Read a number; what is none is NaN, which no limit allows."""
    try:
        return float(value)
    except ValueError:
        return math.nan


gap = share("--epsilon", "%g percentage points")
"""Reads the value of --epsilon."""

Data: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="CSV (.csv, .csv.gz) or Parquet file, - for CSV on standard input, or "
        "the name of an embedded data set: adult, compas, default.",
        autocompletion=complete_data,
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
Epsilon: TypeAlias = Annotated[
    float,
    typer.Option(
        help="Largest allowed gap between any two groups.",
        parser=gap,
        metavar="<float>",
    ),
]
Epsilons: TypeAlias = Annotated[
    list[float] | None,
    typer.Option(
        help="Allowed gap to try; give it again for more.",
        parser=gap,
        metavar="<float>",
    ),
]
MaxComplexity: TypeAlias = Annotated[
    int,
    typer.Option(
        help="Limit on the sum over rules of 1 + their conditions.",
        parser=whole("--max-complexity", 1),
        metavar="<int>",
    ),
]
MaxComplexities: TypeAlias = Annotated[
    list[int] | None,
    typer.Option(
        help="Limit on complexity to try; give it again for more.",
        parser=whole("--max-complexity", 1),
        metavar="<int>",
    ),
]
Folds: TypeAlias = Annotated[
    int,
    typer.Option(
        help="Folds of the cross-validation.",
        parser=whole("--folds", 2),
        metavar="<int>",
    ),
]
TargetGap: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Choose the most accurate point with at most this gap.",
        parser=share("--target-gap", "%g percentage points"),
        metavar="<float>",
    ),
]
TargetAccuracy: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Choose the smallest gap with at least this accuracy.",
        parser=share("--target-accuracy", "an accuracy of %g %%"),
        metavar="<float>",
    ),
]
TimeLimit: TypeAlias = Annotated[
    float,
    typer.Option(
        help="Seconds for the whole fit.",
        parser=seconds("--time-limit"),
        metavar="<float>",
    ),
]
CellTimeLimit: TypeAlias = Annotated[
    float,
    typer.Option(
        help="Seconds for one cell, and for one fit on all data.",
        parser=seconds("--time-limit"),
        metavar="<float>",
    ),
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
NThresholds: TypeAlias = Annotated[
    int, typer.Option("--n-thresholds", help="Equal parts that quantiles cut into.")
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Seed of everything random.")]
Immutable: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column that no change may touch; give it again for more.",
        metavar="COLUMN",
    ),
]
Weight: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Column that says how many people each row stands for; it is no feature.",
        metavar="COLUMN",
    ),
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


def _criteria() -> Iterable[str]:
    from faircg.fairness import CRITERIA

    return ("none", *CRITERIA)


def _pricers() -> Iterable[str]:
    from faircg.colgen.pricing import PRICERS

    return PRICERS


def _thresholds() -> Iterable[str]:
    from faircg.cuts import THRESHOLDS

    return THRESHOLDS


def _miners() -> Iterable[str]:
    from faircg.mining import MINERS

    return ("none", *MINERS)


def _objectives() -> Iterable[str]:
    from faircg.typing import Objective

    return get_args(Objective)


def _directions() -> Iterable[str]:
    from faircg.explain.explanations import Direction

    return get_args(Direction)


def _formats() -> Iterable[str]:
    from faircg.export import FORMATS

    return FORMATS


def _dialects() -> Iterable[str]:
    from faircg.export import DIALECTS

    return sorted(DIALECTS)


_CHOICES: Final[dict[str, tuple[Callable[[], Iterable[str]], str]]] = {
    "Constraint": (_criteria, "What must be close between groups."),
    "Measured": (_criteria, "Criterion to measure by; that of the model by default."),
    "Pricing": (_pricers, "How rules are searched."),
    "Thresholds": (_thresholds, "How numeric columns are cut."),
    "WarmStart": (_miners, "Where the first rules come from."),
    "Objective": (_objectives, "Loss that the integer program minimises."),
    "Direction": (_directions, "Decisions for which the smallest change is told."),
    "Format": (_formats, "Format to write."),
    "Dialect": (_dialects, "For SQL: the database."),
    "MissingGroups": (
        lambda: ("raise", "group"),
        "Rows without a group: an error, or a group of their own.",
    ),
}
"""Options with a few values each: where they come from, and the help."""

if TYPE_CHECKING:
    from faircg.explain.explanations import Direction as Direction

    Constraint: TypeAlias = str
    Measured: TypeAlias = str | None
    Pricing: TypeAlias = str
    Thresholds: TypeAlias = str
    WarmStart: TypeAlias = str
    Objective: TypeAlias = str

    Format: TypeAlias = str
    Dialect: TypeAlias = str
    MissingGroups: TypeAlias = str
else:

    def __getattr__(name: str) -> Any:
        """Ask a registry for its names when a command is run, not for ``--help``."""
        if name not in _CHOICES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        names, words = _CHOICES[name]
        values = Literal[tuple(names())]
        if name == "Measured":
            values |= None
        return Annotated[values, typer.Option(help=words)]
