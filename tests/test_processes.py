"""Processes that are told to end: nothing of them stays, wherever they were."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from faircg.cli.exits import leaving_on_sigterm
from faircg.colgen.stop import Deadline
from faircg.whole_files import replacing

ROOT = Path(__file__).parents[1]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@POSIX
def test_sigterm_removes_what_was_being_written(tmp_path):
    """``kill`` left half a model beside the old one, under a name of its own."""
    path = tmp_path / "model.json"
    path.write_text("old", encoding="utf-8")
    with (
        pytest.raises(SystemExit, match="143"),
        leaving_on_sigterm(),
        replacing(path),
    ):
        signal.raise_signal(signal.SIGTERM)
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]
    assert path.read_text(encoding="utf-8") == "old"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@POSIX
def test_whoever_handles_sigterm_goes_on_to():
    """A server that calls the command line keeps its own way to end."""
    heard = []
    signal.signal(signal.SIGTERM, lambda *_: heard.append("mine"))
    try:
        with leaving_on_sigterm():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    assert heard == ["mine"]


def test_sigterm_is_left_alone_outside_of_the_main_thread():
    """Only the main thread may say what a signal does; elsewhere nothing is tried."""
    entered = []

    def work():
        with leaving_on_sigterm():
            entered.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert entered == [signal.SIG_DFL]


def test_an_embedded_python_keeps_its_handler(monkeypatch):
    """A program that runs Python inside handled SIGINT itself; every fit failed.

    ``signal.getsignal`` has no name for such a handler, so that it cannot be put back.
    """
    monkeypatch.setattr(signal, "getsignal", lambda _: None)
    monkeypatch.setattr(signal, "signal", lambda *_: pytest.fail("it was replaced"))
    deadline = Deadline.after(60)
    with deadline.listening():
        assert not deadline.is_set()


@POSIX
def test_a_fold_ends_with_the_process_that_waits_for_it():
    """After ``kill -9`` of a search its workers went on for hours, for nobody."""
    worker = (
        "import os, time; from faircg.listening import end_with; "
        "end_with(os.getppid()); print(os.getpid(), flush=True); time.sleep(600)"
    )
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', {!r}])"
    command = [sys.executable, "-c", script.format(worker)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    assert all_end({child})


SEARCH = """
from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV
from faircg.colgen.events import InCell
from made_up import make_people

def tell(event):
    if isinstance(event, InCell):
        print(event.fold, flush=True)

X, y, groups = make_people(4_000, seed=1)
search = FairRuleSetClassifierCV(
    FairRuleSetClassifier(constraint="equalized_odds", time_limit=600),
    cv=2,
    n_jobs=2,
    callbacks=[tell],
)
search.fit(X.assign(noise=range(len(X))), y, sensitive_features=groups)
"""
FRONTIER = "import sys; from faircg.cli import main; main()"


def children(pid: int) -> set[int]:
    """Return the processes that a process started, and theirs."""
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            child = int(stat.parent.name)
            found |= {child} | children(child)
    return found


def is_running(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def all_end(pids: set[int]) -> bool:
    """Wait until none of them runs, for some minutes at most."""
    for _ in range(1_200):
        if not any(map(is_running, pids)):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
@pytest.mark.parametrize("how", ["frontier", "experiments", "killed search"])
def test_worker_processes_end_with_their_parent(how, tmp_path):
    """SIGTERM of a command, and even SIGKILL of a script: no worker is left behind.

    Nor is a file of theirs, except what SIGKILL gives nobody time to remove.
    """
    people = tmp_path / "people.csv"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {"PYTHONPATH": str(ROOT / "tests"), "TMPDIR": str(scratch)}
    if how == "frontier":
        from cli.test_interrupts import made_up

        words = "--target label --sensitive town --constraint equalized_odds --jobs 2"
        data = [str(made_up(people, 4_000)), "-o", str(tmp_path / "out.html")]
        command = ["-c", FRONTIER, "frontier", *data, *words.split(), "--folds", "2"]
    elif how == "experiments":
        command = ["-m", "experiments", "full", "--only", "grid", "--jobs", "2"]
        command += ["--results", str(tmp_path)]
    else:
        command = ["-c", SEARCH]
    process = subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, **environment},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    found: set[int] = set()
    try:
        while len(found) < 4 and process.poll() is None:  # two trackers, two workers
            found = children(process.pid)
            time.sleep(0.1)
        is_killed = how == "killed search"
        if is_killed:  # only whoever has begun to work knows for whom
            assert process.stdout is not None
            begun: set[str] = set()
            while len(begun) < 2 and (line := process.stdout.readline()):
                begun.add(line)
            assert len(begun) == 2, process.communicate()[1]  # it ended by itself
        found |= children(process.pid)
        process.send_signal(signal.SIGKILL if is_killed else signal.SIGTERM)
        said = process.communicate(timeout=120)[1]
        assert process.returncode == (-signal.SIGKILL if is_killed else 143), said
        assert all_end(found)
    finally:
        for pid in filter(is_running, found):
            os.kill(pid, signal.SIGKILL)
        process.kill()
        process.wait()
    assert is_killed or not list(scratch.iterdir())


CAPPED = """
import resource, sys, warnings
from pathlib import Path
from classifier.small import fit
from faircg import FairRuleSetClassifier
from faircg.exceptions import FairCGError
from made_up import make_people

fit(n_jobs=1)  # all that is imported is there before the cap
X, y, groups = make_people(20_000)
X = X.assign(pay=X["pay"] + X.index / 1e6)
status = Path("/proc/self/status").read_text(encoding="utf-8").split()
size = int(status[status.index("VmSize:") + 1]) << 10
resource.setrlimit(resource.RLIMIT_AS, (size + (int(sys.argv[1]) << 20),) * 2)
warnings.simplefilter("ignore")
clf = FairRuleSetClassifier(constraint="equalized_odds", time_limit=2, n_jobs=1)
try:
    clf.fit(X, y, sensitive_features=groups)
except (MemoryError, FairCGError):
    print("refused")
else:
    errors = int((clf.predict(X) != y).sum())
    is_counted = errors == clf.certificate_.errors
    print("fitted", is_counted and errors <= min(y.sum(), len(y) - y.sum()))
"""
SOME, MORE = (0, 64), (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
"""Megabytes beyond what a process has when its fit begins."""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
@pytest.mark.parametrize(
    "megabytes", [*SOME, *(pytest.param(m, marks=pytest.mark.long) for m in MORE)]
)
def test_a_cap_on_memory_ends_in_a_model_or_an_error(megabytes):
    """Where no thread could begin, Python waited for it without end.

    The C library itself may end a process that has no memory for a thread.
    """
    done = subprocess.run(
        [sys.executable, "-c", CAPPED, str(megabytes)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    ended = done.stdout.strip(), done.returncode
    by_c_library = ("", -signal.SIGABRT), ("", 127)
    assert ended in (("fitted True", 0), ("refused", 0), *by_c_library), done.stderr
    assert megabytes < max(SOME) or ended[0] == "fitted True"
