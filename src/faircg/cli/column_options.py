"""Options about the columns of tables: how they are read, and what rules may test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from faircg.tables.source import Reading

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
Separator: TypeAlias = Annotated[
    str | None,
    typer.Option("--sep", help="What separates the values of CSV text; found if not."),
]
Decimal: TypeAlias = Annotated[
    str | None,
    typer.Option(help="What decimals begin with in CSV text, . or a comma."),
]
Encoding: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Encoding of CSV text, such as cp1252; UTF-8 if not given."),
]
DatabaseTable: TypeAlias = Annotated[
    str | None,
    typer.Option("--table", help="Table of the database, where DATA is an address."),
]
Schema: TypeAlias = Annotated[
    str | None, typer.Option(help="Schema that the table is in.")
]


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How every command reads CSV text."""

    sep: Separator = None
    decimal: Decimal = None
    encoding: Encoding = None

    @property
    def reading(self) -> Reading:
        """The same as the reader of tables takes it."""
        from faircg.tables.source import Reading

        separator = "\t" if self.sep in ("tab", "\\t") else self.sep
        return Reading(separator, self.decimal, self.encoding)


def strictness(*, strict: bool, allow_unseen: bool) -> bool | None:
    """Return what both options about categories never seen say together."""
    if strict and allow_unseen:
        raise ValueError("--strict and --allow-unseen contradict each other")
    return True if strict else False if allow_unseen else None
