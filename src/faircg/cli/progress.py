"""Progress on standard error: a bar that listens to the events of fits and searches."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import typer

from faircg.printable import one_line, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from faircg.colgen.events import CellDone, Event, OnEvent

    Update = Callable[[str, float | None], None]


_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


def be_quiet(quiet: bool) -> None:
    """Say nothing from now on that is no result, or say it again."""
    _quiet.set(quiet)


def note(text: str) -> None:
    """Say something that is no result, unless --quiet was given."""
    if not _quiet.get():
        typer.echo(f"faircg: note: {one_line(text)}", err=True)


def _show_nothing(text: str, share: float | None) -> None:
    """Take the place of a bar where there is none."""


@contextmanager
def bar(
    title: str, *, quiet: bool = False, console: Console | None = None
) -> Iterator[Update]:
    """Show a bar on a terminal; yield what updates it by a text and a share."""
    if quiet:
        yield _show_nothing
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True) if console is None else console
    if not console.is_terminal:
        yield _show_nothing
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[text]}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as shown:
        task = shown.add_task(escape(title), total=None, text="")

        def update(text: str, share: float | None) -> None:
            shown.update(
                task, text=escape(text), total=share and 1.0, completed=share or 0.0
            )

        yield update


@contextmanager
def following(
    title: str, *, quiet: bool = False, console: Console | None = None
) -> Iterator[tuple[OnEvent, ...]]:
    """Show a bar while something is learned; yield the callbacks that it needs."""
    with bar(title, quiet=quiet, console=console) as update:
        yield () if update is _show_nothing else (SearchProgress(update),)


class FitProgress:
    """Shows depth, best accuracy, gap to the bound and the time left of a fit.

    The bar is the part of the best loss that is proven: full when nothing can be
    better.
    """

    def __init__(
        self, update: Update, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._update, self._clock = update, clock
        self.asked, self.people, self.ends = "", 0.0, math.inf
        self._begin()

    def _begin(self) -> None:
        self.depth, self.bound = 0, -math.inf
        self.loss = self.errors = math.inf

    def __call__(self, event: Event) -> None:
        """Take what an event says."""
        from faircg.colgen import events as told

        match event:
            case told.FitBegun():
                self.asked, self.people = str(event), event.people
                self.ends = self._clock() + event.seconds
                self._begin()
            case told.DepthBegun():
                self.depth = event.max_conditions
            case told.RoundDone():
                self.bound = event.round.lower_bound
            case told.Incumbent():
                self.loss, self.errors = event.loss, event.errors
            case told.ProofStep() | told.IntegerDone():
                self.bound = max(self.bound, event.lower_bound)
        self._update(self.words(), self.share)

    @property
    def share(self) -> float | None:
        """The proven part of the best loss; None if there is no bound yet."""
        if not (math.isfinite(self.loss) and self.bound > 0):
            return None
        return min(1.0, self.bound / self.loss) if self.loss else 1.0

    def words(self) -> str:
        """Return what is known so far."""
        words = [self.asked]
        if self.depth:
            words.append(f"rules of up to {plural(self.depth, 'condition')}")
        if self.people and math.isfinite(self.errors):
            words.append(f"best accuracy {1 - self.errors / self.people:.2%}")
        elif math.isfinite(self.loss):
            words.append(f"best loss {self.loss:.0f}")
        if self.share is not None:
            words.append(f"gap {1 - self.share:.2%}")
        if math.isfinite(self.ends):
            words.append(f"{max(0.0, self.ends - self._clock()):.0f} s left")
        return " | ".join(words)


class SearchProgress:
    """Shows the finished cells of a search, and the fits that follow or stand alone."""

    def __init__(self, update: Update) -> None:
        self._update = update
        self._fit = FitProgress(update)
        self.n_cells = 0
        self.done = {"I": 0, "II": 0}

    def __call__(self, event: Event) -> None:
        """Take what an event says."""
        from faircg.colgen import events as told

        match event:
            case told.SearchBegun():
                self.n_cells = event.n_folds * event.n_coarse
                self.done = {"I": 0, "II": 0}
            case told.CellDone():
                self.done[event.phase] += 1
                share = self.done["I"] / self.n_cells
                self._update(f"{self.words()} | last: {_words(event)}", share)
            case told.InCell():
                pass  # cells are done often enough
            case _:
                self._fit(event)

    def words(self) -> str:
        """Count what is done."""
        words = f"phase I: {self.done['I']} of {self.n_cells} cells"
        if self.done["II"]:
            words += f" | phase II: {self.done['II']} cells"
        return words


def _words(cell: CellDone) -> str:
    loss, bound = cell.loss, cell.lower_bound
    gap = (loss - bound) / loss if loss > bound else 0.0
    return f"loss {loss:.0f}, bound {bound:.0f}, gap {gap:.2%}"
