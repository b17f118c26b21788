"""From records to tables, figures and words: one module for each experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from experiments.reports import (
    complexity,
    diverging_rates,
    frontier,
    hamming_proxy,
    hamming_vs_zero_one,
    no_constraint,
    rule_mining,
    sample_rule_sets,
    thresholds,
    zero_one_select,
)

if TYPE_CHECKING:
    from experiments.reports.base import Report

REPORTS = cast(
    "tuple[Report, ...]",
    (
        no_constraint,
        frontier,
        thresholds,
        diverging_rates,
        complexity,
        zero_one_select,
        hamming_vs_zero_one,
        hamming_proxy,
        rule_mining,
        sample_rule_sets,
    ),
)
"""In the order of the results page."""
