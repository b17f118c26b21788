"""Counting people: what a rule set does to each group, and what each rule does.

Everything that counts people is here, once, for estimators, searches, the command line,
reports and plots. Counts are whole numbers and gaps are fractions; only intervals are
floats. Whatever counts takes weights: a row counts as often as its weight says.
"""

from __future__ import annotations

from faircg.evaluate.counts import group_counts, total
from faircg.evaluate.coverage import Coverage, RuleResult, rule_results
from faircg.evaluate.gaps import Gap
from faircg.evaluate.part_results import GroupResult, PartResult, part_result
from faircg.evaluate.people import People
from faircg.evaluate.rule_table import rule_table
from faircg.evaluate.shares import Share, share_of

__all__ = [
    "Coverage",
    "Gap",
    "GroupResult",
    "PartResult",
    "People",
    "RuleResult",
    "Share",
    "group_counts",
    "part_result",
    "rule_results",
    "rule_table",
    "share_of",
    "total",
]
