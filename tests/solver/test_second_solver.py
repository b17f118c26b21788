"""The very programs that HiGHS gets, solved by SCIP as well.

Random small questions of every criterion, both losses and both masters. HiGHS solves
each program as we call it, and with presolve on and off from three seeds; SCIP solves
it once; and where a program is the whole question, a list of all rule sets says the
answer too. A program on which they differ is left under ``build/second_solver`` as an
MPS file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import highspy
import numpy as np
import pyscipopt
import pytest

from faircg.colgen.coverage.master import CoverageMaster
from faircg.colgen.coverage.pair_cuts import PairCuts
from faircg.colgen.master import Master
from faircg.colgen.pool import Pool
from faircg.colgen.stop import Deadline
from faircg.solver import highs
from faircg.solver.highs import INFINITY, LinearModel, Status, solve_lp, solve_mip
from oracle import NO_LIMIT
from questions import ASKED, Question, question_of

if TYPE_CHECKING:
    from faircg.colgen.problem import Problem

SAVED = Path(__file__).parents[2] / "build" / "second_solver"
SEARCHED = [("hamming", False), ("hamming", True), ("zero_one", False)]
"""The loss, and whether false positives count by the paper's proxy."""
MASTERS = (
    "linear",
    "integer",
    "integer relaxed",
    "coverage",
    "coverage penalty",
    "coverage integer",
)
CELLS = [*product(MASTERS, SEARCHED, ASKED)]
WAYS = [*product(("on", "off"), (0, 1, 2))]
"""Presolve and seed."""
COUNTS = [
    *(pytest.param(range(start, start + 10), id="few") for start in range(0, 100, 10)),
    *(
        pytest.param(range(start, start + 100), id="many", marks=pytest.mark.long)
        for start in range(1_000, 3_000, 100)
    ),
]


@dataclass(frozen=True)
class Answer:
    """How a solve ended, and the least cost there is."""

    status: Status
    objective: float = np.inf

    def agrees(self, other: Answer) -> bool:
        if self.status is not other.status:
            return False
        close = pytest.approx(other.objective, rel=1e-6, abs=1e-6)
        return self.status is not Status.OPTIMAL or self.objective == close


@dataclass(frozen=True, eq=False)
class Program:
    """A program, and its answer by a list of all rule sets, if that is known."""

    name: str
    model: LinearModel
    listed: Answer | None = None


def program_of(number: int) -> Program:
    """Draw a program; as many numbers in a row as there are cells go through all."""
    kind, (objective, by_proxy), asked = CELLS[37 * number % len(CELLS)]
    question = question_of(asked, number)
    problem = question.problem(objective, by_proxy=by_proxy)
    rng = np.random.default_rng([number, 14])
    pool = Pool(problem, question.drawn.rules)
    numbers = np.arange(len(pool))
    is_whole = kind.endswith("integer")
    if not is_whole:
        numbers = numbers[rng.random(len(pool)) < rng.choice([0.4, 1.0])]
    if kind.startswith("coverage"):
        model = coverage_model(problem, pool, numbers, kind, rng)
    else:
        relaxed = (False,) * problem.n_groups if kind == "integer relaxed" else None
        is_integer = kind != "linear"
        model = Master(
            problem, pool, numbers, is_integer, exact_rates=is_whole, excluding=relaxed
        ).model
    proxy = " by the proxy" if by_proxy else ""
    name = f"{number} {kind}, {objective}{proxy}, {asked}"
    return Program(name, model, listed(question, problem, kind) if is_whole else None)


def coverage_model(
    problem: Problem,
    pool: Pool,
    numbers: np.ndarray,
    kind: str,
    rng: np.random.Generator,
) -> LinearModel:
    """Return the coverage master with cuts for a third of all pairs of rows."""
    n_rows = problem.n_rows
    first, second = np.divmod(np.arange(n_rows * n_rows), n_rows)
    cut = (first != second) & (rng.random(len(first)) < 1 / 3)
    cuts = PairCuts.none().with_pairs(first[cut], second[cut], n_rows)
    dear = float(problem.miss_costs.sum() + problem.hit_costs.sum() + 1)
    penalty = dear if kind == "coverage penalty" else 0.0
    master = CoverageMaster(problem, pool, numbers, cuts, penalty)
    if kind != "coverage integer":
        return master.model
    # With whole rules and covers it is the question itself: no cut is too deep.
    integer = np.arange(len(master.model.cost)) < master.layout.rule.stop
    return replace(master.model, integer=integer)


def listed(question: Question, problem: Problem, kind: str) -> Answer:
    """Return the least loss of all rule sets; covers know nothing of the proxy."""
    by_proxy = problem.uses_proxy and kind == "integer"
    if problem.objective == "zero_one":
        least = question.least(question.zero_one)
    else:
        least = question.least_hamming(by_proxy=by_proxy)
    if least == NO_LIMIT:
        return Answer(Status.INFEASIBLE)
    return Answer(Status.OPTIMAL, least)


