"""The bitset search: coverage as 64-bit words, and exact pricing over all rules."""

from faircg._kernel.bits import ConditionBits, count, row_words, take, unpack, weigh
from faircg._kernel.limits import Limits, Meter, StopFlag
from faircg._kernel.loader import HAS_NATIVE
from faircg._kernel.priced_bits import PricedBits
from faircg._kernel.results import EnumerationResult, RuleSetResult, SearchResult
from faircg._kernel.rule_sets import RuleSetProblem, rule_sets_below
from faircg._kernel.search import enumerate_below, search

__all__ = [
    "HAS_NATIVE",
    "ConditionBits",
    "EnumerationResult",
    "Limits",
    "Meter",
    "PricedBits",
    "RuleSetProblem",
    "RuleSetResult",
    "SearchResult",
    "StopFlag",
    "count",
    "enumerate_below",
    "row_words",
    "rule_sets_below",
    "search",
    "take",
    "unpack",
    "weigh",
]
