"""History: one record per round of column generation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did.

    Attributes
    ----------
    number
        Rounds are counted from one.
    seconds
        Time since the fit began, at the end of the round.
    max_conditions
        Most conditions that a rule could have.
    lp_value
        Value of the restricted master at the start of the round.
    lower_bound
        Best proven bound so far on the master over all rules.
    best_reduced_cost
        Most negative reduced cost found; zero when none was.
    new_rules
        Rules that joined the pool.
    pool_size
        Rules in the pool at the end of the round.
    is_complete
        Whether the pricing proved its answer.
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