def by_us(model: LinearModel) -> Answer:
    """Solve as the package does."""
    if not model.integer.any():
        found = solve_lp(model, Deadline())
        return Answer(found.status, found.objective)
    answer = solve_mip(model, Deadline())
    return Answer(answer.status, answer.objective)


def by_highs(model: LinearModel, presolve: str, seed: int) -> Answer:
    """Solve without what our border does when a first try fails."""
    solver = highs._loaded(model, Deadline(), presolve=presolve, seed=seed)
    for name, value in (("mip_rel_gap", 0.0), ("mip_abs_gap", 1e-9)):
        highs._set(solver, name, value)
    solver.run()
    ended = solver.getModelStatus()
    if ended == highspy.HighsModelStatus.kInfeasible:
        return Answer(Status.INFEASIBLE)
    if ended not in highs._SOLVED:
        return Answer(Status.STOPPED)
    values = np.array(solver.getSolution().col_value)
    return Answer(Status.OPTIMAL, float(model.cost @ values) + model.offset)


def by_scip(model: LinearModel) -> Answer:
    """Solve by another solver, told the same numbers."""
    solver = pyscipopt.Model()
    solver.hideOutput()
    for name in ("numerics/feastol", "numerics/dualfeastol"):
        solver.setParam(name, 1e-9)
    for name in ("limits/gap", "limits/absgap"):
        solver.setParam(name, 0.0)
    columns = [
        solver.addVar(
            vtype="I" if integer else "C",
            lb=lower,
            ub=None if upper == INFINITY else upper,
            obj=cost,
        )
        for cost, lower, upper, integer in zip(
            model.cost.tolist(),
            model.lower.tolist(),
            model.upper.tolist(),
            model.integer.tolist(),
            strict=True,
        )
    ]
    solver.addObjoffset(model.offset)
    rows = model.matrix.tocsr()
    for row, (lower, upper) in enumerate(
        zip(model.row_lower.tolist(), model.row_upper.tolist(), strict=True)
    ):
        at = slice(rows.indptr[row], rows.indptr[row + 1])
        entries = zip(rows.indices[at].tolist(), rows.data[at].tolist(), strict=True)
        total = pyscipopt.quicksum(value * columns[j] for j, value in entries)
        if lower > -INFINITY:
            solver.addCons(total >= lower)
        if upper < INFINITY:
            solver.addCons(total <= upper)
    solver.optimize()
    if solver.getStatus() == "infeasible":
        return Answer(Status.INFEASIBLE)
    assert solver.getStatus() == "optimal"
    return Answer(Status.OPTIMAL, float(solver.getObjVal()))


def compare(
    program: Program, theirs: LinearModel | None = None, folder: Path = SAVED
) -> Answer:
    """Demand one answer of all; where they differ, save the program and say where."""
    model = program.model
    answers = {
        "SCIP": by_scip(theirs or model),
        "HiGHS as we call it": by_us(model),
    }
    for presolve, seed in WAYS:
        answers[f"HiGHS, presolve {presolve}, seed {seed}"] = by_highs(
            model, presolve, seed
        )
    if program.listed is not None:
        answers["a list of all rule sets"] = program.listed
    if not all(answer.agrees(answers["SCIP"]) for answer in answers.values()):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{re.sub(r'[^a-z0-9]+', '-', program.name)}.mps"
        solver = highs._loaded(model, Deadline(), presolve="on")
        solver.writeModel(str(path))
        told = "\n".join(f"{who}: {answer}" for who, answer in answers.items())
        pytest.fail(f"{program.name}; see {path}\n{told}")
    return answers["SCIP"]


@pytest.mark.parametrize("numbers", COUNTS)
def test_two_solvers_and_the_list_agree(numbers, record_property):
    """On the status, and to a millionth on the least loss."""
    for number in numbers:
        compare(program_of(number))
    record_property("cases", len(numbers))


def test_the_few_programs_are_of_every_kind():
    """Each master, loss and criterion is among them, and no two are of one kind."""
    cells = [CELLS[37 * number % len(CELLS)] for number in range(100)]
    for part, whole in enumerate((MASTERS, SEARCHED, ASKED)):
        assert {cell[part] for cell in cells} == {*whole}
    assert len({*cells}) == len(cells)


def test_a_program_on_which_they_differ_is_saved(tmp_path):
    """The file has the program as HiGHS got it, and the failure names it."""
    program = next(filter(has_costs, map(program_of, range(100))))
    right = compare(program)
    other = replace(program.model, offset=program.model.offset + 0.01)
    with pytest.raises(pytest.fail.Exception, match=r"see .*\.mps\nSCIP: ") as told:
        compare(program, other, tmp_path)
    (path,) = tmp_path.iterdir()
    assert str(path) in str(told.value)
    solver = highspy.Highs()
    solver.silent()
    solver.readModel(str(path))
    solver.run()
    assert solver.getObjectiveValue() == pytest.approx(right.objective)


def has_costs(program: Program) -> bool:
    """Whether there is a solution that costs something."""
    return program.listed is not None and 0 < program.listed.objective < np.inf
