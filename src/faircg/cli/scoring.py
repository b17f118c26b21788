"""Commands that apply a model: ``predict``, ``explain`` and ``evaluate``."""

# ruff: noqa: D301 (the help needs "\b" as one character)

from __future__ import annotations

from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircg.cli import column_options as col
from faircg.cli import exits, files, show
from faircg.cli import options as opt
from faircg.cli.constraints import joined
from faircg.cli.notes import tell_weight
from faircg.cli.progress import bar, note
from faircg.printable import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.cli.decisions import Tally, Wanted
    from faircg.cli.named_table import NamedTable
    from faircg.evaluate import PartResult
    from faircg.fairness import Criterion
    from faircg.model import RuleSetModel


class Shape(StrEnum):
    """How explanations are written."""

    text = "text"
    table = "table"
    json = "json"


def predict(
    model: opt.Model,
    data: opt.Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="File to write; - prints. Parquet gives Parquet."
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
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    config: opt.Config = None,
) -> None:
    """Add predictions to a table of any length; the sensitive column is not needed.

    The table is read and written in pieces, and its own values are passed on as they
    are.

    \b
    Example:
      faircg predict model.json compas -o decisions.csv
    """
    from faircg.cli.decisions import Tally, Wanted
    from faircg.unseen import unseen_words
    from faircg.whole_files import replacing

    files.check_output(output)
    if only and keep:
        raise ValueError("--only and --keep contradict each other; give one of them")
    rules = files.load_model(model)
    is_printed = str(output) == files.STANDARD
    if is_printed and as_json:
        raise ValueError("--json prints counts; give the predictions a file with -o")
    tally = Tally(col.strictness(strict=strict, allow_unseen=allow_unseen))
    wanted = Wanted(column, () if only else tuple(keep) if keep else None)
    stdout = nullcontext(typer.get_binary_stream("stdout"))
    with stdout if is_printed else replacing(output) as out:
        _score(rules, tally, data, output, out, wanted, quiet)
        tally.check_seen()
    if not tally.n_rows:
        note(f"{data} has no rows")
    for name, (count, example) in tally.unseen.items():
        note(unseen_words(name, count, example))
    negative, positive = map(str, rules.labels)
    n_rows, n_positive = tally.n_rows, tally.n_positive
    if as_json:
        values = {
            "output": str(output),
            "rows": n_rows,
            "predicted": {negative: n_rows - n_positive, positive: n_positive},
            "unseen_categories": {n: c for n, (c, _) in tally.unseen.items()},
        }
        typer.echo(files.to_json(values))
    elif not is_printed:
        found = f"{n_positive:,} of {n_rows:,} rows are {positive}"
        typer.echo(f"Wrote {output}: {found}.")


def _score(
    model: RuleSetModel,
    tally: Tally,
    data: str,
    output: Path,
    out: Any,
    wanted: Wanted,
    quiet: bool,
) -> None:
    from faircg.cli.stream_csv import predict_csv
    from faircg.cli.stream_parquet import predict_parquet

    with bar(f"predict {data}", quiet=quiet) as update:

        def told(n_rows: int) -> None:
            update(f"{n_rows:,} rows", None)

        if not files.is_embedded(data) and files.kind_of(data) == "parquet":
            predict_parquet(model, tally, data, output, out, wanted, on_piece=told)
            return
        if str(output).lower().endswith(files.PARQUET):
            raise ValueError(
                f"{data} is CSV, whose predictions are written as CSV; give -o a name "
                "that ends in .csv"
            )
        predict_csv(model, tally, data, out, wanted, on_piece=told)


def explain(
    model: opt.Model,
    data: opt.Data,
    row: Annotated[
        list[int] | None,
        typer.Option(
            help="Row to explain, from 0; give it again for more.", metavar="N"
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(help="Most rows without --row; 0 for all.", min=0)
    ] = 10,
    immutable: opt.Immutable = None,
    direction: opt.Direction = "to_positive",
    closest: Annotated[
        int, typer.Option(help="Closest rules to list where none covers.", min=0)
    ] = 3,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="A change may leave a value out.")
    ] = False,
    shape: Annotated[
        Shape, typer.Option("--format", help="Text, a CSV table, or JSON.")
    ] = Shape.text,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write; - prints.")
    ] = Path("-"),
    strict: opt.Strict = False,
    allow_unseen: col.AllowUnseen = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    config: opt.Config = None,
) -> None:
    """Say why rows get their decision, and the smallest change that flips it.

    A change is about the rules alone: it says nothing about what would happen to a
    person in the world.

    \b
    Example:
      faircg explain model.json compas --row 0 --row 5 --immutable race
    """
    from faircg.explain import explain as explain_rows

    files.check_output(output)
    rules = files.load_model(model)
    people = files.read_for(rules, data)
    numbers = _numbers(people, row, limit)
    explanations = explain_rows(
        rules,
        people.frame,
        immutable=dict.fromkeys(immutable or ()),
        direction=direction,
        n_closest=closest,
        allow_missing=allow_missing,
        strict=col.strictness(strict=strict, allow_unseen=allow_unseen),
    )
    explained = explanations.take(numbers)
    if as_json or shape is Shape.json:
        text = files.to_json(explained.to_dicts())
    elif shape is Shape.table:
        text = explained.to_frame().to_csv(index=False, lineterminator="\n")
    else:
        text = str(explained)
    files.save(output, text if text.endswith("\n") else text + "\n")
    if str(output) != files.STANDARD:
        note(show.wrote([output]).removesuffix("."))


def _numbers(people: NamedTable, given: list[int] | None, limit: int) -> list[int]:
    """Return the rows to explain: those given, or the first ones."""
    n_rows = len(people.frame)
    if given is None:
        first = list(range(n_rows if limit == 0 else min(limit, n_rows)))
        if len(first) < n_rows:
            note(
                f"the first {len(first)} of {n_rows:,} rows; --row N or --limit 0 for "
                "others"
            )
        return first
    outside = [number for number in given if not 0 <= number < n_rows]
    if outside:
        raise ValueError(
            f"there is no row {outside[0]}: {people.name} has the rows 0 to "
            f"{n_rows - 1}"
        )
    return given


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
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    config: opt.Config = None,
) -> None:
    """Count what a model does to each group of a table, and compare with epsilon.

    Rates are exact fractions of people counted. The intervals hold for all groups at
    once with 95 % confidence, if the people counted are an independent random sample.

    \b
    Example:
      faircg evaluate model.json compas
    """
    from faircg.evaluate import People, part_result

    seen = col.strictness(strict=strict, allow_unseen=allow_unseen)
    rules = files.load_model(model)
    people = files.read_for(rules, data).weighted(weight)
    column = people.target(target)
    groups = people.sensitive(sensitive, rules.stratum)
    _tell_intervals(people, weight)
    counted = People.read(
        **people.parts(column, groups), models=[rules], missing_groups=missing_groups
    )
    criterion = _criterion(rules, joined(constraint), epsilon) if groups else None
    part = part_result(
        "data",
        counted.counts(rules.accepts(counted.table, strict=seen)),
        criterion,
        families=counted.groups.families,
        trained=rules.group_names,
        per_person=counted.parts,
    )
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
