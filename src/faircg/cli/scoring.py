"""Commands that apply a model: ``predict`` and ``evaluate``."""

# ruff: noqa: D301 (the help needs "\b" as one character)

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from faircg.cli import column_options as col
from faircg.cli import exits, files, remembered, show
from faircg.cli import options as opt
from faircg.cli.addresses import database_table, is_address, shown
from faircg.cli.constraints import joined
from faircg.cli.lazy import taking
from faircg.cli.notes import tell_weight
from faircg.cli.progress import bar, note
from faircg.printable import number
from faircg.tables.names import STANDARD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.cli.named_table import NamedTable
    from faircg.cli.progress import Update
    from faircg.evaluate import PartResult
    from faircg.fairness import Criterion
    from faircg.model import RuleSetModel
    from faircg.tables.decide import Counted
    from faircg.tables.write import Wanted


@dataclass(frozen=True, kw_only=True)
class PredictOptions(col.ReadingOptions):
    """What ``predict`` is asked."""

    model: opt.Model
    data: opt.Data
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write, as its name says; - prints CSV."
        ),
    ] = None
    column: Annotated[str, typer.Option(help="Name of the new column.")] = "prediction"
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the data to write; give it again for more. All by default.",
            metavar="COLUMN",
        ),
    ] = None
    only: Annotated[
        bool, typer.Option("--only", help="Write nothing but the predictions.")
    ] = False
    table: col.DatabaseTable = None
    schema: col.Schema = None
    into: Annotated[
        str | None,
        typer.Option(help="View or table of the database to make.", metavar="NAME"),
    ] = None
    kind: Annotated[
        Literal["view", "table"],
        typer.Option("--as", help="What --into makes: it follows the data, or not."),
    ] = "view"
    force: Annotated[
        bool, typer.Option("--force", help="--into replaces what is there.")
    ] = False
    strict: opt.Strict = False
    allow_unseen: col.AllowUnseen = False
    as_json: opt.AsJson = False
    quiet: opt.Quiet = False
    config: opt.Config = None

    @property
    def wanted(self) -> Wanted:
        """The new column, and those of the data to write."""
        from faircg.tables.write import Wanted

        if self.only and self.keep:
            raise ValueError(
                "--only and --keep contradict each other; give one of them"
            )
        kept = tuple(self.keep) if self.keep else None
        return Wanted(self.column, () if self.only else kept)

    @property
    def seen(self) -> bool | None:
        """What to do about categories never seen in training."""
        return col.strictness(strict=self.strict, allow_unseen=self.allow_unseen)


@taking(PredictOptions)
def predict(asked: PredictOptions) -> None:
    """Add predictions to a table of any length; the sensitive column is not needed.

    Its own values are passed on as they are. The file is there when all rows were
    looked at, and not before. Of a table in a database, --into makes a view or a table
    there.

    \b
    Example:
      faircg predict model.json compas -o decisions.csv
    """
    from faircg.unseen import unseen_words

    output = Path(STANDARD) if asked.output is None else asked.output
    files.check_output(asked.output)
    wanted = asked.wanted
    rules = files.load_model(asked.model)
    _check_where(asked)
    written = str(output) if asked.into is None else asked.into
    is_printed = written == STANDARD and asked.into is None
    if is_printed and asked.as_json:
        raise ValueError("--json prints counts; give the predictions a file with -o")
    with bar(f"predict {shown(asked.data)}", quiet=asked.quiet) as update:
        if asked.into is not None:
            counted = _decide_there(asked, rules, wanted, asked.into)
        else:
            counted = _decide(asked, rules, wanted, output, update)
    if not counted.rows:
        note(f"{asked.table or asked.data} has no rows")
    for name, (count, example) in counted.unseen.items():
        note(unseen_words(name, count, example))
    negative, positive = map(str, rules.labels)
    n_rows, n_positive = counted.rows, counted.positive
    if asked.as_json:
        values = {
            "output": written,
            "rows": n_rows,
            "predicted": {negative: n_rows - n_positive, positive: n_positive},
            "unseen_categories": {n: c for n, (c, _) in counted.unseen.items()},
        }
        typer.echo(files.to_json(values))
    elif not is_printed:
        found = f"{n_positive:,} of {n_rows:,} rows are {positive}"
        typer.echo(f"Wrote {written}: {found}.")


