"""Why each decision was made.

:func:`explain` says for each row which rules cover it or how the closest rules fail,
and the smallest change that would flip the decision.
"""

from __future__ import annotations

from faircg.explain.changes import Change, FeatureChange
from faircg.explain.explanations import Explanations, explain
from faircg.explain.reasons import Explanation, FailedCondition, NearRule
from faircg.features import NumericRange, numeric_ranges

__all__ = [
    "Change",
    "Explanation",
    "Explanations",
    "FailedCondition",
    "FeatureChange",
    "NearRule",
    "NumericRange",
    "explain",
    "numeric_ranges",
]
