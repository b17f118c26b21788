"""The question of a fit: all that an estimator was asked, in one frozen value.

The parameters of an estimator are read once, here, and names are looked up; the
estimator itself and every fold of a search then take from it the criterion, the
conditions, the depths, the first rules and the pricer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, get_args

import numpy as np
from sklearn.utils import check_random_state

from faircg.amounts import Amounts
from faircg.binarize import ConditionBinarizer, cutting_of, named_thresholds, packed
from faircg.colgen.pricing import pricer_by_name, threads
from faircg.colgen.problem import Problem
from faircg.colgen.stop import Deadline
from faircg.error_costs import ErrorCosts, SampleCosts
from faircg.fairness.constraint import criterion_of, takes_epsilon, with_epsilon
from faircg.fairness.criterion import changed_epsilon, rates_of
from faircg.fairness.mirrored import Mirrored
from faircg.grouping import Grouping
from faircg.groups import EVERYBODY
from faircg.limits import seconds_of
from faircg.memory import Memory
from faircg.mining import MINERS
from faircg.policy import Policy
from faircg.rules import Rule
from faircg.typing import RulesFor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from faircg.classifier import FairRuleSetClassifier
    from faircg.colgen.pricing import Pricer
    from faircg.fairness import Criterion
    from faircg.fairness.constraint import Constraint
    from faircg.features import Features
    from faircg.labelled import LabelledTable
    from faircg.reduction.cut_features import Cutting
    from faircg.rules import Condition
    from faircg.table import Kind, Table
    from faircg.typing import Conditions, Objective, RatesCounted, RulesAskedFor

Setting = TypeVar("Setting")

DEFAULT_CONDITIONS: Final = 6
"""Conditions per rule when ``max_conditions`` is None and the pricer is not exact."""
MOST_EXACT_ROWS: Final = 2_000
"""Distinct rows up to which true rates are as quick to search as the paper's proxy."""
COUNTING_SHARE: Final = 0.5
"""Seconds that counting people takes at the end for each second of reading them."""
MOST_KEPT: Final = 0.1
"""Part of the time that may be kept for that."""
MINING_SHARE: Final = 0.1
"""Part of the time that mining first rules may take."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of a fit; the fields are the parameters of the classifier.

    ``seed`` is drawn from its ``random_state``, ``threads`` follows from its
    ``n_jobs``, and ``costs`` holds those of both kinds of errors.
    """

    constraint: Constraint | None
    epsilon: float | Fraction | None
    max_complexity: int
    max_conditions: int | None
    objective: Objective
    rates: RatesCounted
    costs: ErrorCosts
    pricing: str | Pricer
    warm_start_rules: str | tuple[Rule, ...] | None
    thresholds: str | Mapping[Any, Sequence[float]]
    n_thresholds: int
    exclude: object
    monotone: Mapping[Any, str] | None
    not_together: object
    time_limit: float
    work_limit: float | None
    memory: Memory
    pricing_time_limit: float
    seed: int
    threads: int
    pos_label: Any
    rules_for: RulesAskedFor
    missing_groups: str
    grouping: Grouping = field(default_factory=Grouping)
    checkpoint: Path | None = None

    def __post_init__(self) -> None:
        """Look all names up, so that a wrong one is an error before any work."""
        if self.epsilon is not None and self.epsilon > 1:
            raise ValueError(
                f"epsilon={self.epsilon} is more than any gap between groups can be; "
                "use a number from 0 to 1"
            )
        criterion = criterion_of(self.constraint, self.epsilon)
        if criterion is not None:
            for epsilon in self.grouping.epsilons:
                changed_epsilon(criterion, epsilon)
        pricer_by_name(self.pricing)
        source = self.warm_start_rules
        if isinstance(source, str) and source not in MINERS:
            raise ValueError(
                f"warm_start_rules={source!r} is not known; use one of "
                f"{sorted(MINERS)}, None or rules"
            )
        if isinstance(source, tuple) and self.rules_for == "auto":
            raise ValueError(
                "warm_start_rules are for one label; give rules_for='positive' or "
                "'negative' beside them, not 'auto'"
            )

    @classmethod
    def of(cls, estimator: FairRuleSetClassifier) -> Question:
        """Read the parameters of an estimator."""
        rng = check_random_state(estimator.random_state)
        source = estimator.warm_start_rules
        if source is not None and not isinstance(source, str):
            source = tuple(source)
        D = estimator.max_conditions
        return cls(
            constraint=estimator.constraint,
            epsilon=estimator.epsilon,
            max_complexity=int(estimator.max_complexity),
            max_conditions=None if D is None else int(D),
            objective=estimator.objective,  # type: ignore[arg-type]
            rates=estimator.rates,  # type: ignore[arg-type]
            costs=ErrorCosts.of(
                estimator.cost_false_positive,
                estimator.cost_false_negative,
                estimator.class_weight,
            ),
            pricing=estimator.pricing,
            warm_start_rules=source,
            thresholds=estimator.thresholds,
            n_thresholds=estimator.n_thresholds,
            exclude=estimator.exclude,
            monotone=estimator.monotone,
            not_together=estimator.not_together,
            time_limit=seconds_of(estimator.time_limit, estimator.work_limit),
            work_limit=None
            if estimator.work_limit is None
            else float(estimator.work_limit),
            memory=Memory.of(estimator.memory_limit),
            pricing_time_limit=float(estimator.pricing_time_limit),
            seed=int(rng.randint(np.iinfo(np.int32).max)),
            threads=threads(estimator.n_jobs),
            pos_label=estimator.pos_label,
            rules_for=estimator.rules_for,  # type: ignore[arg-type]
            missing_groups=estimator.missing_groups,
            grouping=Grouping.of(estimator.groups),
            checkpoint=None
            if estimator.checkpoint is None
            else Path(estimator.checkpoint),
        )

    def at(self, epsilon: float, max_complexity: int) -> Question:
        """Return the same question with another epsilon and limit on complexity.

        A constraint that bounds no gap stays as it is.
        """
        return replace(
            self,
            constraint=with_epsilon(self.constraint, epsilon),
            epsilon=epsilon if takes_epsilon(self.constraint) else None,
            max_complexity=max_complexity,
        )

    def about(self, data: LabelledTable) -> Question:
        """Return the same question with the label that rules are for, of these people.

        People count as what a wrong prediction of theirs costs. Rules that were given
        are for the positive label unless another is named.
        """
        if self.rules_for != "rarer":
            return self
        paid = self._paid(data).samples
        costs = data.weights if paid is None else paid
        is_rarer = 2 * int(costs[data.labels.is_positive].sum()) <= int(costs.sum())
        given = isinstance(self.warm_start_rules, tuple)
        side: RulesFor = "positive" if is_rarer or given else "negative"
        return replace(self, rules_for=side)

    def _paid(self, data: LabelledTable) -> SampleCosts:
        """Return what a wrong prediction of each sample costs."""
        weights = Amounts(data.weights, data.parts)
        return self.costs.of_samples(data.labels, weights, data.costs)

    def sides(self) -> tuple[Question, ...]:
        """Return the questions to search: with auto one for each label, in half time.

        A search is for rules of one label.
        """
        if self.rules_for != "auto":
            return (self,)
        half, path = self.time_limit / 2, self.checkpoint
        less = None if self.work_limit is None else self.work_limit / 2
        labels: tuple[RulesFor, ...] = get_args(RulesFor)
        return tuple(
            replace(
                self,
                rules_for=label,
                time_limit=half,
                work_limit=less,
                checkpoint=path and path.with_name(f"{path.name}.{label}"),
            )
            for label in labels
        )

    def deadline(self) -> Deadline:
        """Start the clock, and the count of the work if that is limited."""
        return Deadline.after(self.time_limit, work=self.work_limit, memory=self.memory)

    def kept(self, deadline: Deadline) -> float:
        """Return the seconds to keep for the end, when people have just been read.

        The rule set is counted again on all of them, and a model made of it; that takes
        long where reading did.
        """
        if self.time_limit == inf:
            return 0.0
        reading = self.time_limit - deadline.seconds()
        return min(COUNTING_SHARE * reading, MOST_KEPT * self.time_limit)

    @property
    def patience(self) -> float:
        """Seconds, or units of work if that is limited, for the whole search."""
        return self.time_limit if self.work_limit is None else self.work_limit

    @property
    def side(self) -> RulesFor:
        """The label that a search is for."""
        assert self.rules_for in get_args(RulesFor), "one side is searched at a time"
        return cast("RulesFor", self.rules_for)

    @property
    def criterion(self) -> Criterion | None:
        """The criterion with its epsilon; None without a constraint.

        It speaks of the positive label, whatever label rules are for.
        """
        return criterion_of(self.constraint, self.epsilon)

    @property
    def searched_criterion(self) -> Criterion | None:
        """The criterion in the words of the search: there rules are for positives."""
        criterion = self.criterion
        if criterion is None or self.side == "positive":
            return criterion
        return Mirrored(criterion)

    def pricer(self) -> Pricer:
        """Make the pricer, or take the one that was given."""
        return pricer_by_name(self.pricing, seed=self.seed, threads=self.threads)

    @property
    def is_exact(self) -> bool:
        """Whether the pricer is exact; one that does not say so is not."""
        return bool(getattr(self.pricer(), "is_exact", False))

    def prepare(
        self, data: LabelledTable, deadline: Deadline
    ) -> tuple[ConditionBinarizer, Problem]:
        """Learn the conditions of a table, and merge equal people.

        For rules for the negative label, that is what the problem calls positive.
        """
        table, is_meant = data.table, data.labels.is_positive
        if self.side == "negative":
            rates_of(self.criterion, data.sizes)  # errors name the labels as users do
            is_meant = ~is_meant
        criterion, policy = self.searched_criterion, self.policy(data.features)
        binarizer = ConditionBinarizer(
            thresholds=data.cuts or self._cuts(data),
            n_thresholds=self.n_thresholds,
            monotone=_of(table, policy.directions),
        )
        binarizer.learn(table, is_meant, data.weights, deadline)
        binarizer.features_ = data.features
        paid = self._paid(data)
        problem = Problem.merge(
            packed(binarizer, table),
            is_meant,
            families=binarizer.families_,
            group_codes=None if criterion is None else data.groups.codes,
            group_names=(EVERYBODY,) if criterion is None else data.groups.names,
            compared=() if criterion is None else data.groups.families,
            weights=data.weights,
            criterion=criterion,
            max_complexity=self.max_complexity,
            objective=self.objective,
            parts=policy.parts(binarizer.conditions_),
            costs=paid.samples,
            units=paid.units,
        )
        is_large = self.rates == "auto" and problem.n_rows > MOST_EXACT_ROWS
        by_proxy = self.rates == "proxy" or is_large
        return binarizer, replace(problem, by_proxy=by_proxy)

    def _cuts(self, data: LabelledTable) -> str | dict[str, Sequence[float]]:
        """Return how features are to be cut, or the cuts of those that are there."""
        named = named_thresholds(self.thresholds, data.features)
        return named if isinstance(named, str) else _of(data.table, named)

    def cutting(self, features: Features, kinds: Mapping[str, Kind]) -> Cutting:
        """Return how numeric features are to be cut."""
        return cutting_of(self.thresholds, self.n_thresholds, features, kinds)

    def policy(self, features: Features) -> Policy:
        """Return how the rules that are searched may test features."""
        policy = Policy.of(self.monotone, self.not_together, features)
        return policy if self.rules_for == "positive" else policy.mirrored()

    def depths(self, binarizer: ConditionBinarizer) -> tuple[int, ...]:
        """Return the limits D to go through, step by step.

        More conditions than there are families, or than C allows, cannot help.
        """
        useful = max(1, int(binarizer.families_.max(initial=-1)) + 1)
        most = max(1, min(useful, self.max_complexity - 1))
        if self.max_conditions is not None:
            return (min(self.max_conditions, most),)
        if not self.is_exact:
            return (min(DEFAULT_CONDITIONS, most),)
        return tuple(range(min(2, most), most + 1))

    def first_rules(
        self,
        problem: Problem,
        binarizer: ConditionBinarizer,
        *,
        max_conditions: int,
        deadline: Deadline,
        known_only: bool = False,
    ) -> set[Conditions]:
        """Return the rules to begin with: mined, given, or none.

        A given rule with conditions that the binarizer does not have is an error, or
        left out if ``known_only``.
        """
        source = self.warm_start_rules
        if source is None or not binarizer.conditions_:
            return set()
        if not isinstance(source, str):
            policy = self.policy(binarizer.features_)
            numbered = _numbered(source, binarizer.conditions_, policy, known_only)
            return set(numbered)
        share = deadline.within(MINING_SHARE * deadline.remaining())
        return MINERS[source](problem, max_conditions, self.seed, share)


def _of(table: Table, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """Return the settings of the features that a table has."""
    return {name: value for name, value in settings.items() if name in table.columns}


def _numbered(
    rules: Iterable[Rule],
    conditions: tuple[Condition, ...],
    policy: Policy,
    known_only: bool,
) -> Iterator[Conditions]:
    number = {condition: j for j, condition in enumerate(conditions)}
    for rule in rules:
        if not isinstance(rule, Rule):
            raise ValueError(
                f"warm_start_rules must be rules (faircg.Rule), not {rule!r}"
            )
        policy.check(rule, "warm_start_rules")
        unknown = [str(c) for c in rule.conditions if c not in number]
        if not unknown:
            yield tuple(sorted(number[c] for c in rule.conditions))
        elif not known_only:
            raise ValueError(
                f"warm_start_rules: {unknown[0]!r} is not a condition of this table; "
                "conditions use the binarizer's cut points and categories"
            )
