"""Reasons by the name of a person, and of everybody who is refused."""

import json
from pathlib import Path

import pandas as pd
import pytest

from cli.people import FIT


@pytest.fixture
def named(faircg, people):
    """Fit, and give everybody a name."""
    assert faircg("fit", people, *FIT, "-o", "model.json").code == 0
    frame = pd.read_csv(people)
    frame["case"] = [1000 + 7 * k for k in range(len(frame))]
    frame.to_csv("named.csv", index=False)
    return "named.csv"


def test_a_person_is_explained_by_name(faircg, named):
    """Nobody knows which row a person is."""
    by_row = faircg("explain", "model.json", named, "--row", 3)
    by_name = faircg("explain", "model.json", named, "--id", "case", "--person", 1021)
    assert by_name.code == 0, by_name.err
    assert by_name.out == by_row.out.replace("Row 3:", "case 1021:")
    done = faircg(
        "explain", "model.json", named, "--id", "case", "--person", 1021, "--json"
    )
    assert json.loads(done.out)[0]["id"] == "1021"


def test_all_who_are_refused_get_their_reasons(faircg, named):
    """One table, with a line for each refused person and no other."""
    done = faircg("predict", "model.json", named, "-o", "decided.csv")
    decided = pd.read_csv("decided.csv")
    done = faircg(
        "explain", "model.json", named, "--id", "case", "--refused", "-o", "why.csv"
    )
    assert done.code == 0, done.err
    why = pd.read_csv("why.csv")
    assert list(why["case"]) == list(decided["case"][decided["prediction"] == "no"])
    assert set(why["decision"]) == {"no"}
    assert list(why.columns[:2]) == ["case", "decision"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--person", "5"), "name it with --id"),
        (("--id", "case", "--person", "5"), "nobody in named.csv has case '5'"),
        (("--id", "cas", "--person", "5"), "did you mean 'case'"),
        (("--refused", "--row", "1"), "exclude each other"),
    ],
)
def test_what_cannot_be_explained_is_one_line(faircg, named, asked, words):
    """The line says what to do."""
    done = faircg("explain", "model.json", named, *asked)
    assert done.code == 1
    assert words in done.err
    assert done.err.count("\n") == 1


def test_the_report_calls_people_by_name_and_says_what_columns_mean(faircg, named):
    """Rows were numbered, and columns had names that only their owner understood."""
    with open("columns.csv", "w", encoding="utf-8") as file:
        file.write("column,meaning\nmember,Whether they belong to the <club>\n")
    asked = ("--id", "case", "--describe", "columns.csv", "-o", "r.html")
    done = faircg("report", "model.json", named, *asked)
    assert done.code == 0, done.err
    page = Path("r.html").read_text(encoding="utf-8")
    assert '<th scope="row">1000</th>' in page
    assert "Whether they belong to the &lt;club&gt;" in page
    with open("columns.csv", "w", encoding="utf-8") as file:
        file.write("nothing,here\n")
    done = faircg("report", "model.json", named, *asked)
    assert done.code == 1
    assert "describes no column" in done.err


def test_people_of_a_test_file_and_of_a_frontier_have_their_names_too(faircg, named):
    """Beside --test, and by frontier, --id was taken and rows were numbered."""
    people = pd.read_csv(named)
    people.assign(case=people["case"] + 5000).to_csv("later.csv", index=False)
    asked = ("--id", "case", "-o", "r.html", "--rows", "3")
    assert (
        faircg("report", "model.json", named, "--test", "later.csv", *asked).code == 0
    )
    page = Path("r.html").read_text(encoding="utf-8")
    assert '<th scope="row">6000</th>' in page
    assert '<th scope="row">1000</th>' not in page
    columns = ("--target", "hired", "--sensitive", "town")
    grid = ("--epsilon", "0.1", "--max-complexity", "3", "--folds", "2")
    done = faircg("frontier", named, *columns, *grid, *asked)
    assert done.code == 0, done.err
    page = Path("r.html").read_text(encoding="utf-8")
    assert '<th scope="row">1000</th>' in page
