"""Explanations: why each row of a table got its decision, worked out on demand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, overload

import numpy as np

from faircg.explain.changes import Changes, Row, whole_features
from faircg.explain.reasons import ChangeStatus, Explanation, FailedCondition, NearRule
from faircg.features import Features
from faircg.printable import spoken_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

    from faircg.features import NumericRange
    from faircg.model import RuleSetModel
    from faircg.rules import Condition
    from faircg.table import Table
    from faircg.typing import BoolMatrix, IntVector, Value

Direction: TypeAlias = Literal["to_positive", "to_negative", "both", "none"]


class Explanations(Sequence[Explanation]):
    """The explanations of all rows of a table, worked out when they are looked at.

    A sequence of :class:`Explanation`; a slice is again one of these. ``str`` is the
    text for all rows. Use :func:`explain` to make one.
    """

    def __init__(self, source: _Source, rows: IntVector) -> None:
        self._source = source
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> Explanations: ...
    def __getitem__(self, index: int | slice) -> Explanation | Explanations:
        if isinstance(index, slice):
            return Explanations(self._source, self._rows[index])
        return self._source.explanation(int(self._rows[index]))

    def take(self, rows: Sequence[int]) -> Explanations:
        """Return the explanations of these rows, by number."""
        return Explanations(self._source, self._rows[np.asarray(rows, dtype=int)])

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} decisions>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the explanations as plain JSON values."""
        return [explanation.to_dict() for explanation in self]

    def to_json(self) -> str:
        """Return the explanations as JSON text: a list with an object per row."""
        entries = self.to_dicts()
        return json.dumps(entries, indent=2, ensure_ascii=False, allow_nan=False)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per decision, in words.

        The columns: ``row``, ``decision``, ``rules`` (those that cover it),
        ``closest_rule``, ``failed`` (its conditions that fail), ``change``,
        ``change_status``, ``changed_features`` (how many; NaN without a change) and
        ``cost``.
        """
        import pandas as pd

        found = list(self)
        near = [e.closest[0] if e.closest else None for e in found]
        sizes = [e.change.size if e.change else (np.nan, np.nan) for e in found]
        return pd.DataFrame(
            {
                "row": [e.row for e in found],
                "decision": [e.decision for e in found],
                "rules": [" or ".join(map(str, e.fired)) for e in found],
                "closest_rule": [str(n.rule) if n else "" for n in near],
                "failed": ["; ".join(map(str, n.failed)) if n else "" for n in near],
                "change": [e.change_text for e in found],
                "change_status": [e.change_status for e in found],
                "changed_features": [count for count, _ in sizes],
                "cost": [cost for _, cost in sizes],
            }
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """What is common to the explanations of a table."""

    changes: Changes
    table: Table
    labels: tuple[Value, Value]
    refuses: bool
    known: Mapping[str, frozenset[Value]]
    covered: BoolMatrix
    bins: Mapping[str, IntVector]
    direction: Direction
    n_closest: int
    kept: str

    def explanation(self, number: int) -> Explanation:
        changes = self.changes
        row = Row(
            {n: c.value(self.table[n], number) for n, c in changes.bins.items()},
            {name: int(bins[number]) for name, bins in self.bins.items()},
        )
        fired = np.flatnonzero(self.covered[number])
        covered = len(fired) > 0
        positive = covered != self.refuses
        change, near = None, []
        flip = "to_negative" if positive else "to_positive"
        asked = self.direction in ("both", flip)
        if covered:
            change = changes.to_none(row) if asked else None
        else:
            near = self._near(row)
            reachable = [n.change for n in near if n.change is not None]
            if asked and reachable:
                change = min(reachable, key=lambda c: c.size)
        found: ChangeStatus = "impossible" if change is None else "found"
        return Explanation(
            row=number,
            decision=self.labels[int(positive)],
            other=self.labels[int(not positive)],
            is_positive=positive,
            values=row.values,
            fired=tuple(changes.rules[r] for r in fired),
            closest=tuple(near[: self.n_closest]),
            change=change,
            change_status=found if asked else "not asked",
            kept=self.kept if asked and change is None else "",
        )

    def _near(self, row: Row) -> list[NearRule]:
        """Return all rules, the closest first."""
        near = []
        for position, rule in enumerate(self.changes.rules):
            conditions = self.changes.failed(position, row)
            failed = tuple(self._failed(condition, row) for condition in conditions)
            near.append(NearRule(rule, failed, self.changes.to_rule(position, row)))
        nowhere = (len(self.changes.bins) + 1, 0.0)
        return sorted(
            near, key=lambda n: (len(n.failed), n.change.size if n.change else nowhere)
        )

    def _failed(self, condition: Condition, row: Row) -> FailedCondition:
        value, known = row.values[condition.feature], self.known.get(condition.feature)
        is_unseen = value is not None and known is not None and value not in known
        return FailedCondition(condition, value, is_unseen)


def explain(
    model: RuleSetModel,
    X: Any,
    *,
    immutable: Iterable[str | int] = (),
    direction: Direction = "to_positive",
    n_closest: int = 3,
    allow_missing: bool = False,
    ranges: Mapping[str, NumericRange] | None = None,
    strict: bool | None = None,
) -> Explanations:
    """Say why each row gets its decision, and the smallest change that flips it.

    The smallest change has the fewest changed features, then the lowest cost. A number
    costs its distance from the row's own value, divided by the feature's range; another
    category, the other boolean, and a value where none was cost one each. A change
    beyond a cut point goes to the next whole number where the feature holds whole
    numbers, else to the next number that a computer can represent. Categories change
    only to ones that the model knows. Every change is about the rules alone: it says
    nothing about what would happen to a person in the world.

    Parameters
    ----------
    model, X
        The rules, and a data frame or a :class:`~faircg.table.Table`.
    immutable
        Features that no change may touch, such as age or race, by name or by position.
    direction
        For which decisions a change is searched: ``"to_positive"`` (the negative ones),
        ``"to_negative"`` (the positive ones), ``"both"`` or ``"none"``.
    n_closest
        How many of the closest rules a negative decision lists.
    allow_missing
        Whether a change may also leave a known value out.
    ranges
        Range of each numeric feature, as from :func:`numeric_ranges`; those that the
        model recorded in training by default. Where there is none, a feature holds
        whole numbers if its column in ``X`` has an integer type, and the largest cut
        point (without sign) takes the place of the range.
    strict
        Raise, rather than warn, when a category was never seen in training; by default
        if that is most of a feature, with False never.

    Examples
    --------
    >>> import pandas as pd
    >>> from faircg import Condition, Rule, RuleSet, RuleSetModel
    >>> from faircg.model import Feature
    >>> rule = Rule((Condition("income", ">", 30), Condition("job", "!=", "none")))
    >>> model = RuleSetModel(
    ...     RuleSet((rule,)),
    ...     (
    ...         Feature("income", "numeric"),
    ...         Feature("job", "category", ("cook", "none")),
    ...     ),
    ...     ("refuse", "grant"),
    ... )
    >>> people = pd.DataFrame({"income": [45, 25], "job": ["cook", "cook"]})
    >>> print(explain(model, people))
    Row 0: predicted grant
      because income > 30 and job != "none"
        here income = 45, job = cook
    Row 1: predicted refuse, as no rule covers it
      close: income > 30 and job != "none"
        income > 30 fails (income = 25)
      smallest change to get grant: income more than 30, such as 31, instead of 25
    >>> explain(model, people, immutable=["income"])[1].change_text
    'no change that keeps income gives grant'
    """
    if direction not in get_args(Direction):
        known = list(get_args(Direction))
        raise ValueError(f"direction={direction!r} is not known; use one of {known}")
    if n_closest < 0:
        raise ValueError(f"n_closest must be at least 0, not {n_closest!r}")
    table = model.read(X)
    table = table.take(np.arange(table.n_rows))  # whatever becomes of X until then
    fixed = Features.of(X).resolve(immutable, parameter="immutable")
    model.covers(table, strict=strict)  # warns of categories never seen
    changes = Changes(
        model,
        immutable=fixed,
        ranges=model.ranges if ranges is None else ranges,
        whole=whole_features(X),
        allow_missing=allow_missing,
    )
    covered = np.zeros((table.n_rows, len(model.rule_set)), dtype=bool)
    for position, rule in enumerate(model.rule_set):
        covered[:, position] = rule.covers(table)
    kept = [spoken_name(name) for name in fixed if name in changes.bins]
    source = _Source(
        changes=changes,
        table=table,
        labels=model.labels,
        refuses=model.rule_set.rules_for == "negative",
        known={
            f.name: frozenset(f.categories)
            for f in model.features
            if f.kind == "category"
        },
        covered=covered,
        bins={n: bins.codes(table[n]) for n, bins in changes.bins.items()},
        direction=direction,
        n_closest=n_closest,
        kept=f" that keeps {', '.join(kept)}" if kept else "",
    )
    return Explanations(source, np.arange(table.n_rows))
