"""A disk that is full, or a directory that is read-only: the old file stays whole.

Commands run as processes of their own, in which the system itself refuses to write.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cli.people import FIT
from faircg import RuleSetModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cli.people import Done

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="no limits of a process"
)

FAIRCG = str(Path(sys.executable).with_name("faircg"))
OLD = "what was here before"
ROOM = 1_000
"""Bytes after which the disk is full: less than a model, a table or a checkpoint."""
DROP, MAY_WRITE_ANYWHERE = 24, 1
"""Numbers of Linux: take a right away for good, and that of root to ignore modes."""


def full_disk() -> None:
    """Let every file of this process end after so many bytes."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


def as_anybody() -> None:
    """Let modes of directories hold for root as well; others have no such right."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DROP, MAY_WRITE_ANYWHERE, 0, 0, 0)


def run(before: Callable[[], None], *arguments: object) -> Done:
    """Run a command as a process that was changed ``before`` it begins."""
    from cli.people import Done

    # A half-written cache of compiled code would break every later run; and what counts
    # the lines that ran cannot write either.
    kept = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    done = subprocess.run(
        [FAIRCG, *map(str, arguments)],
        preexec_fn=before,
        env={**kept, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a directory that holds an old file of each kind."""
    made = tmp_path / "kept"
    made.mkdir()
    for name in ("out.json", "out.csv", "out.csv.gz", "out.parquet"):
        (made / name).write_text(OLD, encoding="utf-8")
    return made


@pytest.fixture
def closed(folder: Path) -> Iterator[Path]:
    """Make the directory read-only, as far as the system can."""
    folder.chmod(0o555)
    tried = f"open({str(folder / 'new')!r}, 'w')"
    ended = subprocess.run(
        [sys.executable, "-c", tried],
        preexec_fn=as_anybody,
        capture_output=True,
        check=False,
    )
    if not ended.returncode:
        pytest.skip("nothing keeps this user from writing anywhere")
    yield folder
    folder.chmod(0o755)


def assert_untouched(folder: Path) -> None:
    """Fail unless the old files are there, and nothing else."""
    kept = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert kept == dict.fromkeys(
        ("out.json", "out.csv", "out.csv.gz", "out.parquet"), OLD
    )


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_a_prediction_that_does_not_fit_on_the_disk(
    name: str, people: Path, model: Path, folder: Path
) -> None:
    """One line, the old table, and nothing half written beside it."""
    done = run(full_disk, "predict", model, people, "-o", folder / name)
    assert (done.code, done.err.count("\n")) == (1, 1), done.err
    assert done.err.endswith(f"{name} cannot be written: File too large\n")
    assert_untouched(folder)


def test_a_fit_that_does_not_fit_on_the_disk(people: Path, folder: Path) -> None:
    """It goes on without a checkpoint, and prints the model; the old one stays."""
    path = folder / "run.checkpoint"
    options = [option for option in FIT if option != "--quiet"]
    asked = ("fit", people, *options, "-o", folder / "out.json", "--checkpoint", path)
    done = run(full_disk, *asked)
    lines = [line for line in done.err.splitlines() if "File too large" in line]
    assert [done.code, len(lines)] == [1, 2], done.err
    assert "run.checkpoint' could not be written" in lines[0]
    assert "the model is printed instead" in lines[1]
    assert RuleSetModel.from_json(done.out).rule_set.rules
    assert_untouched(folder)


def test_nothing_is_written_into_a_read_only_directory(
    people: Path, model: Path, closed: Path
) -> None:
    """It is told before the work, for models, tables and checkpoints."""
    new = people.parent / "new.json"
    fit = ("fit", people, *FIT, "-o")
    for command in (
        (*fit, closed / "out.json"),
        (*fit, closed / "new.json"),
        (*fit, new, "--checkpoint", closed / "run.checkpoint"),
        ("predict", model, people, "-o", closed / "out.csv"),
        ("predict", model, people, "-o", closed / "new.parquet"),
    ):
        done = run(as_anybody, *command)
        assert (done.code, done.err.count("\n")) == (1, 1), done.err
        assert "Permission denied" in done.err
        assert not new.exists()
    assert_untouched(closed)
