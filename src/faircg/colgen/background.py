"""Run a native search in a thread, so that Ctrl-C and the deadline are heard.

Python delivers signals to its main thread between two instructions; a search that runs
there for seconds would make it deaf.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

from faircg._kernel import Limits, Meter, StopFlag
from faircg.begun import Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from faircg.colgen.stop import Deadline

Result = TypeVar("Result")


def run(
    search: Callable[[Limits], Result], deadline: Deadline, *, threads: int
) -> Result:
    """Run a search that keeps limits; stop it when the deadline comes.

    Words are counted on one thread: how far many would come is a matter of chance.
    """
    stop, done, words = StopFlag(), threading.Event(), deadline.steps(1)
    meter = None if words is None else Meter(words)
    limits = Limits(
        threads=1 if meter else threads,
        seconds=deadline.seconds(),
        stop=stop,
        meter=meter,
    )
    results: list[Result] = []
    failures: list[BaseException] = []

    def body() -> None:
        try:
            results.append(search(limits))
        except BaseException as error:
            failures.append(error)
        finally:
            done.set()

    try:
        Worker(body, "search").start()
        while not done.wait(0.05):
            if deadline.is_set():
                stop.set()
    finally:  # an exception, such as a second Ctrl-C, leaves no search behind
        stop.set()
    if meter is not None:
        deadline.spend(meter.words)
    if failures:
        raise failures[0]
    return results[0]
