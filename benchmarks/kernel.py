"""Speed of the exact search: compiled against NumPy, threads, depth, rows.

Every function takes pricing problems and returns plain records, one dict per measured
run, so that the caller decides how to print and store them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from faircg._kernel import (
    HAS_NATIVE,
    ConditionBits,
    Limits,
    PricedBits,
    SearchResult,
    enumerate_below,
    reference,
    search,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class NamedProblem:
    """One pricing problem, with a name for the table."""

    name: str
    pricing: PricedBits

    def with_depth(self, max_conditions: int) -> NamedProblem:
        """The same problem for rules of other lengths."""
        return replace(
            self, pricing=replace(self.pricing, max_conditions=max_conditions)
        )


def compiled_against_numpy(
    problems: Iterable[NamedProblem], *, seconds: float = 60.0
) -> list[Record]:
    """Both implementations on one thread; NumPy is given up after ``seconds``."""
    records = []
    for problem in problems:
        slow = _run(problem, reference.search, "numpy", seconds=seconds)
        records.append(slow)
        if HAS_NATIVE:
            fast = _run(problem, search, "compiled", seconds=seconds, threads=1)
            fast["times_faster"] = slow["seconds"] / fast["seconds"]
            fast["at_least"] = not slow["is_complete"]
            records.append(fast)
    return records


def threads(
    problems: Iterable[NamedProblem], counts: Sequence[int] = (1, 2)
) -> list[Record]:
    """More threads on the same problem: the same answer, sooner."""
    records: list[Record] = []
    for problem in problems:
        first: Record | None = None
        for n_threads in counts:
            record = _run(problem, search, f"threads={n_threads}", threads=n_threads)
            first = first or record
            record["times_faster"] = first["seconds"] / record["seconds"]
            record["same_answer"] = record["best"] == first["best"]
            records.append(record)
    return records


def growth_with_depth(
    problem: NamedProblem,
    depths: Sequence[int] = (1, 2, 3, 4, 5, 6),
    *,
    n_threads: int = 2,
    seconds: float = 120.0,
) -> list[Record]:
    """One problem for rules of more and more conditions."""
    return [
        _run(
            problem.with_depth(depth),
            search,
            f"D={depth}",
            threads=n_threads,
            seconds=seconds,
        )
        for depth in depths
    ]


def growth_with_rows(
    problem: NamedProblem,
    factors: Sequence[int] = (1, 3, 10, 30),
    *,
    n_threads: int = 2,
    seconds: float = 120.0,
    seed: int = 0,
) -> list[Record]:
    """Repeat the rows, perturbed so that they do not merge again."""
    records = []
    for factor in factors:
        larger = perturbed(problem, factor, seed=seed)
        record = _run(larger, search, f"x{factor}", threads=n_threads, seconds=seconds)
        record["megabytes_of_bits"] = larger.pricing.bits.bits.nbytes / 1e6
        records.append(record)
    return records


def enumeration(
    problem: NamedProblem,
    cutoffs: Sequence[float],
    *,
    n_threads: int = 2,
    seconds: float = 120.0,
) -> list[Record]:
    """List all rules up to each cutoff."""
    records = []
    for cutoff in cutoffs:
        start = time.perf_counter()
        limits = Limits(threads=n_threads, seconds=seconds)
        found = enumerate_below(problem.pricing, cutoff=cutoff, limits=limits)
        records.append(
            {
                "problem": problem.name,
                "run": f"all <= {cutoff:g}",
                "seconds": time.perf_counter() - start,
                "rules": len(found.rules),
                "is_complete": found.is_complete,
                "too_many": found.too_many,
            }
        )
    return records


def perturbed(problem: NamedProblem, factor: int, *, seed: int = 0) -> NamedProblem:
    """Copies of the rows in which one family of conditions comes from another row.

    Within a family the conditions stay consistent: nested or exclusive. Prices are
    those of the row that was copied; the first copy is left as it is.
    """
    if factor == 1:
        return problem
    rng = np.random.default_rng(seed)
    n_rows, family = problem.pricing.bits.n_rows, problem.pricing.bits.family
    rows = unpack(problem.pricing.bits.bits, n_rows).T
    copies = [rows]
    kinds = np.unique(family)
    for _ in range(factor - 1):
        donor = rng.integers(n_rows, size=n_rows)
        changed = rng.choice(kinds, size=n_rows)[:, None] == family
        copies.append(np.where(changed, rows[donor], rows))
    larger = replace(
        problem.pricing,
        bits=ConditionBits.from_matrix(np.concatenate(copies), family),
        prices=np.tile(problem.pricing.prices, factor),
    )
    return NamedProblem(f"{problem.name} x{factor}", larger)


def _run(
    problem: NamedProblem,
    run: Callable[..., SearchResult],
    label: str,
    **limits: Any,
) -> Record:
    """Measure one problem: the fastest of three runs, of fewer if they are slow."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 2.0:
        start = time.perf_counter()
        found = run(problem.pricing, cutoff=-1e-6, keep=100, limits=Limits(**limits))
        times.append(time.perf_counter() - start)
    return {
        "problem": problem.name,
        "run": label,
        "rows": problem.pricing.bits.n_rows,
        "conditions": problem.pricing.bits.n_conditions,
        "max_conditions": problem.pricing.max_conditions,
        "seconds": min(times),
        "best": float(found.reduced_costs[0]) if found.rules else None,
        "bound": found.bound,
        "is_complete": found.is_complete,
        "nodes": found.nodes,
    }
