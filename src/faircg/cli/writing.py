"""Commands that write a model for others: ``report`` and ``export``."""

# ruff: noqa: D301 (the help needs "\b" as one character)

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faircg.cli import files, remembered, reports, show
from faircg.cli import options as opt
from faircg.cli.constraints import joined
from faircg.cli.lazy import taking
from faircg.cli.notes import tell_weight
from faircg.tables.names import STANDARD

if TYPE_CHECKING:
    from faircg.report import Report


@dataclass(frozen=True, kw_only=True)
class ModelReportOptions(reports.ReportOptions):
    """What ``report`` is asked."""

    model: opt.Model
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Report to write (HTML).")
    ]
    rows: opt.Rows = 200
    part: Annotated[
        str | None,
        typer.Option(
            help="What the data is, such as train or test; by default train, if its "
            "counts are those of the model."
        ),
    ] = None
    constraint: opt.Measured = None
    direction: opt.Direction = "none"
    immutable: opt.Immutable = None
    missing_groups: opt.MissingGroups = "raise"


@taking(ModelReportOptions)
def report(asked: ModelReportOptions) -> None:
    """Write one HTML file for people who decide: rules, groups, gaps and proof.

    It opens offline. Unless --rows is 0 it holds values of single people.

    \b
    Example:
      faircg report model.json compas -o report.html
    """
    files.check_output(asked.output)
    reports.need_report()
    from faircg.report import render_report

    made, groups = _make_report(asked)
    reports.save_report(asked.output, render_report(made))
    main = made.points[made.chosen].main
    if asked.as_json:
        values = {"part": main.name, **show.part_values(main)}
        typer.echo(files.to_json({"report": str(asked.output), **values}))
        return
    show.show_part(show.console(), main, groups, watched_only=True)
    typer.echo(show.wrote([asked.output]))


def _make_report(asked: ModelReportOptions) -> tuple[Report, list[str]]:
    """Read model and data, and count everything; return the sensitive columns too."""
    from faircg.report import report_of_model

    rules = files.load_model(asked.model)
    people = files.read_for(rules, asked.data, asked.reading).weighted(asked.weight)
    target, groups = remembered.columns(rules, people, asked.target, asked.sensitive)
    tell_weight(people, asked.weight)
    others = reports.held_out(
        asked,
        lambda name: files.read_for(rules, name, asked.reading),
        target,
        groups,
    )
    about = reports.about(asked, people, target, groups)
    divided = remembered.parts(rules, people, target, groups)
    part = asked.part
    if divided is not None:
        people, apart = divided
        others, part = {remembered.HELD_OUT: apart, **others}, part or "train"
    made = report_of_model(
        rules,
        **people.parts(target, groups),
        **reports.names_of_rows(asked, people, others),
        part=part,
        others=reports.as_data(others, target, groups),
        constraint=joined(asked.constraint),
        about=about,
        n_rows=asked.rows,
        direction=asked.direction,
        immutable=dict.fromkeys(asked.immutable or ()),
        missing_groups=asked.missing_groups,
    )
    return made, groups


def export(
    model: opt.Model,
    to: opt.Format,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write; - prints.")
    ] = Path("-"),
    dialect: opt.Dialect = "duckdb",
    table: Annotated[str, typer.Option(help="For SQL: name of the table.")] = "data",
    schema: Annotated[
        str | None, typer.Option(help="For SQL: schema that the table is in.")
    ] = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    config: opt.Config = None,
) -> None:
    """Write a model as SQL, ONNX, Python, JSON, Markdown or LaTeX.

    What predicts agrees with faircg predict on every row that it accepts.

    \b
    Example:
      faircg export model.json --to sql --dialect postgres \\
        --table applicants -o model.sql
    """
    from faircg.export import export_model

    files.check_output(output)
    is_printed = str(output) == STANDARD
    if is_printed and (as_json or to == "onnx"):
        raise ValueError("give the export a file with -o")
    rules = files.load_model(model)
    content = export_model(
        rules,
        to,
        table=table if schema is None else (schema, table),
        dialect=dialect,
    )
    files.save(output, content)
    if as_json:
        size = len(content.encode() if isinstance(content, str) else content)
        values = {"output": str(output), "format": to, "bytes": size}
        typer.echo(files.to_json(values))
    elif not is_printed:
        typer.echo(show.wrote([output]))
