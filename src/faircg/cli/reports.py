"""What the commands that write reports share."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from faircg.cli import files
from faircg.cli import options as opt
from faircg.cli.progress import note

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from faircg.cli.named_table import NamedTable
    from faircg.report import About

IdColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--id", help="Column whose values name the rows shown.", metavar="COLUMN"
    ),
]
Describe: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="CSV file of columns and what they mean, one on each line."),
]
LARGE: Final = 6_000_000
"""Bytes from which on a report is slow to open and to send."""


@dataclass(frozen=True, kw_only=True)
class ReportOptions(opt.PeopleOptions):
    """What both commands that write reports are asked: parts, rows, a model card."""

    validation: opt.Validation = None
    test: opt.Test = None
    rows: opt.Rows = 0
    id_column: IdColumn = None
    describe: Describe = None
    title: opt.Title = ""
    owner: opt.Owner = ""
    intended_use: opt.IntendedUse = ""
    out_of_scope: opt.OutOfScope = ""
    date: opt.Date = ""


def need_report() -> None:
    """Refuse early when the packages that reports need are not there."""
    from importlib.util import find_spec

    if find_spec("jinja2") is None:
        raise ImportError(
            "reports need Jinja: install it with pip install 'faircg[report]'"
        )


def held_out(
    asked: ReportOptions,
    read: Callable[[str], NamedTable],
    target: str,
    groups: list[str],
) -> dict[str, NamedTable]:
    """Read the parts of a report that were held out; each may be given once."""
    parts = {}
    given = {"validation": asked.validation, "test": asked.test}
    for name, sources in given.items():
        if not sources:
            continue
        if len(sources) > 1:
            raise ValueError(f"--{name} was given {len(sources)} times; give it once")
        people = read(sources[0]).weighted(asked.weight)
        people.must_have([target, *groups])
        parts[name] = people
    return parts


def as_data(
    parts: Mapping[str, NamedTable], target: str, groups: list[str]
) -> dict[str, Any]:
    """Return table, labels, groups and weights of each part."""
    return {n: tuple(p.parts(target, groups).values()) for n, p in parts.items()}


def about(
    asked: ReportOptions, people: NamedTable, target: str, groups: Sequence[str]
) -> About:
    """Return what a report says about its data, and what the user told of it."""
    from faircg.report import About

    return About(
        title=asked.title,
        data_name=people.name,
        data_description=people.description,
        target=target,
        sensitive=tuple(groups),
        date=asked.date,
        owner=asked.owner,
        intended_use=asked.intended_use,
        out_of_scope=asked.out_of_scope,
        descriptions=described(asked.describe, people),
    )


def described(path: Path | None, people: NamedTable) -> dict[str, str]:
    """Read what columns mean: a name and its description on each line of a CSV file."""
    if path is None:
        return {} if people.dataset is None else dict(people.dataset.columns)
    text = files.must_exist(path).read_text(encoding="utf-8-sig")
    have = {str(name) for name in people.frame.columns}
    lines = [line for line in csv.reader(text.splitlines()) if len(line) > 1]
    found = {line[0]: line[1] for line in lines if line[0] in have}
    if not found:
        raise ValueError(
            f"{path} describes no column of {people.name}; write lines such as "
            f"{people.frame.columns[0]},what it means"
        )
    return found


def names_of_rows(
    asked: ReportOptions, people: NamedTable, others: Mapping[str, NamedTable]
) -> dict[str, Any]:
    """Return what the rows are called in a report: by a column, or by their numbers.

    The rows shown are those of the last part.
    """
    people = [people, *others.values()][-1]
    if asked.id_column is None:
        return {"ids": people.frame.index.tolist()}
    people.must_have([asked.id_column])
    ids = files.as_text(people.frame[asked.id_column]).tolist()
    return {"ids": ids, "id_name": asked.id_column}


def save_report(path: Path, page: str) -> None:
    """Write a report, and say so if it is large."""
    files.save(path, page)
    if len(page) > LARGE:
        note(f"{path} has {len(page) / 1e6:.0f} MB; fewer --rows make it smaller")
