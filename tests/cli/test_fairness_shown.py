"""Whoever names groups sees what happens to them, and what the rules may test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from cli.people import JOB, awkward

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from cli.people import Done

QUICK = ("--target", "hired", "--max-complexity", 6, "--max-conditions", 1, "-o", "m")
GROUPS = (*QUICK, "--sensitive", "member")


def test_groups_without_a_constraint_show_every_gap(people: Path, faircg):
    """I named the groups, and learned nothing about them."""
    done = faircg("fit", people, *GROUPS)
    assert done.code == 0, done.err
    for text in (
        "member = False",
        "member = True",
        "gap of the false negative rate between groups: ",
        "gap of the false positive rate between groups: ",
        "gap of the selection rate between groups: ",
        "highest member = ",
        "impact ratio: ",
        " four fifths (selected: member = ",
        "no gap was bounded: --constraint and --epsilon do that",
        "predicting hired = yes; --positive changes it",
    ):
        assert text in done.words, text


def test_an_epsilon_without_a_constraint_is_an_error(people: Path, faircg):
    """--epsilon 0.05 was taken without a word, and the gap was 20.7 points."""
    done = faircg("fit", people, *GROUPS, "--epsilon", 0.05)
    assert done.code == 1
    assert done.words.startswith("faircg: error: --epsilon 0.05 is an allowed gap")
    assert "demographic_parity, " in done.words


def decided_by(column: str, yes: object, path: str = "other.csv") -> pd.DataFrame:
    """Write the awkward table with labels that follow one column, with some noise."""
    frame = awkward()
    frame["hired"] = (frame[column] == yes).map({True: "yes", False: "no"})
    frame.loc[::9, "hired"] = "no"
    frame.to_csv(path, index=False)
    return frame


def test_rules_do_not_test_the_groups_unless_allowed(tmp_path: Path, faircg):
    """Being a member decides nearly all, and defines the groups."""
    decided_by("member", True)
    done = faircg("fit", "other.csv", *GROUPS, "--json")
    assert "member" not in done.json["text"]
    done = faircg("fit", "other.csv", *GROUPS, "--use-sensitive", "--json")
    assert "member" in done.json["text"]
    assert "the rules test 'member', which also defines the groups" in done.words


def test_a_suspect_comes_back_by_name(tmp_path: Path, faircg):
    """My ticket numbers say who came early, and that is what I ask about."""
    frame = awkward().drop(columns="Größe")
    frame["ticket"] = np.random.default_rng(0).permutation(len(frame))
    frame["hired"] = (frame["ticket"] > 100).map({True: "yes", False: "no"})
    frame.loc[::9, "hired"] = "no"
    frame.to_csv("tickets.csv", index=False)
    done = faircg("fit", "tickets.csv", *QUICK, "--json")
    assert "'ticket' has 240 different values in 240 rows: it is left out" in done.words
    assert "ticket" not in done.json["text"]
    done = faircg("fit", "tickets.csv", *QUICK, "--keep", "ticket", "--json")
    assert "ticket <= " in done.json["text"]
    assert "left out" not in done.err
    both = ("--keep", "ticket", "--exclude", "ticket")
    done = faircg("fit", "tickets.csv", *QUICK, *both)
    assert "'ticket' cannot be both --exclude and --keep" in done.words


@pytest.mark.parametrize("command", ["predict", "explain", "evaluate"])
def test_another_encoding_is_an_error(
    tmp_path: Path, faircg: Callable[..., Done], command: str
):
    """All rows unseen gave one note and exit code 0, and nearly all were refused."""
    frame = decided_by(JOB, "cook")
    assert "cook" in faircg("fit", "other.csv", *QUICK).out
    frame[JOB] = frame[JOB].str.upper()
    frame.to_csv("other.csv", index=False)
    asked = ("--target", "hired") if command == "evaluate" else ()
    done = faircg(command, "m", "other.csv", *asked)
    assert done.code == 1
    assert "--allow-unseen" in done.err
    assert faircg(command, "m", "other.csv", *asked, "--allow-unseen").code == 0
    done = faircg(command, "m", "other.csv", *asked, "--allow-unseen", "--strict")
    assert "contradict each other" in done.err


def test_numbers_written_as_texts_are_not_exported_as_numbers(tmp_path: Path, faircg):
    """A database would compare '$1,200' with a number in its own way."""
    frame = awkward()
    frame["pay"] = [f"${v:,.0f}" for v in 100 * frame["Größe"]]
    frame["hired"] = (frame["Größe"] > 171).map({True: "yes", False: "no"})
    frame.loc[::9, "hired"] = "no"
    frame.drop(columns="Größe").to_csv("pay.csv", index=False)
    done = faircg("fit", "pay.csv", *QUICK, "--json")
    assert "pay > " in done.json["text"]
    for to in ("sql", "python", "onnx"):
        done = faircg("export", "m", "--to", to, "-o", "out")
        assert "make it a column of plain numbers and fit again" in done.words
    assert faircg("export", "m", "--to", "markdown").code == 0
