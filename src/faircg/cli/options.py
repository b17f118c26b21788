"""Options that several commands share, and their words in ``--help``."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    TypeAlias,
    TypeVar,
    get_args,
)

import typer

from faircg.cli.column_options import ReadingOptions
from faircg.cli.completion import complete_data
from faircg.cli.config import read_config
from faircg.exceptions import FairCGError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T", int, float)


class OptionValueError(FairCGError):
    """A value of an option that cannot be used.

    No ValueError, which typer would show with the usage of the command around it.
    """


def share(option: str, words: str) -> Callable[[Any], float]:
    """Return a reader of numbers between 0 and 1, which knows how to say a percentage.

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


def amount(option: str) -> Callable[[Any], float]:
    """Return a reader of numbers of at least 0."""
    words = "a number of at least 0"
    return limited(option, float, lambda n: 0 <= n < math.inf, words)


def whole(option: str, least: int) -> Callable[[Any], int]:
    """Return a reader of whole numbers from the least on."""
    words = f"a whole number of at least {least}"
    return limited(option, int, lambda n: n >= least, words)


def limited(
    option: str, kind: Callable[[str], T], is_allowed: Callable[[T], bool], words: str
) -> Callable[[Any], T]:
    """Return a reader of numbers of a kind that are allowed; ``words`` say which."""

    def read(value: Any) -> T:
        """Read a value, typed or of a settings file."""
        text = str(value).strip()
        with suppress(ValueError):
            number = kind(text)
            if is_allowed(number):
                return number
        raise OptionValueError(f"{option}: {text!r} is not {words}")

    return read


def _number(value: Any) -> float:
    """Read a number; what is none is NaN, which no limit allows."""
    try:
        return float(Fraction(value) if "/" in str(value) else value)
    except (ValueError, ZeroDivisionError):
        return math.nan


def _column(words: str) -> Any:
    return typer.Option(help=words, metavar="COLUMN")


def _data(words: str) -> Any:
    return typer.Option(help=words, metavar="DATA")


def _float(words: str, parser: Callable[[Any], float]) -> Any:
    return typer.Option(help=words, parser=parser, metavar="<float>")


def _int(words: str, parser: Callable[[Any], int]) -> Any:
    return typer.Option(help=words, parser=parser, metavar="<int>")


gap = share("--epsilon", "%g percentage points")

