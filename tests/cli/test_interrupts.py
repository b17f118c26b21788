"""Ctrl-C at any moment: a model worth keeping, and never a worse file than before."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from faircg import FairRuleSetClassifier
from faircg.cli.keeping import where_to_write
from faircg.model import RuleSetModel

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = """
import os, signal, sys
from itertools import count
import faircg.classifier
from faircg.cli import main
from faircg.colgen.stop import Deadline
from faircg.labelled import LabelledTable

moment, seconds = int(sys.argv.pop(1)), Deadline.seconds

class Counting:
    looks = None

    @classmethod
    def read(cls, *given):
        cls.looks = count(1)
        return LabelledTable.read(*given)

def looked(deadline):
    if Counting.looks is not None and next(Counting.looks) == moment:
        os.kill(os.getpid(), signal.SIGINT)
    return seconds(deadline)

faircg.classifier.LabelledTable = Counting
Deadline.seconds = looked
main()
"""
"""The command line, with Ctrl-C when its fit has looked at the clock so many times.

Its looks are counted from where the fit begins: until then nothing is written. A
moment by the clock would be another one on every machine.
"""


def made_up(path: Path, n: int = 2_000) -> Path:
    """Write a file that no fit is done with in seconds."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 8)).round(3)).add_prefix("x")
    score = frame["x0"] + frame["x1"] * frame["x2"] + rng.normal(size=n)
    frame["town"] = rng.choice(["A", "B"], n)
    frame["label"] = np.where(score > 0.4, "yes", "no")
    frame.to_csv(path, index=False)
    return path


def interrupted(data: object, moment: int, output: Path, *options: str) -> str:
    """Press Ctrl-C when a fit looks at the clock for that time; return what it said.

    Nothing, if it had ended before.
    """
    asked = ["fit", str(data), "--constraint", "equality_of_opportunity", *options]
    command = [sys.executable, "-c", COMMAND, str(moment), *asked]
    done = subprocess.run(
        [*command, "-o", str(output), "--jobs", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 130), done.stderr
    return done.stderr if done.returncode == 130 else ""


def check(path: Path, *, was_cut: bool = True) -> RuleSetModel:
    """Demand rules that are at least as accurate as the more frequent label."""
    model = RuleSetModel.load(path)
    counts = model.groups.values()
    wrong = sum(c.false_negatives + c.false_positives for c in counts)
    baseline = min(sum(c.positives for c in counts), sum(c.negatives for c in counts))
    assert model.certificate is not None
    assert (model.certificate.status == "interrupted") == was_cut
    assert len(model.rule_set.rules) > 0
    assert wrong <= baseline
    return model


POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
MADE_UP = ("--target", "label", "--sensitive", "town")


@POSIX
@pytest.mark.parametrize("moment", [1, 1_000])
def test_ctrl_c_leaves_a_model_that_is_worth_something(tmp_path, moment):
    """I stopped 13 fits, and none of the models that they wrote had a rule."""
    data, output = made_up(tmp_path / "people.csv"), tmp_path / "model.json"
    assert interrupted(data, moment, output, *MADE_UP)
    check(output)


@POSIX
@pytest.mark.long
@pytest.mark.parametrize("name", ["adult", "default", "made up"])
def test_ctrl_c_at_ten_moments(tmp_path, name):
    """At none of ten moments of a fit is there nothing to keep.

    They are closer together where it begins: stages look at the clock once there, and
    searches many times later. Adult has been looked at 10,000 times when it is done.
    """
    output, options = tmp_path / "model.json", ()
    data: object = name
    if name == "made up":
        data, options = made_up(tmp_path / "people.csv"), MADE_UP
    cut = []
    for moment in np.geomspace(1, 4_000, 10).astype(int):
        cut.append(bool(interrupted(data, moment, output, *options, "--force")))
        check(output, was_cut=cut[-1])
    assert sum(cut) >= 5


@pytest.fixture(scope="module")
def good() -> RuleSetModel:
    """Fit a small table to the end."""
    rng = np.random.default_rng(2)
    people = pd.DataFrame({"age": rng.integers(18, 80, 200), "town": rng.random(200)})
    groups = rng.choice(["A", "B"], 200)
    clf = FairRuleSetClassifier(constraint="demographic_parity", max_complexity=4)
    labels = (people["age"] + rng.normal(0, 5, 200) > 50).to_numpy()
    return clf.fit(people, labels, sensitive_features=groups).model_


def cut_short(model: RuleSetModel, *, n_wrong: int = 0) -> RuleSetModel:
    """Return the same after an interrupt, with some more wrong predictions."""
    assert model.certificate is not None
    name, counts = next(iter(model.groups.items()))
    worse = replace(
        counts,
        true_negatives=counts.true_negatives - n_wrong,
        false_positives=counts.false_positives + n_wrong,
    )
    return replace(
        model,
        certificate=replace(model.certificate, status="interrupted"),
        groups={**model.groups, name: worse},
    )


def test_a_worse_answer_is_written_beside_the_better_one(tmp_path, good):
    """Ctrl-C replaced my good model by an empty one; now both are there."""
    output = tmp_path / "model.json"
    good.save(output)
    worse = cut_short(good, n_wrong=3)
    path, why = where_to_write(worse, output, force=False)
    assert path == tmp_path / "model.interrupted.json"
    assert "is better than what was found until the interrupt" in why
    assert "stays as it is; --force replaces it" in why
    assert where_to_write(worse, output, force=True) == (output, "")


def test_an_answer_that_is_as_good_replaces_the_file(tmp_path, good):
    """The same people, labels, groups and constraint, and no more wrong predictions."""
    output = tmp_path / "model.json"
    assert where_to_write(cut_short(good, n_wrong=3), output, force=False)[0] == output
    cut_short(good, n_wrong=3).save(output)
    assert where_to_write(cut_short(good, n_wrong=3), output, force=False)[0] == output
    assert where_to_write(cut_short(good), output, force=False)[0] == output


def test_what_cannot_be_compared_stays(tmp_path, good):
    """An interrupted fit replaces no model of another question, and no other file."""
    output = tmp_path / "model.json"
    assert good.certificate is not None
    looser = replace(good.certificate, epsilon=0.5)
    replace(good, certificate=looser).save(output)
    path, why = where_to_write(cut_short(good), output, force=False)
    assert path.name == "model.interrupted.json"
    assert "answers another question" in why
    output.write_text("my notes")
    assert "is no model" in where_to_write(cut_short(good), output, force=False)[1]


def test_a_fit_that_ended_by_itself_writes_where_it_is_told(tmp_path, good):
    """Only an interrupt makes a fit careful."""
    output = tmp_path / "model.json"
    good.save(output)
    worse = replace(cut_short(good, n_wrong=3), certificate=good.certificate)
    assert where_to_write(worse, output, force=False) == (output, "")


@POSIX
def test_a_better_file_survives_ctrl_c(tmp_path):
    """The file at -o is the one that was there, byte for byte, and I am told why."""
    data, output = made_up(tmp_path / "people.csv"), tmp_path / "model.json"
    interrupted(data, 1, output, *MADE_UP)
    found = check(output)
    perfect = {
        name: replace(
            counts,
            true_positives=counts.positives,
            false_negatives=0,
            true_negatives=counts.negatives,
            false_positives=0,
        )
        for name, counts in found.groups.items()
    }
    replace(found, groups=perfect).save(output)
    before = output.read_bytes()
    said = interrupted(data, 1, output, *MADE_UP)
    assert output.read_bytes() == before
    assert "is better than what was found until the interrupt" in said
    check(tmp_path / "model.interrupted.json")
