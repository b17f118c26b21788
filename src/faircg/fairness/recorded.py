"""A criterion in a model file: its rates, which are names and a limit each.

Any criterion is a list of rates, a user's own too, so that it can be written down and
measured again without its class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from faircg.exceptions import ModelFormatError
from faircg.fairness.bounds import BOUNDS
from faircg.fairness.rates import Rate
from faircg.parsing import Shape, listed

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class RecordedCriterion:
    """What a fit was asked: the name of its criterion, its epsilon and its rates."""

    name: str
    epsilon: float
    recorded: tuple[Rate, ...]

    def rates(self) -> tuple[Rate, ...]:
        """Return the rates, each with its own bound."""
        return self.recorded


@dataclass(frozen=True, slots=True)
class _Entry:
    """A rate as a file holds it; ``bound`` is the name of its kind."""

    name: str
    counted: tuple[str, ...]
    among: tuple[str, ...]
    bound: str
    limit: float


_ENTRY: Final = Shape(_Entry, "a rate")


def rates_to_json(rates: Iterable[Rate]) -> list[dict[str, Any]]:
    """Return rates as JSON values; none, if a bound is of a kind that has no name."""
    rates = tuple(rates)
    name_of = {kind: name for name, kind in BOUNDS.items()}
    if any(type(rate.bound) not in name_of for rate in rates):
        return []
    return [
        {
            "name": rate.name,
            "counted": list(rate.counted),
            "among": list(rate.among),
            "bound": name_of[type(rate.bound)],
            "limit": float(rate.bound.limit),
        }
        for rate in rates
    ]


def rates_from_json(data: object) -> tuple[Rate, ...]:
    """Rebuild rates from :func:`rates_to_json`; refuse anything else."""
    rates = []
    for entry in map(_ENTRY.read, listed(data, "a model's rates")):
        if entry.bound not in BOUNDS:
            raise ModelFormatError(f"a rate cannot have the bound {entry.bound!r}")
        bound = BOUNDS[entry.bound](entry.limit)
        rates.append(Rate(entry.name, entry.counted, entry.among, bound))
    return tuple(rates)
