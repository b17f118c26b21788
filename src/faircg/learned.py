"""What a fit learned: from a solution of the engine to a model that predicts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from numbers import Integral
from typing import TYPE_CHECKING

from faircg.colgen.certificate import relative_gap
from faircg.evaluate import group_counts, total
from faircg.evaluate.coverage import Coverage
from faircg.evaluate.gaps import fairness_of
from faircg.exceptions import SensitiveFeatureWarning, SolverError
from faircg.labels import plain
from faircg.limits import seconds_of
from faircg.model import Asked, Feature, RuleSetModel
from faircg.model_entries import Baseline
from faircg.policy import Policy
from faircg.rule_scores import RuleScores
from faircg.rules import Rule, RuleSet
from faircg.simplify import simplified

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from faircg.classifier import FairRuleSetClassifier
    from faircg.colgen.certificate import Certificate
    from faircg.colgen.engine import Solution
    from faircg.fairness import Criterion, Fairness, GroupCounts
    from faircg.grouping import Grouping
    from faircg.labelled import LabelledTable
    from faircg.plain_tree import PlainTree
    from faircg.rules import Condition
    from faircg.typing import BoolVector, Conditions, RulesFor


def named_rules(
    rules: Iterable[Conditions],
    conditions: Sequence[Condition],
    label: str,
    rules_for: RulesFor,
) -> RuleSet:
    """Return rules of the engine, which are numbers of conditions, in words."""
    named = tuple(Rule(tuple(conditions[j] for j in rule)) for rule in rules)
    return RuleSet(named, label, rules_for)


def asked_of(estimator: FairRuleSetClassifier, data: LabelledTable) -> Asked:
    """Return the settings that a reader of the model will want to know."""
    seed, cuts = estimator.random_state, estimator.thresholds
    weights, work = estimator.class_weight, estimator.work_limit
    seconds = seconds_of(estimator.time_limit, work)
    policy = Policy.of(estimator.monotone, estimator.not_together, data.features)
    return Asked(
        exclude=data.features.excluded,
        increasing=policy.going("increasing"),
        decreasing=policy.going("decreasing"),
        not_together=policy.apart,
        rules_for=estimator.rules_for,
        thresholds=cuts if isinstance(cuts, str) else "given",
        n_thresholds=int(estimator.n_thresholds),
        time_limit=None if seconds == inf else seconds,
        work_limit=None if work is None else float(work),
        random_state=int(seed) if isinstance(seed, Integral) else None,
        cost_false_positive=float(estimator.cost_false_positive),
        cost_false_negative=float(estimator.cost_false_negative),
        class_weight="given" if isinstance(weights, Mapping) else weights,
        costs_by_row=data.costs is not None,
        people_parts=data.parts,
    )


def simplest(
    rule_set: RuleSet, certificate: Certificate, data: LabelledTable
) -> tuple[RuleSet, Certificate]:
    """Simplify what was found, and keep what the certificate says of it true.

    Decisions stay, but the Hamming loss counts a person once for each rule. Where it
    changes and costs are not one each, or would go below a bound that speaks of other
    conditions, the rules stay as they are.
    """
    shorter = simplified(rule_set, data.table.kinds)
    is_meant = rule_set.turned(data.labels.is_positive)
    before, after = (
        Coverage.of(rules, data.table, data.weights).loss(is_meant, certificate.loss)
        for rules in (rule_set, shorter)
    )
    if before == after:
        return shorter, certificate
    loss = certificate.returned_loss + after - before
    proven = replace(certificate, returned_loss=loss)
    is_exact = certificate.rates == "exact"  # else the bound may not speak of these
    if certificate.costs is not None or (is_exact and loss < certificate.lower_bound):
        return rule_set, certificate
    if is_exact and loss < certificate.objective:
        gap = relative_gap(loss, certificate.lower_bound)
        proven = replace(proven, objective=loss, gap=gap)
    return shorter, proven


def learned_model(
    solution: Solution,
    conditions: Sequence[Condition],
    data: LabelledTable,
    criterion: Criterion | None,
    asked: Asked,
    rules_for: RulesFor,
    grouping: Grouping,
    tree: PlainTree,
) -> tuple[RuleSetModel, Certificate, Fairness]:
    """Recount a solution on the people themselves, and make a model of it.

    ``criterion`` must hold; ``asked``, ``grouping`` and the ``tree`` to compare with
    are for the readers of the model file.
    """
    table, labels = data.table, data.labels
    found = named_rules(
        solution.returned.rules, conditions, data.label(rules_for), rules_for
    )
    rule_set, certificate = simplest(found, solution.certificate, data)

    def counted(accepted: BoolVector) -> dict[str, GroupCounts]:
        return group_counts(accepted, labels.is_positive, data.groups, data.weights)

    counts = counted(rule_set.accepts(table))
    families = data.groups.families
    fairness = fairness_of(counts, criterion, families)
    everybody = total(counts.values())
    errors = everybody.false_negatives + everybody.false_positives
    is_same = errors == solution.returned.recount.errors
    if not fairness.within_epsilon or not is_same:
        raise SolverError("the recount on the samples disagrees with the engine's")
    tested = set(rule_set.features)
    positive = labels.positive
    model = RuleSetModel(
        rule_set=rule_set,
        features=tuple(Feature.of(table[n]) for n in table.names if n in tested),
        labels=(plain(labels.classes[1 - positive]), plain(labels.classes[positive])),
        certificate=certificate,
        groups=counts,
        ranges=data.ranges(tested),
        asked=asked,
        rates=() if criterion is None else tuple(criterion.rates()),
        grouping=grouping,
        families=families,
        baseline=Baseline(tree, counted(tree.accepts(table))),
        scores=RuleScores.count(rule_set, table, labels.is_positive, data.weights),
    )
    return model, certificate, fairness


def check_recount(model: RuleSetModel, people: LabelledTable) -> None:
    """Refuse a model whose counts are not those of the people it was learned from."""
    accepted = model.rule_set.accepts(people.table)
    is_positive = people.labels.is_positive
    counts = group_counts(accepted, is_positive, people.groups, people.weights)
    if counts != model.groups:
        raise SolverError("the people themselves disagree with their distinct rows")


def warn_of_sensitive(
    rule_set: RuleSet, attributes: Iterable[str | int], *, stacklevel: int
) -> None:
    """Say that rules test a feature that also defines the groups."""
    own = {str(name) for name in attributes}
    tested = [name for name in rule_set.features if name in own]
    if tested:
        warnings.warn(
            f"the rules test {', '.join(map(repr, tested))}, which also "
            f"{'defines' if len(tested) == 1 else 'define'} the groups; exclude= "
            "forbids that",
            SensitiveFeatureWarning,
            stacklevel=stacklevel,
        )