def _check_where(asked: PredictOptions) -> None:
    """Refuse options for a database beside a file, and the other way round."""
    if is_address(asked.data):
        if asked.into is None or asked.output is not None:
            raise ValueError(
                f"{shown(asked.data)} is a database; --into names the view or table to "
                "make there, instead of -o"
            )
        if asked.into == asked.table:
            raise ValueError(f"--into {asked.into} is the table that is read")
    elif any(given is not None for given in (asked.into, asked.table, asked.schema)):
        raise ValueError(
            "--table, --schema and --into are for a database, as postgres://..."
        )


def _decide_there(
    asked: PredictOptions, model: RuleSetModel, wanted: Wanted, into: str
) -> Counted:
    """Look at all rows of a table in a database, then make a view or a table."""
    from faircg.tables.in_database import TableDecisions

    called = f"{shown(asked.data)} {asked.table}"
    with database_table(asked.data, asked.table, asked.schema) as table:
        wanted.check(called, table.columns, tuple(f.name for f in model.features))
        decisions = TableDecisions(model, table, asked.schema)
        if not asked.force:
            decisions.check_new(into)
        counted = decisions.count(asked.seen)
        decisions.keep(wanted, into, asked.kind, replacing=asked.force)
    return counted


def _decide(
    asked: PredictOptions,
    model: RuleSetModel,
    wanted: Wanted,
    output: Path,
    update: Update,
) -> Counted:
    """Write all rows with their decisions; if some are odd, look at all before."""
    from faircg.tables import source as reading
    from faircg.tables.at_once import write_at_once
    from faircg.tables.decide import Decisions
    from faircg.tables.write import check_writable, telling, write_decisions

    kind = check_writable(str(output))
    seen = asked.seen
    source = reading.open_source(files.embedded_path(asked.data), asked.reading)
    wanted.check(source.called, source.names, tuple(f.name for f in model.features))
    with files.replacement(output) as new:
        if kind == "text":
            decisions = Decisions(model, source)
            with (
                telling(lambda share: update("writing", share)),
                reading.in_words(source.called),
            ):
                found = write_at_once(decisions, wanted, str(output), new)
            if found is not None:
                return found
        with telling(lambda share: update("looking at values", share)):
            source, counted = source.tried(lambda s: Decisions(model, s).count(seen))
        with (
            telling(lambda share: update(f"{counted.rows:,} rows", share)),
            reading.in_words(str(output), "written"),
        ):
            decisions = Decisions(model, source)
            write_decisions(decisions, wanted, str(output), new, counted.rows)
    return counted


