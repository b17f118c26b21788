"""--cost-false-positive, --cost-false-negative, --costs, and weights with decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from cli.people import FIT, Done, awkward

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GROUPS = ("--target", "hired", "--sensitive", "town")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Write a table with a column of costs and one of weights."""
    frame, rng = awkward(), np.random.default_rng(0)
    path = tmp_path / "people.csv"
    frame.assign(
        harm=rng.choice([0.5, 1, 4], len(frame)),
        share=rng.choice([0.25, 1.5], len(frame)),
    ).to_csv(path, index=False)
    return path


def test_costs_reach_the_fit_and_the_certificate(
    people: Path, faircg: Callable[..., Done], tmp_path: Path
) -> None:
    """The loss is in their units, and the column of costs is no feature."""
    model = tmp_path / "model.json"
    done = faircg(
        *("fit", people, *FIT, "--exclude", "share", "-o", model),
        *("--cost-false-positive", 3, "--cost-false-negative", 0.5),
        *("--costs", "harm"),
    )
    assert done.code == 0, done.err
    words = "a false positive costs 3 and a false negative 0.5, each times the cost of"
    assert words in done.words
    assert "harm" not in model.read_text(encoding="utf-8")


def test_evaluate_says_what_errors_cost(
    people: Path, faircg: Callable[..., Done], tmp_path: Path
) -> None:
    """By the costs that the model records."""
    model = tmp_path / "model.json"
    faircg("fit", people, *FIT, "-o", model, "--cost-false-positive", 3)
    values = faircg("evaluate", model, people, *GROUPS, "--json").json
    everybody = values["overall"]
    wrong = 3 * everybody["false_positives"] + everybody["false_negatives"]
    assert values["cost"] == wrong
    done = faircg("evaluate", model, people, *GROUPS)
    assert f"wrong predictions cost {wrong:,}" in done.words


def test_weights_with_decimals_are_counted_in_parts(
    people: Path, faircg: Callable[..., Done], tmp_path: Path
) -> None:
    """A note says so, and gaps have no interval: the parts are no people."""
    model = tmp_path / "model.json"
    done = faircg("fit", people, *FIT, "--weight", "share", "-o", model)
    assert done.code == 0, done.err
    done = faircg("evaluate", model, people, *GROUPS, "--weight", "share")
    assert "all counts are 4 times the weights" in done.words
    assert "interval" not in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--cost-false-positive", -1), "--cost-false-positive: '-1' is not a number"),
        (("--cost-false-negative", "inf"), "'inf' is not a number of at least 0"),
        (("--costs", "town"), "'town' cannot be both --costs and --sensitive"),
        (("--costs", "harms"), "has no column 'harms'; did you mean 'harm'"),
        (("--costs", "job, title"), "cannot be a cost: it must hold numbers"),
        (("--cost-false-positive", 0, "--cost-false-negative", 0), "are both 0"),
    ],
)
def test_costs_that_cannot_be_meant_are_refused(
    options: tuple[object, ...],
    message: str,
    people: Path,
    faircg: Callable[..., Done],
    tmp_path: Path,
) -> None:
    """With one clear line."""
    done = faircg("fit", people, *FIT, *options, "-o", tmp_path / "model.json")
    assert done.code != 0
    assert message in done.words
