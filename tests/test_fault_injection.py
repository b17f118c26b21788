"""A solver that fails or lies: an error that says so, or a certificate that is true.

Each fault is put between the solver and us, at every solve, at the first one or at
every second one; what a whole search then says is compared with all rule sets.
"""

from __future__ import annotations

import itertools
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from highspy import HighsModelStatus

from faircg.colgen.engine import solve
from faircg.colgen.options import SearchOptions
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.stop import Deadline
from faircg.exceptions import FairCGError
from faircg.solver import highs
from small_problems import (
    OBJECTIVES,
    instance_of,
    limits_of,
    problem_of,
    solved,
    true_optimum,
)

STATUSES = (
    "kTimeLimit",
    "kIterationLimit",
    "kInterrupt",
    "kMemoryLimit",
    "kSolveError",
    "kPresolveError",
    "kInfeasible",
    "kUnboundedOrInfeasible",
    "kUnknown",
    "kNotset",
)
LIES = {
    "NaN duals": lambda duals: np.full_like(duals, np.nan),
    "infinite duals": lambda duals: duals + np.inf,
    "duals off by a tolerance": lambda duals: duals + 1e-6,
    "duals off by a half": lambda duals: duals - 0.5,
    "duals of the other sign": lambda duals: -duals,
    "no duals": np.zeros_like,
}
WHEN = {
    "always": lambda _: True,
    "first": lambda number: number == 0,
    "every second": lambda number: number % 2 == 1,
}


class Faulty:
    """A solver whose status or solution is not what it found."""

    def __init__(self, solver, fault):
        self._solver, self._fault = solver, fault

    def __getattr__(self, name):
        return getattr(self._solver, name)

    def getModelStatus(self):  # noqa: N802 (HiGHS calls it so)
        named = getattr(HighsModelStatus, self._fault, None)
        return self._solver.getModelStatus() if named is None else named

    def getSolution(self):  # noqa: N802
        found = self._solver.getSolution()
        values = np.array(found.col_value, dtype=float)
        duals = np.array(found.row_dual, dtype=float)
        if self._fault in LIES:
            duals = LIES[self._fault](duals)
        if self._fault == "values off by a tolerance":
            values = values + 1e-6
        if self._fault == "no values":
            values = np.zeros_like(values)
        return SimpleNamespace(
            col_value=values, row_dual=duals, col_dual=np.array(found.col_dual)
        )


FAULTS = (*STATUSES, *LIES, "values off by a tolerance", "no values")


@pytest.fixture
def inject(monkeypatch):
    """Return what puts a fault between the solver and us; each must be met."""
    loaded, met = highs._loaded, []

    def put(fault, when):
        counter = itertools.count()

        def faulty(*given, **options):
            solver = loaded(*given, **options)
            if not WHEN[when](next(counter)):
                return solver
            met.append(fault)
            return Faulty(solver, fault)

        monkeypatch.setattr(highs, "_loaded", faulty)

    yield put
    assert met


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    "count", [1, pytest.param(25, marks=pytest.mark.long)], ids=str
)
def test_a_failing_solver_proves_nothing_false(fault, count, inject, record_property):
    """Whatever it says, no bound is above the optimum, and optimal means optimal."""
    record_property("cases", 2 * count * len(WHEN))
    for (objective, when), seed in product(product(OBJECTIVES, WHEN), range(count)):
        instance = instance_of(seed, 2)
        limits = limits_of("equalized_odds", (0.2, 0.05, 0.0)[seed % 3])
        optimum = true_optimum(seed, 2, objective, limits)
        inject(fault, when)
        try:
            solution = solved(
                problem_of(instance, objective, limits), instance.max_conditions
            )
        except FairCGError as error:
            said = str(error)
        else:
            certificate = solution.certificate
            found = instance.counts(solution.optimised.rules)
            assert found.loss(objective) == certificate.objective, (when, objective)
            assert instance.counts(solution.returned.rules).satisfies(limits)
            assert certificate.lower_bound <= optimum <= certificate.objective
            if certificate.proven_optimal:
                assert certificate.objective == optimum
            continue
        assert "\n" not in said


@pytest.mark.parametrize("jump", [1e9, -1e9, np.nan])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_clock_that_jumps_ends_or_goes_on(jump, objective):
    """A machine that slept, or whose clock is set back, gets a true certificate."""
    instance, limits = instance_of(3, 2), limits_of("equalized_odds", 0.05)
    looks = itertools.count()
    deadline = Deadline(
        60.0, clock=lambda: (jump if next(looks) > 25 else 0.0) + 1e-3 * next(looks)
    )
    options = SearchOptions(ExactPricer(), (instance.max_conditions,), deadline)
    found = solve(problem_of(instance, objective, limits), options).certificate
    optimum = true_optimum(3, 2, objective, limits)
    assert found.lower_bound <= optimum <= found.objective
    assert found.status in ("optimal", "time_limit", "feasible")
