"""The table of rules: how many people each covers, and of which groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from faircg.evaluate.coverage import Coverage, rule_results
from faircg.groups import groups_as_learned, groups_of
from faircg.labels import plain_labels, read_truth
from faircg.rules import RuleSet
from faircg.table import Table, read_table
from faircg.validation import check_same_rows, read_weights

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from faircg.evaluate.coverage import RuleResult
    from faircg.evaluate.shares import Share
    from faircg.groups import Groups
    from faircg.model import RuleSetModel
    from faircg.typing import BoolVector, IntVector

ANY_RULE = "any rule"
"""Name of the line of totals."""


def rule_table(
    rules: RuleSet | RuleSetModel,
    X: Any,
    y: ArrayLike | None = None,
    *,
    sensitive_features: Any = None,
    sample_weight: ArrayLike | None = None,
    missing_groups: str = "raise",
    totals: bool = False,
    strict: bool | None = None,
) -> pd.DataFrame:
    """Count the people that each rule covers.

    Parameters
    ----------
    rules, X
        A rule set or a model, and a data frame or a :class:`~faircg.table.Table`.
    y
        True labels. The positive one is the model's; for a bare rule set the one that
        the rules are for is that whose text is the rule set's label, or else True.
    sensitive_features
        Group of each row, as for ``fit``.
    sample_weight
        How many people each row stands for: whole numbers; one each by default.
    missing_groups
        ``"raise"`` an error for missing groups, or make them a ``"group"``.
    totals
        Whether to add a line for the people covered by any rule.
    strict
        Raise, rather than warn, when a category was never seen in training; by default
        if that is most of a feature, with False never.

    Returns
    -------
    DataFrame
        One line per rule, in the order in which the rule set prints them: ``rule``,
        ``conditions`` (their number), ``covered`` (people), ``covered_share`` (of all
        people), ``only_this_rule`` (people that no other rule covers) and
        ``newly_covered`` (people that no rule above covers). With ``y``:
        ``covered_positives``, and ``precision``, the share of those covered who have
        the label that the rules are for. With groups: for each, ``covered: name`` and
        ``covered_share: name`` (of the group).
        A share of nobody is NaN. In the line of totals ``only_this_rule`` counts the
        people covered by just one rule.

    Examples
    --------
    >>> import pandas as pd
    >>> from faircg import Condition, Rule, RuleSet
    >>> old = Rule((Condition("age", ">", 40),))
    >>> rules = RuleSet((old, Rule((Condition("member", "=", True),))))
    >>> people = pd.DataFrame({"age": [50, 50, 30], "member": [True, False, False]})
    >>> table = rule_table(rules, people, [True, False, True], totals=True)
    >>> table[["rule", "covered", "only_this_rule", "newly_covered", "precision"]]
           rule  covered  only_this_rule  newly_covered  precision
    0  age > 40        2               1              2        0.5
    1    member        1               0              0        1.0
    2  any rule        2               1              2        0.5
    """
    import pandas as pd

    check_same_rows(
        X, sensitive_features=sensitive_features, sample_weight=sample_weight
    )
    rule_set, table = rules_and_table(rules, X)
    if not isinstance(rules, RuleSet):
        rules.covers(table, strict=strict)  # warns of categories never seen
    truth = None if y is None else _meant(rules, y, table.n_rows)
    weights = read_weights(sample_weight, table.n_rows).whole
    groups = None
    if sensitive_features is not None:
        groups = _groups(rules, sensitive_features, weights, missing_groups)
    coverage = Coverage.of(rule_set, table, weights)
    names = [*map(str, rule_set), ANY_RULE]
    sizes = [len(rule.conditions) for rule in rule_set]
    sizes.append(sum(sizes))
    results = rule_results(coverage, truth, groups)
    frame = pd.DataFrame(map(_line, names, sizes, results))
    if rule_set.rules_for == "negative" and truth is not None:
        frame["covered_positives"] = frame["covered"] - frame["covered_positives"]
    return frame if totals else frame.iloc[:-1].reset_index(drop=True)


def _groups(
    rules: RuleSet | RuleSetModel,
    sensitive_features: Any,
    weights: IntVector,
    missing: str,
) -> Groups:
    if isinstance(rules, RuleSet):
        return groups_of(sensitive_features, weights, missing=missing)
    return groups_as_learned(
        sensitive_features,
        weights,
        missing=missing,
        parts=rules.groups,
        grouping=rules.grouping,
        families=rules.families,
    )


def _line(name: str, n_conditions: int, result: RuleResult) -> dict[str, Any]:
    line: dict[str, Any] = {
        "rule": name,
        "conditions": n_conditions,
        "covered": result.covered.count,
        "covered_share": _number(result.covered),
        "only_this_rule": result.only_this,
        "newly_covered": result.newly,
    }
    if result.precision is not None:
        line["covered_positives"] = result.precision.count
        line["precision"] = _number(result.precision)
    for group, inside in result.groups.items():
        line[f"covered: {group}"] = inside.count
        line[f"covered_share: {group}"] = _number(inside)
    return line


def _number(share: Share) -> float:
    return float("nan") if share.value is None else share.value


def rules_and_table(rules: RuleSet | RuleSetModel, X: Any) -> tuple[RuleSet, Table]:
    """Return the rules, and the features that they test; others may be of any type."""
    rule_set = rules if isinstance(rules, RuleSet) else rules.rule_set
    if isinstance(X, Table):
        return rule_set, X
    if not isinstance(rules, RuleSet):
        return rule_set, rules.read(X)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return rule_set, read_table(X)
    absent = [name for name in rule_set.features if name not in frame.columns]
    if absent:
        raise ValueError(f"the table lacks features that rules test: {absent}")
    if not rule_set.features:
        return rule_set, Table({}, len(frame))
    return rule_set, read_table(frame.select(*rule_set.features).to_native())


def _meant(rules: RuleSet | RuleSetModel, y: ArrayLike, n_rows: int) -> BoolVector:
    """Say which rows have the label that the rules are for."""
    if not isinstance(rules, RuleSet):
        return rules.rule_set.turned(read_truth(y, rules.labels, n_rows))
    found = plain_labels(y, n_rows)
    is_truth = np.asarray(y).dtype.kind == "b" and rules.label not in ("True", "False")
    wanted = "True" if is_truth else rules.label
    is_meant = np.array([str(label) == wanted for label in found], dtype=bool)
    if n_rows and not is_meant.any() and not is_truth:
        raise ValueError(
            f"y has no label {rules.label!r}, which the rules predict (for "
            f"example {found[0]!r}); pass the model, or True for those meant"
        )
    return is_meant
