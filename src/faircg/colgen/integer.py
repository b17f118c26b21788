"""The integer master over the pool, with every solution passed to the selection.

The solver's word is never taken: each solution is recounted in integers. When the
optimum of the paper's equalized-odds rows (Hamming proxy) violates the true false
positive rates, exact rows are added and the program is solved again. A solution that
fails its recount for any other reason is cut off and the search goes on.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.master import Master
from faircg.exceptions import SolverError
from faircg.solver.highs import MipSolution, Status, solve_mip

if TYPE_CHECKING:
    from faircg.colgen.pool import Pool
    from faircg.colgen.problem import Recount
    from faircg.colgen.select import Selection
    from faircg.colgen.stop import Deadline
    from faircg.typing import FloatVector, IntVector

logger = logging.getLogger(__name__)

MOST_CUTS = 20
"""Solutions that may fail their recount before we stop believing the solver."""


@dataclass(frozen=True, slots=True)
class IntegerResult:
    """A proven bound on the loss of every rule set made of the given rules.

    ``is_closed`` if the selection's objective winner is optimal among them.
    """

    bound: float
    is_closed: bool


def solve_integer(
    pool: Pool,
    numbers: IntVector,
    selection: Selection,
    deadline: Deadline,
) -> IntegerResult:
    """Find the best rule set made of some rules of the pool.

    The selection judges every solution met; its winner is the start.
    """
    problem = pool.problem
    if not len(numbers):  # the empty rule set is all there is, and it was judged first
        return IntegerResult(selection.objective, is_closed=True)
    # Without exclude rows a covered positive may claim to be missed; it rarely pays.
    relaxed = (False,) * problem.n_groups
    master = Master(problem, pool, numbers, is_integer=True, excluding=relaxed)
    for attempt in range(MOST_CUTS):
        answer = _solve(master, selection, deadline, attempt)
        if answer.status is Status.INFEASIBLE:
            # Not to be believed while a solution is known: then nothing is proven.
            is_known = problem.recount(()).solves_master(problem.objective)
            bound = -np.inf if is_known else np.inf
            return IntegerResult(bound, is_closed=not is_known)
        if answer.status is Status.STOPPED or answer.values is None:
            return IntegerResult(answer.bound, is_closed=False)
        chosen = master.chosen(answer.values)
        claimed = selection.offer(pool[number] for number in chosen).recount
        if claimed.solves_master(problem.objective):
            if claimed.loss(problem.objective) > round(answer.objective):
                raise SolverError(
                    f"the solver claims a loss of {answer.objective:.3f}, the recount "
                    f"says {claimed.loss(problem.objective)}"
                )
            return IntegerResult(selection.objective, is_closed=True)
        master = _stricter(master, chosen, claimed)
    raise SolverError(
        f"{MOST_CUTS} solutions of the integer master failed their recount"
    )


def _solve(
    master: Master, selection: Selection, deadline: Deadline, seed: int
) -> MipSolution:
    """Solve one program, and let the selection judge every solution met."""
    met: list[FloatVector] = []
    answer = solve_mip(
        master.model,
        deadline,
        start=_start(master, selection),
        on_solution=met.append,
        whole_objective=True,
        seed=seed,
    )
    if answer.values is not None:
        met.append(answer.values)
    for values in met:
        selection.offer(master.pool[number] for number in master.chosen(values))
    logger.debug(
        "integer master: %d rules, %s, loss %.0f, bound %.3f, %d solutions judged",
        len(master.numbers),
        answer.status.value,
        selection.objective,
        answer.bound,
        selection.n_judged,
    )
    return answer


def _stricter(master: Master, chosen: tuple[int, ...], claimed: Recount) -> Master:
    """Return the program without a solution that failed its recount."""
    if master.excluding is not None and master.problem.rate_rows.uses_missed:
        logger.debug("a covered positive claims to be missed: exclude rows")
        return replace(master, excluding=None)
    if not claimed.is_feasible and master.problem.uses_proxy and not master.exact_rates:
        logger.debug("true false positive rates exceed epsilon: exact rows")
        return replace(master, exact_rates=True)
    logger.debug("a solution failed its recount and is cut off")
    return replace(master, forbidden=(*master.forbidden, chosen))


def _start(master: Master, selection: Selection) -> FloatVector | None:
    """Return the objective winner as values of all variables, if the rules allow it."""
    winner = selection.objective_winner
    if winner is None:
        return None
    number_of = {rule: n for n, rule in enumerate(master.pool.rules)}
    numbers = [number_of.get(rule, -1) for rule in winner.rules]
    if not set(numbers) <= set(master.numbers.tolist()):
        return None
    return master.values_of(numbers)
