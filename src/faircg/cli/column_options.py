"""Options that say which columns rules may test, and what other data may hold."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

Keep: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Column that rules may test although it looks like an identifier, a date "
        "or the answer; give it again for more.",
        metavar="COLUMN",
    ),
]
UseSensitive: TypeAlias = Annotated[
    bool,
    typer.Option("--use-sensitive", help="Rules may test the sensitive columns."),
]
Force: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--force", help="After Ctrl-C, replace the model file even by a worse one."
    ),
]
AllowUnseen: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--allow-unseen",
        help="Go on where most categories of a column were never seen in training.",
    ),
]


def strictness(*, strict: bool, allow_unseen: bool) -> bool | None:
    """Return what both options about categories never seen say together."""
    if strict and allow_unseen:
        raise ValueError("--strict and --allow-unseen contradict each other")
    return True if strict else False if allow_unseen else None
