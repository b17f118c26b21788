"""What the commands that write reports share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from faircg.cli import files
from faircg.cli import options as opt
from faircg.cli.progress import note

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from faircg.cli.named_table import NamedTable
    from faircg.report import About

LARGE: Final = 6_000_000
"""Bytes from which on a report is slow to open and to send."""


@dataclass(frozen=True, kw_only=True)
class ReportOptions(opt.PeopleOptions):
    """What both commands that write reports are asked: parts, rows, a model card."""

    validation: opt.Validation = None
    test: opt.Test = None
    rows: opt.Rows = 0
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
) -> dict[str, Any]:
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
        parts[name] = tuple(people.parts(target, groups).values())
    return parts


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
    )


def save_report(path: Path, page: str) -> None:
    """Write a report, and say so if it is large."""
    files.save(path, page)
    if len(page) > LARGE:
        note(f"{path} has {len(page) / 1e6:.0f} MB; fewer --rows make it smaller")
