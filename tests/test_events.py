"""What a fit and a search tell while they work."""

import errno
import logging
import signal
import sys
import threading
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from multiprocessing import current_process
from multiprocessing.connection import Client, Listener
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV
from faircg.colgen.events import (
    CellDone,
    DepthBegun,
    DepthDone,
    FitBegun,
    InCell,
    Incumbent,
    ProofStep,
    RoundDone,
    SearchBegun,
)
from faircg.listening import Channel, StoppedError

rng = np.random.default_rng(3)
X = pd.DataFrame(
    {
        "age": rng.integers(18, 70, 150),
        "job": rng.choice(["cook", "nurse", "clerk"], 150),
        "member": rng.random(150) < 0.5,
    }
)
GROUPS = rng.choice(["f", "m"], 150)
Y = ((X["age"] > 40) & X["member"] | (X["job"] == "cook")).to_numpy()
Y = (Y ^ (rng.random(150) < 0.15)).astype(int)
FIT = {
    "constraint": "equality_of_opportunity",
    "thresholds": "quantile",
    "n_thresholds": 5,
    "time_limit": 60,
    "rules_for": "positive",
}
GRID = {"epsilons": (0.05, 1.0), "fine_epsilons": (0.05, 0.2, 1.0)}


def fit(*callbacks, **parameters):
    clf = FairRuleSetClassifier(
        **{**FIT, "max_complexity": 7, **parameters}, callbacks=callbacks
    )
    return clf.fit(X, Y, sensitive_features=GROUPS)


def search(*callbacks, **parameters):
    given = FairRuleSetClassifier(**FIT, max_conditions=2, warm_start_rules=None)
    return FairRuleSetClassifierCV(
        given,
        **{**GRID, "complexities": (4,), "cv": 3, **parameters},
        callbacks=callbacks,
    ).fit(X, Y, sensitive_features=GROUPS)


def of_kind(events, *kinds):
    return [event for event in events if isinstance(event, kinds)]


@pytest.mark.parametrize("objective", ["hamming", "zero_one"])
def test_the_events_of_a_fit_tell_its_whole_story(objective):
    """Rounds are the history, incumbents improve, and the last one is returned."""
    events = []
    clf = fit(events.append, objective=objective, epsilon=0.1)
    assert events[0] == FitBegun(0.1, 7, len(Y), FIT["time_limit"])
    assert tuple(e.round for e in of_kind(events, RoundDone)) == clf.history_
    incumbents = of_kind(events, Incumbent)
    assert len(incumbents) > 1
    for before, after in pairwise(incumbents):
        assert after.loss <= before.loss
        assert after.errors <= before.errors
        assert after != before
    assert incumbents[-1].loss == clf.certificate_.objective
    counts = clf.fairness_.groups.values()
    wrong = sum(c.false_negatives + c.false_positives for c in counts)
    assert incumbents[-1].errors == wrong


def test_depths_begin_and_end_in_order():
    """Between the begin and the end of a depth stand its rounds, and no others."""
    events = []
    clf = fit(events.append)
    inside = None
    seen = []
    for event in of_kind(events, DepthBegun, DepthDone, RoundDone):
        match event:
            case DepthBegun():
                assert inside is None
                inside = event.max_conditions
                seen.append(inside)
            case RoundDone():
                assert event.round.max_conditions == inside
            case DepthDone():
                assert event.max_conditions == inside
                assert event.lower_bound <= clf.certificate_.objective
                inside = None
    assert inside is None
    assert seen == sorted(set(seen))
    assert len(seen) > 1
    proven = [event.lower_bound for event in of_kind(events, ProofStep)]
    assert proven == sorted(proven)


def test_telling_changes_nothing():
    """A fit that is listened to gives the same rules and rounds as one that is not."""

    def told(clf):
        history = [replace(record, seconds=0.0) for record in clf.history_]
        return clf.rule_set_, clf.certificate_.objective, history

    assert told(fit()) == told(fit(lambda _: None, verbose=1))


@pytest.mark.parametrize("kind", [FitBegun, RoundDone, Incumbent, ProofStep])
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_what_a_callback_raises_ends_the_fit(kind, error):
    """The exception itself comes out, Ctrl-C works as before, nothing is learned."""
    seen = []

    def interrupting(event):
        seen.append(event)
        if isinstance(event, kind):
            raise error("enough")

    before = signal.getsignal(signal.SIGINT)
    clf = FairRuleSetClassifier(**FIT, max_complexity=7, callbacks=[interrupting])
    with pytest.raises(error, match="enough"):
        clf.fit(X, Y, sensitive_features=GROUPS)
    assert isinstance(seen[-1], kind)
    assert signal.getsignal(signal.SIGINT) is before
    assert not hasattr(clf, "rule_set_")


def test_callbacks_survive_cloning():
    """A function stays itself, so that scikit-learn's tools may copy the estimator."""
    events = []
    clf = clone(FairRuleSetClassifier(callbacks=(events.append,)))
    assert clf.callbacks == (events.append,)
    with pytest.raises(ValueError, match="callbacks must be callables, not 3"):
        fit(3)


# Searches


def cells(events):
    """Finished cells as often as they were told, without their times."""
    return Counter(replace(e, seconds=0.0) for e in of_kind(events, CellDone))


