"""What each rule does: how many people it covers, and of which groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from faircg.groups import read_groups
from faircg.labels import plain
from faircg.rules import RuleSet
from faircg.table import Table, read_table

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from faircg.model import RuleSetModel
    from faircg.typing import BoolVector

ANY_RULE = "any rule"
"""Name of the line of totals."""


def rule_table(
    rules: RuleSet | RuleSetModel,
    X: Any,
    y: ArrayLike | None = None,
    *,
    sensitive_features: Any = None,
    missing_groups: str = "raise",
    totals: bool = False,
    strict: bool = False,
) -> pd.DataFrame:
    """Count the people that each rule covers.

    Parameters
    ----------
    rules
        A rule set, or a model with one.
    X
        A data frame, or a :class:`~faircg.table.Table`.
    y
        True labels. The positive one is the model's; for a bare rule set the one whose
        text is the rule set's label, or else True.
    sensitive_features
        Group of each row, as for ``fit``.
    missing_groups
        ``"raise"`` an error for missing groups, or make them a ``"group"``.
    totals
        Whether to add a line for the people covered by any rule.
    strict
        Raise, rather than warn, when a category was never seen in training.

    Returns
    -------
    DataFrame
        One line per rule, in the order in which the rule set prints them: ``rule``,
        ``conditions`` (their number), ``covered`` (people), ``covered_share`` (of all
        people), ``only_this_rule`` (people that no other rule covers) and
        ``newly_covered`` (people that no rule above covers). With ``y``:
        ``covered_positives``, and ``precision``, their share of those covered. With
        groups: for each, ``covered: name`` and ``covered_share: name`` (of the group).
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

    if isinstance(rules, RuleSet):
        rule_set, table = rules, _table_of(rules, X)
    else:
        kinds = {feature.name: feature.kind for feature in rules.features}
        rule_set = rules.rule_set
        table = X if isinstance(X, Table) else read_table(X, kinds=kinds)
        rules.covers(table, strict=strict)  # warns of categories never seen
    n_rows = table.n_rows
    is_positive = None if y is None else _positives(rules, y, n_rows)
    groups = None
    if sensitive_features is not None:
        groups = read_groups(sensitive_features, missing=missing_groups)
        if len(groups.codes) != n_rows:
            raise ValueError(
                f"X has {n_rows} rows and sensitive_features has {len(groups.codes)}"
            )
    masks = [rule.covers(table) for rule in rule_set]
    times = np.zeros(n_rows, dtype=np.int64)
    for mask in masks:
        times += mask
    before = np.zeros(n_rows, dtype=bool)
    lines = []

    def add(name: str, conditions: int, mask: BoolVector, seen: BoolVector) -> None:
        covered = int(mask.sum())
        line: dict[str, Any] = {
            "rule": name,
            "conditions": conditions,
            "covered": covered,
            "covered_share": _share(covered, n_rows),
            "only_this_rule": int((mask & (times == 1)).sum()),
            "newly_covered": int((mask & ~seen).sum()),
        }
        if is_positive is not None:
            hits = int((mask & is_positive).sum())
            line |= {"covered_positives": hits, "precision": _share(hits, covered)}
        if groups is not None:
            sizes = np.bincount(groups.codes, minlength=len(groups.names))
            inside = np.bincount(groups.codes[mask], minlength=len(groups.names))
            for group, count, size in zip(groups.names, inside, sizes, strict=True):
                line[f"covered: {group}"] = int(count)
                line[f"covered_share: {group}"] = _share(int(count), int(size))
        lines.append(line)

    for rule, mask in zip(rule_set, masks, strict=True):
        add(str(rule), len(rule.conditions), mask, before)
        before = before | mask
    nobody = np.zeros(n_rows, dtype=bool)
    add(ANY_RULE, sum(len(r.conditions) for r in rule_set), before, nobody)
    frame = pd.DataFrame(lines)
    return frame if totals else frame.iloc[:-1].reset_index(drop=True)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _table_of(rule_set: RuleSet, X: Any) -> Table:
    """Read the features that rules test; the others may be of any type."""
    if isinstance(X, Table):
        return X
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        absent = [name for name in rule_set.features if name not in frame.columns]
        if absent:
            raise ValueError(f"the table lacks features that rules test: {absent}")
        if rule_set.features:
            return read_table(frame.select(*rule_set.features).to_native())
        return Table({}, len(frame))
    return read_table(X)


def _positives(rules: RuleSet | RuleSetModel, y: ArrayLike, n_rows: int) -> BoolVector:
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(f"X has {n_rows} rows and y has shape {labels.shape}")
    found = [plain(label) for label in labels]
    if isinstance(rules, RuleSet):
        names = ("True", "False")
        if labels.dtype.kind == "b" and rules.label not in names:
            return labels
        is_positive = np.array([str(label) == rules.label for label in found], bool)
        if n_rows and not is_positive.any():
            raise ValueError(
                f"y has no label {rules.label!r}, which the rules predict (for "
                f"example {found[0]!r}); pass the model, or True for the positives"
            )
        return is_positive
    negative, positive = rules.labels
    unknown = [label for label in found if label not in (negative, positive)]
    if unknown:
        raise ValueError(
            f"y has the label {unknown[0]!r}; the model knows {negative!r} and "
            f"{positive!r}"
        )
    return np.array([label == positive for label in found], dtype=bool)
