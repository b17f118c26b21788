"""Outputs that are no plain files, broken input, and what is too large."""

from __future__ import annotations

import gzip
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from cli.people import FIT, awkward
from faircg import RuleSetModel
from faircg.tables import text_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.people import Done

FAIRCG = str(Path(sys.executable).with_name("faircg"))


def test_a_link_is_written_through_and_modes_stay(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """A link to a private file became a public file beside it."""
    private, link = people.parent / "private.csv", people.parent / "link.csv"
    private.write_text("old", encoding="utf-8")
    private.chmod(0o600)
    link.symlink_to(private)
    assert faircg("predict", model, people, "-o", link, "-q").code == 0
    assert link.is_symlink()
    assert len(pd.read_csv(private)) == len(awkward())
    assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_a_pipe_and_a_device_are_written_to(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """Both were replaced by plain files; whoever read the pipe waited for ever."""
    pipe, found = people.parent / "pipe.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text("utf-8")))
    reader.start()
    assert faircg("predict", model, people, "-o", pipe, "-q").code == 0
    reader.join(timeout=60)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert found[0] == faircg("predict", model, people, "-q").out
    assert faircg("export", model, "--to", "sql", "-o", "/dev/null").code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_an_output_that_cannot_be_written_is_told_before_the_fit(
    people: Path, faircg: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A minute of fitting ended with a line about permissions, and nothing else."""
    monkeypatch.setattr("faircg.cli.learning.read_training", lambda _: 1 / 0)
    done = faircg("fit", people, *FIT, "-o", "/proc/model.json")
    assert (done.code, "/proc/model.json cannot be written" in done.err) == (1, True)


def test_a_model_is_written_into_a_file(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """``-o -`` prints elsewhere, and made a file of that name here."""
    done = faircg("fit", people, *FIT, "-o", "-")
    assert (done.code, "give -o a name, not -" in done.err) == (1, True)
    assert not (people.parent / "-").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_does_not_lose_the_rules(
    people: Path, faircg: Callable[..., Done], tmp_path: Path
) -> None:
    """What could not be written is printed, and can still be kept."""
    done = faircg("fit", people, *FIT, "-o", "/dev/full")
    assert (done.code, "the model is printed instead" in done.err) == (1, True)
    assert RuleSetModel.from_json(done.out).rule_set.rules


def test_old_line_ends_are_line_ends(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """A file of an old Mac was one long row, and its prediction a wrong file."""
    plain = faircg("predict", model, people, "-q").out
    people.write_bytes(people.read_bytes().replace(b"\n", b"\r"))
    assert faircg("predict", model, people, "-q").out == plain


def test_a_number_of_400_digits_is_one_line(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """It is more than any double: infinity, which no cut point can be."""
    table = awkward()
    table["Größe"] = ["9" * 400, *table["Größe"].astype(str)[1:]]
    table.to_csv(people, index=False)
    done = faircg("fit", people, *FIT, "-o", "m.json")
    assert (done.code, "infinity" in done.err) == (1, True)
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_archive_is_one_line(
    damage: str, people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """Cut short or with a wrong byte: nothing is read, and nothing written."""
    packed = bytearray(gzip.compress(people.read_bytes()))
    if damage == "changed":
        packed[len(packed) // 2] ^= 255
    (people.parent / "p.csv.gz").write_bytes(packed[: -20 if damage == "cut" else None])
    for command in (("predict", model, "p.csv.gz"), ("fit", "p.csv.gz", *FIT)):
        done = faircg(*command, "-o", "out.csv")
        assert (done.code, "cannot be unpacked" in done.err) == (1, True), done.err
        assert done.err.count("\n") == 1
        assert not (people.parent / "out.csv").exists()


def test_one_endless_line_is_not_read_to_its_end(
    people: Path,
    model: Path,
    faircg: Callable[..., Done],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """4 MB that unpack to one line of 4 GB took all memory there was."""
    monkeypatch.setattr(text_files, "LONGEST_LINE", 20_000)
    (people.parent / "p.csv.gz").write_bytes(gzip.compress(b"x" * 10**8))
    (people.parent / "p.csv").write_bytes(b"a,b\n1,2\n" + b"x" * 10**6)
    for name in ("p.csv.gz", "p.csv"):
        done = faircg("fit", name, "--target", "a", "-o", "m.json")
        assert (done.code, "has a line of more than" in done.err) == (1, True), done.err


def test_what_is_too_large_for_a_model_is_not_read(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """A device that never ends, and 64 MiB of JSON."""
    from faircg.exceptions import ModelFormatError

    with pytest.raises(ModelFormatError, match="has more than 16 MiB"):
        RuleSetModel.load("/dev/zero")
    large = people.parent / "large.json"
    large.write_text("[" + "0," * (32 * 2**20) + "0]", encoding="utf-8")
    done = faircg("predict", large, people)
    assert (done.code, "more than 16 MiB" in done.err) == (1, True)
    assert done.err.count("\n") == 1


def test_ctrl_c_is_no_error_of_the_file(
    people: Path,
    model: Path,
    faircg: Callable[..., Done],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """DuckDB says that its query was interrupted; a command says that it was."""

    def interrupted(*_: object) -> None:
        raise RuntimeError("Query interrupted")

    steps = ("at_once.write_at_once", "decide.Decisions.count", "write.write_decisions")
    for step in steps:
        with monkeypatch.context() as patch:
            if step != steps[0]:
                patch.setattr(f"faircg.tables.{steps[0]}", lambda *_: None)
            patch.setattr(f"faircg.tables.{step}", interrupted)
            done = faircg("predict", model, people, "-o", "out.csv")
        assert (done.code, done.err) == (130, "faircg: interrupted\n")
        assert not (people.parent / "out.csv").exists()


def test_nobody_listens(people: Path, model: Path) -> None:
    """Standard output is closed, or its reader goes away: there is no traceback."""
    for command in (f"{FAIRCG} predict {model} '{people}'", f"{FAIRCG} datasets adult"):
        for ending in (">&-", "| head -c 1 > /dev/null"):
            done = subprocess.run(
                ["bash", "-c", f"{command} {ending}"],
                capture_output=True,
                text=True,
                check=False,
            )
            assert "Traceback" not in done.stderr, (command, ending, done.stderr)
            assert len(done.stderr.splitlines()) <= 1, done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("epsilon = " + "[" * 100_000, "nested too deeply"),
        ("epsilon = " + "[" * 300 + "]" * 300, "epsilon is a text or a number"),
        ("[fit]\n" + "a." * 2_000 + "b = 1", "[fit] has no option 'a'"),
        ("max-complexity = " + "9" * 5_000, "thousands of digits"),
    ],
    ids=["open", "nested", "dotted", "digits"],
)
def test_strange_settings_are_one_line(
    text: str, words: str, people: Path, faircg: Callable[..., Done]
) -> None:
    """100,000 brackets ended in a RecursionError, with a page of Python."""
    (people.parent / "deep.toml").write_text(text, encoding="utf-8")
    done = faircg("fit", people, "--config", "deep.toml", "-o", "m.json")
    assert (done.code, words in done.err) == (1, True), done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("command", ["fit", "frontier"])
def test_a_limit_that_is_no_number_of_the_solver_is_one_line(
    command: str, people: Path, faircg: Callable[..., Done]
) -> None:
    """10^30 ended, after the search, with "int too large to convert to C long"."""
    done = faircg(command, people, *FIT, "--max-complexity", 10**30, "-o", "out.json")
    assert (done.code, "2147483647" in done.err) == (1, True), done.err
    assert done.err.count("\n") == 1


def test_an_unknown_kernel_is_one_line(people: Path) -> None:
    """The line names the variable and what it may be."""
    done = subprocess.run(
        [FAIRCG, "fit", people, "--target", "hired", "-o", "m.json"],
        env={**os.environ, "FAIRCG_KERNEL": "bogus"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "FAIRCG_KERNEL is 'bogus'; this machine has numpy, " in done.stderr


def test_an_explanation_starts_no_formula(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """A spreadsheet ran what somebody had called himself.

    Numbers stay numbers, also those below zero.
    """
    hostile = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "-5", "x=1"]
    frame = pd.read_csv(people)
    frame["=id"] = [hostile[k % len(hostile)] for k in range(len(frame))]
    frame.to_csv(people, index=False)
    shape = ("--format", "table", "--limit", 0, "-q", "-o", "why.csv")
    done = faircg("explain", model, people, "--id", "=id", *shape)
    assert done.code == 0, done.err
    why = pd.read_csv(people.parent / "why.csv", dtype=str)
    expected = ["'=1+1", "'+cmd|' /C calc'!A0", "'-2+3", "'@SUM(A1)", "'\t=1", "-5"]
    assert why["'=id"].tolist()[:7] == [*expected, "x=1"]
    texts = why.stack().loc[lambda t: t.str.startswith(("=", "+", "-", "@", "\t"))]
    assert set(texts) <= {"-5"}
