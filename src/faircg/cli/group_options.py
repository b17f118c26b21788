"""Options that say how sensitive columns make groups, and what they mean together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from faircg.cli.options import OptionValueError, whole

if TYPE_CHECKING:
    from faircg.grouping import Grouping

Groups: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="How several sensitive columns make groups: intersection (every "
        "combination, the default), marginal (each column alone), or columns to "
        "compare, such as race or race,sex=0.1 with its own epsilon; give it again for "
        "more.",
        metavar="WAY",
    ),
]
Within: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Column of strata: groups are compared only within each.",
        metavar="COLUMN",
    ),
]
Bins: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Cut points of a numeric sensitive column, such as age=25,45; give it "
        "again for more.",
        metavar="COLUMN=NUMBERS",
    ),
]
MinGroupSize: TypeAlias = Annotated[
    int,
    typer.Option(
        help="Fewest people of a group; see --small-groups.",
        parser=whole("--min-group-size", 0),
        metavar="<int>",
    ),
]


def grouping_of(
    groups: list[str] | None,
    within: str | None,
    bins: list[str] | None,
    min_group_size: int,
    small_groups: Any,
) -> Grouping:
    """Read what the options say together.

    Examples
    --------
    >>> grouping_of(["race", "race,sex=0.1"], None, ["age=25,45"], 0, "raise")
    Grouping(by=(Comparison(columns=('race',), epsilon=None),
     Comparison(columns=('race', 'sex'), epsilon=0.1)), within=None,
     bins={'age': (25.0, 45.0)}, min_group_size=0, small_groups='raise')
    """
    from faircg.grouping import WAYS, Grouping

    by: Any = "intersection"
    if groups and len(groups) == 1 and groups[0] in WAYS:
        by = groups[0]
    elif groups:
        by = dict(map(_comparison, groups))
    return Grouping(
        by=by,
        within=within,
        bins=dict(map(_cuts, bins or ())),
        min_group_size=min_group_size,
        small_groups=small_groups,
    )


def _comparison(text: str) -> tuple[tuple[str, ...], float | None]:
    names, equals, number = text.partition("=")
    columns = tuple(name.strip() for name in names.split(","))
    return columns, _number("--groups", text, number) if equals else None


def _cuts(text: str) -> tuple[str, list[float]]:
    name, equals, numbers = text.rpartition("=")
    if not equals:
        raise OptionValueError(f"--bins: {text!r} names no numbers; write age=25,45")
    return name, [_number("--bins", text, number) for number in numbers.split(",")]


def _number(option: str, text: str, number: str) -> float:
    from faircg.fairness.exact_numbers import read_typed

    try:
        return float(read_typed(number))
    except ValueError:
        raise OptionValueError(
            f"{option}: {number!r} in {text!r} is no number"
        ) from None
