"""--weight: a column says how many people each row stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from cli.people import FIT, Done, awkward
from faircg import RuleSetModel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GROUPS = ("--target", "hired", "--sensitive", "town")


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """Write a table with weights, and the same people with a row each."""
    frame = awkward()
    weights = np.random.default_rng(0).integers(0, 3, len(frame))
    weighted, repeated = tmp_path / "weighted.csv", tmp_path / "repeated.csv"
    frame.assign(people=weights).to_csv(weighted, index=False)
    frame.iloc[np.repeat(np.arange(len(frame)), weights)].to_csv(repeated, index=False)
    return weighted, repeated


def test_weights_are_repeated_rows(
    both: tuple[Path, Path], faircg: Callable[..., Done], tmp_path: Path
) -> None:
    """For ``fit``, ``evaluate`` and ``report``; the column is no feature."""
    found = []
    for name, path, weight in zip(
        ("weighted", "repeated"), both, (("--weight", "people"), ()), strict=True
    ):
        model = tmp_path / f"{name}.json"
        fit = faircg("fit", path, *FIT, *weight, "-o", model, "--json").json
        assert "people" not in RuleSetModel.load(model).rule_set.features
        evaluated = faircg("evaluate", model, path, *GROUPS, *weight, "--json").json
        page = tmp_path / f"{name}.html"
        told = faircg(
            "report", model, path, *GROUPS, *weight, "-o", page, "--json"
        ).json
        assert told["part"] == "train"
        keys = ("overall", "groups", "gaps", "within_epsilon")
        found.append([{key: of[key] for key in keys} for of in (fit, evaluated, told)])
        found[-1].append(fit["rule_set"])
    assert found[0] == found[1]


def test_it_is_said_that_people_are_counted_by_weight(
    both: tuple[Path, Path], model: Path, faircg: Callable[..., Done]
) -> None:
    done = faircg("evaluate", model, both[0], *GROUPS, "--weight", "people")
    n_people = len(both[1].read_text(encoding="utf-8").splitlines()) - 1
    assert f"people are counted by 'people': 240 rows stand for {n_people}" in done.err
    assert f"of {n_people})" in done.out
    assert "intervals take all people counted as drawn independently" in done.err


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([2**0.5, 1], "1.4142135623730951 has too many digits"),
        ([1, -2], "row 1 has -2"),
        (["many", 1], "row 0 has 'many'"),
        ([1, None], "row 1 has no value"),
    ],
)
def test_other_weights_are_refused(
    values: list[object], message: str, people: Path, model: Path, faircg: Callable
) -> None:
    """The error names the column, the row and the value."""
    frame = awkward()
    weights: list[object] = [1] * len(frame)
    weights[:2] = values
    frame.assign(w=weights).to_csv(people, index=False)
    done = faircg("evaluate", model, people, *GROUPS, "--weight", "w")
    assert done.code == 1
    assert "'w' cannot be a weight" in done.err
    assert message in done.err
    absent = faircg("evaluate", model, people, *GROUPS, "--weight", "wait")
    assert "has no column 'wait'" in absent.err
