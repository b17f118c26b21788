"""Run a native search in a thread, so that Ctrl-C and the deadline are heard.

Python delivers signals to its main thread between two instructions; a search that runs
there for seconds would make it deaf.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

from faircg._kernel import Limits, StopFlag

if TYPE_CHECKING:
    from collections.abc import Callable

    from faircg.colgen.stop import Deadline

Result = TypeVar("Result")


def run(
    search: Callable[[Limits], Result], deadline: Deadline, *, threads: int
) -> Result:
    """Run a search that keeps limits; stop it when the deadline comes."""
    stop, done = StopFlag(), threading.Event()
    limits = Limits(threads=threads, seconds=deadline.remaining(), stop=stop)
    results: list[Result] = []
    failures: list[BaseException] = []

    def body() -> None:
        try:
            results.append(search(limits))
        except BaseException as error:
            failures.append(error)
        finally:
            done.set()

    threading.Thread(target=body, name="search", daemon=True).start()
    try:
        while not done.wait(0.05):
            if deadline.is_set():
                stop.set()
    finally:  # an exception, such as a second Ctrl-C, leaves no search behind
        stop.set()
    if failures:
        raise failures[0]
    return results[0]
