import os
import signal
import threading

import pytest

from faircg.colgen.stop import Deadline


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
