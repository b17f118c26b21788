"""Wrong predictions: what a fit that minimised another loss can say about them.

People defend wrong predictions. A fit by Hamming loss therefore ends with a look at the
coverage master, which counts them: its bound goes into the certificate, and a rule set
found on the way with fewer errors is returned. Large tables do without.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from faircg.colgen.closing import FEW_RULE_SETS
from faircg.colgen.improving import STARTS, polish
from faircg.colgen.loop import generate, rounds_up
from faircg.colgen.pool import Pool
from faircg.colgen.prove import prove
from faircg.colgen.select import Selection

if TYPE_CHECKING:
    from faircg.colgen.certificate import Certificate
    from faircg.colgen.options import SearchOptions
    from faircg.colgen.problem import Problem
    from faircg.colgen.select import Candidate

FEW_ROWS, MOST_ROWS = 500, 2_500
"""Distinct rows up to which the coverage master is solved beside, or is begun."""
ROUNDS: Final = 5
"""Rounds of a master that is only begun."""
MOST_RULES: Final = 1_500
"""Rules inside the gap up to which it is closed by enumeration.

Limits on the work, not on the time: the answer does not depend on the machine.
"""


def errors_bound(
    pool: Pool, selection: Selection, max_conditions: int, options: SearchOptions
) -> float:
    """Bound the wrong predictions of every rule set, and look for better ones.

    Zero where the table is too large for that.
    """
    problem, deadline = replace(pool.problem, objective="zero_one"), options.deadline
    if problem.n_rows > MOST_ROWS or deadline.is_set():
        return 0.0
    known = [candidate.rules for candidate in selection.fewest_errors(STARTS)]
    counting, rules = Selection(problem, known=known), Pool(problem, pool.rules)
    generation = generate(
        problem,
        rules,
        options.pricer,
        max_conditions=max_conditions,
        deadline=deadline,
        most_rounds=math.inf if problem.n_rows <= FEW_ROWS else ROUNDS,
    )
    bound = generation.lower_bound
    if rounds_up(bound) < counting.objective:
        goal = rounds_up(bound)
        polish(rules, generation, counting, deadline, options.seed, goal)
    if generation.proof is not None and rounds_up(bound) < counting.objective:
        proven = prove(
            rules,
            generation.proof,
            counting,
            deadline,
            threads=options.threads,
            most_rules=MOST_RULES,
            most_rule_sets=FEW_RULE_SETS if options.hurries else None,
        )
        bound = max(bound, proven)
    for candidate in counting.fewest_errors(1):
        selection.offer(candidate.rules)
    return bound


def counting_errors(
    certificate: Certificate,
    problem: Problem,
    returned: Candidate,
    fewest: float,
    simple: float,
) -> Certificate:
    """Add the wrong predictions of the rule set returned, and the bounds on them.

    ``fewest`` bounds every rule set, ``simple`` every classifier. They count costs if
    people do not cost one each.
    """
    loss = returned.recount.zero_one_loss
    bounds = (max(fewest, simple), simple)
    at_least = [min(math.ceil(bound - 1e-6), loss) for bound in bounds]
    certificate = replace(certificate, errors=returned.recount.errors)
    if problem.costs is not None or problem.units.words is not None:
        return replace(
            certificate,
            cost=float(loss),
            cost_lower_bound=float(at_least[0]),
            any_classifier_cost=float(at_least[1]),
        )
    return replace(
        certificate,
        errors_lower_bound=at_least[0],
        any_classifier_errors=at_least[1],
    )
