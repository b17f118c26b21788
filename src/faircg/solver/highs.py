"""The only module that talks to HiGHS: models in, checked answers out.

What is settled here, once, so that nobody else has to think of it:

* arrays are validated before they enter (HiGHS calls a NaN cost optimal);
* one solver thread, always (HiGHS keeps a process-wide scheduler that refuses to
  change);
* the solve runs in a thread of its own, which we leave to end by itself when it does
  not notice a stop: the deadline is kept, and the incumbent is held on our side;
* exceptions in callbacks are stored and raised where the caller can see them;
* option names, statuses and gaps are checked, never assumed.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from faircg.begun import Worker
from faircg.exceptions import SolverError
from faircg.solver.programs import Basis as Basis
from faircg.solver.programs import LinearModel as LinearModel
from faircg.solver.programs import LpSolution as LpSolution
from faircg.solver.programs import MipSolution as MipSolution
from faircg.solver.programs import Status as Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from faircg.solver.programs import StopSignal
    from faircg.typing import BoolVector, FloatVector, IntVector

INFINITY = float(highspy.kHighsInf)
GRACE = 0.5
"""Seconds that a stopped solve may take before we go on without it."""
LAST_GRACE = 20.0
"""Seconds that such solves may still take when the process ends."""
PRESOLVE = 100
"""Writing and presolving a program is as much work as so many steps."""
MIP_STEPS = 20
"""Steps of the solver between two looks at the limits of an integer program."""


def solve_lp(
    model: LinearModel,
    stop: StopSignal,
    *,
    start: Basis | None = None,
    primal: bool = False,
    rough: float = 0.0,
) -> LpSolution:
    """Solve a linear program by simplex; integrality is ignored.

    From a ``start`` basis the primal simplex method can be used, not the dual one. A
    ``rough`` solution, up to that relative error, comes from a first-order method.
    """
    for presolve in ("choose", "off"):
        stop.spend(PRESOLVE * model.step)
        solver = _loaded(model.relaxed, stop, presolve=presolve)
        _set(solver, "solver", "pdlp" if rough else "simplex")
        _set(solver, "kkt_tolerance", rough or 1e-7)
        if (steps := stop.steps(model.step)) is not None:
            for method in ("simplex", "pdlp"):
                _set(solver, f"{method}_iteration_limit", min(steps, _MOST_STEPS))
        if start is not None and start.is_square:
            _set(solver, "simplex_strategy", _PRIMAL if primal else _DUAL)
            solver.setBasis(_highs_basis(start))
        if not _run(solver, stop):
            return _unsolved()
        status, info = solver.getModelStatus(), solver.getInfo()
        made = (info.simplex_iteration_count, info.pdlp_iteration_count)
        stop.spend(sum(max(0, count) for count in made) * model.step)
        if status in _SOLVED or (rough and status == highspy.HighsModelStatus.kUnknown):
            solution = solver.getSolution()
            duals = np.array(solution.row_dual, dtype=float)
            values = np.array(solution.col_value, dtype=float)
            if np.isfinite(duals).all():
                return LpSolution(
                    Status.OPTIMAL,
                    # Ours, because HiGHS forgets the offset of a model without columns.
                    float(model.cost @ values) + model.offset,
                    values,
                    duals,
                    np.array(solution.col_dual, dtype=float),
                    _basis(solver),
                    int(info.simplex_iteration_count),
                )
        elif status in _STOPPED:
            return _unsolved()
        elif status == highspy.HighsModelStatus.kInfeasible and presolve == "off":
            return replace(_unsolved(), status=Status.INFEASIBLE)
        start = None  # a bad basis must not spoil the second try
    raise SolverError(f"the solver ended a linear program with status {status.name}")


def solve_mip(
    model: LinearModel,
    stop: StopSignal,
    *,
    start: FloatVector | None = None,
    on_solution: Callable[[FloatVector], None] | None = None,
    whole_objective: bool = False,
    seed: int = 0,
    options: dict[str, bool | int | float | str] | None = None,
) -> MipSolution:
    """Solve an integer program to proven optimality or until stopped.

    A ``start`` gives the values of *all* columns: for a partial one HiGHS first solves
    a model of its own, on its own clock. ``on_solution`` is called with every integer
    solution met, from the solver's thread. With a ``whole_objective`` the search may
    end once no better whole number is left. ``options`` are further ones of the solver.
    """
    if start is not None and len(start) != len(model.cost):
        raise ValueError("a start must give the value of every column")
    for presolve in ("choose", "off"):
        solver = _loaded(model, stop, presolve=presolve, seed=seed)
        _set(solver, "mip_rel_gap", 0.0)  # the default of 1e-4 is not optimal
        _set(solver, "mip_abs_gap", 1.0 - 1e-5 if whole_objective else 1e-9)
        for name, value in (options or {}).items():
            _set(solver, name, value)
        if start is not None:
            warm = highspy.HighsSolution()
            warm.col_value = list(map(float, start))
            solver.setSolution(warm)
        stop.spend(PRESOLVE * model.step)
        incumbent = _Incumbent(on_solution, stop.steps(MIP_STEPS * model.step))
        is_done = _run(solver, stop, incumbent)
        stop.spend(incumbent.looks * MIP_STEPS * model.step)
        if not is_done:
            return MipSolution(
                Status.STOPPED, incumbent.objective, incumbent.bound, incumbent.values
            )
        status = solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            if presolve == "off":
                return MipSolution(Status.INFEASIBLE, np.inf, np.inf, None)
            continue
        if status in _SOLVED or status in _STOPPED:
            info, values = solver.getInfo(), solver.getSolution().col_value
            found = info.primal_solution_status == _FEASIBLE
            return MipSolution(
                Status.STOPPED if status in _STOPPED else Status.OPTIMAL,
                float(info.objective_function_value) if found else np.inf,
                float(info.mip_dual_bound),
                np.array(values, dtype=float) if found else None,
            )
    raise SolverError(f"the solver ended an integer program with status {status.name}")


_PRIMAL, _DUAL = 4, 1
_MOST_STEPS = 2**31 - 1  # what the solver takes for no limit
_FEASIBLE = int(highspy.SolutionStatus.kSolutionStatusFeasible)
_SOLVED = frozenset(
    {highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty}
)
_STOPPED = frozenset(
    {
        highspy.HighsModelStatus.kTimeLimit,
        highspy.HighsModelStatus.kIterationLimit,
        highspy.HighsModelStatus.kSolutionLimit,
        highspy.HighsModelStatus.kInterrupt,
        highspy.HighsModelStatus.kObjectiveBound,
        highspy.HighsModelStatus.kObjectiveTarget,
    }
)


class _Incumbent:
    """The best integer solution and bound so far, held on our side of the border.

    A limit on work is one on the ``looks`` of an integer program at its limits: they
    come at the same places of the same program, whenever that is.
    """

    def __init__(
        self,
        on_solution: Callable[[FloatVector], None] | None = None,
        most_looks: int | None = None,
    ) -> None:
        self.looks, self._most_looks = 0, most_looks
        self.objective = np.inf
        self.bound = -np.inf
        self.values: FloatVector | None = None
        self.error: BaseException | None = None
        self._on_solution = on_solution

    def look(self, event: Any) -> None:
        """Interrupt an integer program that had its share of the work."""
        self.looks += 1
        if self._most_looks is not None and self.looks >= self._most_looks:
            event.interrupt()

    def meet(self, event: Any) -> None:
        try:
            objective = float(event.data_out.objective_function_value)
            values = np.array(event.data_out.mip_solution, dtype=float)
            self.bound = max(self.bound, float(event.data_out.mip_dual_bound))
            if objective < self.objective:
                self.objective, self.values = objective, values
            if self._on_solution is not None:
                self._on_solution(values)
        except BaseException as error:  # an exception must not cross the solver
            self.error = error


def _loaded(
    model: LinearModel, stop: StopSignal, *, presolve: str, seed: int = 0
) -> highspy.Highs:
    lp = highspy.HighsLp()
    rows, columns = model.matrix.shape
    lp.num_col_, lp.num_row_ = columns, rows
    lp.col_cost_, lp.offset_ = model.cost, model.offset
    lp.col_lower_, lp.col_upper_ = model.lower, model.upper
    lp.row_lower_, lp.row_upper_ = model.row_lower, model.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = model.matrix.indptr.astype(np.int32)
    lp.a_matrix_.index_ = model.matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = model.matrix.data.astype(float)
    if model.integer.any():
        kinds = highspy.HighsVarType
        lp.integrality_ = [
            kinds.kInteger if integer else kinds.kContinuous
            for integer in model.integer
        ]
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    _set(solver, "threads", 1)
    _set(solver, "random_seed", seed)
    _set(solver, "presolve", presolve)
    if np.isfinite(stop.seconds()):
        _set(solver, "time_limit", max(stop.seconds(), 1e-3))
    if solver.passModel(lp) == highspy.HighsStatus.kError:
        raise SolverError("the solver refused the model")
    return solver


def _set(solver: highspy.Highs, name: str, value: bool | int | float | str) -> None:
    if solver.setOptionValue(name, value) != highspy.HighsStatus.kOk:
        raise SolverError(f"the solver refused the option {name}={value!r}")


def _run(
    solver: highspy.Highs, stop: StopSignal, incumbent: _Incumbent | None = None
) -> bool:
    """Run in a thread; say whether it ended (a stopped solve may be left behind)."""
    done = threading.Event()
    abandoned = threading.Event()
    incumbent = incumbent or _Incumbent()

    def check(event: Any) -> None:
        if incumbent.error is not None or abandoned.is_set() or stop.is_set():
            event.interrupt()

    def body() -> None:
        try:
            solver.run()
        except BaseException as error:
            incumbent.error = error
        finally:
            done.set()

    solver.cbMipSolution += incumbent.meet
    solver.cbMipInterrupt += incumbent.look
    solver.cbMipInterrupt += check
    solver.cbSimplexInterrupt += check
    thread = Worker(body, "highs")
    try:
        thread.start()
        while not done.wait(0.05):
            if stop.is_set() and not done.wait(GRACE):
                _left_behind.add(thread)
                break
    finally:  # an exception, such as a second Ctrl-C, leaves no solver running
        abandoned.set()
    if incumbent.error is not None:
        raise incumbent.error
    return done.is_set()


_left_behind: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


@atexit.register
def _wait_for_those_left_behind() -> None:
    """Let solves that were left behind end before Python does: they call back."""
    until = time.monotonic() + LAST_GRACE
    for thread in list(_left_behind):
        thread.join(max(0.0, until - time.monotonic()))


def _highs_basis(basis: Basis) -> highspy.HighsBasis:
    given = highspy.HighsBasis()
    given.col_status = _statuses(basis.columns, basis.columns_at_upper)
    given.row_status = _statuses(basis.rows, basis.rows_at_upper)
    given.valid = True
    return given


def _statuses(basic: BoolVector, upper: BoolVector) -> list[highspy.HighsBasisStatus]:
    kinds = highspy.HighsBasisStatus
    return [
        kinds.kBasic if b else kinds.kUpper if up else kinds.kLower
        for b, up in zip(basic.tolist(), upper.tolist(), strict=True)
    ]


def _basis(solver: highspy.Highs) -> Basis:
    basis, kinds = solver.getBasis(), highspy.HighsBasisStatus
    columns, rows = _codes(basis.col_status), _codes(basis.row_status)
    basic, upper = int(kinds.kBasic), int(kinds.kUpper)
    return Basis(columns == basic, rows == basic, columns == upper, rows == upper)


def _codes(statuses: list[highspy.HighsBasisStatus]) -> IntVector:
    """Return statuses as numbers: comparing objects takes three times as long."""
    return np.fromiter(map(int, statuses), dtype=np.int64, count=len(statuses))


def _unsolved() -> LpSolution:
    nothing = np.full(0, np.nan)
    return LpSolution(Status.STOPPED, np.nan, nothing, nothing, nothing, None, 0)
