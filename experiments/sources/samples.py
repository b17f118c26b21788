"""Two rule sets for COMPAS to read: without a constraint, and with equalized odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.counting import count_both, pack
from experiments.data import load
from experiments.protocol import SEED, Protocol
from faircg import FairRuleSetClassifier

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.tasks import Record

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class SampleTask:
    """One rule set, on the training part of the first fold."""

    criterion: str | None
    epsilon: float
    complexity: int
    max_conditions: int
    source: str = "samples"

    def __str__(self) -> str:
        return f"sample rule set, {self.criterion}"

    @property
    def most_seconds(self) -> float:
        """Its limit."""
        return SECONDS

    def run(self, cache: Path) -> list[Record]:
        """Fit it as a user would."""
        data = load("compas")
        train, _ = data.split(0)
        names = [data.groups.names[code] for code in data.groups.codes]
        classifier = FairRuleSetClassifier(
            constraint=self.criterion,
            exclude=(),  # as in the paper, rules may test the sensitive feature
            epsilon=None if self.criterion is None else self.epsilon,
            max_complexity=self.complexity,
            max_conditions=self.max_conditions,
            rates="proxy",
            thresholds="quantile",
            rules_for="positive",
            time_limit=SECONDS,
            random_state=SEED,
        )
        classifier.fit(
            data.X.iloc[train],
            data.is_positive[train],
            sensitive_features=[names[row] for row in train],
        )
        covered = classifier.rule_set_.covers(data.table)
        return [
            {
                "data": "compas",
                "fold": 0,
                "criterion": self.criterion,
                "epsilon": self.epsilon,
                "rules": str(classifier.rule_set_),
                "certificate": str(classifier.certificate_),
                **count_both(data, 0, covered),
                "predictions": pack(covered),
            }
        ]


def tasks(protocol: Protocol) -> list[SampleTask]:
    """Return both."""
    return [
        SampleTask(
            criterion, epsilon, protocol.sample_complexity, protocol.sample_conditions
        )
        for criterion, epsilon in ((None, 1.0), ("equalized_odds", 0.05))
    ]
