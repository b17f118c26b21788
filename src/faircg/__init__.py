"""faircg: fair, interpretable rule sets with a certificate.

Public names are loaded when they are first used, so that the command line answers
quickly and ``import faircg`` costs little.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from faircg.binarize import ConditionBinarizer as ConditionBinarizer
    from faircg.classifier import FairRuleSetClassifier as FairRuleSetClassifier
    from faircg.evaluate import rule_table as rule_table
    from faircg.explain import Explanation as Explanation
    from faircg.explain import Explanations as Explanations
    from faircg.fairness import EqualityOfOpportunity as EqualityOfOpportunity
    from faircg.fairness import EqualizedOdds as EqualizedOdds
    from faircg.grouping import Grouping as Grouping
    from faircg.model import RuleSetModel as RuleSetModel
    from faircg.policy_price import price_of_policy as price_of_policy
    from faircg.rules import Condition as Condition
    from faircg.rules import Rule as Rule
    from faircg.rules import RuleSet as RuleSet
    from faircg.search import FairRuleSetClassifierCV as FairRuleSetClassifierCV

_HOME = {
    "Condition": "faircg.rules",
    "ConditionBinarizer": "faircg.binarize",
    "EqualityOfOpportunity": "faircg.fairness",
    "EqualizedOdds": "faircg.fairness",
    "Explanation": "faircg.explain",
    "Explanations": "faircg.explain",
    "FairRuleSetClassifier": "faircg.classifier",
    "FairRuleSetClassifierCV": "faircg.search",
    "Grouping": "faircg.grouping",
    "Rule": "faircg.rules",
    "RuleSet": "faircg.rules",
    "RuleSetModel": "faircg.model",
    "price_of_policy": "faircg.policy_price",
    "rule_table": "faircg.evaluate",
}
__all__ = sorted(_HOME)
__version__ = _version("faircg")


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'faircg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