def test_the_events_of_a_search():
    """Cells are told in order, with what happens inside, and then the last fit."""
    events = []
    found = search(events.append)
    assert events[0] == SearchBegun(n_folds=3, n_coarse=2, n_fine=3)
    done = of_kind(events, CellDone)
    first = [(e.fold, e.epsilon) for e in done if e.phase == "I"]
    assert first == [(fold, e) for fold in range(3) for e in (1.0, 0.05)]
    assert not any(event.is_kept for event in done)
    inside = of_kind(events, InCell)
    for cell in done:
        place = (cell.fold, cell.phase, cell.epsilon)
        of_cell = [e.event for e in inside if (e.fold, e.phase, e.epsilon) == place]
        assert of_kind(of_cell, Incumbent)[-1].loss == cell.loss
        assert of_kind(of_cell, RoundDone)
        assert cell.lower_bound <= cell.loss
    last = events[events.index(FitBegun(found.best_epsilon_, 4, len(Y), 60)) :]
    rounds = tuple(event.round for event in of_kind(last, RoundDone))
    assert rounds == found.best_estimator_.history_


def test_folds_in_other_processes_send_their_events():
    """Two folds at a time tell the same cells, each before the search is over."""
    alone, together = [], []
    search(alone.append)
    search(together.append, n_jobs=2)
    assert cells(together) == cells(alone)
    assert len(of_kind(together, InCell)) == len(of_kind(alone, InCell))


def test_folds_in_threads_tell_their_events():
    """Another backend of joblib needs no channel, and callbacks are not interleaved."""
    alone, together, inside = [], [], threading.Lock()

    def alone_inside(event):
        assert inside.acquire(blocking=False)
        together.append(event)
        inside.release()

    search(alone.append, refit=False)
    with joblib.parallel_config("threading", n_jobs=2):
        search(alone_inside, refit=False)
    assert cells(together) == cells(alone)


def test_kept_cells_are_told_as_such(tmp_path):
    """Whoever watches a search that goes on sees what was there already."""
    before, after = [], []
    search(before.append, cache=tmp_path, refit=False)
    search(after.append, cache=tmp_path, refit=False)
    assert all(event.is_kept for event in of_kind(after, CellDone))
    assert not of_kind(after, InCell)
    assert Counter(replace(e, is_kept=False) for e in of_kind(after, CellDone)) == (
        Counter(of_kind(before, CellDone))
    )


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_what_a_callback_raises_ends_the_search(n_jobs, error):
    """The same exception comes out, whichever process told the event."""
    seen = []

    def interrupting(event):
        seen.append(event)
        if isinstance(event, CellDone):
            raise error("enough")

    with pytest.raises(error, match="enough"):
        search(interrupting, n_jobs=n_jobs)
    assert len(of_kind(seen, CellDone)) == 1


def test_nobody_waits_for_a_channel_that_is_closed():
    """A fold on another machine, or one that outlives the search, tells nobody."""
    heard = []
    with Channel(heard.append) as channel:
        send, arguments = channel.__reduce__()
        sender = send(*arguments)
        sender(DepthBegun(1))
        stranger = send(arguments[0], b"another key", arguments[2])
        stranger(DepthBegun(2))
        sender(DepthBegun(3))
    send(*arguments)(DepthBegun(4))
    assert heard == [DepthBegun(1), DepthBegun(3)]


def test_a_process_that_dies_while_it_connects_does_no_harm():
    """It ended the thread that accepts: the next fold, and the search, waited forever.

    Nor does anybody wait for one that connects and says nothing.
    """
    heard = []
    with Channel(heard.append) as channel:
        send, (address, key, pid) = channel.__reduce__()
        gone, silent = Client(address), Client(address)
        gone.close()
        sender = send(address, key, pid)
        sender(DepthBegun(1))
    silent.close()
    assert heard == [DepthBegun(1)]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have names of their own")
def test_a_temporary_directory_may_have_a_long_name(tmp_path, monkeypatch):
    """Under a TMPDIR of 80 characters every search with two workers and a log failed.

    The system takes about a hundred characters as a socket's name.
    """
    deep = tmp_path / ("deep" * 30)
    deep.mkdir()
    monkeypatch.setitem(current_process()._config, "tempdir", str(deep))
    heard = []
    with Channel(heard.append) as channel:
        send, arguments = channel.__reduce__()
        send(*arguments)(DepthBegun(1))
    assert heard == [DepthBegun(1)]
    assert not Path(arguments[0]).exists()


def test_a_channel_outlives_a_lack_of_files(monkeypatch):
    """Whoever cannot be accepted now is accepted later."""
    accept, tries = Listener.accept, []

    def failing(listener):
        tries.append(listener)
        if len(tries) < 3:
            raise OSError(errno.EMFILE, "Too many open files")
        return accept(listener)

    monkeypatch.setattr(Listener, "accept", failing)
    heard = []
    with Channel(heard.append) as channel:
        send, arguments = channel.__reduce__()
        send(*arguments)(DepthBegun(1))
    assert heard == [DepthBegun(1)]


def test_a_channel_stops_every_fold():
    """After a callback raised, each sender is stopped at its next event."""

    def broken(event):
        raise ZeroDivisionError("enough")

    channel = Channel(broken)
    send, arguments = channel.__reduce__()
    for _ in range(2):
        with pytest.raises(StoppedError):
            send(*arguments)(DepthBegun(1))
    with pytest.raises(ZeroDivisionError, match="enough"):
        channel.__exit__()


def test_events_are_logged(caplog):
    """Whoever configured logging reads them without ``verbose``."""
    with caplog.at_level(logging.INFO, logger="faircg"):
        search(refit=False)
    lines = caplog.text
    assert "fold 0, phase I, epsilon 0.05, complexity 4: loss" in lines
    assert "round 1" not in lines
    with caplog.at_level(logging.INFO, logger="faircg"):
        fit()
    assert "round 1: LP" in caplog.text
