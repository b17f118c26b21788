"""Commands whose options are read when they are run.

The choices of an option come from a registry of the library, which takes time to load.
``faircg --help`` only needs to know what each command is for.
"""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand
from typer.main import get_command

from faircg.cli.progress import be_quiet

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def taking(options: type[T]) -> Callable[[Callable[[T], None]], Callable[..., None]]:
    """Make a command of a function of one value, whose fields are its options."""

    def command_of(function: Callable[[T], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            function(options(**given))

        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.options = options  # type: ignore[attr-defined]
        return command

    return command_of


def described(function: Callable[..., None]) -> Callable[[], None]:
    """Return what stands for a command until its options are needed."""

    def stand_in() -> None: ...

    stand_in.__doc__ = function.__doc__
    stand_in.command = function  # type: ignore[attr-defined]
    return stand_in


def _signature(options: type) -> inspect.Signature:
    """Return the fields of a dataclass, its own first, then those that it shares."""
    hints = get_type_hints(options, include_extras=True)
    fields = inspect.signature(options).parameters
    own = inspect.get_annotations(options)
    names = [*own, *(name for name in fields if name not in own)]
    return inspect.Signature([fields[n].replace(annotation=hints[n]) for n in names])


class LazyCommand(TyperCommand):
    """A command that is made from its function when it is first looked into."""

    @cached_property
    def _made(self) -> Any:
        command: Any = self.callback.command  # type: ignore[union-attr]
        if hasattr(command, "options"):
            command.__signature__ = _signature(command.options)
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(self.name)(command)
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
        be_quiet(bool(ctx.params.get("quiet")))
        return self._made.invoke(ctx)
