"""Decisions about a table that arrives in pieces, and their count."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from faircg.cli.csv_tables import SEPARATORS, separator_words
from faircg.cli.files import as_known
from faircg.unseen import mostly_unseen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from faircg.model import RuleSetModel
    from faircg.typing import BoolVector, Value


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is written: the new column, and some of the input's or all (None)."""

    column: str
    keep: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What the rules say about some rows.

    ``accepted`` rows get the positive label; ``unseen`` has for each feature the rows
    with categories never seen in training, and an example; ``present`` the rows that
    have a value.
    """

    accepted: BoolVector
    unseen: Mapping[str, tuple[int, Value]] = field(default_factory=dict)
    present: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def on(cls, model: RuleSetModel, frame: pd.DataFrame) -> Decisions:
        """Apply the rules to a frame."""
        table = model.read(as_known(model, model.features, frame))
        unseen = model.unseen(table)
        present = {name: int((~table[name].missing).sum()) for name in table.names}
        return cls(model.rule_set.accepts(table), unseen, present)

    @classmethod
    def without_rules(cls, model: RuleSetModel, n_rows: int) -> Decisions:
        """Decide by a rule set that covers nobody."""
        return cls(model.rule_set.turned(np.zeros(n_rows, dtype=bool)))


class RowError(ValueError):
    """A row that cannot be read; its number is counted in its piece."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(f"row {row} {problem}")
        self.row, self.problem = row, problem


@dataclass(eq=False)
class Tally:
    """Counts the decisions of all pieces, in their order.

    ``strict`` makes a category never seen in training an error; None does so in the end
    if that is most of a feature.
    """

    strict: bool | None = None
    n_rows: int = 0
    n_positive: int = 0
    unseen: dict[str, tuple[int, Value]] = field(default_factory=dict)
    present: Counter[str] = field(default_factory=Counter)

    def add(self, decisions: Decisions) -> None:
        """Count the next rows."""
        for name, (count, example) in decisions.unseen.items():
            if self.strict:
                raise ValueError(
                    f"feature {name!r}: {count} of the rows from {self.n_rows} on hold "
                    f"categories never seen in training (for example {example!r})"
                )
            before, first = self.unseen.get(name, (0, example))
            self.unseen[name] = before + count, first
        self.present.update(decisions.present)
        self.n_rows += len(decisions.accepted)
        self.n_positive += int(decisions.accepted.sum())

    def check_seen(self) -> None:
        """Refuse a feature that is mostly written in another way than in training."""
        for name, (count, example) in self.unseen.items():
            if self.strict is None and mostly_unseen(count, self.present[name]):
                raise ValueError(
                    f"feature {name!r}: {count:,} of {self.present[name]:,} values "
                    f"were never seen in training (for example {example!r}), so that "
                    "it seems to be written in another way; --allow-unseen goes on"
                )

    @contextmanager
    def locating(self, source: str) -> Iterator[None]:
        """Say in an error about the next piece where in the file that piece starts."""
        try:
            yield
        except RowError as error:
            row = self.n_rows + error.row
            raise ValueError(f"{source}: row {row} {error.problem}") from None
        except (ValueError, TypeError) as error:
            if not self.n_rows:
                raise
            raise ValueError(
                f"{source}: from row {self.n_rows} on, counted anew from 0: {error}"
            ) from None


def check_names(
    model: RuleSetModel, names: list[str], wanted: Wanted, source: str
) -> None:
    """Refuse a table without the columns that are needed, or with the new one."""
    absent = [f.name for f in model.features if f.name not in names]
    for separator in SEPARATORS:
        if absent and len(names) == 1 and separator in names[0]:
            raise ValueError(f"{source}: {separator_words(separator)}")
    if absent:
        raise ValueError(
            f"{source} lacks the column {absent[0]!r}, which the rules test; it has "
            f"{', '.join(names)}"
        )
    unknown = [name for name in wanted.keep or () if name not in names]
    if unknown:
        raise ValueError(
            f"{source} has no column {unknown[0]!r}; it has {', '.join(names)}"
        )
    if wanted.column in (names if wanted.keep is None else wanted.keep):
        raise ValueError(
            f"{source} already has a column {wanted.column!r}; choose another with "
            "--column"
        )


def label_text(label: object) -> str:
    """Return a label as text."""
    return "" if label is None else str(label)
