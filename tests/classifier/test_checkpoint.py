"""Checkpoints: a fit that is killed goes on, and ends as if nothing had happened."""

from __future__ import annotations

import errno
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from faircg import FairRuleSetClassifier
from faircg.cli import main
from faircg.colgen import checkpoint as module
from faircg.colgen import loop
from faircg.colgen.checkpoint import Checkpoint
from faircg.colgen.duals import DualBound
from faircg.colgen.events import RoundDone
from faircg.exceptions import CheckpointError
from faircg.fairness import EqualizedOdds
from made_up import make_people

X, Y, GROUPS = make_people(80, seed=3)
QUESTIONS = {
    "deepening": {"constraint": "equality_of_opportunity", "epsilon": 0.02},
    "0-1 loss": {
        "constraint": EqualizedOdds(0.02),
        "objective": "zero_one",
        "max_conditions": 3,
    },
    "proxy, either label": {
        "constraint": "equalized_odds",
        "rates": "proxy",
        "rules_for": "auto",
    },
}


class Killed(BaseException):
    """What ends a process, as far as a test can."""


def asked(path, *, kill_after=None, seen=None, **settings):
    """Make a fit that is killed after so many rounds."""
    rounds = [] if seen is None else seen

    def listen(event):
        if isinstance(event, RoundDone):
            rounds.append(replace(event.round, seconds=0.0))
            if len(rounds) == kill_after:
                raise Killed

    settings = {"max_complexity": 8, "time_limit": 1e4, **settings}
    return FairRuleSetClassifier(**settings, checkpoint=path, callbacks=[listen])


def fitted(clf, X=X):
    return clf.fit(X, Y, sensitive_features=GROUPS)


def killed(path, after, **settings):
    """Leave the checkpoint of a fit that was killed."""
    with pytest.raises(Killed):
        fitted(asked(path, kill_after=after, **settings))
    return path


def story(clf):
    """Return all that a fit says: rules, certificate, rounds, without seconds."""
    return (
        clf.rule_set_,
        replace(clf.certificate_, seconds=0.0),
        [replace(round_, seconds=0.0) for round_ in clf.history_],
        clf.fairness_,
    )


@lru_cache
def unbroken(question):
    """Return the story of a fit that nothing stopped, and its number of rounds."""
    seen = []
    return story(fitted(asked(None, seen=seen, **QUESTIONS[question]))), len(seen)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_fit_goes_on_where_it_was_killed(question, tmp_path):
    """Rule set, certificate and every later round are those of an unbroken fit."""
    settings, (whole, n_rounds) = QUESTIONS[question], unbroken(question)
    for after in (3, n_rounds):
        killed(tmp_path / "fit", after, **settings)
        rounds = []
        again = fitted(asked(tmp_path / "fit", seen=rounds, **settings))
        assert story(again) == whole
        assert len(rounds) < n_rounds
        assert not list(tmp_path.iterdir())


def test_a_large_table_goes_on_too(tmp_path, monkeypatch):
    """The rough master remembers near rows, cuts and weights."""
    monkeypatch.setattr(loop, "LARGE", 0)
    settings, seen, rounds = QUESTIONS["0-1 loss"], [], []
    whole = story(fitted(asked(None, seen=seen, **settings)))
    path = killed(tmp_path / "fit", 2, **settings)
    assert story(fitted(asked(path, seen=rounds, **settings))) == whole
    assert rounds == seen[1:]
    assert len(rounds) > 1


COMMAND = """
import time
import faircg.colgen.checkpoint as c
from faircg.cli import main
write = c.Checkpoint.write
def slowly(*args):
    write(*args)
    time.sleep(0.1)
c.Checkpoint.write = slowly
main()
"""
"""The command line, in which rounds take their time."""


def asking(people, model):
    words = "--target y --sensitive sex --constraint equality_of_opportunity --epsilon"
    return ["fit", str(people), "-o", str(model), *words.split(), "0.02"]


