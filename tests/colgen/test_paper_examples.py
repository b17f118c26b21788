"""The two worked examples of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from faircg.colgen.engine import solve
from faircg.colgen.integer import solve_integer
from faircg.colgen.loop import generate
from faircg.colgen.options import SearchOptions
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import ExactPricer, IntegerPricer, pricer_by_name
from faircg.colgen.problem import Problem
from faircg.colgen.select import Selection
from faircg.colgen.stop import Deadline


@pytest.mark.parametrize("pricing", ["exact", "ip", "ip_dash", "greedy", "sampled"])
@pytest.mark.parametrize("objective", ["hamming", "zero_one"])
def test_one_positive_sample_with_one_condition_does_not_cycle(pricing, objective):
    """Without an upper bound on ``w`` the rule prices out once and never again."""
    problem = Problem.merge(
        np.array([[True]]),
        np.array([True]),
        families=np.zeros(1, np.int32),
        max_complexity=2,
        objective=objective,
    )
    events = []
    pool = Pool(problem)
    generation = generate(
        problem,
        pool,
        pricer_by_name(pricing),
        max_conditions=1,
        deadline=Deadline.after(10),
        on_event=events.append,
    )
    rounds = [event.round for event in events]
    assert [r.new_rules for r in rounds] == [1, 0]
    assert [r.lp_value for r in rounds] == [1.0, 0.0]
    assert pool.rules == ((0,),)
    assert generation.master.value == 0.0
    assert generation.is_proven or pricing == "greedy"


@pytest.mark.parametrize("pricer", [ExactPricer(), IntegerPricer()], ids=repr)
def test_the_toy_is_solved_to_a_proven_optimum(pricer):
    """The rule set is the one condition, and nothing is left to do better."""
    problem = Problem.merge(
        np.array([[True]]),
        np.array([True]),
        families=np.zeros(1, np.int32),
        max_complexity=2,
    )
    solution = solve(problem, SearchOptions(pricer, (1,), Deadline()))
    assert solution.returned.rules == ((0,),)
    assert solution.certificate.proven_optimal
    assert solution.certificate.objective == 0


def lines_through_the_origin(n: int, objective: str) -> Problem:
    """Build n-2 positives on a line each, and two negatives on all lines."""
    m = n - 2
    conditions = np.vstack([np.eye(m, dtype=bool), np.ones((2, m), dtype=bool)])
    is_positive = np.arange(n) < m
    return Problem.merge(
        conditions,
        is_positive,
        families=np.arange(m, dtype=np.int32),
        max_complexity=2 * m,
        objective=objective,
    )


@pytest.mark.parametrize("n", [5, 6, 8, 12])
def test_hamming_loss_prefers_the_empty_rule_set_where_zero_one_loss_covers_all(n):
    """The theorem's example: each line costs two negatives, again for each line."""
    winners = {}
    for objective in ("hamming", "zero_one"):
        problem = lines_through_the_origin(n, objective)
        pool = Pool(problem, [(j,) for j in range(n - 2)])
        selection = Selection(problem)
        answer = solve_integer(pool, np.arange(n - 2), selection, Deadline())
        assert answer.is_closed
        winners[objective] = selection.objective_winner
    assert winners["hamming"].rules == ()
    assert winners["hamming"].recount.zero_one_loss == n - 2
    assert winners["zero_one"].rules == tuple((j,) for j in range(n - 2))
    assert winners["zero_one"].recount.zero_one_loss == 2


@pytest.mark.parametrize(("objective", "loss"), [("hamming", 6), ("zero_one", 2)])
def test_the_engine_proves_both_optima_of_the_theorems_example(objective, loss):
    """From no rule at all, by exact pricing."""
    problem = lines_through_the_origin(8, objective)
    solution = solve(problem, SearchOptions(ExactPricer(), (3,), Deadline()))
    assert solution.certificate.objective == loss
    assert solution.certificate.proven_optimal
