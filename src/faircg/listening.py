"""Who hears the events of a fit: the log, and the callbacks of the user.

Events of folds in other processes come back to this one. A :class:`Channel` calls its
listener directly; a pickled copy of it sends what it is told through a local socket.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from typing import TYPE_CHECKING, Any

from faircg.colgen.events import Event, InCell, OnEvent, ignore
from faircg.exceptions import FairCGError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from typing import Self

logger = logging.getLogger("faircg")

LOST = (OSError, EOFError, AuthenticationError)
"""What is raised when the other end is gone, or was never there."""
WAITING = 16
"""Processes that may wait to be connected."""
PAUSE = 0.1
"""Seconds until a connection is tried again, or a parent is looked after."""


class StoppedError(FairCGError):
    """A callback in the main process raised; the fold has nobody to work for."""


@contextmanager
def telling(
    callbacks: Iterable[Callable[[Event], object]], verbose: int
) -> Iterator[OnEvent]:
    """Yield what tells events to the log and to callbacks; what these raise passes.

    Everything is logged, at the level INFO, and what happens inside of a cell of a
    search at DEBUG. ``verbose=1`` shows the former on standard error, 2 both.
    """
    listeners = tuple(callbacks)
    for listener in listeners:
        if not callable(listener):
            raise ValueError(f"callbacks must be callables, not {listener!r}")

    def tell(event: Event) -> None:
        level = logging.DEBUG if isinstance(event, InCell) else logging.INFO
        logger.log(level, "%s", event)
        for listener in listeners:
            listener(event)

    with _shown(verbose):
        is_heard = bool(listeners) or logger.isEnabledFor(logging.INFO)
        yield tell if is_heard else ignore


@contextmanager
def _shown(verbose: int) -> Iterator[None]:
    """Show the log on standard error, as far as ``verbose`` asks for it."""
    if not verbose:
        yield
        return
    before, handler = logger.level, logging.StreamHandler()
    logger.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


class Channel:
    """A listener whose pickled copies tell the original, never two at a time.

    Nothing waits for a process that is gone, and a copy that cannot reach the original,
    as on another machine, keeps what it is told to itself. What the listener raises
    stops whoever told the event, and leaves the channel when that is closed.
    """

    def __init__(self, listener: OnEvent) -> None:
        self._listener = listener
        self._lock = threading.Lock()
        self._key = secrets.token_bytes(32)
        self._server: Listener | None = None
        self._error: BaseException | None = None

    def __call__(self, event: Event) -> None:
        """Tell an event in this process."""
        with self._lock:
            self._listener(event)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a sender; only now there is anything to listen to."""
        if self._listener is ignore:
            return _Sender, (None, b"", os.getpid())
        with self._lock:
            if self._server is None:
                self._server = _listener()
                threading.Thread(
                    target=self._accept, args=(self._server,), daemon=True
                ).start()
            return _Sender, (self._server.address, self._key, os.getpid())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening; raise what the listener raised in another thread."""
        server, self._server = self._server, None
        if server is not None:
            with suppress(*LOST):  # wakes the thread that waits for connections
                Client(server.address).close()
            server.close()
        if self._error is not None:
            raise self._error from None

    def _accept(self, server: Listener) -> None:
        while self._server is server:
            try:
                connection = server.accept()
            except OSError:  # whoever it was is gone, or too many files are open
                time.sleep(PAUSE)
                continue
            threading.Thread(target=self._hear, args=(connection,), daemon=True).start()

    def _hear(self, connection: Connection[Any, Any]) -> None:
        # A fold that is done, a process that died, or a stranger
        with connection, suppress(*LOST):
            deliver_challenge(connection, self._key)
            answer_challenge(connection, self._key)
            while True:
                connection.send(self._goes_on(connection.recv()))

    def _goes_on(self, event: Event) -> bool:
        with self._lock:
            if self._error is None:
                try:
                    self._listener(event)
                except BaseException as error:
                    self._error = error
            return self._error is None


def _listener() -> Listener:
    """Listen in the temporary directory, or in /tmp where its name is too long.

    A socket's name has about a hundred characters at most. Whoever connects must know
    the key, wherever the socket is.
    """
    try:
        return Listener(backlog=WAITING)
    except OSError:
        return Listener(f"/tmp/faircg-{secrets.token_hex(8)}", backlog=WAITING)


class _Sender:
    """The copy of a channel in another process; a child ends with its parent."""

    def __init__(self, address: Any, key: bytes, original: int) -> None:
        self._address, self._key = address, key
        if os.getppid() == original:
            end_with(original)
        self._connection: Connection[Any, Any] | None = None
        self._is_lost = address is None

    def __call__(self, event: Event) -> None:
        """Send an event, and wait until it was heard."""
        if self._is_lost:
            return
        try:
            if self._connection is None:
                self._connection = Client(self._address, authkey=self._key)
            self._connection.send(event)
            goes_on = self._connection.recv()
        except LOST:
            self._is_lost = True
            return
        if not goes_on:
            raise StoppedError("a callback raised an exception")


@cache
def end_with(parent: int) -> None:
    """End this process when its parent is gone, whatever it does until then."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PAUSE)
        os._exit(1)  # an exception would leave a worker waiting for its parent

    threading.Thread(target=watch, name="watch", daemon=True).start()
