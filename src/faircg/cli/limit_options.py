"""Options that say how far a fit may go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from faircg.cli.options import limited

if TYPE_CHECKING:
    from collections.abc import Callable


def _above_none(option: str, unit: str) -> Callable[[Any], float]:
    """Return a reader of amounts, which are more than none."""
    return limited(option, float, lambda n: n > 0, f"a number of {unit} above 0")


def _limit(words: str, parser: Callable[[Any], float]) -> Any:
    return typer.Option(help=words, parser=parser, metavar="<float>")


_seconds = _above_none("--time-limit", "seconds")
_gigabytes = _above_none("--memory-limit", "gigabytes")
_units = _above_none("--work-limit", "units of work")

TimeLimit: TypeAlias = Annotated[
    float | None,
    _limit("Seconds for the whole fit; 60 if no work limit is given.", _seconds),
]
CellTimeLimit: TypeAlias = Annotated[
    float | None,
    _limit(
        "Seconds for one cell, and for one fit on all data; 4 if no work limit is "
        "given.",
        _seconds,
    ),
]
WorkLimit: TypeAlias = Annotated[
    float | None,
    _limit(
        "Units of work for each fit, of about a second each: cut short, it is the same "
        "under any load.",
        _units,
    ),
]
MemoryLimit: TypeAlias = Annotated[
    float | None,
    _limit(
        "Gigabytes that a fit may take; half of what is free, if not given.", _gigabytes
    ),
]
