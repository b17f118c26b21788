"""A rule set from the first moment on."""

from __future__ import annotations

import pytest

from faircg.colgen.engine import solve
from faircg.colgen.first import everybody, offer_first
from faircg.colgen.options import SearchOptions
from faircg.colgen.pool import Pool
from faircg.colgen.pricing import ExactPricer
from faircg.colgen.select import Selection
from faircg.colgen.stop import Deadline
from small_problems import CRITERIA, questions


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_first_rule_set_is_no_worse_than_a_constant(criterion):
    """Before any search there is a rule set as good as nobody, and as everybody.

    A search that is interrupted at once returns it, and claims nothing else.
    """
    n_better = 0
    for instance, _, problem in questions(criterion, "hamming", 2, 30):
        selection = Selection(problem)
        offer_first(Pool(problem), selection)
        found = selection.returned_winner
        assert found is not None
        constants = [problem.recount(()), problem.recount(everybody(problem.bits))]
        least = min(r.zero_one_loss for r in constants if r.is_feasible)
        assert found.recount.is_feasible
        assert found.recount.zero_one_loss <= least
        n_better += found.recount.zero_one_loss < least
        deadline = Deadline()
        deadline.interrupted.set()
        options = SearchOptions(ExactPricer(), (instance.max_conditions,), deadline)
        solution = solve(problem, options)
        assert solution.returned.rules == found.rules
        assert solution.certificate.status in ("interrupted", "optimal")
    assert n_better > 5
