"""A criterion in a model file: its rates, which are names and a limit each.

Any criterion is a list of rates, a user's own too, so that it can be written down and
measured again without its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from faircg.exceptions import ModelFormatError
from faircg.fairness.bounds import BOUNDS, Difference
from faircg.fairness.criterion import Combinable
from faircg.fairness.exact_numbers import exact
from faircg.fairness.rates import AMONG, Linear, Rate
from faircg.parsing import Shape, is_finite, listed, mapping, named

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction


@dataclass(frozen=True, slots=True)
class RecordedCriterion(Combinable):
    """What a fit was asked: the name of its criterion, its epsilon and its rates."""

    name: str
    epsilon: float | None
    recorded: tuple[Rate | Linear, ...]

    def rates(self) -> tuple[Rate | Linear, ...]:
        """Return the rates, each with its own bound."""
        return self.recorded

    def with_epsilon(self, epsilon: float | Fraction) -> RecordedCriterion:
        """Change the gap that was allowed wherever nothing else was said."""
        own = None if self.epsilon is None else exact(self.epsilon)
        return replace(
            self,
            epsilon=float(epsilon),
            recorded=tuple(_changed(rate, own, epsilon) for rate in self.recorded),
        )


def _changed(
    rate: Rate | Linear, own: Fraction | None, epsilon: float | Fraction
) -> Rate | Linear:
    if isinstance(rate, Linear) or not isinstance(rate.bound, Difference):
        return rate
    if exact(rate.bound.limit) != own:
        return rate
    return replace(rate, bound=Difference(epsilon))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A rate as a file holds it; ``bound`` is the name of its kind."""

    name: str
    counted: tuple[str, ...]
    among: tuple[str, ...]
    bound: str
    limit: float


_ENTRY: Final = Shape(_Entry, "a rate")
_LINEAR: Final = ("name", "weights", "at_least")
"""The entries of a linear condition."""


def rates_to_json(rates: Iterable[Rate | Linear]) -> list[dict[str, Any]]:
    """Return rates as JSON values; none, if a bound is of a kind that has no name."""
    rates = tuple(rates)
    if any(
        isinstance(rate, Rate) and type(rate.bound) not in BOUNDS.values()
        for rate in rates
    ):
        return []
    return [_to_json(rate) for rate in rates]


def _to_json(rate: Rate | Linear) -> dict[str, Any]:
    if isinstance(rate, Linear):
        weights = {kind: float(weight) for kind, weight in rate.weights.items()}
        return {"name": rate.name, "weights": weights, "at_least": float(rate.at_least)}
    return {
        "name": rate.name,
        "counted": list(rate.counted),
        "among": list(rate.among),
        "bound": rate.bound.kind,
        "limit": float(rate.bound.limit),
    }


def rates_from_json(data: object) -> tuple[Rate | Linear, ...]:
    """Rebuild rates from :func:`rates_to_json`; refuse anything else."""
    return tuple(map(_from_json, listed(data, "a model's rates")))


def _from_json(data: object) -> Rate | Linear:
    if isinstance(data, Mapping) and "weights" in data:
        entry = mapping(data, "a linear condition", _LINEAR)
        weights = named(entry["weights"], "weights")
        numbers: list[Any] = [*weights.values(), entry["at_least"]]
        if not isinstance(entry["name"], str) or not all(map(_is_number, numbers)):
            raise ModelFormatError(
                f"a linear condition has a name, numbers for some of {list(AMONG)}, "
                "and a number that their sum is at least"
            )
        return Linear(entry["name"], dict(weights), numbers[-1])  # type: ignore[arg-type]
    rate = _ENTRY.read(data)
    if rate.bound not in BOUNDS:
        raise ModelFormatError(f"a rate cannot have the bound {rate.bound!r}")
    bound = BOUNDS[rate.bound](rate.limit)
    return Rate(rate.name, rate.counted, rate.among, bound)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and is_finite(value)
