"""Fairness criteria, and the exact recount of what a rule set does to each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from faircg.fairness.bounds import Bound as Bound
from faircg.fairness.bounds import Cap as Cap
from faircg.fairness.bounds import Difference as Difference
from faircg.fairness.bounds import Floor as Floor
from faircg.fairness.bounds import Ratio as Ratio
from faircg.fairness.constraint import criterion_by_name as criterion_by_name
from faircg.fairness.criteria import RATES as RATES
from faircg.fairness.criteria import AccuracyParity as AccuracyParity
from faircg.fairness.criteria import BoundedGroupLoss as BoundedGroupLoss
from faircg.fairness.criteria import DemographicParity as DemographicParity
from faircg.fairness.criteria import EqualityOfOpportunity as EqualityOfOpportunity
from faircg.fairness.criteria import EqualizedOdds as EqualizedOdds
from faircg.fairness.criteria import FourFifths as FourFifths
from faircg.fairness.criteria import LinearConstraint as LinearConstraint
from faircg.fairness.criteria import PrecisionFloor as PrecisionFloor
from faircg.fairness.criteria import PredictiveEquality as PredictiveEquality
from faircg.fairness.criteria import RateCap as RateCap
from faircg.fairness.criteria import RateFloor as RateFloor
from faircg.fairness.criteria import RateRatio as RateRatio
from faircg.fairness.criterion import Criterion as Criterion
from faircg.fairness.criterion import Together as Together
from faircg.fairness.criterion import rates_of as rates_of
from faircg.fairness.exact_numbers import exact as exact
from faircg.fairness.families import Family as Family
from faircg.fairness.families import GroupSizes as GroupSizes
from faircg.fairness.metrics import Fairness as Fairness
from faircg.fairness.metrics import GroupCounts as GroupCounts
from faircg.fairness.mirrored import Mirrored as Mirrored
from faircg.fairness.rates import GroupRate as GroupRate
from faircg.fairness.rates import Linear as Linear
from faircg.fairness.rates import Rate as Rate

CRITERIA: Final[Mapping[str, Callable[..., Criterion]]] = {
    "accuracy_parity": AccuracyParity,
    "bounded_group_loss": BoundedGroupLoss,
    "demographic_parity": DemographicParity,
    "equality_of_opportunity": EqualityOfOpportunity,
    "equalized_odds": EqualizedOdds,
    "four_fifths": FourFifths,
    "precision_floor": PrecisionFloor,
    "predictive_equality": PredictiveEquality,
}
"""Criteria by the name that users ask for them with; each takes one number.

Floors, caps and ratios of any rate have names as well, such as ``error_rate_cap``: see
:func:`~faircg.fairness.constraint.criterion_by_name`.
"""
