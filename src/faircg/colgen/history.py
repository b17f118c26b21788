"""History: one record per round of column generation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did, and what was known at its end.

    ``lp_value`` is that of the restricted master at its start, ``lower_bound`` the best
    bound proven so far on the master over all rules; ``best_reduced_cost`` is zero when
    no rule of negative reduced cost was found, and ``is_complete`` says whether the
    pricing proved its answer.
    """

    number: int
    seconds: float
    max_conditions: int
    lp_value: float
    lower_bound: float
    best_reduced_cost: float
    new_rules: int
    pool_size: int
    is_complete: bool
