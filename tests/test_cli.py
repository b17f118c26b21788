"""The command line, as a person at a terminal uses it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from faircg import RuleSetModel
from faircg.cli import main
from faircg.datasets import load_compas

if TYPE_CHECKING:
    from pathlib import Path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Call the command in this process; return its exit code."""
    monkeypatch.setattr(sys, "argv", ["faircg", *map(str, arguments)])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Write a table with awkward names, missing values and three groups."""
    rng = np.random.default_rng(1)
    n = 240
    frame = pd.DataFrame(
        {
            'years "in service"': rng.integers(0, 30, n).astype(float),
            "job, title": rng.choice(["cook", "head of sales", "näherin"], n),
            "member": rng.random(n) < 0.5,
            "town": rng.choice(["A", "B", "C"], n),
        }
    )
    score = frame.iloc[:, 0] / 30 + 0.3 * frame["member"] + rng.normal(0, 0.2, n)
    frame["hired"] = np.where(score > 0.65, "yes", "no")
    frame.loc[::17, 'years "in service"'] = np.nan
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    return path


def test_demo_prints_everything_and_writes_model_and_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo shows rules, groups, accuracy, complexity and the certificate."""
    assert run(monkeypatch, "demo", "--directory", tmp_path) == 0
    shown = capsys.readouterr().out
    for text in (
        "Predict reoffends within two years if",
        "African-American",
        "true positive rate",
        "false positive rate",
        "accuracy",
        "complexity 15 of 15",
        "satisfies the constraint on this data",
        "a Hamming loss of 1743 is proven optimal",
        "1728.941 (proven)",
    ):
        assert text in " ".join(shown.split()), text
    model = RuleSetModel.load(tmp_path / "faircg-demo-model.json")
    data = load_compas()
    right = (model.predict(data.X) == data.positive_label) == (data.y == 1)
    assert f"({right.sum():,} of 5,278)" in shown
    report = (tmp_path / "faircg-demo-report.txt").read_text(encoding="utf-8")
    assert "Predict reoffends" in report


def test_fit_then_predict_on_an_awkward_table(
    people: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Names with quotes and commas, missing values and three groups go through."""
    model, out = tmp_path / "model.json", tmp_path / "decisions.csv"
    code = run(
        monkeypatch,
        *("fit", people, "--target", "hired", "--positive", "yes"),
        *("--sensitive", "town", "--constraint", "equality_of_opportunity"),
        *("--epsilon", 0.1, "--max-complexity", 6, "--exclude", "town", "-o", model),
    )
    assert code == 0, capsys.readouterr().err
    assert json.loads(model.read_text(encoding="utf-8"))["labels"] == ["no", "yes"]
    # Scoring needs neither the target nor the groups.
    frame = pd.read_csv(people).drop(columns=["town", "hired"])
    unlabelled = tmp_path / "new.csv"
    frame.to_csv(unlabelled, index=False)
    assert run(monkeypatch, "predict", model, unlabelled, "-o", out) == 0
    decisions = pd.read_csv(out)
    expected = RuleSetModel.load(model).predict(frame)
    assert decisions["prediction"].tolist() == expected.tolist()
    assert list(decisions.columns) == [*frame.columns, "prediction"]


def test_datasets_are_listed_described_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The embedded data sets can be looked at and written as CSV."""
    assert run(monkeypatch, "datasets") == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("adult", "compas", "default", "32,561"))
    assert run(monkeypatch, "datasets", "compas") == 0
    assert "ProPublica" in capsys.readouterr().out
    path = tmp_path / "compas.csv"
    assert run(monkeypatch, "datasets", "compas", "-o", path) == 0
    assert pd.read_csv(path).shape == (5278, 8)


BAD = {
    "missing file": (["fit", "nowhere.csv", "--target", "y"], "no file"),
    "missing column": (["fit", "PEOPLE", "--target", "salary"], "no column 'salary'"),
    "missing group column": (
        ["fit", "PEOPLE", "--target", "hired", "--sensitive", "race"],
        "no column 'race'",
    ),
    "target with many values": (
        ["fit", "PEOPLE", "--target", "job, title"],
        "Only binary classification is supported",
    ),
    "unknown positive value": (
        ["fit", "PEOPLE", "--target", "hired", "--positive", "maybe"],
        "'maybe' is not a value of 'hired'",
    ),
    "unknown constraint": (
        ["fit", "PEOPLE", "--target", "hired", "--constraint", "goodness"],
        "goodness",
    ),
    "constraint without groups": (
        ["fit", "PEOPLE", "--target", "hired", "--constraint", "equalized_odds"],
        "--sensitive",
    ),
    "negative epsilon": (
        [
            *("fit", "PEOPLE", "--target", "hired", "--sensitive", "town"),
            *("--constraint", "equalized_odds", "--epsilon", "-0.1"),
        ],
        "epsilon",
    ),
    "excluded column that is not there": (
        ["fit", "PEOPLE", "--target", "hired", "--exclude", "race"],
        "no column 'race'",
    ),
    "missing target values": (
        ["fit", "PEOPLE", "--target", 'years "in service"'],
        "missing in",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_ends_with_a_clear_line_and_no_file(
    arguments: list[str],
    message: str,
    people: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Bad input: exit code 2, the reason on standard error, nothing written."""
    output = tmp_path / "model.json"
    given = [str(people) if a == "PEOPLE" else a for a in arguments]
    assert run(monkeypatch, *given, "-o", output) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not output.exists()


def test_bad_model_file_and_taken_column_name(
    people: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A file that is no model, and a column that exists already, are refused."""
    garbage, out = tmp_path / "garbage.json", tmp_path / "out.csv"
    garbage.write_text("{}", encoding="utf-8")
    assert run(monkeypatch, "predict", garbage, people, "-o", out) == 2
    assert "not a faircg model" in capsys.readouterr().err
    model = tmp_path / "model.json"
    assert (
        run(
            monkeypatch,
            *("fit", people, "--target", "hired", "--max-complexity", 3),
            *("-o", model),
        )
        == 0
    )
    code = run(monkeypatch, "predict", model, people, "-o", out, "--column", "hired")
    assert code == 2
    assert "already has a column 'hired'" in capsys.readouterr().err
    assert not out.exists()


def test_help_is_quick_to_import() -> None:
    """Asking for help loads neither scikit-learn nor pandas nor the solver."""
    program = (
        "import sys; sys.argv = ['faircg', '--help']\n"
        "from faircg.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'sklearn', 'pandas', 'highspy', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert "demo" in done.stdout


@pytest.mark.parametrize("command", ["demo", "fit", "predict", "datasets"])
def test_every_command_shows_an_example(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The help of each command ends in an example."""
    assert run(monkeypatch, command, "--help") == 0
    assert "Example" in capsys.readouterr().out


def test_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The version can be asked for."""
    from faircg import __version__

    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.strip() == __version__
