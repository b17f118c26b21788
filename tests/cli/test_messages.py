"""What a newcomer reads: words of the command line, and a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cli.people import FIT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.people import Done


def error(done: Done) -> str:
    """Return the one line of an error."""
    assert done.code == 1, done.words
    assert done.out == ""
    assert done.err.startswith("faircg: error: ")
    assert done.err.count("\n") == 1, done.err
    return done.err.removeprefix("faircg: error: ").rstrip("\n")


def usable(option: str, text: str) -> str:
    return f"{option}: {text} is not a number between 0 and 1"


POINTS = "; for 5 percentage points write 0.05"
NUMBERS = {
    "percentage": (["--epsilon", "5"], usable("--epsilon", "'5'") + POINTS),
    "percent sign": (["--epsilon", "5%"], usable("--epsilon", "'5%'") + POINTS),
    "small percentage": (
        ["--epsilon", "0.5%"],
        usable("--epsilon", "'0.5%'") + "; for 0.5 percentage points write 0.005",
    ),
    "decimal comma": (
        ["--epsilon", "0,05"],
        usable("--epsilon", "'0,05'") + "; write 0.05",
    ),
    "negative": (["--epsilon", "-0.1"], usable("--epsilon", "'-0.1'")),
    "too much": (["--epsilon", "150%"], usable("--epsilon", "'150%'")),
    "not a number": (["--epsilon", "nan"], usable("--epsilon", "'nan'")),
    "word": (["--epsilon", "small"], usable("--epsilon", "'small'")),
    "no time": (
        ["--time-limit", "0"],
        "--time-limit: '0' is not a number of seconds above 0",
    ),
    "negative time": (
        ["--time-limit", "-3"],
        "--time-limit: '-3' is not a number of seconds above 0",
    ),
    "minutes": (
        ["--time-limit", "5m"],
        "--time-limit: '5m' is not a number of seconds above 0",
    ),
    "no complexity": (
        ["--max-complexity", "0"],
        "--max-complexity: '0' is not a whole number of at least 1",
    ),
    "half a rule": (
        ["--max-complexity", "1.5"],
        "--max-complexity: '1.5' is not a whole number of at least 1",
    ),
}
SEARCH = {
    "one fold": (["--folds", "1"], "--folds: '1' is not a whole number of at least 2"),
    "wide gap": (["--target-gap", "5"], usable("--target-gap", "'5'") + POINTS),
    "accuracy in percent": (
        ["--target-accuracy", "80"],
        usable("--target-accuracy", "'80'") + "; for an accuracy of 80 % write 0.8",
    ),
    "negative accuracy": (
        ["--target-accuracy", "-1"],
        usable("--target-accuracy", "'-1'"),
    ),
}


@pytest.mark.parametrize(("given", "words"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_that_cannot_be_used_in_fit(
    given: list[str], words: str, people: Path, faircg: Callable[..., Done]
) -> None:
    """I typed --epsilon 5 and read of a 'parameter of FairRuleSetClassifier'."""
    done = faircg("fit", people, *FIT, *given, "-o", "m.json")
    assert error(done) == words


@pytest.mark.parametrize(
    ("given", "words"), {**NUMBERS, **SEARCH}.values(), ids={**NUMBERS, **SEARCH}
)
def test_numbers_that_cannot_be_used_in_frontier(
    given: list[str], words: str, people: Path, faircg: Callable[..., Done]
) -> None:
    """Each of several values is checked, and before any data is read."""
    good = ("--epsilon", 0.1, "--max-complexity", 4)
    assert error(faircg("frontier", "nowhere.csv", *good, *given)) == words


def test_numbers_of_a_settings_file_are_read_in_the_same_way(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """TOML has numbers of its own, and lists of them."""
    settings = people.parent / "run.toml"
    args = ("--target", "hired", "--sensitive", "town", "--config", settings, "-q")
    settings.write_text("epsilon = 5\n", encoding="utf-8")
    done = faircg("fit", people, *args, "-o", "m.json")
    assert error(done) == usable("--epsilon", "'5'") + POINTS
    settings.write_text("epsilon = [0.1, 20]\n", encoding="utf-8")
    done = faircg("frontier", people, *args)
    words = "; for 20 percentage points write 0.2"
    assert error(done) == usable("--epsilon", "'20'") + words
    settings.write_text(
        "epsilon = [1, 0.25]\nmax_complexity = [4]\nfolds = 2\nmax_conditions = 1\n"
        "time_limit = 60\ntarget_gap = 1\njson = true\n",
        encoding="utf-8",
    )
    done = faircg("frontier", people, *args, "--positive", "yes")
    assert done.code == 0, done.err
    assert done.json["chosen"]["max_complexity"] == 4
    assert {point["epsilon"] for point in done.json["frontier"]} <= {0.25, 1.0}