def evaluate(
    model: opt.Model,
    data: opt.Data,
    target: opt.Target = None,
    sensitive: opt.Sensitive = None,
    weight: opt.Weight = None,
    constraint: opt.Measured = None,
    epsilon: opt.MeasuredEpsilon = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Exit with 3 unless the gaps counted are within epsilon.",
        ),
    ] = False,
    missing_groups: opt.MissingGroups = "raise",
    strict: opt.Strict = False,
    allow_unseen: col.AllowUnseen = False,
    sep: col.Separator = None,
    decimal: col.Decimal = None,
    encoding: col.Encoding = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    config: opt.Config = None,
) -> None:
    """Count what a model does to each group of a table, and compare with epsilon.

    Target and groups are those of the fit, unless others are named; of a table from
    which some were kept apart by fit --holdout, only those are counted. Rates are exact
    fractions of people counted. The intervals hold for all groups at once with 95 %
    confidence, if the people counted are an independent random sample.

    \b
    Example:
      faircg evaluate model.json compas
    """
    from faircg.evaluate import People

    seen = col.strictness(strict=strict, allow_unseen=allow_unseen)
    rules = files.load_model(model)
    how = col.ReadingOptions(sep=sep, decimal=decimal, encoding=encoding).reading
    people = files.read_for(rules, data, how).weighted(weight)
    column, groups = remembered.columns(rules, people, target, sensitive)
    people = _not_learned_from(rules, people, column, groups)
    _tell_intervals(people, weight)
    counted = People.read(
        **people.parts(column, groups), models=[rules], missing_groups=missing_groups
    )
    criterion = _criterion(rules, joined(constraint), epsilon) if groups else None
    accepted = rules.accepts(counted.table, strict=seen)
    trained = rules.group_names
    part = counted.result("data", rules, accepted, criterion, trained=trained)
    cost = rules.asked.cost_of(part.overall.counts, counted.parts)
    if as_json:
        values = {
            "model": str(model),
            "data": people.name,
            "rows": len(people.frame),
            "weight": weight,
            **show.criterion_values(criterion),
            "cost": cost,
            **show.part_values(part),
        }
        typer.echo(files.to_json(values))
    else:
        _show(part, cost, groups)
    if check and part.within is not True:
        raise exits.TargetNotMetError(_not_met(part, criterion))


def _not_learned_from(
    rules: RuleSetModel, people: NamedTable, target: str, groups: list[str]
) -> NamedTable:
    """Return the people who were kept apart from the fit, if some of these were."""
    divided = remembered.parts(rules, people, target, groups)
    if divided is None:
        return people
    learned, apart = divided
    note(
        f"the rules were learned from {len(learned.frame):,} of these rows; the "
        f"{len(apart.frame):,} that were kept apart are counted"
    )
    return apart


def _tell_intervals(people: NamedTable, weight: str | None) -> None:
    """Say that people are counted by weight, and what that means for intervals."""
    tell_weight(people, weight)
    if weight is not None:
        note(
            "intervals take all people counted as drawn independently; if a row stands "
            "for many, they are narrower than they should be"
        )


def _show(part: PartResult, cost: float | None, groups: Sequence[str]) -> None:
    """Print what was counted."""
    out = show.console()
    show.show_part(out, part, groups)
    if cost is not None:
        out.print(f"wrong predictions cost {number(cost)} on this data")
    if not groups:
        out.print("no groups were named; --sensitive compares them")


def _not_met(part: PartResult, criterion: Criterion | None) -> str:
    """Say why a part is not known to satisfy the constraint."""
    widest = part.widest
    if part.within is False and widest is not None:
        value = f"the {widest.title} is {float(widest.value or 0):.4f}"
        if widest.kind == "difference":
            return f"{value}, more than the allowed {widest.limit:g}"
        return f"{value}, not {show.limit_words(widest)}"
    epsilon = None if criterion is None else criterion.epsilon
    if epsilon is not None and epsilon >= 1:
        return (
            f"epsilon {float(epsilon):g} allows every difference, so that there is "
            "nothing to check"
        )
    reason = "it cannot be told whether this data satisfies a constraint"
    if part.absent:
        reason = f"{reason}: nobody here is of the group {part.absent[0]!r}"
    return reason


def _criterion(
    rules: RuleSetModel, constraint: str | None, epsilon: float | None
) -> Criterion | None:
    """Return the criterion asked for, or that of the model."""
    from faircg.fairness.constraint import criterion_of, takes_epsilon

    known, certificate = rules.criterion, rules.certificate
    if epsilon is None and constraint in (None, getattr(known, "name", None)):
        return known
    if constraint == "none":
        return None
    name = constraint
    if name is None and certificate is not None:
        name = certificate.constraint
    if name is None:
        raise ValueError("the model has no constraint; name one with --constraint")
    if epsilon is None and takes_epsilon(name):
        epsilon = None if certificate is None else certificate.epsilon
        if epsilon is None:
            raise ValueError(
                "the model does not say what gap is allowed; give --epsilon"
            )
    return criterion_of(name, epsilon)
