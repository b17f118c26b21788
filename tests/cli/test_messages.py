"""What a newcomer reads: words of the command line, and a way out."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from cli.people import FIT, awkward
from faircg.cli.notes import about_groups, about_texts

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


def notes(done: Done) -> list[str]:
    """Return the notes of a command that went well."""
    assert done.code == 0, done.err
    lines = done.err.splitlines()
    assert all(line.startswith("faircg: note: ") for line in lines), lines
    return [line.removeprefix("faircg: note: ") for line in lines]


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


LATIN = (
    "is not UTF-8 text; say what it is, for example with --encoding cp1252 or "
    "--encoding latin-1"
)
EMPTY = "is empty; a header line is needed"
SEMICOLON = "the separator seems to be ';': say so with --sep"
FILES = {
    "semicolons without rows": (b"age;repaid\n", "has no rows"),
    "latin-1 values": ("age,repaid\n31,zurück\n25,no\n".encode("latin-1"), LATIN),
    "latin-1 names": ("Größe,repaid\n31,yes\n25,no\n".encode("latin-1"), LATIN),
    "spreadsheet": (
        b"PK\x03\x04\x14\x00\x06\x00[Content_Types].xml",
        "is a spreadsheet or another ZIP archive; name it .xlsx or .zip, or save the "
        "table as CSV text",
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
    """Pandas renames the second 'age', or says 'utf-8'.

    All of it ended with a column that is not there, or with no word at all.
    """
    import gzip

    (tmp_path / "loans.csv").write_bytes(content)
    (tmp_path / "loans.csv.gz").write_bytes(gzip.compress(content))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    done = faircg("fit", source, "--target", "repaid", "-o", "m.json")
    name = "standard input" if source == "-" else source
    assert error(done) == f"{name} {words}"


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


def test_a_first_row_too_long_for_a_look_is_read(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """What csv refuses as too long between commas is no sign of semicolons."""
    half = "x" * 100_000
    text = f"note; free,age,repaid\n{half};{half},31,yes\n,25,no\n"
    (tmp_path / "loans.csv").write_text(text, encoding="utf-8")
    args = ("--target", "repaid", "--exclude", "note; free", "-q", "-o", "m.json")
    done = faircg("fit", "loans.csv", *args)
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
    frame["repaid?"] = np.resize(["no", "maybe", "yes"], len(frame))
    frame.to_csv(tmp_path / "loans.csv", index=False)
    words = "the target 'repaid?' has 3 values (maybe, no, yes); two are needed: drop"
    assert error(faircg(*args)) == f"{words} or merge one"
    args = ("frontier", "loans.csv", "--target", "Größe", "--sensitive", "town")
    n, some = frame["Größe"].nunique(), sorted(map(str, frame["Größe"].unique()))[:5]
    words = f"the target 'Größe' has {n} values ({', '.join(some)}, ...); two are"
    assert error(faircg(*args)) == f"{words} needed: drop or merge some"


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


QUICK = ("--target", "repaid", "--max-conditions", 1, "--max-complexity", 4)


def loans(n: int = 600) -> pd.DataFrame:
    """Return a table as a newcomer has it: nothing in it is wrong, some is odd."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "applicant id": [f"P{k:04}" for k in range(n)],
            "region": rng.choice(["EU", "NA", "None", "AS"], n, p=[0.5, 0.3, 0.1, 0.1]),
            "income": rng.integers(1000, 9000, n).astype(str),
            "age": rng.integers(18, 80, n).astype(float),
            "owner": rng.random(n) < 0.5,
            "town": rng.choice(["A", "B"], n),
        }
    )
    frame["repaid"] = np.where(frame["age"] + rng.normal(0, 9, n) > 45, "yes", "no")
    frame.loc[::7, "age"] = np.nan
    frame.loc[:1, "region"] = ""
    frame.loc[299, "income"] = "unknown"
    frame.loc[400, "income"] = "unknown"
    frame.loc[[3, 5, 8], "town"] = "Tiny"
    frame.loc[[3, 5, 8], "repaid"] = ["yes", "no", "yes"]
    return frame


