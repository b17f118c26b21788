"""The border to HiGHS: one test for each of its sharp edges.

E1 to E9 are the edges that were found by trying the solver call by call.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from faircg.colgen.master import Master
from faircg.colgen.pool import Pool
from faircg.colgen.problem import Problem
from faircg.colgen.stop import WORDS_PER_UNIT, Deadline
from faircg.exceptions import SolverError
from faircg.fairness import EqualizedOdds
from faircg.solver import highs
from faircg.solver.highs import (
    INFINITY,
    LinearModel,
    Status,
    solve_lp,
    solve_mip,
)


def market_split(seed: int, n_rows: int, n_columns: int) -> LinearModel:
    """Split every row's numbers in two equal halves as nearly as can be.

    Small ones are solved at once; five rows of forty columns by no solver soon.
    """
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 100, (n_rows, n_columns)).astype(float)
    half = np.floor(numbers.sum(axis=1) / 2)
    one = np.eye(n_rows)
    return LinearModel(
        cost=np.concatenate([np.zeros(n_columns), np.ones(2 * n_rows)]),
        lower=np.zeros(n_columns + 2 * n_rows),
        upper=np.concatenate([np.ones(n_columns), np.full(2 * n_rows, INFINITY)]),
        matrix=sparse.csc_array(np.hstack([numbers, one, -one])),
        row_lower=half,
        row_upper=half,
        integer=np.arange(n_columns + 2 * n_rows) < n_columns,
    )


def first_solution(model: LinearModel, **options):
    """Stop at the first solution; return it and the answer."""
    deadline, met = Deadline(), []

    def stop(values):
        met.append(values)
        deadline.interrupted.set()

    answer = solve_mip(model, deadline, on_solution=stop, **options)
    return met[0], answer


def best_split(model: LinearModel) -> float:
    """Try every split."""
    n_rows, n_columns = model.matrix.shape[0], int(model.integer.sum())
    numbers = model.matrix.toarray()[:, :n_columns]
    splits = np.array(list(itertools.product([0.0, 1.0], repeat=n_columns)))
    away = np.abs(splits @ numbers.T - model.row_lower)
    assert away.shape == (2**n_columns, n_rows)
    return float(away.sum(axis=1).min()) + model.offset


def small_model(**changes) -> LinearModel:
    """Minimise x + 2 y with x + y >= 1 and x <= 0.5."""
    model = LinearModel(
        cost=np.array([1.0, 2.0]),
        lower=np.zeros(2),
        upper=np.full(2, INFINITY),
        matrix=sparse.csc_array(np.array([[1.0, 1.0], [1.0, 0.0]])),
        row_lower=np.array([1.0, -INFINITY]),
        row_upper=np.array([INFINITY, 0.5]),
        integer=np.zeros(2, dtype=bool),
    )
    return replace(model, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cost": np.array([np.nan, 1.0])}, "costs must be finite"),
        ({"cost": np.array([-np.inf, 1.0])}, "costs must be finite"),
        ({"offset": np.nan}, "costs must be finite"),
        (
            {"matrix": sparse.csc_array(np.array([[np.nan, 1.0], [1.0, 0.0]]))},
            "coefficients must be finite",
        ),
        (
            {"matrix": sparse.csc_array(np.array([[np.inf, 1.0], [1.0, 0.0]]))},
            "coefficients must be finite",
        ),
        ({"lower": np.array([np.nan, 0.0])}, "bounds must not be NaN"),
        ({"upper": np.array([np.nan, 0.0])}, "bounds must not be NaN"),
        ({"row_lower": np.array([np.nan, 0.0])}, "bounds must not be NaN"),
        ({"row_upper": np.array([0.0, np.nan])}, "bounds must not be NaN"),
        ({"cost": np.zeros(3)}, "do not fit together"),
        ({"row_upper": np.zeros(3)}, "do not fit together"),
    ],
)
def test_e1_what_is_not_a_number_never_enters_the_solver(changes, message):
    """HiGHS calls a model with a NaN cost optimal, with a NaN row infeasible."""
    with pytest.raises(ValueError, match=message):
        small_model(**changes)


def test_e2_every_solve_uses_one_thread():
    """HiGHS keeps one scheduler per process and refuses to change its size."""
    solver = highs._loaded(small_model(), Deadline(), presolve="choose")
    assert solver.getOptionValue("threads")[1] == 1


def test_e2_solves_in_several_python_threads_do_not_disturb_each_other():
    """The same answers side by side as one after another."""
    models = [market_split(seed, 2, 12) for seed in range(6)]
    alone = [solve_mip(model, Deadline()).objective for model in models]
    with ThreadPoolExecutor(3) as threads:
        together = list(threads.map(lambda m: solve_mip(m, Deadline()), models))
    assert [t.objective for t in together] == alone
    assert all(t.status is Status.OPTIMAL for t in together)


def test_e3_an_interrupt_returns_the_incumbent():
    """Plain HiGHS hears no Ctrl-C, or loses its best solution over it."""
    deadline = Deadline()  # nothing but the interrupt ends this solve
    met = []

    def stop_soon(values):
        met.append(values)
        deadline.interrupted.set()

    answer = solve_mip(market_split(0, 5, 40), deadline, on_solution=stop_soon)
    assert answer.status is Status.STOPPED
    assert answer.values is not None
    assert met
    assert answer.objective == pytest.approx(
        min(market_split(0, 5, 40).cost @ values for values in met)
    )
    assert answer.bound <= answer.objective


def test_e3_a_solver_that_does_not_listen_is_left_behind(monkeypatch):
    """The incumbent is held on our side, so the deadline is kept without the solver."""
    monkeypatch.setattr(highs, "GRACE", 0.0)
    deadline = Deadline()
    answered, heard = threading.Event(), threading.Event()

    def stop_at_once(values):
        deadline.interrupted.set()
        answered.wait(300)  # the solver is busy and hears nothing
        heard.set()

    answer = solve_mip(market_split(1, 5, 40), deadline, on_solution=stop_at_once)
    assert not heard.is_set()  # we have the answer, and the solver is still busy
    answered.set()
    assert answer.status is Status.STOPPED
    assert answer.values is not None


def test_e4_a_start_names_every_column_and_is_the_first_incumbent():
    """For a partial start HiGHS solves another model first, on a clock of its own."""
    model = market_split(2, 5, 40)
    known, _ = first_solution(model)
    first, answer = first_solution(model, start=known)
    assert model.cost @ first <= model.cost @ known + 1e-6
    assert answer.objective <= model.cost @ known + 1e-6
    with pytest.raises(ValueError, match="every column"):
        solve_mip(model, Deadline(), start=known[:3])


def test_e4_a_start_that_breaks_a_row_does_no_harm():
    """The solver ignores it and finds the optimum."""
    model = market_split(3, 2, 10)
    answer = solve_mip(model, Deadline(), start=np.zeros(14))
    assert answer.objective == pytest.approx(best_split(model))


def test_e5_each_solve_has_a_clock_of_its_own(monkeypatch):
    """Run times of one HiGHS object add up; the second solve still gets its minute."""
    clocks, run = [], highs._run

    def spy(solver, *arguments):
        clocks.append((solver.getRunTime(), solver.getOptionValue("time_limit")[1]))
        return run(solver, *arguments)

    monkeypatch.setattr(highs, "_run", spy)
    for _ in range(2):
        deadline = Deadline.after(60, clock=lambda: 100.0)
        answer = solve_mip(market_split(4, 2, 12), deadline)
        assert answer.status is Status.OPTIMAL
    assert clocks == [(0.0, 60.0)] * 2


def test_e6_coefficients_that_the_solver_would_drop_are_refused():
    """Below 1e-9 they vanish with no more than a warning."""
    tiny = sparse.csc_array(np.array([[1.0, 1e-10], [1.0, 0.0]]))
    with pytest.raises(ValueError, match=r"below 1e-09.*scale the row"):
        small_model(matrix=tiny)
    small = sparse.csc_array(np.array([[1.0, 1e-8], [1.0, 0.0]]))
    assert small_model(matrix=small).matrix.nnz == 3


def test_e6_optimal_means_optimal_and_not_within_a_ten_thousandth():
    """At a loss of a hundred thousand the solver's own gap would forgive ten people."""
    worse = 0
    for seed in range(4):
        model = replace(market_split(seed, 2, 13), offset=1e5)
        ours = solve_mip(model, Deadline())
        theirs = solve_mip(model, Deadline(), options={"mip_rel_gap": 1e-4})
        whole = solve_mip(model, Deadline(), whole_objective=True)
        best = best_split(model)
        assert ours.objective == pytest.approx(best, abs=1e-5)
        assert whole.objective == pytest.approx(best, abs=1e-5)
        assert ours.status is Status.OPTIMAL
        worse += theirs.objective > best + 0.5
    assert worse > 0


