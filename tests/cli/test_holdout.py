"""People who are kept apart, and what a model file remembers of its data."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli.people import FIT
from faircg.cli.named_table import NamedTable
from faircg.cli.remembered import kept_apart
from faircg.model import RuleSetModel


def table(n=500, seed=0):
    rng = np.random.default_rng(seed)
    return NamedTable(
        "people",
        pd.DataFrame(
            {
                "y": rng.choice(["yes", "no"], n, p=[0.3, 0.7]),
                "town": rng.choice(["A", "B", "tiny"], n, p=[0.6, 0.39, 0.01]),
                "x": rng.normal(size=n),
            }
        ),
    )


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_the_same_share_of_each_label_in_each_group(share):
    """Else the two parts would differ by chance before anything is measured."""
    people = table()
    chosen = kept_apart(people, "y", ["town"], share, 0)
    assert abs(chosen.sum() - share * 500) <= 6
    for _, rows in people.frame.groupby(["y", "town"]).indices.items():
        assert abs(chosen[rows].sum() - share * len(rows)) <= 1
        assert not chosen[rows].all()
    assert (chosen == kept_apart(people, "y", ["town"], share, 0)).all()
    assert (chosen != kept_apart(people, "y", ["town"], share, 1)).any()


@pytest.fixture
def fitted(faircg, people):
    """Fit with a quarter of the people kept apart."""
    done = faircg("fit", people, *FIT, "--holdout", 0.25, "-o", "model.json")
    assert done.code == 0, done.err
    return done


def test_the_people_kept_apart_are_measured_first(faircg, people, fitted):
    """The accuracy on the training data was the only one that a fit printed."""
    assert fitted.out.index("kept apart") < fitted.out.index("on the training data")
    assert "interval of 95%" in fitted.out
    assert "for comparison: always" in fitted.words
    assert "a plain tree of depth 4" in fitted.words
    model = RuleSetModel.load("model.json")
    assert (model.asked.target, model.asked.sensitive) == ("hired", ("town",))
    assert model.asked.holdout == 0.25
    n_all = len(pd.read_csv(people))
    counted = sum(c.total for c in model.held_out.values())
    assert sum(c.total for c in model.groups.values()) + counted == n_all
    assert sum(c.total for c in model.baseline.held_out.values()) == counted


def test_the_same_file_is_evaluated_on_those_kept_apart(faircg, people, fitted):
    """Target and groups are remembered, and nobody is measured who was learned from."""
    model = RuleSetModel.load("model.json")
    done = faircg("evaluate", "model.json", people, "--json")
    assert done.code == 0, done.err
    assert "that were kept apart are counted" in done.err
    found = {name: group["people"] for name, group in done.json["groups"].items()}
    assert found == {name: c.total for name, c in model.held_out.items()}
    named = [reference["name"] for reference in done.json["references"]]
    assert named == ["always no", "a plain tree of depth 4"] or named[0] == "always yes"


def test_other_people_are_all_evaluated(faircg, people, fitted):
    """Another file is not divided: all of its people are new."""
    frame = pd.read_csv(people).iloc[:100]
    frame.to_csv("other.csv", index=False)
    done = faircg("evaluate", "model.json", "other.csv", "--json")
    assert done.json["overall"]["people"] == 100
    assert "kept apart" not in done.err
    tested = set(RuleSetModel.load("model.json").rule_set.features)
    frame[[*tested, "hired"]].to_csv("few.csv", index=False)
    done = faircg("evaluate", "model.json", "few.csv", "--json")
    assert done.json["references"][0]["people"] == 100


def test_the_report_shows_them_first(faircg, people, fitted):
    """The headline is about people whom the rules were not learned from."""
    done = faircg("report", "model.json", people, "-o", "report.html", "--json")
    assert done.code == 0, done.err
    page = Path("report.html").read_text(encoding="utf-8")
    assert done.json["part"] == "held out"
    assert "whom the rules were not learned from" in page
    assert "Kept apart" in page


def test_a_training_file_alone_still_tells_of_them(faircg, people, fitted):
    """Rows in another order are not divided again; the file's own counts are shown."""
    pd.read_csv(people).iloc[::-1].to_csv("turned.csv", index=False)
    assert faircg("report", "model.json", "turned.csv", "-o", "r.html").code == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "held out, as recorded" in page


@pytest.mark.parametrize("share", ["1", "25%", "x", "-0.1"])
def test_a_share_that_cannot_be_is_one_line(faircg, people, share):
    """A quarter is 0.25."""
    done = faircg("fit", people, *FIT, "--holdout", share, "-o", "m.json")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "--holdout" in done.err


def test_an_older_file_is_asked_for_its_columns(faircg, people, fitted):
    """Files that remember nothing still need --target."""
    data = json.loads(Path("model.json").read_text(encoding="utf-8"))
    for name in ("target", "sensitive", "holdout"):
        del data["asked"][name]
    for name in ("held_out", "baseline", "scores"):
        del data[name]
    with open("old.json", "w", encoding="utf-8") as file:
        json.dump(data, file)
    done = faircg("evaluate", "old.json", people)
    assert done.code == 1
    assert "--target" in done.err
    done = faircg("evaluate", "old.json", people, "--target", "hired")
    assert done.code == 0
    assert "always" in done.out
    assert "plain tree" not in done.out
