"""Commands whose options are read when they are run.

The choices of an option come from a registry of the library, which takes time to load.
``faircg --help`` only needs to know what each command is for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

if TYPE_CHECKING:
    from collections.abc import Callable


def described(function: Callable[..., None]) -> Callable[[], None]:
    """Return what stands for a command until its options are needed."""

    def stand_in() -> None: ...

    stand_in.__doc__ = function.__doc__
    stand_in.command = function  # type: ignore[attr-defined]
    return stand_in


class LazyCommand(TyperCommand):
    """A command that is made from its function when it is first looked into."""

    @cached_property
    def _made(self) -> Any:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(self.name)(self.callback.command)  # type: ignore[union-attr]
        return get_command(app)

    @property
    def params(self) -> Any:
        """The options and arguments."""
        return self._made.params

    @params.setter
    def params(self, none_yet: object) -> None:
        pass

    def invoke(self, ctx: Any) -> Any:
        """Run the command itself."""
        return self._made.invoke(ctx)
