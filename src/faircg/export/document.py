"""Document: the rules, the certificate and the group counts, as plain tables of text.

Markdown and LaTeX differ in how they escape and draw, not in what they say.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from faircg.fairness import GroupCounts
from faircg.printable import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from faircg.model import RuleSetModel


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a sentence or two, and a table where there is one to show."""

    title: str
    sentence: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def make_document(model: RuleSetModel) -> tuple[Block, ...]:
    """Return the blocks that describe a model; no text in them is escaped.

    Examples
    --------
    >>> from faircg.model import RuleSetModel
    >>> from faircg.rules import RuleSet
    >>> model = RuleSetModel(RuleSet((), label="risk"), (), ("safe", "risk"))
    >>> [block.sentence for block in make_document(model)]
    ['Never predict risk (the empty rule set).']
    """
    blocks = [_rules(model)]
    if model.certificate is not None:
        proven = shown(model.certificate.summary, None)
        blocks.append(Block("Certificate", f"{proven[:1].upper()}{proven[1:]}."))
        entries = model.certificate.to_dict().items()
        rows = tuple((_spoken(key), _entry(value)) for key, value in entries)
        title, sentence = "Details of the certificate", "All that the fit recorded."
        blocks.append(Block(title, sentence, ("entry", "value"), rows))
    if model.groups:
        blocks.append(_groups(model.groups))
    return tuple(blocks)


def _rules(model: RuleSetModel) -> Block:
    rules = model.rule_set.rules
    label = shown(model.rule_set.label, None)
    if not rules:
        return Block("Rules", f"Never predict {label} (the empty rule set).")
    rows = tuple((str(k + 1), shown(str(rule), None)) for k, rule in enumerate(rules))
    other = _shown(model.labels[model.rule_set.rules_for == "negative"])
    return Block(
        "Rules",
        f"Predict {label} if any rule holds, {other} otherwise. A comparison with "
        "a missing value does not hold.",
        ("rule", "conditions"),
        rows,
    )


def _groups(groups: Mapping[str, GroupCounts]) -> Block:
    keys = [field.name for field in fields(GroupCounts)]
    rows = tuple(
        (
            shown(group, None),
            *(str(getattr(counts, key)) for key in keys),
            _share(counts.true_positives, counts.positives),
            _share(counts.false_positives, counts.negatives),
        )
        for group, counts in groups.items()
    )
    return Block(
        "Groups",
        "Counts and rates on the training data.",
        ("group", *map(_spoken, keys), "true positive rate", "false positive rate"),
        rows,
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "no such people"


def _spoken(key: str) -> str:
    return shown(key, None).replace("_", " ")


def _entry(value: object) -> str:
    """Say an entry of the certificate; the model file has all digits."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return shown(value, None)
    return shown(json.dumps(value, ensure_ascii=False), None)
