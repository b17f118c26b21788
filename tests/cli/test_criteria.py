"""Criteria with numbers, several at once, and groups, from the command line."""

import json
from fractions import Fraction
from functools import partial

import pandas as pd
import pytest

from cli.people import ASKED, YEARS
from faircg.fairness import criterion_by_name

EVALUATE = ("--target", "hired", "--sensitive", "town")


@pytest.fixture
def fitted(fitted_by):
    """Fit without a criterion, so that each test asks for its own."""
    return partial(fitted_by, *ASKED)


def test_two_criteria_with_a_number_each(fitted, faircg, people):
    """What was asked is in the file; evaluate and report measure all of it."""
    both = ("--constraint", "equalized_odds", "--constraint", "precision_floor=0.6")
    done, path = fitted(*both, "--epsilon", "1/3")
    assert done.code == 0, done.err
    assert "lowest precision: " in done.out
    assert ", at least 0.6: satisfies the constraint on this data" in done.words
    certificate = json.loads(path.read_text(encoding="utf-8"))["certificate"]
    assert certificate["constraint"] == "equalized_odds & precision_floor=0.6"
    assert criterion_by_name("equalized_odds", Fraction(1, 3)).epsilon == Fraction(1, 3)
    assert certificate["epsilon"] == 1 / 3
    told = faircg("evaluate", path, people, *EVALUATE, "--check", "--json", "--quiet")
    assert told.code == 0
    bounded = [g for g in told.json["gaps"] if g.get("bound") or g["epsilon"]]
    assert [(g["rate"], g["epsilon"], g.get("limit")) for g in bounded] == [
        ("false negative rate", 1 / 3, None),
        ("false positive rate", 1 / 3, None),
        ("precision", None, 0.6),
    ]
    assert bounded[2]["bound"] == "floor"
    assert told.json["within_epsilon"] is True
    strict = faircg(
        "evaluate",
        path,
        people,
        *EVALUATE,
        "--constraint",
        "precision_floor=1",
        "--check",
    )
    assert strict.code == 3
    assert "the lowest precision is" in strict.words
    assert "not at least 1" in strict.words
    page = faircg("report", path, people, *EVALUATE, "-o", "page.html", "--rows", 0)
    assert page.code == 0, page.err
    html = (path.parent / "page.html").read_text(encoding="utf-8")
    assert "at least 60 %" in html
    assert "the precision of every group is at least 60 %" in html
    assert "satisfied on this data" in html


def test_settings_files_take_several_constraints(fitted, people):
    """A list in the file is the option given again."""
    (people.parent / "asked.toml").write_text(
        'constraint = ["four_fifths=0.1", "precision_floor=0.5"]\n', encoding="utf-8"
    )
    done, path = fitted("--config", "asked.toml")
    assert done.code == 0, done.err
    certificate = json.loads(path.read_text(encoding="utf-8"))["certificate"]
    assert certificate["constraint"] == "four_fifths=0.1 & precision_floor=0.5"
    assert certificate["epsilon"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--constraint", "precision_floor"], "needs a number of its own"),
        (
            ["--constraint", "four_fifths", "--epsilon", "0.1"],
            "nothing in 'four_fifths'",
        ),
        (["--constraint", "none", "--constraint", "four_fifths"], "beside another one"),
        (
            ["--constraint", "equalized_odds", "--groups", "age"],
            "'age' is no sensitive",
        ),
        (["--constraint", "equalized_odds", "--bins", "town"], "names no numbers"),
        (["--constraint", "equalized_odds", "--groups", "town=x"], "'x' in 'town=x'"),
        (["--constraint", "equalized_odds", "--within", "city"], "no column 'city'"),
        (
            ["--constraint", "equalized_odds", "--min-group-size", "9999"],
            "fewer than 9,999 people",
        ),
    ],
)
def test_what_cannot_be_meant_ends_with_a_clear_line(fitted, options, message):
    """Nothing is written, and nothing is guessed."""
    done, path = fitted(*options)
    assert done.code == 1
    assert message in done.words
    assert not path.exists()


def test_groups_of_several_columns(fitted, faircg, people):
    """Each column alone, a number in bins: evaluated from the file, the same groups."""
    asked = ("--sensitive", YEARS, "--bins", f"{YEARS}=10", "--groups", "marginal")
    odds = ("--constraint", "demographic_parity", "--epsilon", 0.3)
    done, path = fitted(*asked, *odds, "--missing-groups", "group")
    assert done.code == 0, done.err
    frame = pd.read_csv(people)
    assert f"everybody {len(frame)}" in done.words
    told = faircg(
        "evaluate",
        path,
        people,
        *EVALUATE,
        "--sensitive",
        YEARS,
        "--json",
        "--quiet",
        "--missing-groups",
        "group",
    )
    assert told.json["within_epsilon"] is True
    names = set(told.json["groups"])
    assert f"{YEARS} <= 10" in names
    assert any(name.startswith("town = ") for name in names)
    rates = [g["rate"] for g in told.json["gaps"] if g["epsilon"]]
    assert rates == ["selection rate (town)", f"selection rate ({YEARS})"]


def test_small_groups_are_merged_and_strata_kept_apart(fitted):
    """Towns of few people become one; comparisons stay within a stratum."""
    merged = ("--min-group-size", 70, "--small-groups", "merge")
    done, path = fitted("--constraint", "demographic_parity", *merged)
    assert done.code == 0, done.err
    model = json.loads(path.read_text(encoding="utf-8"))
    assert model["grouping"]["min_group_size"] == 70
    (family,) = model["grouping"]["families"] or [None]
    sizes = {n: sum(c.values()) for n, c in model["groups"].items()}
    assert all(
        sum(sizes[part] for part in parts) >= 70 for parts in family["groups"].values()
    )
    done, path = fitted("--constraint", "demographic_parity", "--within", "member")
    assert done.code == 0, done.err
    model = json.loads(path.read_text(encoding="utf-8"))
    assert len(model["grouping"]["families"]) == 2
