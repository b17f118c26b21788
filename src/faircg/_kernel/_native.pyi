"""The compiled kernel; call it through the functions of ``faircg._kernel``."""

import numpy as np
from numpy.typing import NDArray

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
def search(
    bits: NDArray[np.uint64],
    n_rows: int,
    family: NDArray[np.int32],
    prices: NDArray[np.float64],
    condition_price: float,
    max_conditions: int,
    cutoff: float,
    keep: int,
    threads: int,
    seconds: float,
    stop: NDArray[np.uint8] | None,
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool, float, int]: ...
def enumerate_below(
    bits: NDArray[np.uint64],
    n_rows: int,
    family: NDArray[np.int32],
    prices: NDArray[np.float64],
    condition_price: float,
    max_conditions: int,
    cutoff: float,
    most: int,
    threads: int,
    seconds: float,
    stop: NDArray[np.uint8] | None,
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool, bool]: ...
def rule_sets_below(
    covers: NDArray[np.uint64],
    costs: NDArray[np.float64],
    complexities: NDArray[np.int64],
    again: NDArray[np.float64],
    missed: NDArray[np.float64],
    max_complexity: int,
    spare_price: float,
    limit: float,
    most: int,
    threads: int,
    seconds: float,
    stop: NDArray[np.uint8] | None,
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool, bool, int]: ...
