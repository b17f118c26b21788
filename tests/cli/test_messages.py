"""What a newcomer reads: words of the command line, and a way out."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from cli.people import FIT, awkward

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


LATIN = "is not UTF-8 text; convert it, for example with iconv -f latin1 -t utf-8"
EMPTY = "is empty; a header line is needed"
SEMICOLON = "the separator seems to be ';'; save the file with commas"
FILES = {
    "semicolons": (b"age;repaid\n31;yes\n25;no\n", SEMICOLON),
    "semicolons and decimal commas": (b"age;repaid\n31,5;yes\n25,5;no\n", SEMICOLON),
    "semicolons and a comma in a name": (
        b"income, yearly;age;repaid\n9;31;yes\n9;25;no\n",
        SEMICOLON,
    ),
    "tabs": (
        b"age\trepaid\n31\tyes\n25\tno\n",
        "the separator seems to be a tab; save the file with commas",
    ),
    "semicolons without rows": (b"age;repaid\n", SEMICOLON),
    "latin-1 values": ("age,repaid\n31,zurück\n25,no\n".encode("latin-1"), LATIN),
    "latin-1 names": ("Größe,repaid\n31,yes\n25,no\n".encode("latin-1"), LATIN),
    "utf-16": (
        "age,repaid\n31,yes\n25,no\n".encode("utf-16"),
        "is UTF-16 text; convert it, for example with iconv -f utf-16 -t utf-8",
    ),
    "spreadsheet": (
        b"PK\x03\x04\x14\x00\x06\x00[Content_Types].xml",
        "is a spreadsheet or another ZIP archive; save the table as CSV text",
    ),
    "nothing": (b"", EMPTY),
    "blank lines": (b"\xef\xbb\xbf\n\n  \n", EMPTY),
    "two of a name": (
        b"age,repaid,age\n31,yes,1\n25,no,2\n",
        "has more than one column called 'age'; give each a name of its own",
    ),
    "two of a name after a mark": (
        b'\xef\xbb\xbfage,"age",repaid,repaid\r\n31,1,yes,no\r\n',
        "has more than one column called 'age', 'repaid'; give each a name of its own",
    ),
}


@pytest.mark.parametrize(("content", "words"), FILES.values(), ids=FILES)
@pytest.mark.parametrize("source", ["loans.csv", "loans.csv.gz", "-"])
def test_files_that_are_not_what_they_seem(
    source: str,
    content: bytes,
    words: str,
    tmp_path: Path,
    faircg: Callable[..., Done],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pandas reads one column of semicolons, renames the second 'age' or says 'utf-8'.

    All of it ended with a column that is not there, or with no word at all.
    """
    import gzip

    (tmp_path / "loans.csv").write_bytes(content)
    (tmp_path / "loans.csv.gz").write_bytes(gzip.compress(content))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    done = faircg("fit", source, "--target", "repaid", "-o", "m.json")
    name = "standard input" if source == "-" else source
    joined = ": " if words.startswith("the ") else " "
    assert error(done) == f"{name}{joined}{words}"


