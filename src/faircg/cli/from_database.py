"""``fit`` of a table in a database: counted there, so that only counts travel."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from faircg.cli import addresses, columns, files, learning, notes
from faircg.cli.named_table import NamedTable
from faircg.cli.progress import note
from faircg.cli.written import Written

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

    from faircg.classifier import FairRuleSetClassifier
    from faircg.cli.learning import FitOptions
    from faircg.reduction.columns import LookedAt
    from faircg.reduction.databases import Database
    from faircg.typing import IntVector


@dataclass(frozen=True, slots=True, eq=False)
class TableTraining:
    """A table that a command learns from, and which columns are what."""

    name: str
    table: Any
    n_rows: int
    target: str
    groups: list[str]
    pos_label: Any
    exclude: tuple[str, ...]
    features: tuple[str, ...]
    weight: str | None = None
    written: Written = field(default_factory=Written)

    @property
    def title(self) -> str:
        """Name and number of rows."""
        return f"{self.name}: {self.n_rows:,} rows"

    def fit(self, clf: FairRuleSetClassifier) -> None:
        """Learn from the table where it lives."""
        clf.fit_table(
            self.table,
            target=self.target,
            sensitive=self.groups,
            weight=self.weight,
            features=self.features,
        )


@contextmanager
def table_training(asked: FitOptions) -> Iterator[TableTraining]:
    """Look at the table that the options name, and say what may surprise."""
    _refuse_rows(asked)
    with addresses.database_table(asked.data, asked.table, asked.schema) as table:
        yield _looked_at(asked, table)


def _refuse_rows(asked: FitOptions) -> None:
    """Refuse what needs the rows themselves."""
    for option, value in (
        ("--holdout", asked.holdout),
        ("--price", asked.price),
        ("--costs", asked.costs),
    ):
        if value:
            raise ValueError(
                f"{option} needs the rows themselves, and only counts leave a "
                "database; write the table into a file first, such as people.parquet"
            )


def _looked_at(asked: FitOptions, table: Any) -> TableTraining:
    import pandas as pd

    from faircg.reduction.columns import counts_of
    from faircg.reduction.databases import IbisSource

    name = f"{addresses.shown(asked.data)} {asked.table}"
    people = NamedTable(name, pd.DataFrame(columns=table.columns))
    target, groups = learning.roles(asked, people)
    names = {c: table[c].cast("string") for c in asked.category or ()}
    table = table.mutate(**names) if names else table
    source = IbisSource(table)
    weight = [] if asked.weight is None else [asked.weight]
    counted, times = counts_of(source, [target, *groups, *weight])
    _check_present(asked, counted, times, target, groups)
    labels = counted[target]
    pos_label = files.positive_of(labels, target, asked.positive)
    if pos_label is None:
        notes.tell_positive(people, target, labels.to_numpy())
    exclude = dict.fromkeys(asked.exclude or ())
    if not asked.use_sensitive:
        exclude |= dict.fromkeys(people.sensitive(asked.sensitive))
    rest = [c for c in table.columns if c not in (target, asked.weight)]
    kept = [*_testable(asked, source, rest, target, groups, {*exclude, *groups})]
    columns.check_left(kept, exclude, target)
    weights = times if asked.weight is None else times * counted[asked.weight]
    if asked.weight is not None:
        notes.say_weight(asked.weight, int(times.sum()), weights.sum())
    _tell_groups(asked, counted[groups], labels, pos_label, weights)
    return TableTraining(
        name,
        table,
        int(times.sum()),
        target,
        groups,
        pos_label,
        tuple(exclude),
        tuple(kept),
        asked.weight,
    )


def _check_present(
    asked: FitOptions,
    counted: pd.DataFrame,
    times: IntVector,
    target: str,
    groups: list[str],
) -> None:
    """Refuse rows without a label, a group or a weight."""
    if not len(counted):
        raise ValueError(f"the table {asked.table!r} has no rows")
    absent = {name: int(times[counted[name].isna()].sum()) for name in counted}
    if absent[target]:
        raise ValueError(
            f"the target {target!r} is missing in {absent[target]:,} rows; leave them "
            "out, for example by a view"
        )
    for name in groups:
        if absent[name] and asked.missing_groups == "raise":
            raise ValueError(
                f"{name!r} is missing in {absent[name]:,} rows; leave them out, or "
                "make them a group of their own with --missing-groups group"
            )
    if asked.weight is not None:
        weights = counted[asked.weight].astype(float)
        if absent[asked.weight] or not weights.between(0, 1e300).all():
            raise ValueError(
                f"{asked.weight!r} cannot be a weight: it must hold numbers of at "
                "least 0, and some rows have others or none"
            )


def _testable(
    asked: FitOptions,
    source: Database,
    names: Collection[str],
    target: str,
    groups: list[str],
    unused: Collection[str],
) -> Iterator[str]:
    """Yield the columns that rules may test, and unused ones; tell of the others."""
    from faircg.reduction.columns import look_at

    wanted = learning.named(asked)
    for name in names:
        if name in unused:
            yield name
            continue
        try:
            source.kinds([name])
        except ValueError as error:
            if name in wanted:
                raise
            note(f"{str(error).partition(';')[0]}: it is left out")
            continue
        found = look_at(source, name, target, groups)
        suspect = found.suspect
        if suspect is None:
            _tell_values(found)
        elif not suspect.is_left_out:
            note(columns.suspect_words(suspect))
        elif name not in wanted:
            note(columns.suspect_words(suspect))
            continue
        yield name


def _tell_values(found: LookedAt) -> None:
    """Say that a feature of texts has many different ones."""
    if found.kind == "category" and found.spread.different > notes.MANY_VALUES:
        note(
            notes.many_values(found.name, found.spread.different, found.spread.present)
        )


def _tell_groups(
    asked: FitOptions, members: pd.DataFrame, labels: Any, pos_label: Any, weights: Any
) -> None:
    """Say that there are many groups, or few people in one."""
    if members.empty or asked.quiet:
        return
    text = notes.about_groups(
        members, labels.to_numpy(), pos_label, weights, asked.grouping
    )
    if text:
        note(text)
