"""A way to call the command line as a person at a terminal does, and its files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from cli.people import Done, awkward
from faircg.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def faircg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Call a command in this process, in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["faircg", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        sys.stdout.flush()
        return Done(code, *capfd.readouterr())

    return call


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Write the awkward table."""
    path = tmp_path / "my people.csv"
    awkward().to_csv(path, index=False)
    return path


@pytest.fixture
def fitted_by(
    faircg: Callable[..., Done], people: Path
) -> Callable[..., tuple[Done, Path]]:
    """Return how a fit ended, and the model file that it wrote."""

    def fit(*options: object) -> tuple[Done, Path]:
        done = faircg("fit", people, *options, "-o", "found.json")
        return done, people.parent / "found.json"

    return fit


@pytest.fixture(scope="session")
def learned() -> str:
    """Fit the awkward table once; return the text of the model file."""
    from faircg import FairRuleSetClassifier

    frame = awkward()
    clf = FairRuleSetClassifier(
        constraint="equality_of_opportunity",
        epsilon=0.1,
        max_complexity=6,
        max_conditions=2,
        exclude=["town"],
        pos_label="yes",
    )
    clf.fit(
        frame.drop(columns="hired"),
        frame["hired"].to_numpy(),
        sensitive_features=frame["town"],
    )
    return clf.model_.to_json()


@pytest.fixture
def model(tmp_path: Path, learned: str) -> Path:
    """Write the model of the awkward table."""
    path = tmp_path / "model.json"
    path.write_text(learned, encoding="utf-8")
    return path
