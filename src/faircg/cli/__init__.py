"""The command line: ``faircg fit | predict | explain | evaluate | frontier | ...``.

One module per family of commands: ``learning`` (fit), ``searching`` (frontier),
``scoring`` (predict, evaluate), ``explaining`` (explain), ``writing`` (report, export)
and ``embedded`` (datasets, demo). Heavy imports happen inside the commands, and the
options of a command are read when it is run, so that ``--help`` answers at once.
Results go to standard output, progress and notes to standard error. Bad input ends with
one clear line, and no file is half written.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated

import typer

from faircg.cli import exits
from faircg.cli.addresses import without_passwords
from faircg.cli.embedded import datasets, demo
from faircg.cli.explaining import explain
from faircg.cli.lazy import LazyCommand, described
from faircg.cli.learning import fit
from faircg.cli.progress import note
from faircg.cli.scoring import evaluate, predict
from faircg.cli.searching import frontier
from faircg.cli.writing import export, report
from faircg.printable import one_line

app = typer.Typer(
    name="faircg",
    help="Learn short IF-rules that obey a bound on the difference between groups, "
    "with a certificate of how far from the best possible they can be.",
    epilog=exits.EPILOG,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: quick, and its examples can be pasted
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    fit,
    predict,
    explain,
    evaluate,
    frontier,
    report,
    export,
    datasets,
    demo,
):
    app.command(command.__name__, cls=LazyCommand)(described(command))


def main() -> None:
    """Run a command; turn errors of the user's input into one line."""
    from faircg.exceptions import FairCGError

    if sys.stdout is None:  # the shell closed it
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    with warnings.catch_warnings(), exits.leaving_on_sigterm():
        warnings.simplefilter("always")
        warnings.showwarning = _note
        try:
            app()
        except exits.TargetNotMetError as error:
            _fail(error, exits.NOT_MET)
        except (
            ValueError,
            TypeError,
            OSError,
            OverflowError,
            FairCGError,
            ImportError,
        ) as error:
            if isinstance(error, BrokenPipeError):
                exits.close_output()
                sys.exit(exits.BAD_INPUT)
            _fail(error, exits.BAD_INPUT)
        except MemoryError:
            _fail(ValueError("not enough memory for this data"), exits.BAD_INPUT)
        except SystemExit as stop:
            if stop.code == exits.INTERRUPTED:
                typer.echo("faircg: interrupted", err=True)
            raise


@app.callback(invoke_without_command=True)
def _about(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = (
        False
    ),
) -> None:
    if version:
        from faircg import __version__

        typer.echo(__version__)
        raise typer.Exit


def _fail(error: BaseException, code: int) -> None:
    text = one_line(without_passwords(str(error) or type(error).__name__))
    typer.echo(f"faircg: error: {text}", err=True)
    sys.exit(code)


def _note(
    message: Warning | str, category: type[Warning], *_: object, **__: object
) -> None:
    """Say a warning in one line; those about other people's code are left out."""
    if issubclass(category, UserWarning):
        note(str(message))