def test_e7_an_exception_in_a_callback_reaches_the_caller():
    """It is stored inside the solver's thread and raised outside."""

    def fail(values):
        raise ZeroDivisionError("told by the callback")

    with pytest.raises(ZeroDivisionError, match="told by the callback"):
        solve_mip(market_split(0, 5, 40), Deadline.after(30), on_solution=fail)
    assert solve_mip(market_split(0, 2, 8), Deadline()).status is Status.OPTIMAL


@pytest.mark.parametrize(
    "options", [{"mip_rel_gapp": 0.0}, {"mip_rel_gap": "zero"}, {"threads": -3}]
)
def test_e8_an_option_that_the_solver_refuses_is_an_error(options):
    """HiGHS reports unknown names and wrong values by status only."""
    with pytest.raises(SolverError, match="the solver refused the option"):
        solve_mip(market_split(0, 2, 8), Deadline(), options=options)


def test_e9_fairness_rows_are_whole_people_however_large_the_groups():
    """A row divided by a group of a hundred thousand would have tiny coefficients."""
    flags = np.array([True, False, True, False] * 2)
    problem = Problem.merge(
        np.column_stack([flags, ~flags]),
        np.array([True, True, False, False] * 2),
        families=np.array([0, 1], dtype=np.int32),
        group_codes=np.repeat([0, 1], 4),
        group_names=("a", "b"),
        weights=np.array([50_000, 30_000, 7, 10**6, 3, 4, 5, 6]),
        criterion=EqualizedOdds(0.05),
        max_complexity=4,
    )
    pool = Pool(problem, [(0,), (1,)])
    for is_integer in (False, True):
        master = Master(problem, pool, np.arange(2), is_integer=is_integer)
        rows = master.model.matrix.tocsr()
        for block in master.layout.fairness:
            data = rows[block].data
            assert (data == np.rint(data)).all()
            assert np.abs(data).min() >= 1.0


