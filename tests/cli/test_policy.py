"""Directions, features kept apart and refusal rules from the command line."""

import json
from functools import partial

import pandas as pd
import pytest

from cli.people import FIT, JOB, YEARS

POLICY = (
    "--increasing",
    YEARS,
    "--increasing",
    "member",
    "--not-together",
    f"{YEARS},Größe",
)


@pytest.fixture
def fitted(fitted_by):
    """Fit under equality of opportunity."""
    return partial(fitted_by, *FIT)


def test_fit_keeps_directions_and_says_so(fitted):
    """More years may only help, and the model file says that this was asked."""
    done, path = fitted(*POLICY)
    assert done.code == 0
    words = 'value of years "in service" or member may only count towards “yes”'
    assert words in done.words
    assert 'not tested together: years "in service" with Größe' in done.words
    model = json.loads(path.read_text(encoding="utf-8"))
    assert model["asked"]["increasing"] == [YEARS, "member"]
    assert model["asked"]["not_together"] == [[YEARS, "Größe"]]
    conditions = [c for rule in model["rule_set"]["rules"] for c in rule]
    assert any(c["feature"] == YEARS for c in conditions)
    assert model["rule_set"]["rules_for"] == "negative"
    assert not any(c["feature"] == YEARS and c["operator"] == ">" for c in conditions)


def test_fit_tells_the_price_of_each_part(fitted):
    """One line for each part of the policy; as JSON, bounds."""
    done, _ = fitted(*POLICY, "--price")
    assert done.out.count("price: ") == 3
    assert "price: the directions cost" in done.out
    done, _ = fitted(*POLICY, "--price", "--json")
    assert [p["parameter"] for p in done.json["prices"]] == [
        "exclude",
        "monotone",
        "not_together",
    ]
    assert all(p["at_least"] <= p["at_most"] for p in done.json["prices"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--increasing", "yeers"), "has no column 'yeers'"),
        (("--not-together", "member,Grose"), "has no column 'Grose'"),
        (("--not-together", '"job, title",menber'), "has no column 'menber'"),
        (("--not-together", "member"), "needs two features at least"),
        (("--increasing", JOB), "'job, title', whose values are categories"),
        (
            ("--increasing", "member", "--decreasing", "member"),
            "'member' is given to --increasing and --decreasing",
        ),
        (("--increasing", "town"), "monotone names 'town', which exclude leaves out"),
    ],
)
def test_a_policy_that_cannot_be_kept_is_an_error(fitted, options, words):
    """One line on standard error, and no file."""
    done, path = fitted(*options)
    assert done.code == 1
    assert words in done.err
    assert not path.exists()


def test_refusal_rules_from_fit_to_report(faircg, people, fitted):
    """Every command reads the model as one of rules that refuse."""
    done, path = fitted("--rules-for", "negative", "--decreasing", "Größe")
    assert done.code == 0
    assert done.out.startswith("Predict no if")
    model = json.loads(path.read_text(encoding="utf-8"))
    assert model["rule_set"]["rules_for"] == "negative"
    done = faircg(
        "evaluate", path, people, "--target", "hired", "--sensitive", "town", "--check"
    )
    assert done.code == 0
    for keep in ((), ("--only",)):
        done = faircg("predict", path, people, "-o", "out.csv", *keep)
        assert done.code == 0
        written = pd.read_csv(people.parent / "out.csv")
        frame = pd.read_csv(people)
        from faircg import RuleSetModel

        expected = RuleSetModel.load(path).predict(frame)
        assert written["prediction"].tolist() == expected.tolist()
        n_yes = int((expected == "yes").sum())
        assert f"{n_yes} of 240 rows are yes" in done.out
    row = int((expected == "no").argmax())
    done = faircg("explain", path, people, "--row", row)
    assert "predicted no" in done.out
    assert "because" in done.out
    assert "smallest change to get yes" in done.out
    done = faircg(
        "report",
        path,
        people,
        "--target",
        "hired",
        "--sensitive",
        "town",
        "-o",
        "page.html",
    )
    assert done.code == 0
    page = (people.parent / "page.html").read_text(encoding="utf-8")
    assert "Predict “no” if at least one rule holds, otherwise “yes”" in page
    assert "A lower value of Größe may only count towards “yes”" in page


def test_an_empty_refusal_set_accepts_everybody(faircg, people, tmp_path):
    """Nobody is covered, so nobody is refused, however the table is read."""
    from faircg import RuleSet, RuleSetModel

    empty = RuleSet((), label="no", rules_for="negative")
    RuleSetModel(empty, (), ("no", "yes")).save(tmp_path / "empty.json")
    done = faircg("predict", tmp_path / "empty.json", people, "-o", "out.csv")
    assert "240 of 240 rows are yes" in done.out
    written = pd.read_csv(tmp_path / "out.csv")
    assert set(written["prediction"]) == {"yes"}
