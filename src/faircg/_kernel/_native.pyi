"""The compiled kernel; call it through the functions of ``faircg._kernel``."""

import numpy as np
from numpy.typing import NDArray

class StopFlag:
    def set(self) -> None: ...

class Limits:
    words: int
    def __init__(
        self, threads: int, seconds: float, stop: StopFlag | None, most_words: int
    ) -> None: ...

class PricedBits:
    def __init__(
        self,
        bits: NDArray[np.uint64],
        n_rows: int,
        family: NDArray[np.int32],
        prices: NDArray[np.float64],
        condition_price: float,
        max_conditions: int,
    ) -> None: ...

class RuleSetProblem:
    def __init__(
        self,
        covers: NDArray[np.uint64],
        costs: NDArray[np.float64],
        complexities: NDArray[np.int64],
        again: NDArray[np.float64],
        missed: NDArray[np.float64],
        max_complexity: int,
        spare_price: float,
        touches: NDArray[np.uint64],
        marked: NDArray[np.uint64],
        linked: NDArray[np.float64],
    ) -> None: ...

def available_instructions() -> list[str]: ...
def use_instructions(name: str) -> None: ...
def cover(
    bits: NDArray[np.uint64],
    conditions: NDArray[np.int32],
    starts: NDArray[np.int64],
) -> NDArray[np.uint64]: ...
def weigh(
    packed: NDArray[np.uint64], weights: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def row_words(packed: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def take(packed: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.uint64]: ...
def search(
    priced: PricedBits, cutoff: float, keep: int, limits: Limits
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool, float, int]: ...
def enumerate_below(
    priced: PricedBits, cutoff: float, most: int, limits: Limits
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool, bool, int]: ...
def rule_sets_below(
    problem: RuleSetProblem, limit: float, most: int, limits: Limits
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool, bool, int]: ...
