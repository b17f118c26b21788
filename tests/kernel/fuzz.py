"""Call the compiled module with junk: ``python fuzz.py SEED CALLS``.

A program of its own, so that the tests see a crash and survive it. Prints how many
calls were accepted; all others must have raised TypeError or ValueError.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg._kernel import _native

if TYPE_CHECKING:
    from collections.abc import Callable

VALUES: list[Any] = [None, -1, 0, 1, 3, 2**31, 2**63 - 1, -(2**63), 2**70, 1.5, -1e308]
VALUES += [float("nan"), float("inf"), "x", b"", (), [], {}, object()]
SHAPES: list[tuple[int, ...]] = [
    (),
    (0,),
    (1,),
    (3,),
    (70,),
    (0, 0),
    (4, 2),
    (2, 4),
    (4, 0),
    (0, 2),
    (2, 2, 2),
]
KINDS = ["u8", "i4", "i8", "f8", "f4", "u1", "?", "O", "c16", "U3"]


def junk(rng: random.Random) -> Any:
    """Make an odd value, or an array of odd bytes in an odd shape."""
    if rng.random() < 0.5:
        return rng.choice(VALUES)
    shape, kind = rng.choice(SHAPES), rng.choice(KINDS)
    if kind == "O":
        array = np.empty(shape, dtype=object)
    elif kind == "U3":
        array = np.full(shape, "abc")
    else:
        octets = np.random.default_rng(rng.randrange(10**6)).integers(
            0, 255, size=(*shape, np.dtype(kind).itemsize), dtype=np.uint8
        )
        array = octets.view(kind)[..., 0]
    return rng.choice([array, array[::-1] if array.ndim else array, array.T])


def search(*flat: Any) -> Any:
    """Make the problem and the limits of one list of arguments, then search."""
    problem, limits = _native.PricedBits(*flat[:6]), _native.Limits(*flat[8:])
    return _native.search(problem, *flat[6:8], limits)


def enumerate_below(*flat: Any) -> Any:
    """Make the problem and the limits, then list rules."""
    problem, limits = _native.PricedBits(*flat[:6]), _native.Limits(*flat[8:])
    return _native.enumerate_below(problem, *flat[6:8], limits)


def rule_sets_below(*flat: Any) -> Any:
    """Make the problem and the limits, then list rule sets."""
    problem, limits = _native.RuleSetProblem(*flat[:10]), _native.Limits(*flat[12:])
    return _native.rule_sets_below(problem, *flat[10:12], limits)


def main(seed: int, calls: int) -> int:
    """Return how many calls the module accepted."""
    rng = random.Random(seed)
    bits = np.random.default_rng(0).integers(0, 2**6, size=(4, 2), dtype=np.uint64)
    family, prices = np.arange(4, dtype=np.int32), np.linspace(-1, 1, 70)
    problem: list[Any] = [bits, 70, family, prices, 0.1, 3]
    limits: list[Any] = [2, 1.0, _native.StopFlag(), -1]
    sets: list[Any] = [
        bits,
        np.linspace(0, 1, 4),
        np.array([2, 2, 3, 4]),
        np.linspace(0, 1, 70),
        np.linspace(1, 0, 70),
        9,
        0.1,
        ~bits & np.uint64(2**6 - 1),
        np.array([5, 1], dtype=np.uint64),
        np.linspace(0, 0.1, 70),
    ]
    made = [_native.PricedBits(*problem), 0.0, 5, _native.Limits(*limits)]
    functions: dict[Callable[..., Any], list[Any]] = {
        search: [*problem, 0.0, 5, *limits],
        enumerate_below: [*problem, 0.0, 5, *limits],
        rule_sets_below: [*sets, 20.0, 1000, *limits],
        _native.search: made,
        _native.enumerate_below: made,
        _native.rule_sets_below: [_native.RuleSetProblem(*sets), *made[1:]],
        _native.cover: [bits, np.zeros(3, dtype=np.int32), np.array([0, 1, 3])],
        _native.weigh: [bits, np.ones((70, 2))],
    }
    accepted = 0
    for _ in range(calls):
        function = rng.choice(list(functions))
        arguments: list[Any] = list(functions[function])
        for _ in range(rng.choice([0, 1, 1, 1, 2, 5])):
            arguments[rng.randrange(len(arguments))] = junk(rng)
        if rng.random() < 0.05:
            arguments.pop()
        try:
            function(*arguments)
        except (TypeError, ValueError):
            continue
        accepted += 1
    return accepted


if __name__ == "__main__":
    sys.stdout.write(f"{main(int(sys.argv[1]), int(sys.argv[2]))}\n")
