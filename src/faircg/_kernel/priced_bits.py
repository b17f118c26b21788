"""Conditions and prices: what every rule costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg._kernel.bits import ConditionBits
from faircg._kernel.checks import check_int, check_price, checked_array
from faircg._kernel.loader import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_CONDITIONS = 1_000_000  # a rule never needs more; keeps the kernel's ints small


@dataclass(frozen=True, eq=False, kw_only=True)
class PricedBits:
    """Conditions, and what a rule made of them pays.

    The reduced cost of a rule is the sum of the prices of the rows it covers plus
    ``condition_price * (1 + number of conditions)``.
    """

    bits: ConditionBits
    """Which rows meet which condition."""
    prices: NDArray[np.float64]
    """What a rule pays for covering each row, (n_rows,); negative prices are gains."""
    condition_price: float
    """What a rule pays for each condition, and once more for itself."""
    max_conditions: int
    """Rules have 1 to this many conditions."""

    def __post_init__(self) -> None:
        if not isinstance(self.bits, ConditionBits):
            raise TypeError(
                f"bits must be ConditionBits, not {type(self.bits).__name__}"
            )
        shape = (self.bits.n_rows,)
        prices = checked_array("prices", self.prices, np.float64, shape)
        if not np.isfinite(prices).all():
            raise ValueError("prices must be finite")
        with np.errstate(over="ignore"):
            if not np.isfinite(np.abs(prices).sum()):
                raise ValueError("prices are too large to be summed")
        check_price("condition_price", self.condition_price)
        check_int("max_conditions", self.max_conditions, least=1)
        object.__setattr__(self, "prices", prices)

    def native(self) -> Any:
        """Return the same for the compiled kernel."""
        assert compiled is not None
        return compiled.PricedBits(
            self.bits.bits,
            self.bits.n_rows,
            self.bits.family,
            self.prices,
            self.condition_price,
            min(self.max_conditions, _MOST_CONDITIONS),
        )