def test_a_separator_that_only_a_missing_column_gives_away(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """As many commas in every row as in the header: only the names look odd."""
    text = "income, yearly;age;repaid\n9,5;31;yes\n8,5;25;no\n"
    (tmp_path / "loans.csv").write_text(text, encoding="utf-8")
    done = faircg("fit", "loans.csv", "--target", "repaid", "-o", "m.json")
    assert error(done) == f"loans.csv has no column 'repaid'; {SEMICOLON}"


def test_semicolons_in_names_and_values_are_no_separators(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """A comma file may hold any other character, also in its header."""
    frame = awkward().rename(columns={"member": "member; since; when", "town": "a|b"})
    frame["member; since; when"] = "x; y; " + frame["member; since; when"].astype(str)
    frame.to_csv(people, index=False)
    args = ("--max-complexity", 4, "--max-conditions", 1, "-q")
    done = faircg("fit", people, "--target", "hired", *args, "-o", "m.json")
    assert (done.code, done.err) == (0, "")


def test_a_damaged_archive_is_said_to_be_one(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """Half a download ended in a traceback."""
    import gzip

    packed = gzip.compress(awkward().to_csv().encode())
    (tmp_path / "loans.csv.gz").write_bytes(packed[: len(packed) // 2])
    done = faircg("fit", "loans.csv.gz", "--target", "hired", "-o", "m.json")
    assert error(done).startswith("loans.csv.gz cannot be unpacked: ")


def test_a_missing_parquet_file_is_missing_also_without_pyarrow(
    faircg: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    """I mistyped a name, and was told to install something."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    done = faircg("fit", "loans.parquet", "--target", "repaid", "-o", "m.json")
    assert error(done) == "there is no file loans.parquet"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("my people.csv", "Extra data: line 1 column 9 (char 8)"),
        ("people.parquet", "not a text file"),
    ],
)
@pytest.mark.parametrize("command", ["predict", "explain", "evaluate"])
def test_data_where_the_model_should_be(
    command: str,
    data: str,
    why: str,
    people: Path,
    model: Path,
    faircg: Callable[..., Done],
) -> None:
    """I swapped the arguments, and read of extra data in line 1."""
    awkward().to_parquet(people.parent / "people.parquet")
    done = faircg(command, data, model)
    words = f"{data} is not a faircg model ({why}); the model comes first"
    assert error(done) == words
    words = "compas is an embedded data set and not a faircg model; the model comes"
    assert error(faircg(command, "compas", model)) == f"{words} first"


def test_a_damaged_model_is_not_called_data(
    tmp_path: Path, people: Path, faircg: Callable[..., Done]
) -> None:
    """The order is right there, so nothing is said about it."""
    (tmp_path / "m.json").write_text('{"format": "x"}', encoding="utf-8")
    words = "m.json is not a faircg model (no 'format': 'faircg-model')"
    assert error(faircg("predict", "m.json", people)) == words


def test_a_target_needs_two_values(tmp_path: Path, faircg: Callable[..., Done]) -> None:
    """The estimator speaks of 'y' and of classes; I named a column."""
    frame = awkward().assign(**{"repaid?": "yes"})
    frame.to_csv(tmp_path / "loans.csv", index=False)
    args = ("fit", "loans.csv", "--target", "repaid?", "-o", "m.json")
    words = "the target 'repaid?' has only one value (yes); two are needed"
    assert error(faircg(*args)) == words
    assert error(faircg(*args, "--positive", "no")) == words


def test_a_target_of_none_says_who_made_it_missing(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """'None' is a value in the file, and a missing one once it is read."""
    text = "age,fraud\n31,None\n25,card\n28,None\n40,\n"
    (tmp_path / "loans.csv").write_text(text, encoding="utf-8")
    done = faircg("fit", "loans.csv", "--target", "fraud", "-o", "m.json")
    words = "the target 'fraud' is missing in 3 rows (first: 0); 2 cells such as 'None'"
    assert error(done) == f"{words} are read as missing values"
    done = faircg("fit", "loans.csv", "--target", "age", "--positive", "2", "-o", "m")
    assert "missing" not in error(done)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("ethnic", "; did you mean 'Ethnic group'? It has"),
        ("ETHNIC GROUP", "; did you mean 'Ethnic group'? It has"),
        ("yearly", "; did you mean 'Income (yearly)'? It has"),
        ("income", "; did you mean 'Income (yearly)'? It has"),
        ("repaid", "; did you mean 'repaid?' - it has"),
        ("Repayd", "; did you mean 'repaid?' - it has"),
        ("zzz", "; it has"),
        ("x", "; it has"),
    ],
)
def test_a_wrong_name_of_a_column_gets_the_nearest(
    given: str, hint: str, tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """Only near spellings were found, in the same case, and '?;' looked odd."""
    names = ["outcome", "Ethnic group", "Income (yearly)", "repaid?"]
    pd.DataFrame([[1, "a", 2, 0]], columns=names).to_csv("loans.csv", index=False)
    args = ("--target", "repaid?", "--sensitive", given, "-o", "m.json")
    words = f"loans.csv has no column {given!r}{hint} {', '.join(names)}"
    assert error(faircg("fit", "loans.csv", *args)) == words
