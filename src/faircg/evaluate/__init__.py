"""Counting people: what a rule set does to each group, and what each rule does.

Everything that counts people is here, once, for estimators, searches, the command line,
reports and plots. Counts are whole numbers and gaps are fractions; only intervals are
floats. Whatever counts takes weights: a row counts as often as its weight says.
"""

from __future__ import annotations

from faircg.evaluate.counts import group_counts as group_counts
from faircg.evaluate.counts import total as total
from faircg.evaluate.coverage import Coverage as Coverage
from faircg.evaluate.coverage import RuleResult as RuleResult
from faircg.evaluate.coverage import rule_results as rule_results
from faircg.evaluate.gaps import Gap as Gap
from faircg.evaluate.part_results import GroupResult as GroupResult
from faircg.evaluate.part_results import PartResult as PartResult
from faircg.evaluate.part_results import part_result as part_result
from faircg.evaluate.people import People as People
from faircg.evaluate.references import Reference as Reference
from faircg.evaluate.references import recorded_result as recorded_result
from faircg.evaluate.rule_table import rule_table as rule_table
from faircg.evaluate.shares import Share as Share
from faircg.evaluate.shares import share_of as share_of
