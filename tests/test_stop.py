import os
import signal
import threading

import pytest

from faircg.colgen.background import run
from faircg.colgen.stop import WORDS_PER_UNIT, Deadline
from faircg.solver.highs import solve_mip
from solver.test_highs import market_split


class Clock:
    """A clock that I turn by hand."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_a_deadline_passes_when_its_time_has_come(clock):
    """Ten seconds from now is set after ten seconds and not before."""
    deadline = Deadline.after(10, clock=clock)
    assert deadline.remaining() == 10
    clock.now += 9.5
    assert not deadline.is_set()
    clock.now += 0.5
    assert deadline.is_set()
    clock.now += 99
    assert deadline.remaining() == 0


def test_without_a_time_it_never_passes(clock):
    """A deadline at infinity is never set by the clock."""
    deadline = Deadline(clock=clock)
    clock.now = 1e300
    assert not deadline.is_set()


def test_a_part_gets_a_shorter_view_of_the_same_deadline(clock):
    """No part can have more time than the whole."""
    deadline = Deadline.after(10, clock=clock)
    assert deadline.within(3).remaining() == 3
    assert deadline.within(30).remaining() == 10
    clock.now += 4
    assert deadline.within(30).remaining() == 6
    assert deadline.within(0).is_set()


def test_work_is_counted_and_time_still_ends_it(clock):
    """Shares are then of the work, however late it is; the time has the last word."""
    deadline = Deadline.after(10, work=2.0, clock=clock)
    half = deadline.within(0.5 * deadline.remaining())
    clock.now += 9
    assert half.remaining() == 1
    deadline.spend(WORDS_PER_UNIT)
    assert half.is_set()
    assert deadline.remaining() == 1
    assert deadline.steps(WORDS_PER_UNIT // 2) == 2
    assert deadline.is_counting
    clock.now += 1
    assert deadline.is_set()
    assert not deadline.is_counting


def test_an_interrupt_reaches_every_view():
    """Ctrl-C stops the whole and all of its parts."""
    deadline = Deadline.after(60)
    part = deadline.within(50).within(40)
    deadline.interrupted.set()
    assert part.is_set()
    assert deadline.is_set()


def test_the_first_interrupt_stops_and_the_second_interrupts():
    """One Ctrl-C asks for the best so far, a second one means it."""
    deadline = Deadline.after(60)
    before = signal.getsignal(signal.SIGINT)
    with deadline.listening():
        os.kill(os.getpid(), signal.SIGINT)
        assert deadline.is_set()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_the_handler_is_given_back_after_an_error():
    """A fit that fails does not leave my Ctrl-C deaf."""
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), Deadline().listening():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_do_not_touch_signals():
    """Fitting in a worker thread works; only the main thread hears Ctrl-C."""
    handlers = []

    def work():
        with Deadline().listening():
            handlers.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [before]


class Interrupted(Deadline):
    """Ctrl-C comes while somebody waits for a thread of this name."""

    name = ""

    def is_set(self):
        waits = threading.current_thread() is threading.main_thread()
        if waits and any(t.name == self.name for t in threading.enumerate()):
            raise KeyboardInterrupt
        return False


def threads(name):
    return [thread for thread in threading.enumerate() if thread.name == name]


def test_an_exception_while_waiting_stops_the_search():
    """The search went on in its thread, and used a core until it was done."""

    class Searching(Interrupted):
        name = "search"

    stops = []

    def search(limits):
        stops.append(limits.stop)
        while not limits.stop.is_set():
            pass

    with pytest.raises(KeyboardInterrupt):
        run(search, Searching(), threads=1)
    assert stops[0].is_set()


def test_an_exception_while_waiting_stops_the_solver():
    """So did the solver, without end if no time limit was given."""

    class Solving(Interrupted):
        name = "highs"

    before = threads("highs")
    with pytest.raises(KeyboardInterrupt):
        solve_mip(market_split(0, 5, 40), Solving())
    (solver,) = set(threads("highs")) - set(before) or {threading.Thread()}
    if solver.ident is not None:
        solver.join(60)
    assert not solver.is_alive()