def command(people, path, model):
    asked = [*asking(people, model), "--checkpoint", str(path)]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *asked],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def fitted_by_command(folder, monkeypatch):
    """Return the file of the people, and that of the model of an unbroken fit."""
    people, whole = folder / "people.csv", folder / "whole.json"
    X.assign(sex=GROUPS, y=Y).to_csv(people, index=False)
    monkeypatch.setattr(sys, "argv", ["faircg", *asking(people, whole)])
    with pytest.raises(SystemExit, match="0"):
        main()
    return people, whole


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_sigkill_at_any_moment_changes_nothing(seed, tmp_path, monkeypatch):
    """Whatever was being written, the next start finds a whole file and goes on."""
    people, whole = fitted_by_command(tmp_path, monkeypatch)
    path, again = tmp_path / "run.checkpoint", tmp_path / "again.json"
    first = command(people, path, again)
    while not path.exists() and first.poll() is None:
        time.sleep(0.01)
    time.sleep(random.Random(seed).uniform(0, 0.6))
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert first.returncode == -signal.SIGKILL
    assert not again.exists()
    assert_ends(command(people, path, again), path)
    assert again.read_bytes() == whole.read_bytes()


@pytest.mark.long
def test_a_fit_that_is_killed_five_times_changes_nothing(tmp_path, monkeypatch):
    """Each start goes on from the file of the one before, at a random moment."""
    people, whole = fitted_by_command(tmp_path, monkeypatch)
    path, again = tmp_path / "run.checkpoint", tmp_path / "again.json"
    random_, before, kept = random.Random(5), None, set()
    for _ in range(5):
        process = command(people, path, again)
        while process.poll() is None:
            now = path.read_bytes() if path.exists() else None
            if now not in (None, before):  # it has written a round of its own
                break
            time.sleep(0.01)
        time.sleep(random_.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        told = process.communicate()[1]
        assert process.returncode == -signal.SIGKILL, told
        before = path.read_bytes()
        kept.add(before)
    assert len(kept) == 5
    assert_ends(command(people, path, again), path)
    assert again.read_bytes() == whole.read_bytes()


def assert_ends(process, path):
    """Fail unless a fit goes on from a checkpoint, and removes it at its end."""
    told = process.communicate(timeout=300)[1]
    assert process.returncode == 0, told
    assert "going on from the checkpoint" in told
    assert not path.exists()


def test_ctrl_c_keeps_the_file_and_the_end_removes_it(tmp_path):
    """An interrupted fit has an answer, and a checkpoint for a better one."""
    settings, path = QUESTIONS["deepening"], tmp_path / "fit"

    def interrupt(event):
        if isinstance(event, RoundDone) and event.round.number == 3:
            signal.raise_signal(signal.SIGINT)

    clf = asked(path, **settings).set_params(
        callbacks=[interrupt], on_interrupt="return"
    )
    assert fitted(clf).certificate_.status == "interrupted"
    assert path.exists()
    again = fitted(asked(path, **settings))
    assert story(again) == unbroken("deepening")[0]
    assert not path.exists()


@pytest.mark.parametrize("harm", ["cut", "byte", "empty", "other"])
def test_a_damaged_file_is_refused_in_one_line(harm, tmp_path):
    """It says what to do, and the file is left for whoever wants to look at it."""
    path = killed(tmp_path / "fit", 4, **QUESTIONS["deepening"])
    content = path.read_bytes()
    middle = len(content) // 2
    harmed_byte = bytes([content[middle] ^ 1])
    harmed = {
        "cut": content[:middle],
        "byte": content[:middle] + harmed_byte + content[middle + 1 :],
        "empty": b"",
        "other": b"name,age\nAda,36\n",
    }[harm]
    path.write_bytes(harmed)
    with pytest.raises(CheckpointError, match=r"damaged|no checkpoint") as error:
        fitted(asked(path, **QUESTIONS["deepening"]))
    assert "\n" not in str(error.value)
    assert path.read_bytes() == harmed


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": 0.03},
        {"max_complexity": 9},
        {"constraint": "demographic_parity"},
        {"objective": "zero_one"},
        {"random_state": 1},
        {"max_conditions": 2},
        {"cost_false_positive": 2},
        {"warm_start_rules": "tree"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_question_is_refused(other, tmp_path):
    """A path that was used for something else is not taken for this fit."""
    settings = {"epsilon": 0.02, "constraint": "equality_of_opportunity"}
    path = killed(tmp_path / "fit", 4, **settings)
    with pytest.raises(CheckpointError, match="another question or of other data"):
        fitted(asked(path, **{**settings, **other}))


def test_other_data_are_refused(tmp_path):
    """One person more or less is another question."""
    path = killed(tmp_path / "fit", 4, **QUESTIONS["deepening"])
    moved = X.assign(age=X["age"].to_numpy()[::-1])
    with pytest.raises(CheckpointError, match="other data"):
        fitted(asked(path, **QUESTIONS["deepening"]), moved)


def test_more_time_and_more_threads_may_be_given(tmp_path):
    """Whoever was short of time starts again with a longer limit."""
    settings = QUESTIONS["deepening"]
    path = killed(tmp_path / "fit", 4, **settings)
    again = fitted(asked(path, **settings, n_jobs=2).set_params(time_limit=2e4))
    assert story(again) == unbroken("deepening")[0]


@pytest.mark.parametrize("by", [1.0, 1e6, np.inf, np.nan])
def test_a_false_bound_in_a_file_proves_nothing(by, tmp_path, monkeypatch):
    """Whoever changes the file, hash and all, gets no false certificate."""
    write = Checkpoint.write

    def lying(self, pool, selection, paused):
        at = paused.at
        if at.best is not None:
            prices = at.best.duals.prices
            false = replace(prices, value=prices.value + by)
            duals = replace(at.best.duals, prices=false)
            best = DualBound(duals, at.max_conditions)
            at = replace(at, best=best, is_proven=True)
        write(self, pool, selection, replace(paused, at=at))

    settings = {**QUESTIONS["0-1 loss"], "warm_start_rules": None}
    whole = fitted(asked(None, **settings)).certificate_
    monkeypatch.setattr(Checkpoint, "write", lying)
    path = killed(tmp_path / "fit", 3, **settings)
    monkeypatch.undo()
    found = fitted(asked(path, **settings)).certificate_
    assert found.lower_bound <= whole.objective
    assert found.errors_lower_bound <= whole.errors
    assert (found.objective, found.lower_bound) == (whole.objective, whole.lower_bound)
    assert found.lp_value == pytest.approx(whole.lp_value)


def test_a_full_disk_leaves_the_last_file_whole(tmp_path, monkeypatch):
    """The fit goes on with a warning; a later start goes on from what there is."""
    settings, path = QUESTIONS["deepening"], tmp_path / "fit"
    replacing, writes = module.replacing, []

    def filling(target):
        writes.append(target)
        if len(writes) > 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return replacing(target)

    monkeypatch.setattr(module, "replacing", filling)
    with (
        pytest.warns(UserWarning, match="No space left.*earlier round is left"),
        pytest.raises(Killed),
    ):
        fitted(asked(path, kill_after=6, **settings))
    monkeypatch.undo()
    seen = []
    again = fitted(asked(path, seen=seen, **settings))
    assert seen[0].number == 3
    assert story(again) == unbroken("deepening")[0]


def test_a_place_that_cannot_be_written_is_told_before_the_search(tmp_path):
    """Not after the first hour, when there is nothing to go on from."""
    seen = []
    with pytest.raises(FileNotFoundError):
        fitted(asked(tmp_path / "nowhere" / "fit", seen=seen))
    with pytest.raises(CheckpointError, match="is no file"):
        fitted(asked(tmp_path, seen=seen))
    assert not seen