def test_duals_have_the_sign_of_how_the_optimum_moves():
    """``>=`` rows carry non-negative numbers, ``<=`` rows non-positive ones."""
    answer = solve_lp(small_model(), Deadline())
    assert answer.status is Status.OPTIMAL
    assert answer.objective == pytest.approx(1.5)
    assert answer.values == pytest.approx([0.5, 0.5])
    assert answer.row_dual == pytest.approx([2.0, -1.0])
    assert answer.column_dual == pytest.approx([0.0, 0.0])


def random_cover(seed: int, n_rows: int, n_columns: int) -> LinearModel:
    """Meet random demands at least cost; columns have no upper bound."""
    rng = np.random.default_rng(seed)
    return LinearModel(
        cost=rng.random(n_columns) + 0.1,
        lower=np.zeros(n_columns),
        upper=np.full(n_columns, INFINITY),
        matrix=sparse.csc_array(rng.random((n_rows, n_columns))),
        row_lower=rng.random(n_rows) + 1.0,
        row_upper=np.full(n_rows, INFINITY),
        integer=np.zeros(n_columns, dtype=bool),
    )


def test_a_linear_program_starts_from_a_basis():
    """The second solve of the same model needs no iteration."""
    model = random_cover(5, 30, 40)
    first = solve_lp(model, Deadline())
    again = solve_lp(model, Deadline(), start=first.basis)
    assert again.objective == pytest.approx(first.objective, abs=1e-9)
    assert first.iterations > again.iterations == 0


def test_a_model_without_columns_is_worth_its_offset():
    """HiGHS reports zero for it, whatever the constant."""
    nothing = np.zeros(0)
    model = LinearModel(
        nothing,
        nothing,
        nothing,
        sparse.csc_array((1, 0)),
        np.array([-INFINITY]),
        np.array([9.0]),
        np.zeros(0, dtype=bool),
        offset=3.0,
    )
    assert solve_lp(model, Deadline()).objective == 3.0


def test_infeasible_programs_are_called_so():
    """Only after a second try without presolve, which has been wrong before."""
    impossible = small_model(
        row_upper=np.array([0.5, 0.5]), row_lower=np.array([0.9, 0])
    )
    assert solve_lp(impossible, Deadline()).status is Status.INFEASIBLE
    whole = replace(impossible, integer=np.ones(2, dtype=bool))
    answer = solve_mip(whole, Deadline())
    assert answer.status is Status.INFEASIBLE
    assert answer.values is None


def test_no_time_at_all_is_not_an_error():
    """A solve after the deadline says that it was stopped."""
    late = Deadline().within(0.0)
    assert solve_mip(market_split(0, 5, 40), late).status is Status.STOPPED
    large = random_cover(0, 600, 800)
    assert solve_lp(large, late).status is Status.STOPPED


@pytest.mark.parametrize("seed", range(6))
def test_integer_programs_equal_brute_force(seed):
    """And every solution that was met on the way satisfies the rows."""
    model = market_split(seed, 3, 11)
    met = []
    answer = solve_mip(model, Deadline(), on_solution=met.append, whole_objective=True)
    assert answer.objective == pytest.approx(best_split(model), abs=1e-5)
    assert met
    for values in met:
        assert model.matrix @ values == pytest.approx(model.row_lower, abs=1e-5)


def test_a_process_ends_after_the_solves_that_it_left_behind():
    """A solve that called back into a Python that was ending aborted the process."""
    code = """
import threading, time
from faircg.solver import highs
def solve():
    time.sleep(0.5)
    print("the solve ended", flush=True)
thread = threading.Thread(target=solve, daemon=True)
highs._left_behind.add(thread)
thread.start()
"""
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout == "the solve ended\n"


@pytest.mark.parametrize(("solve", "steps"), [(solve_lp, 2), (solve_mip, 2000)])
def test_a_limit_on_work_ends_a_program_at_the_same_step(solve, steps):
    """Steps are counted, not seconds: the answer so far is the same each time."""
    model = market_split(0, 5, 40)
    answers = []
    for _ in range(2):
        words = (highs.PRESOLVE + steps) * model.step
        deadline = Deadline.after(np.inf, work=words / WORDS_PER_UNIT)
        answer = solve(model, deadline)
        assert answer.status is Status.STOPPED
        assert deadline.is_set()
        answers.append((deadline.work.words, answer.objective))
    np.testing.assert_equal(answers[0], answers[1])
