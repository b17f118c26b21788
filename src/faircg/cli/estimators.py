"""The options of a command as an estimator."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from faircg.classifier import FairRuleSetClassifier
    from faircg.cli.from_database import TableTraining
    from faircg.cli.learning import LearningOptions, Training


def make_estimator(
    asked: LearningOptions, training: Training | TableTraining
) -> FairRuleSetClassifier:
    """Make an estimator of the options that ``fit`` and ``frontier`` share."""
    from faircg.classifier import FairRuleSetClassifier

    return FairRuleSetClassifier(
        constraint=asked.named_constraint,
        max_conditions=asked.max_conditions,
        rates=asked.rates,
        cost_false_positive=asked.cost_false_positive,
        cost_false_negative=asked.cost_false_negative,
        pricing=asked.pricing,
        warm_start_rules=_given(asked.warm_start),
        thresholds=asked.thresholds,
        n_thresholds=asked.n_thresholds,
        exclude=training.exclude,
        monotone=_directions(asked),
        not_together=apart(asked),
        time_limit=asked.seconds,
        work_limit=asked.work_limit,
        memory_limit=asked.memory_limit,
        random_state=asked.seed,
        n_jobs=asked.jobs,
        pos_label=training.pos_label,
        rules_for=asked.rules_for,
        missing_groups=asked.missing_groups,
        groups=asked.grouping,
    )


def _directions(asked: LearningOptions) -> dict[str, str]:
    """Return the direction of each column that was given one."""
    more, less = asked.increasing or (), asked.decreasing or ()
    both = [name for name in more if name in less]
    if both:
        raise ValueError(f"{both[0]!r} is given to --increasing and --decreasing")
    return dict.fromkeys(more, "increasing") | dict.fromkeys(less, "decreasing")


def apart(asked: LearningOptions) -> list[list[str]]:
    """Return the columns of which a rule may test one, set by set."""
    # As in a CSV file, quotes hold a name together that has a comma.
    return [*csv.reader(asked.not_together or (), skipinitialspace=True)]


def _given(choice: str) -> str | None:
    return None if choice == "none" else choice
