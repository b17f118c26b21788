"""Tasks: the units of work of a protocol, run in any order, each kept on disk.

A task is a frozen value that names all that its answer depends on. Its records go to
one file, written at once when it is done; a run that is stopped, at any point and by
any means, leaves every finished task behind, and the next run does the rest.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from joblib import Parallel, delayed

from faircg.whole_files import write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Record: TypeAlias = dict[str, Any]


class Task(Protocol):
    """A piece of an experiment."""

    @property
    def source(self) -> str:
        """Which records it adds to."""
        ...

    @property
    def most_seconds(self) -> float:
        """How long it takes at most, about."""
        ...

    def run(self, cache: Path) -> list[Record]:
        """Do the work; ``cache`` is for steps worth keeping on the way."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come."""

    n_done: int
    n_tasks: int
    most_seconds_left: float
    seconds_done: float


def file_of(task: Task, folder: Path) -> Path:
    """Return where a task's records are kept."""
    digest = hashlib.sha256(repr(task).encode()).hexdigest()[:16]
    return folder / "tasks" / task.source / f"{digest}.json"


def progress(tasks: Sequence[Task], folder: Path) -> Progress:
    """See what is done and what is left."""
    left = [task for task in tasks if not file_of(task, folder).exists()]
    done = [
        json.loads(file_of(task, folder).read_text(encoding="utf-8"))["seconds"]
        for task in tasks
        if task not in left
    ]
    return Progress(
        n_done=len(done),
        n_tasks=len(tasks),
        most_seconds_left=sum(task.most_seconds for task in left),
        seconds_done=sum(done),
    )


def run_tasks(
    tasks: Sequence[Task], folder: Path, *, n_jobs: int, minutes: float | None = None
) -> bool:
    """Do what is left, as far as time allows; say whether all is done."""
    left = [task for task in tasks if not file_of(task, folder).exists()]
    started = time.monotonic()

    def until_time_is_up() -> Iterator[Any]:
        for task in left:
            if minutes is not None and time.monotonic() - started > 60 * minutes:
                return
            yield delayed(_run_one)(task, folder)

    # One at a time is handed to a free worker, so that a stop loses no more than that.
    finished = Parallel(
        n_jobs=n_jobs,
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="n_jobs",
    )(until_time_is_up())
    n_done = len(tasks) - len(left)
    for words, seconds in finished:
        n_done += 1
        minutes_so_far = (time.monotonic() - started) / 60
        print(
            f"[{n_done}/{len(tasks)}] {minutes_so_far:6.1f} min  {words}  "
            f"{seconds:.1f} s",
            flush=True,
        )
    return n_done == len(tasks)


def _run_one(task: Task, folder: Path) -> tuple[str, float]:
    started = time.perf_counter()
    cache = folder / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    records = task.run(cache)
    seconds = time.perf_counter() - started
    file = file_of(task, folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {"task": repr(task), "seconds": seconds, "records": records}
    write_text(file, json.dumps(content) + "\n")
    return str(task), seconds


def records_of(tasks: Sequence[Task], folder: Path) -> dict[str, list[Record]]:
    """Read the records of finished tasks, by source, in the order of the tasks."""
    found: dict[str, list[Record]] = {}
    for task in tasks:
        file = file_of(task, folder)
        if file.exists():
            content = json.loads(file.read_text(encoding="utf-8"))
            found.setdefault(task.source, []).extend(content["records"])
    return found
