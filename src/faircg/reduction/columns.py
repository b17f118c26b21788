"""Columns of a table in a database, looked at before rules are learned from them.

Of each column one GROUP BY is asked, with label and groups beside it; of one with very
many different values only how many those are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from faircg.reduction.cut_features import MOST_LEVELS
from faircg.reduction.pushed import COUNT, NUMBER, WHOLE, cast, name_of
from faircg.suspects import Spread, Suspect, suspects

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from faircg.reduction.databases import Database
    from faircg.table import Kind
    from faircg.typing import IntVector


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A column: how often each value is there, and what it should be no rule for."""

    name: str
    kind: Kind
    spread: Spread
    suspect: Suspect | None


def counts_of(
    source: Database, columns: Sequence[str], most: int | None = None
) -> tuple[pd.DataFrame, IntVector]:
    """Count the rows of each combination of values; of at ``most`` so many."""
    chosen = [*dict.fromkeys(columns)]
    names = ", ".join(map(name_of, chosen))
    limit = "" if most is None else f" LIMIT {most}"
    found = source.ask(
        f"SELECT {names}, COUNT(*) AS {COUNT} FROM people GROUP BY {names}{limit}",
        **{name: source.type_of(name) for name in chosen},
        **{COUNT: WHOLE},
    )
    return found, found.pop(COUNT).to_numpy(dtype=np.int64)


def look_at(
    source: Database, name: str, target: str, groups: Sequence[str]
) -> LookedAt:
    """Look whether a column names rows, holds dates, leaks, or tells the group."""
    kind = source.kinds([name])[name]
    frame, times = counts_of(source, [name, target, *groups], MOST_LEVELS + 1)
    if len(frame) > MOST_LEVELS:
        spread = _spread(source, name, kind)
        reason = spread.names_rows(name)
        suspect = Suspect(name, "identifier", reason) if reason else None
        return LookedAt(name, kind, spread, suspect)
    column = frame[name].astype(float) if kind == "numeric" else frame[name]
    found = suspects(
        column.to_frame(),
        frame[target],
        frame[[*groups]] if groups else None,
        times=times,
    )
    n_present = int(times[column.notna().to_numpy()].sum())
    spread = Spread(n_present, int(column.nunique()), kind == "category")
    return LookedAt(name, kind, spread, next(iter(found), None))


def _spread(source: Database, name: str, kind: Kind) -> Spread:
    """Count the different values of a column that has very many."""
    column = name_of(name)
    asked = f"COUNT({column}) AS present, COUNT(DISTINCT {column}) AS different"
    types = {"present": WHOLE, "different": WHOLE}
    if kind == "numeric":
        number = cast(name)
        asked += (
            f", MIN({number}) AS low, MAX({number}) AS high, MIN(CASE WHEN {number} = "
            f"FLOOR({number}) OR {column} IS NULL THEN 1 ELSE 0 END) AS whole"
        )
        types |= {"low": NUMBER, "high": NUMBER, "whole": WHOLE}
    found = source.ask(f"SELECT {asked} FROM people", **types).iloc[0]
    counts = int(found["present"]), int(found["different"])
    if kind != "numeric" or not found["whole"]:
        return Spread(*counts, kind == "category")
    return Spread(*counts, False, float(found["low"]), float(found["high"]))
