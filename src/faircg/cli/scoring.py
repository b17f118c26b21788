"""Commands that apply a model: ``predict`` and ``evaluate``."""

# ruff: noqa: D301 (the help needs "\b" as one character)

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faircg.cli import column_options as col
from faircg.cli import exits, files, remembered, show
from faircg.cli import options as opt
from faircg.cli.constraints import joined
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
    from faircg.tables.source import Reading


def predict(
    model: opt.Model,
    data: opt.Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="File to write, as its name says; - prints CSV."
        ),
    ] = Path("-"),
    column: Annotated[str, typer.Option(help="Name of the new column.")] = "prediction",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the data to write; give it again for more. All by default.",
            metavar="COLUMN",
        ),
    ] = None,
    only: Annotated[
        bool, typer.Option("--only", help="Write nothing but the predictions.")
    ] = False,
    strict: opt.Strict = False,
    allow_unseen: col.AllowUnseen = False,
    sep: col.Separator = None,
    decimal: col.Decimal = None,
    encoding: col.Encoding = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    config: opt.Config = None,
) -> None:
    """Add predictions to a table of any length; the sensitive column is not needed.

    Its own values are passed on as they are. Nothing is written before all rows were
    looked at.

    \b
    Example:
      faircg predict model.json compas -o decisions.csv
    """
    from faircg.unseen import unseen_words

    files.check_output(output)
    if only and keep:
        raise ValueError("--only and --keep contradict each other; give one of them")
    rules = files.load_model(model)
    is_printed = str(output) == STANDARD
    if is_printed and as_json:
        raise ValueError("--json prints counts; give the predictions a file with -o")
    seen = col.strictness(strict=strict, allow_unseen=allow_unseen)
    kept = () if only else tuple(keep) if keep else None
    how = col.ReadingOptions(sep=sep, decimal=decimal, encoding=encoding).reading
    with bar(f"predict {data}", quiet=quiet) as update:
        counted = _decide(rules, data, output, (column, kept), seen, how, update)
    if not counted.rows:
        note(f"{data} has no rows")
    for name, (count, example) in counted.unseen.items():
        note(unseen_words(name, count, example))
    negative, positive = map(str, rules.labels)
    n_rows, n_positive = counted.rows, counted.positive
    if as_json:
        values = {
            "output": str(output),
            "rows": n_rows,
            "predicted": {negative: n_rows - n_positive, positive: n_positive},
            "unseen_categories": {n: c for n, (c, _) in counted.unseen.items()},
        }
        typer.echo(files.to_json(values))
    elif not is_printed:
        found = f"{n_positive:,} of {n_rows:,} rows are {positive}"
        typer.echo(f"Wrote {output}: {found}.")


def _decide(
    model: RuleSetModel,
    data: str,
    output: Path,
    columns: tuple[str, tuple[str, ...] | None],
    strict: bool | None,
    reading: Reading,
    update: Update,
) -> Counted:
    """Look at all rows, then write them with their decisions."""
    from faircg.tables.decide import Decisions
    from faircg.tables.source import in_words, open_source
    from faircg.tables.write import Wanted, check_writable, telling, write_decisions

    check_writable(str(output))
    source = open_source(files.embedded_path(data), reading)
    wanted = Wanted(*columns)
    wanted.check(source, tuple(f.name for f in model.features))
    with telling(lambda share: update("looking at values", share)):
        source, counted = source.tried(lambda s: Decisions(model, s).count(strict))
    with (
        telling(lambda share: update(f"{counted.rows:,} rows", share)),
        files.replacement(output) as new,
        in_words(str(output), "written"),
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
