"""Progress on standard error: the engine's messages, and the cells of a search."""

from __future__ import annotations

import json
import logging
import math
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from faircg.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rich.console import Console

    Update = Callable[[str, float | None], None]


def note(text: str, *, quiet: bool = False) -> None:
    """Say something that is no result."""
    if not quiet:
        typer.echo(f"faircg: note: {one_line(text)}", err=True)


@contextmanager
def bar(
    title: str, *, quiet: bool = False, console: Console | None = None
) -> Iterator[Update]:
    """Show a bar on a terminal; the value given is called with a text and a share."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True) if console is None else console
    if quiet or not console.is_terminal:
        yield lambda text, share: None
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


class Following(logging.Handler):
    """Reads loss, bound and gap from the messages of the engine.

    The bar is the part of the best loss that is proven: full when nothing can be
    better.
    """

    def __init__(self, update: Update) -> None:
        super().__init__(logging.INFO)
        self._update = update
        self.rounds = 0
        self.bound = -math.inf
        self.loss = math.inf
        self.stage = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Take what a message says."""
        args: Any = record.args
        text = str(record.msg)
        if text.startswith("round "):
            self.rounds, self.bound = int(args[0]), float(args[2])
        elif text.startswith("local search"):
            self.loss = min(self.loss, float(args[0]))
        elif text.startswith("integer master"):
            self.loss = min(self.loss, float(args[2]))
        elif text.startswith("excess "):
            self.loss = min(self.loss, float(args[-1]))
        elif text.startswith("frontier: "):
            self.rounds, self.bound, self.loss = 0, -math.inf, math.inf
            self.stage = record.getMessage() + " | "
        self._update(self.stage + self.words(), self.share)

    @property
    def share(self) -> float | None:
        """The proven part of the best loss; None if there is no bound yet."""
        if not (math.isfinite(self.loss) and self.bound > 0):
            return None
        return min(1.0, self.bound / self.loss) if self.loss else 1.0

    def words(self) -> str:
        """Return what is known so far."""
        words = [f"round {self.rounds}"]
        if math.isfinite(self.bound):
            words.append(f"bound {self.bound:.1f}")
        if math.isfinite(self.loss):
            words.append(f"best loss {self.loss:.0f}")
        if self.share is not None:
            words.append(f"gap {1 - self.share:.2%}")
        return " | ".join(words)


@contextmanager
def following(
    title: str, *, quiet: bool = False, console: Console | None = None
) -> Iterator[None]:
    """Show bound and gap while the engine works."""
    package = logging.getLogger("faircg")
    before = package.level
    with bar(title, quiet=quiet, console=console) as update:
        handler = Following(update)
        package.addHandler(handler)
        package.setLevel(logging.INFO)
        try:
            yield
        finally:
            package.removeHandler(handler)
            package.setLevel(before)


@contextmanager
def watching(
    cache: Path,
    n_cells: int,
    title: str,
    *,
    quiet: bool = False,
    console: Console | None = None,
) -> Iterator[None]:
    """Show the cells that a search has finished, which it keeps as files."""
    is_over = threading.Event()
    old = set(cache.glob("*.json"))

    def look(update: Update) -> None:
        last, text = None, ""
        while not is_over.wait(0.5):
            new = [file for file in cache.glob("*.json") if file not in old]
            n_first = sum(file.name.startswith("I-") for file in new)
            latest = max(new, key=_time, default=None)
            if latest is not None and latest != last:
                last, text = latest, _cell(latest)
            words = f"phase I: {n_first} of {n_cells} cells"
            if len(new) > n_first:
                words += f" | phase II: {len(new) - n_first} cells"
            update(words + text, min(1.0, n_first / n_cells))

    with bar(title, quiet=quiet, console=console) as update:
        thread = threading.Thread(target=look, args=(update,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


def _time(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _cell(file: Path) -> str:
    """Say how the latest cell ended."""
    try:
        cell = json.loads(file.read_text(encoding="utf-8"))
        loss, bound = float(cell["objective"]), float(cell["lower_bound"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    gap = (loss - bound) / loss if loss > bound else 0.0
    return f" | last: loss {loss:.0f}, bound {bound:.0f}, gap {gap:.2%}"
