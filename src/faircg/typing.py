"""Names for the types used in annotations."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

BoolVector: TypeAlias = NDArray[np.bool_]
BoolMatrix: TypeAlias = NDArray[np.bool_]
IntVector: TypeAlias = NDArray[np.int64]
IntMatrix: TypeAlias = NDArray[np.int64]
FloatVector: TypeAlias = NDArray[np.float64]
FloatMatrix: TypeAlias = NDArray[np.float64]
PackedMatrix: TypeAlias = NDArray[np.uint64]
Conditions: TypeAlias = tuple[int, ...]
"""A rule inside the engine: ascending indices of its conditions."""
Value: TypeAlias = str | int | float | bool | None
"""What a cell of the user's table holds, once it is plain."""
Objective: TypeAlias = Literal["hamming", "zero_one"]
"""The loss that is minimised."""
RatesCounted: TypeAlias = Literal["auto", "exact", "proxy"]
"""How false positives count in a search by Hamming loss; auto decides by size."""
RulesFor: TypeAlias = Literal["positive", "negative"]
"""The label that a person gets whom a rule covers."""
RulesAskedFor: TypeAlias = Literal["rarer", "positive", "negative", "auto"]
"""The label that rules are to be for; with auto the one that makes fewer errors."""
MissingGroups: TypeAlias = Literal["raise", "group"]
"""Missing sensitive features: an error, or a group of their own."""
SmallGroups: TypeAlias = Literal["raise", "warn", "merge"]
"""Groups of too few people: an error, a warning, or one group of all of them."""