def surprises(frame: pd.DataFrame) -> dict[str, str]:
    """Return the notes that the table deserves, counted from the table itself."""
    n_missing = int(frame["region"].isin(["NA", "None"]).sum())
    return {
        "repaid": "predicting repaid = yes; --positive changes it",
        "income": "'income' is read as numbers: 2 cells such as 'unknown' are read as "
        "missing values; --category makes it names",
        "applicant id": "'applicant id' has 600 different values in 600 rows: it is "
        "left out; --keep 'applicant id' brings it back",
        "region": f"'region': {n_missing} cells such as 'NA' are read as missing "
        "values",
        "town": "group 'Tiny' has 2 people with the label 'yes' (3 in all): a rate of "
        "so few people changes with each of them",
    }


def test_fit_and_frontier_say_what_may_surprise_in_the_data(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """The region 'NA' was no value, and each identity a condition, without a word."""
    frame = loans()
    frame.to_csv("loans.csv", index=False)
    expected = surprises(frame)
    args = ("loans.csv", *QUICK, "--sensitive", "town")
    fit = ("fit", *args, "-o", "m.json")
    assert notes(faircg(*fit)) == list(expected.values())
    done = faircg("frontier", *args, "--constraint", "none", "--folds", 2)
    assert notes(done) == list(expected.values())
    assert notes(faircg(*fit, "--quiet")) == []
    done = faircg(*fit, "--json")
    assert notes(done) == list(expected.values())
    assert done.json["model"] == "m.json"


def test_what_rules_do_not_test_needs_no_note(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """Excluded columns are silent, unless they are the groups; so are names."""
    frame = loans()
    frame.to_csv("loans.csv", index=False)
    expected = surprises(frame)
    fit = ("fit", "loans.csv", *QUICK, "-o", "m.json")
    excluded = ("--exclude", "applicant id", "--exclude", "region")
    told = [expected["repaid"], expected["income"]]
    assert notes(faircg(*fit, *excluded)) == told
    names = ("--category", "income", "--category", "applicant id")
    assert notes(faircg(*fit, *names, "--positive", "yes"))[-1] == expected["region"]
    groups = ("--sensitive", "region", "--missing-groups", "group")
    told = notes(faircg(*fit, *excluded, *groups, "--category", "income"))
    assert told[1] == expected["region"]


def test_a_group_called_none_is_explained_before_it_is_refused(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """The error speaks of missing values; my file has none."""
    loans().drop(columns=["applicant id", "income"]).to_csv("loans.csv", index=False)
    done = faircg("fit", "loans.csv", *QUICK, "--sensitive", "region", "-o", "m.json")
    assert done.code == 1
    _, first, second = done.err.splitlines()
    assert "cells such as 'NA' are read as missing values" in first
    assert second.startswith("faircg: error: sensitive_features has ")


def test_other_sources_get_the_notes_that_they_can(
    tmp_path: Path, faircg: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parquet keeps the region 'NA'; what standard input said is known."""
    frame = loans()
    every = surprises(frame)
    expected = {name: text for name, text in every.items() if name != "region"}
    frame.to_parquet("loans.parquet")
    args = (*QUICK, "--sensitive", "town", "-o", "m.json")
    assert notes(faircg("fit", "loans.parquet", *args)) == list(expected.values())
    text = frame.to_csv(index=False).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    assert notes(faircg("fit", "-", *args)) == list(every.values())
    done = faircg("fit", "compas", *QUICK[2:], "-o", "m.json")
    assert notes(done) == []


def test_texts_at_the_limits() -> None:
    """One hundred different values are few, as are nine numbers of eleven values."""
    crowd = [f"v{k}" for k in range(101)]
    assert list(about_texts("x", pd.Series(crowd[:100] * 2))) == []
    (text,) = about_texts("x", pd.Series(crowd * 2))
    assert text.startswith("'x' has 101 different values in 202 rows")
    (text,) = about_texts("x", pd.Series(["a", "b", "c"]))
    assert text.startswith("'x' has 3 different values in 3 rows")
    assert list(about_texts("x", pd.Series(["a", "b", None]))) == []
    nine = ["5"] * 9
    assert list(about_texts("x", pd.Series([*nine, "b", "c"]))) == []
    (text,) = about_texts("x", pd.Series([None, *nine, "b"]))
    assert "9 of its 10 values are numbers, the first other is 'b' (row 10)" in text
    (text,) = about_texts("x", pd.Series(nine))
    assert text == "'x' is read as text: all its 9 values are numbers"


def crowd(**sizes: tuple[int, int]) -> tuple[pd.DataFrame, np.ndarray]:
    """Return groups with so many positive and negative labels."""
    names = [name for name, both in sizes.items() for _ in range(sum(both))]
    labels = [v for yes, no in sizes.values() for v in ["yes"] * yes + ["no"] * no]
    return pd.DataFrame({"g": names}), np.array(labels, dtype=object)


def test_groups_at_the_limits() -> None:
    """Thirty people with the label are enough, and twenty groups are not many."""
    assert about_groups(*crowd(A=(30, 5), B=(40, 0)), None) == ""
    assert about_groups(*crowd(A=(29, 50), B=(40, 9)), None).startswith(
        "group 'A' has 29 people with the label 'yes' (79 in all): a rate of"
    )
    text = about_groups(*crowd(A=(29, 50), B=(40, 9)), "no")
    assert text.startswith("group 'B' has 9 people with the label 'no' (49 in all)")
    text = about_groups(*crowd(A=(90, 50), B=(0, 4)), None)
    words = "group 'B' has nobody with the label 'yes' (4 in all): there is no rate of"
    assert text == f"{words} those to compare"
    assert about_groups(*crowd(A=(5, 50), B=(1, 9), C=(40, 0)), None) == (
        "2 of 3 groups have fewer than 30 people with the label 'yes'; the smallest, "
        "'B', has 1 person (10 in all): rates of so few people change with each of them"
    )
    many = {f"g{k:02}": (40 + k, 9) for k in range(21)}
    assert about_groups(*crowd(**many), None) == (
        "there are 21 groups; the smallest, 'g00', has 40 people with the label 'yes' "
        "(49 in all), and the gap is that between the two that differ most"
    )
    del many["g00"]
    assert about_groups(*crowd(**many), None) == ""


def test_a_group_that_weighs_nothing_gets_no_note() -> None:
    """It is no group of the fit, and was said to have nobody."""
    members, labels = crowd(A=(40, 9), B=(3, 2))
    weights = (members.iloc[:, 0] == "A").astype(int)
    assert "group 'B' has 3 people" in about_groups(members, labels, None)
    assert about_groups(members, labels, None, weights) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "epsilom = 0.1",
            "no command has an option 'epsilom'; did you mean 'epsilon'?",
        ),
        (
            "Max-Complexity = 3",
            "no command has an option 'Max-Complexity'; did you mean 'max_complexity'?",
        ),
        (
            "[fit]\nepsilom = 1",
            "[fit] has no option 'epsilom'; did you mean 'epsilon'?",
        ),
        ("[fit]\nfolds = 3", "[fit] has no option 'folds'; it is one of [frontier]"),
        ("zzz = 1", "no command has an option 'zzz'"),
    ],
)
def test_a_mistyped_setting_gets_the_nearest(
    text: str, words: str, people: Path, faircg: Callable[..., Done]
) -> None:
    """'any command has no option' was odd, and the nearest key could be far away."""
    (people.parent / "bad.toml").write_text(text, encoding="utf-8")
    done = faircg("fit", people, *FIT, "--config", "bad.toml", "-o", "m.json")
    assert error(done) == f"bad.toml: {words}"


def test_predict_knows_a_wrong_separator_too(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """It reads files in its own way, and says the same."""
    text = people.read_text("utf-8").splitlines()[0].replace(",", ";")
    (people.parent / "s.csv").write_text(text + "\n1;2\n", "utf-8")
    done = faircg("predict", model, "s.csv")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert SEMICOLON in done.err
    done = faircg("predict", model, "none.parquet", "-o", "o.parquet")
    assert "there is no file none.parquet" in done.err


def test_evaluate_reads_epsilon_as_fit_does(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """5 % is 0.05 everywhere."""
    done = faircg("evaluate", model, people, "--epsilon", "5%")
    assert (done.code, "'5%' is not a number between 0 and 1" in done.err) == (1, True)
