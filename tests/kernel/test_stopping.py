from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from faircg._kernel import Limits, Meter, StopFlag, enumerate_below, reference, search
from posed import pose


@pytest.mark.parametrize("threads", [1, 2])
def test_a_deadline_ends_a_search(threads: int, hard: Any, needs_native: None) -> None:
    """Nothing else would: to try all rules takes longer than anybody lives."""
    found = search(hard, limits=Limits(seconds=0.2, threads=threads))
    assert not found.is_complete
    assert found.rules
    assert found.bound <= found.reduced_costs[0]


def test_a_flag_set_by_another_thread_stops_the_search(
    hard: Any, needs_native: None
) -> None:
    """The search runs without the interpreter's lock, so the other thread can run.

    No time was set, so the flag is what ended it.
    """
    stop = StopFlag()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    found = search(hard, limits=Limits(stop=stop, threads=2))
    assert stop.is_set()
    assert not found.is_complete
    timer.join()


def test_an_enumeration_stops_too(hard: Any, needs_native: None) -> None:
    """And says that rules are missing."""
    dear = replace(hard, condition_price=0.5)
    limits = Limits(seconds=0.2, threads=2)
    found = enumerate_below(dear, cutoff=-150.0, limits=limits)
    assert not found.is_complete
    assert not found.too_many


@pytest.mark.parametrize("seconds", [-1.0, 0.0])
def test_no_time_gives_a_valid_bound(seconds: float, hard: Any) -> None:
    """All gains for two conditions' prices, if nothing else is known."""
    problem = replace(hard, condition_price=0.5, max_conditions=3)
    for run in (search, reference.search):
        found = run(problem, cutoff=-1e-6, keep=100, limits=Limits(seconds=seconds))
        assert not found.is_complete
        assert found.bound <= -2500
        assert np.isfinite(found.bound)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_of_interrupted_searches_are_valid(seed: int) -> None:
    """Stopped anywhere, no rule beats the bound."""
    rng = np.random.default_rng(seed)
    rows = rng.random((4000, 40)) < 0.5
    prices = rng.choice([-1.0, 1.0], 4000) + 0.3 * (rows[:, seed] & rows[:, 20])
    problem = pose(rows, prices, [0.0, 3.0][seed % 2], 4)
    whole = search(problem)
    assert whole.is_complete
    for _ in range(4):
        limits = Limits(seconds=float(rng.uniform(0, 0.06)))
        for run in (search, reference.search):
            part = run(problem, cutoff=-1e-6, keep=100, limits=limits)
            assert part.bound <= whole.bound + 1e-9
            if part.rules:
                assert part.reduced_costs[0] >= whole.bound - 1e-9
            if part.is_complete:
                assert part.bound == pytest.approx(whole.bound, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_search_ends_after_so_many_words_whatever_the_clock_says(seed: int) -> None:
    """It reads as many words the second time, finds the same, and its bound is true.

    A search that is allowed as many words as it takes is complete.
    """
    rng = np.random.default_rng(seed)
    rows = rng.random((500, 24)) < 0.5
    prices = rng.choice([-1.0, 1.0], 500) + 0.3 * (rows[:, seed] & rows[:, 20])
    problem = pose(rows, prices, [0.0, 1.0][seed % 2], 3)
    for run in (search, reference.search):
        whole, meter = None, Meter(10**12)
        whole = run(problem, cutoff=-1e-6, keep=20, limits=Limits(meter=meter))
        assert whole.is_complete
        assert 0 < meter.words < 10**12
        for share in (0.0, 0.1, 0.6):
            meters = [Meter(int(share * meter.words)) for _ in range(2)]
            found = [
                run(problem, cutoff=-1e-6, keep=20, limits=Limits(meter=counted))
                for counted in meters
            ]
            assert meters[0].words == meters[1].words
            assert meters[0].is_full
            assert found[0].rules == found[1].rules
            assert found[0].bound == found[1].bound <= whole.bound + 1e-9
            assert not found[0].is_complete or found[0].bound == whole.bound


def test_words_are_counted_on_one_thread() -> None:
    """How far each of many threads comes is a matter of chance."""
    with pytest.raises(ValueError, match="one thread"):
        Limits(meter=Meter(10), threads=2)


SCRIPT = """
import faulthandler
import signal
import numpy as np
# Whoever started the tests in the background may have made Ctrl-C be ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
from faircg._kernel import ConditionBits, Limits, PricedBits, search
rng = np.random.default_rng(0)
rows = rng.random((6000, 150)) < 0.6
problem = PricedBits(
    bits=ConditionBits.from_matrix(rows, np.arange(150)),
    prices=rng.choice([-1.0, 1.0], 6000),
    condition_price=0.0,
    max_conditions=10,
)
faulthandler.dump_traceback_later(300, exit=True)  # should it hear nothing
print("ready", flush=True)
try:
    search(problem, limits=Limits(threads=2))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_ctrl_c_ends_a_search(needs_native: None) -> None:
    """The user need not wait for the search to finish; this one never does."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)  # most likely the search has begun; it need not
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