Data: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="CSV (.csv, .csv.gz), Parquet, .jsonl, .arrow or .xlsx; - for CSV on "
        "standard input; adult, compas or default; or a database, postgres://...",
        autocompletion=complete_data,
    ),
]
Model: TypeAlias = Annotated[Path, typer.Argument(help="Model file written by fit.")]
Target: TypeAlias = Annotated[
    str | None, _column("Column with the true label, of two values.")
]
Sensitive: TypeAlias = Annotated[
    list[str] | None, _column("Column of the groups; give it again to combine columns.")
]
Positive: TypeAlias = Annotated[
    str | None, typer.Option(help="Value of the target that is the positive label.")
]
Epsilon: TypeAlias = Annotated[
    float | None,
    _float("Largest allowed gap between any two groups; 0.05 by default.", gap),
]
MeasuredEpsilon: TypeAlias = Annotated[
    float | None, _float("Allowed gap; that of the model by default.", gap)
]
Epsilons: TypeAlias = Annotated[
    list[float] | None, _float("Allowed gap to try; give it again for more.", gap)
]
MaxComplexity: TypeAlias = Annotated[
    int,
    _int(
        "Limit on the sum over rules of 1 + their conditions.",
        whole("--max-complexity", 1),
    ),
]
MaxComplexities: TypeAlias = Annotated[
    list[int] | None,
    _int(
        "Limit on complexity to try; give it again for more.",
        whole("--max-complexity", 1),
    ),
]
Folds: TypeAlias = Annotated[
    int, _int("Folds of the cross-validation.", whole("--folds", 2))
]
TargetGap: TypeAlias = Annotated[
    float | None,
    _float(
        "Choose the most accurate point with at most this gap.",
        share("--target-gap", "%g percentage points"),
    ),
]
TargetAccuracy: TypeAlias = Annotated[
    float | None,
    _float(
        "Choose the smallest gap with at least this accuracy.",
        share("--target-accuracy", "an accuracy of %g %%"),
    ),
]
MaxConditions: TypeAlias = Annotated[
    int | None, typer.Option(help="Most conditions of one rule; none deepens.")
]
Exclude: TypeAlias = Annotated[
    list[str] | None, _column("Column that rules may not test; give it again for more.")
]
Increasing: TypeAlias = Annotated[
    list[str] | None,
    _column("Column of which more may only help; give it again for more columns."),
]
Decreasing: TypeAlias = Annotated[
    list[str] | None,
    _column("Column of which less may only help; give it again for more columns."),
]
NotTogether: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns of which a rule may test one; give it again for more.",
        metavar="COLUMN,COLUMN",
    ),
]
Price: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--price",
        help="Fit again without --exclude, without directions and without "
        "--not-together, and say what each of them costs.",
    ),
]
Category: TypeAlias = Annotated[
    list[str] | None, _column("Column of number codes that are names, not quantities.")
]
NThresholds: TypeAlias = Annotated[
    int,
    typer.Option(
        "--n-thresholds", help="Parts that a number of many values is cut into."
    ),
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Seed of everything random.")]
Jobs: TypeAlias = Annotated[int, typer.Option(help="Cores to use; -1 for all.")]
Immutable: TypeAlias = Annotated[
    list[str] | None,
    _column("Column that no change may touch; give it again for more."),
]
Weight: TypeAlias = Annotated[
    str | None,
    _column("Column that says how many people each row stands for; it is no feature."),
]
CostFalsePositive: TypeAlias = Annotated[
    float,
    _float(
        "What wrongly predicting the positive label costs in the loss.",
        amount("--cost-false-positive"),
    ),
]
CostFalseNegative: TypeAlias = Annotated[
    float,
    _float(
        "What wrongly predicting the other label costs in the loss.",
        amount("--cost-false-negative"),
    ),
]
Costs: TypeAlias = Annotated[
    str | None,
    _column("Column that says what a wrong prediction of each row costs."),
]
Rows: TypeAlias = Annotated[
    int,
    typer.Option(help="Rows that the report shows one by one; 0 for none.", min=0),
]
Title: TypeAlias = Annotated[str, typer.Option(help="Heading of the report.")]
Validation: TypeAlias = Annotated[
    list[str] | None, _data("Data for validation with the same columns, shown beside.")
]
Test: TypeAlias = Annotated[
    list[str] | None, _data("Held-out data with the same columns, shown beside.")
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


@dataclass(frozen=True, kw_only=True)
class PeopleOptions(ReadingOptions):
    """What every command that reads people with their labels is asked."""

    data: Data
    target: Target = None
    sensitive: Sensitive = None
    weight: Weight = None
    as_json: AsJson = False
    quiet: Quiet = False
    config: Config = None


_CHOICES: Final = {
    "Constraint": (
        "faircg.fairness:CRITERIA",
        "What must hold for all groups; give it again for more. A number after = is "
        "its own limit: precision_floor=0.7; also RATE_floor, RATE_cap and RATE_ratio, "
        "such as selection_rate_cap=0.3.",
    ),
    "Measured": (
        "faircg.fairness:CRITERIA",
        "Criterion to measure by; that of the model by default.",
    ),
    "Pricing": ("faircg.colgen.pricing:PRICERS", "How rules are searched."),
    "Thresholds": ("faircg.cuts:THRESHOLDS", "How numeric columns are cut."),
    "WarmStart": ("faircg.mining:MINERS", "Where the first rules come from."),
    "Objective": (
        "faircg.typing:Objective",
        "Loss that the integer program minimises.",
    ),
    "Rates": (
        "faircg.typing:RatesCounted",
        "How a search by Hamming loss counts false positives: each once, or the "
        "paper's way; auto is by size.",
    ),
    "Direction": (
        "faircg.explain.explanations:Direction",
        "Decisions for which the smallest change is told.",
    ),
    "Format": ("faircg.export:FORMATS", "Format to write."),
    "Dialect": ("faircg.export:DIALECTS", "For SQL: the database."),
    "RulesFor": (
        "faircg.typing:RulesAskedFor",
        "Label of whom a rule covers; auto takes the one with fewer errors.",
    ),
    "MissingGroups": (
        "faircg.typing:MissingGroups",
        "Rows without a group: an error, or a group of their own.",
    ),
    "SmallGroups": (
        "faircg.typing:SmallGroups",
        "Groups of fewer: an error, a note, or one group of them all.",
    ),
}
"""Options with a few values each: their registry, and the help."""
_OR_NONE: Final = ("Constraint", "Measured", "WarmStart")
"""Those that also take ``none``."""
_WITH_NUMBERS: Final = ("Constraint", "Measured")
"""Those that may be given again, each with a number of its own."""

if TYPE_CHECKING:
    from faircg.explain.explanations import Direction as Direction

    Constraint: TypeAlias = list[str] | None
    Measured: TypeAlias = list[str] | None
    Pricing: TypeAlias = str
    Thresholds: TypeAlias = str
    WarmStart: TypeAlias = str
    Objective: TypeAlias = str
    Rates: TypeAlias = str
    Format: TypeAlias = str
    Dialect: TypeAlias = str
    RulesFor: TypeAlias = str
    MissingGroups: TypeAlias = str
    SmallGroups: TypeAlias = Any
else:

    def __getattr__(name: str) -> Any:
        """Ask a registry for its names when a command is run, not for ``--help``."""
        if name not in _CHOICES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        registry, words = _CHOICES[name]
        module, attribute = registry.split(":")
        names = getattr(import_module(module), attribute)
        besides = ("none",) if name in _OR_NONE else ()
        known = (*besides, *(get_args(names) or names))
        if name in _WITH_NUMBERS:
            shape = f"<{'|'.join(known)}>[=NUMBER]"
            option = typer.Option(
                help=words,
                metavar=shape,
                autocompletion=lambda incomplete: [
                    entry for entry in known if entry.startswith(incomplete)
                ],
            )
            return Annotated[list[str] | None, option]
        return Annotated[Literal[known], typer.Option(help=words)]
