"""``explain``: why people get their decision, one by one or all who are refused."""

# ruff: noqa: D301 (the help needs "\b" as one character)

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faircg.cli import column_options as col
from faircg.cli import files, reports, show
from faircg.cli import options as opt
from faircg.cli.lazy import taking
from faircg.cli.progress import note
from faircg.tables.names import STANDARD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.cli.named_table import NamedTable
    from faircg.explain import Explanations
    from faircg.model import RuleSetModel


class Shape(StrEnum):
    """How explanations are written."""

    text = "text"
    table = "table"
    json = "json"


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(col.ReadingOptions):
    """What ``explain`` is asked."""

    model: opt.Model
    data: opt.Data
    row: Annotated[
        list[int] | None,
        typer.Option(
            help="Row to explain, from 0; give it again for more.", metavar="N"
        ),
    ] = None
    id_column: reports.IdColumn = None
    person: Annotated[
        list[str] | None,
        typer.Option(
            help="Value of the --id column to explain; give it again for more.",
            metavar="ID",
        ),
    ] = None
    refused: Annotated[
        bool,
        typer.Option(
            "--refused",
            help="Explain everybody who does not get the positive label, as a CSV "
            "table unless --format says otherwise.",
        ),
    ] = False
    limit: Annotated[
        int, typer.Option(help="Most rows where none are named; 0 for all.", min=0)
    ] = 10
    immutable: opt.Immutable = None
    direction: opt.Direction = "to_positive"
    closest: Annotated[
        int, typer.Option(help="Closest rules to list where none covers.", min=0)
    ] = 3
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="A change may leave a value out.")
    ] = False
    shape: Annotated[
        Shape | None, typer.Option("--format", help="Text, a CSV table, or JSON.")
    ] = None
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write; - prints.")
    ] = Path("-")
    strict: opt.Strict = False
    allow_unseen: col.AllowUnseen = False
    as_json: opt.AsJson = False
    quiet: opt.Quiet = False
    config: opt.Config = None


@taking(ExplainOptions)
def explain(asked: ExplainOptions) -> None:
    """Say why rows get their decision, and the smallest change that flips it.

    A change is about the rules alone: it says nothing about what would happen to a
    person in the world.

    \b
    Example:
      faircg explain model.json compas --row 0 --row 5 --immutable race
    """
    from faircg.explain import explain as explain_rows

    files.check_output(asked.output)
    rules = files.load_model(asked.model)
    people = files.read_for(rules, asked.data, asked.reading)
    ids = _ids(asked, people)
    numbers = _wanted(asked, rules, people, ids)
    explanations = explain_rows(
        rules,
        people.frame,
        immutable=dict.fromkeys(asked.immutable or ()),
        direction=asked.direction,
        n_closest=asked.closest,
        allow_missing=asked.allow_missing,
        strict=col.strictness(strict=asked.strict, allow_unseen=asked.allow_unseen),
    )
    text = _written(asked, explanations.take(numbers), numbers, ids)
    files.save(asked.output, text if text.endswith("\n") else text + "\n")
    if str(asked.output) != STANDARD:
        note(show.wrote([asked.output]).removesuffix("."))


def _ids(asked: ExplainOptions, people: NamedTable) -> list[str | None] | None:
    """Return what each row is called; None if rows have numbers only."""
    if asked.id_column is not None:
        people.must_have([asked.id_column])
        names: list[str | None] = files.as_text(people.frame[asked.id_column]).tolist()
        return names
    if asked.person:
        raise ValueError("--person needs the column of its value; name it with --id")
    return None


def _wanted(
    asked: ExplainOptions,
    rules: RuleSetModel,
    people: NamedTable,
    ids: Sequence[str | None] | None,
) -> list[int]:
    """Return the rows to explain."""
    if sum((asked.row is not None, bool(asked.person), asked.refused)) > 1:
        raise ValueError("--row, --person and --refused exclude each other; give one")
    if asked.refused:
        accepted = rules.rule_set.accepts(rules.read(people.frame))
        return [int(number) for number in (~accepted).nonzero()[0]]
    if not asked.person or ids is None:
        return _numbers(people, asked.row, asked.limit)
    rows: list[int] = []
    for name in asked.person:
        found = [number for number, known in enumerate(ids) if known == name]
        if not found:
            raise ValueError(f"nobody in {people.name} has {asked.id_column} {name!r}")
        rows += found
    return rows


def _written(
    asked: ExplainOptions,
    explained: Explanations,
    numbers: Sequence[int],
    ids: Sequence[str | None] | None,
) -> str:
    """Return the explanations as text, as a table or as JSON; ids stand for rows."""
    names = None if ids is None else [ids[number] for number in numbers]
    shape = asked.shape or (Shape.table if asked.refused else Shape.text)
    if asked.as_json or shape is Shape.json:
        entries = explained.to_dicts()
        if names is not None:
            named = zip(names, entries, strict=True)
            entries = [{"id": name, **entry} for name, entry in named]
        return files.to_json(entries)
    if shape is Shape.table:
        frame = explained.to_frame()
        if names is not None:
            frame = frame.drop(columns="row")
            frame.insert(0, str(asked.id_column), names, allow_duplicates=True)
        return files.to_csv(frame)
    if names is None:
        return str(explained)
    return "\n".join(
        str(entry).replace(f"Row {entry.row}:", f"{asked.id_column} {name}:", 1)
        for entry, name in zip(explained, names, strict=True)
    )


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
