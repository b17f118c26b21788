"""A table that a command reads: its name, its columns, and what they are for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from faircg.tables.names import wrong_separator

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

    from faircg.datasets import Dataset
    from faircg.tables.source import Source
    from faircg.typing import BoolVector


@dataclass(frozen=True, slots=True, eq=False)
class NamedTable:
    """A table read for a command, under the name that the user gave it.

    ``dataset`` is the embedded data set, if it is one; ``source`` what it was read
    from otherwise; ``weights`` is None if each row is one person,
    ``costs`` if all wrong predictions cost the same.
    """

    name: str
    frame: pd.DataFrame
    dataset: Dataset | None = None
    source: Source | None = None
    weights: pd.Series | None = None
    costs: pd.Series | None = None

    @property
    def description(self) -> str:
        """What the data are, if that is known."""
        return "" if self.dataset is None else self.dataset.description

    def must_have(self, columns: Iterable[str]) -> None:
        """Refuse the name of a column that is not there."""
        have = [str(column) for column in self.frame.columns]
        for column in columns:
            if column in have:
                continue
            problem = f"{self.name} has no column {column!r}"
            if hint := wrong_separator(have, column):
                raise ValueError(problem + hint)
            near = nearest(column, have)
            if near is None:
                problem += "; it has"
            elif near.endswith("?"):
                problem += f"; did you mean {near!r} - it has"
            else:
                problem += f"; did you mean {near!r}? It has"
            raise ValueError(f"{problem} {', '.join(have)}")

    def target(self, given: str | None) -> str:
        """Return the column to predict; an embedded data set knows its own."""
        if given is None and self.dataset is not None:
            return str(self.dataset.y.name)
        if given is None:
            raise ValueError(
                "name the column with the true label with --target; "
                f"{self.name} has {', '.join(map(str, self.frame.columns))}"
            )
        self.must_have([given])
        return given

    def sensitive(
        self, given: Sequence[str] | None, within: str | None = None
    ) -> list[str]:
        """Return the columns of the groups; an embedded data set knows its own.

        The column of the strata that groups are compared ``within`` comes last.
        """
        strata = [] if within is None else [within]
        if not given and self.dataset is not None:
            given = [str(self.dataset.sensitive_features.name)]
        names = list(dict.fromkeys([*(given or ()), *strata]))
        self.must_have(names)
        return names

    def weighted(self, column: str | None) -> NamedTable:
        """Take a column away that says how many people each row stands for."""
        if column is None:
            return self
        weights = self._numbers(column, "a weight")
        return replace(self, frame=self.frame.drop(columns=[column]), weights=weights)

    def costing(self, column: str | None) -> NamedTable:
        """Take a column away that says what a wrong prediction of each row costs."""
        if column is None:
            return self
        costs = self._numbers(column, "a cost")
        return replace(self, frame=self.frame.drop(columns=[column]), costs=costs)

    def _numbers(self, column: str, what: str) -> pd.Series:
        """Read a column of numbers of at least 0; whole ones stay whole."""
        self.must_have([column])
        import numpy as np
        import pandas as pd

        from faircg.amounts import in_parts

        found = self.frame[column]
        numbers = pd.to_numeric(found.astype(object), errors="coerce")
        bad = numbers.isna() | (numbers < 0) | (numbers == np.inf)
        if bad.any():
            row = int(bad.to_numpy().argmax())
            value = found.tolist()[row]
            raise ValueError(
                f"{column!r} cannot be {what}: it must hold numbers of at least 0, and "
                f"row {row} has {'no value' if pd.isna(value) else repr(value)}"
            )
        is_whole = bool((numbers % 1 == 0).all())
        in_parts(f"{column!r} cannot be {what}", numbers.to_numpy(dtype=float))
        return numbers.astype(int if is_whole else float)

    def take(self, rows: BoolVector) -> NamedTable:
        """Return some of the rows; each keeps its number."""
        return replace(
            self,
            frame=self.frame[rows],
            weights=None if self.weights is None else self.weights[rows],
            costs=None if self.costs is None else self.costs[rows],
            source=None,
        )

    def parts(self, target: str, groups: Sequence[str]) -> dict[str, Any]:
        """Return features, labels, groups and weights, as functions name them."""
        check_labels(self.frame[target], target)
        return {
            "X": self.frame.drop(columns=[target]),
            "y": self.frame[target].to_numpy(),
            "sensitive_features": self.groups(groups),
            "sample_weight": self.weights,
        }

    def groups(self, names: Sequence[str]) -> pd.DataFrame | None:
        """Return the columns of the groups; None if there are none."""
        return self.frame[list(names)] if names else None


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the name that was probably meant; upper and lower case are alike.

    Examples
    --------
    >>> nearest("ethnic", ["age", "Ethnic group"]), nearest("x", ["age"])
    ('Ethnic group', None)
    """
    import difflib

    names = {name.strip().casefold(): name for name in known}
    wanted = word.strip().casefold()
    if wanted in names:
        return names[wanted]
    near = difflib.get_close_matches(wanted, names, n=1, cutoff=0.8)
    if not near and len(wanted) > 2:
        parts = [n for n in names if wanted in n or (n in wanted and len(n) > 2)]
        near = sorted(parts, key=lambda n: (abs(len(n) - len(wanted)), n))
    near = near or difflib.get_close_matches(wanted, names, n=1)
    return names[near[0]] if near else None


def check_labels(labels: pd.Series, target: str) -> None:
    """Refuse missing labels."""
    if labels.isna().any():
        rows = labels.index[labels.isna()]
        raise ValueError(
            f"the target {target!r} is missing in {len(rows)} rows (first: {rows[0]})"
        )
