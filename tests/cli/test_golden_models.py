"""Model files that an earlier faircg wrote, of every version, keep their meaning."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import pytest

from export.runners import run_python
from faircg import RuleSetModel
from faircg.cli.files import read_for
from faircg.export import FORMATS, export_model
from faircg.model import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from cli.people import Done

GOLDEN = Path(__file__).parents[1] / "golden_models"
NAMES = sorted(path.name.split(".")[0] for path in GOLDEN.glob("*.model.json"))

pytestmark = pytest.mark.filterwarnings(
    "ignore::faircg.exceptions.UnseenCategoryWarning"
)


def model_file(name: str) -> Path:
    return GOLDEN / f"{name}.model.json"


def table(name: str) -> Path:
    return GOLDEN / f"{name}.csv"


def groups(name: str) -> list[str]:
    """Return the options that name the groups."""
    named = ["--sensitive", "group_1"]
    if name.startswith(("names", "marginal")):
        named += ["--sensitive", "group_2"]
    if name.startswith("names"):
        named += ["--missing-groups", "group"]
    return named


def expected(name: str) -> dict[str, Any]:
    path = GOLDEN / f"{name}.expected.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def rounded(number: str) -> float:
    """Read a number without its last digits, in which versions of SciPy differ."""
    return round(float(number), 12)


def people(name: str) -> pd.DataFrame:
    """Read the table as the command line does."""
    return read_for(RuleSetModel.load(model_file(name)), str(table(name))).frame


def test_none_was_lost():
    """Ten of version 1, four of version 2, and some of every version there is."""
    texts = [model_file(name).read_text(encoding="utf-8") for name in NAMES]
    versions = Counter(json.loads(text)["version"] for text in texts)
    assert versions == {1: 10, 2: 4}
    assert sorted(versions) == list(range(1, VERSION + 1))


def test_a_newer_file_is_refused_in_one_line(faircg: Callable[..., Done]):
    """The line says which version the file has, and what to do."""
    newer = json.loads(model_file("marginal2").read_text(encoding="utf-8"))
    newer["version"] = VERSION + 1
    Path("newer.json").write_text(json.dumps(newer), encoding="utf-8")
    done = faircg("predict", "newer.json", table("marginal2"), "-o", "out.csv")
    words = f"format version {VERSION + 1}; this faircg reads versions 1 and {VERSION}"
    assert (done.code, words in done.err) == (1, True), done.err
    assert "a newer faircg wrote it; install that" in done.err
    assert done.err.count("\n") == 1
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("name", NAMES)
def test_an_old_model_predicts_the_same(name, tmp_path):
    """My model of last year decides as it did, also after it is saved again."""
    model = RuleSetModel.load(model_file(name))
    assert model.predict(people(name)).tolist() == expected(name)["predictions"]
    model.save(tmp_path / "again.json")
    again = RuleSetModel.load(tmp_path / "again.json")
    assert again == model
    assert again.predict(people(name)).tolist() == expected(name)["predictions"]


@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_predicts_the_same(name, faircg: Callable[..., Done]):
    """``faircg predict`` writes what it wrote."""
    done = faircg("predict", model_file(name), table(name), "-o", "out.csv", "-q")
    assert done.code == 0, done.err
    written = pd.read_csv("out.csv", dtype=str)["prediction"].tolist()
    assert written == [str(label) for label in expected(name)["predictions"]]


@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_explains_the_same(name, faircg: Callable[..., Done]):
    """Without recorded ranges, distances are measured as they were."""
    arguments = ["explain", model_file(name), table(name), "--limit", 20, "--json"]
    done = faircg(*arguments, "--direction", "both", "-q")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    for entry in told:
        entry["fired"] = [rule["text"] for rule in entry["fired"]]
        entry["closest"] = [near["rule"]["text"] for near in entry["closest"]]
        del entry["text"], entry["values"]
    assert told == expected(name)["explain"]


@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_counts_the_same(name, faircg: Callable[..., Done]):
    """Every number that ``faircg evaluate`` gave is still there."""
    arguments = ["evaluate", model_file(name), table(name), "--target", "label"]
    done = faircg(*arguments, *groups(name), "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out, parse_float=rounded)
    text = json.dumps(expected(name)["evaluate"])
    before = json.loads(text, parse_float=rounded)
    assert {key: told[key] for key in before} == before


@pytest.mark.parametrize("name", NAMES)
def test_a_report_of_an_old_model(name, faircg: Callable[..., Done]):
    """The report shows the recorded certificate and training counts."""
    arguments = ["report", model_file(name), table(name), "--target", "label"]
    done = faircg(*arguments, *groups(name), "-o", "report.html", "-q")
    assert done.code == 0, done.err
    recorded = json.loads(model_file(name).read_text(encoding="utf-8"))
    page = Path("report.html").read_text(encoding="utf-8")
    assert recorded["certificate"]["data"] in page


@pytest.mark.parametrize("name", NAMES)
def test_the_exports_of_an_old_model(name):
    """Every format is written; Python and SQL decide as the model did."""
    model, frame = RuleSetModel.load(model_file(name)), people(name)
    # Without a rule, an ONNX graph would have no input.
    forms = [form for form in FORMATS if form != "onnx" or len(model.rule_set)]
    texts = {form: export_model(model, form) for form in forms}
    assert RuleSetModel.from_json(texts["json"]) == model
    recorded = json.loads(model_file(name).read_text(encoding="utf-8"))
    for form in ("markdown", "latex"):
        assert recorded["certificate"]["data"] in texts[form]
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert run_python(model, rows) == expected(name)["predictions"]
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("data", frame)
        found = connection.execute(texts["sql"]).fetchall()
    assert [row[-1] for row in found] == expected(name)["predictions"]
