"""Bad arguments raise, through the front and at the compiled module itself."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from faircg._kernel import (
    ConditionBits,
    Limits,
    PricedBits,
    enumerate_below,
    search,
)
from posed import call

ROWS = np.random.default_rng(3).random((70, 4)) < 0.5
BITS = ConditionBits.from_matrix(ROWS, np.arange(4))
GOOD: dict[str, Any] = {
    "bits": BITS,
    "prices": np.ones(70),
    "condition_price": 0.5,
    "max_conditions": 2,
}
PROBLEM = PricedBits(**GOOD)
NAN, INF = float("nan"), float("inf")
BAD = [
    ({"bits": ROWS}, TypeError, "ConditionBits"),
    ({"prices": np.ones(69)}, ValueError, "shape"),
    ({"prices": np.ones((70, 1))}, ValueError, "shape"),
    ({"prices": np.ones(70, dtype=np.float32)}, TypeError, "float64"),
    ({"prices": np.full(70, NAN)}, ValueError, "finite"),
    ({"prices": np.full(70, INF)}, ValueError, "finite"),
    ({"prices": np.full(70, 1e308)}, ValueError, "large"),
    ({"condition_price": -0.1}, ValueError, "condition_price"),
    ({"condition_price": NAN}, ValueError, "condition_price"),
    ({"condition_price": INF}, ValueError, "condition_price"),
    ({"condition_price": "1"}, TypeError, "condition_price"),
    ({"max_conditions": 0}, ValueError, "max_conditions"),
    ({"max_conditions": 2.0}, TypeError, "max_conditions"),
    ({"threads": 0}, ValueError, "threads"),
    ({"threads": True}, TypeError, "threads"),
    ({"seconds": NAN}, ValueError, "seconds"),
    ({"stop": np.zeros(1, dtype=np.uint8)}, TypeError, "StopFlag"),
    ({"cutoff": NAN}, ValueError, "cutoff"),
    ({"cutoff": None}, TypeError, "cutoff"),
]


@pytest.mark.parametrize(("change", "error", "match"), BAD)
def test_both_searches_refuse_bad_arguments(
    change: dict[str, Any], error: type[Exception], match: str
) -> None:
    """With a sentence that names the argument."""
    for run in (search, enumerate_below):
        with pytest.raises(error, match=match):
            call(run, PricedBits, **{**GOOD, "cutoff": 0.0, **change})


def test_each_search_refuses_its_own_bad_arguments() -> None:
    """A positive cutoff is a job for the enumeration."""
    with pytest.raises(ValueError, match="cutoff must not be positive"):
        search(PROBLEM, cutoff=0.1)
    with pytest.raises(ValueError, match="keep"):
        search(PROBLEM, keep=-1)
    with pytest.raises(TypeError, match="keep"):
        search(PROBLEM, keep=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="most"):
        enumerate_below(PROBLEM, cutoff=1.0, most=-1)


def test_absurd_but_valid_numbers_work() -> None:
    """More conditions, rules or threads than there can be are no reason to fail."""
    free = replace(PROBLEM, prices=-np.ones(70), condition_price=0.0)
    limits = Limits(threads=10**30, seconds=INF)
    found = search(replace(free, max_conditions=10**30), keep=10**30, limits=limits)
    assert found.is_complete
    assert search(free, cutoff=-INF).rules == ()
    every = enumerate_below(
        replace(free, max_conditions=9), cutoff=INF, most=10**30, limits=limits
    )
    assert every.is_complete
    assert len(every.rules) == 15


def test_arrays_in_any_memory_order_work() -> None:
    """The front makes contiguous copies where needed."""
    prices = np.repeat(np.random.default_rng(0).normal(size=70), 2)[::2]
    same = replace(PROBLEM, prices=prices.copy(), condition_price=0.0)
    other = ConditionBits(np.asfortranarray(BITS.bits), 70, BITS.family)
    strided = replace(same, bits=other, prices=prices)
    assert search(strided).rules == search(same).rules != ()


FUZZ = Path(__file__).with_name("fuzz.py")


@pytest.mark.parametrize("seed", [1, 2])
def test_garbage_never_crashes_the_compiled_module(
    seed: int, needs_native: None
) -> None:
    """Twenty thousand calls with junk: errors are exceptions, never signals."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(FUZZ), str(seed), "10000"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1000


@pytest.mark.parametrize("choice", ["numpy", "portable"])
def test_the_environment_chooses_the_implementation(choice: str) -> None:
    """NumPy alone must do where no compiler was found."""
    script = "from faircg._kernel import HAS_NATIVE; print(HAS_NATIVE)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "FAIRCG_KERNEL": choice},
        capture_output=True,
        text=True,
        check=True,
    )
    is_built = find_spec("faircg._kernel._native") is not None
    has_native = is_built and choice != "numpy"
    assert done.stdout.strip() == str(has_native)
