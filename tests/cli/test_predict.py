"""predict passes a table on, whatever its text looks like."""

from __future__ import annotations

import csv
import gzip
import io
import random
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from cli.people import awkward
from faircg import Condition, Rule, RuleSet, RuleSetModel
from faircg.model import Feature

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.people import Done

MODEL = RuleSetModel(
    RuleSet(
        (
            Rule((Condition("size", ">", 4), Condition("kind", "!=", "b"))),
            Rule((Condition("kind", "=", 'a,\n"c'),)),
            Rule((Condition("size", "is missing"),)),
        )
    ),
    (
        Feature("size", "numeric"),
        Feature("kind", "category", ("1", 'a,\n"c', "b", "x", '5" pipe')),
    ),
    ("no", "yes, sir"),
)


def expected(text: str) -> list[str]:
    """Predict by reading the whole file at once."""
    frame = pd.read_csv(io.StringIO(text), dtype={"kind": str})
    return [str(label) for label in MODEL.predict(frame)]


def check(faircg: Callable[..., Done], tmp_path: Path, text: str) -> None:
    """Compare with reading the whole file, column by column."""
    (tmp_path / "t.csv").write_text(text, encoding="utf-8", newline="")
    MODEL.save(tmp_path / "m.json")
    done = faircg("predict", "m.json", "t.csv", "-o", "out.csv", "-q")
    assert done.code == 0, done.err
    out = (tmp_path / "out.csv").read_bytes().decode()
    as_text = {"dtype": str, "keep_default_na": False}
    written = pd.read_csv(io.StringIO(out), **as_text)
    given = pd.read_csv(io.StringIO(text), **as_text)
    assert written["prediction"].tolist() == expected(text)
    pd.testing.assert_frame_equal(written.drop(columns="prediction"), given)


TEXTS = {
    "plain": "size,kind,id\n5,x,007\n3,b,1.50\n",
    "no line end": "size,kind\n5,x\n3,b",
    "windows": "size,kind\r\n5,x\r\n,b\r\n",
    "quoted line ends": 'size,kind,note\n5,"a,\n""c","1\n2"\n1,x,"\r\n"\n',
    "blank lines": "\nsize,kind\n\n5,x\n  \n3,b\n\n",
    "short rows": "size,kind,a,b\n5,x\n3,b,1\n",
    "quotes in words": 'size,kind,id\n5,5" pipe,a\n5,b,"x, y"\n9,5" pipe,"z\n"\n',
    "quotes in words, long": f'size,kind,id\n5,5" pipe,{"x" * 200_000}\n3,b,c\n',
    "quotes in words, returns": 'size,kind,id\n5,5" pipe,"a\rb"\n3,b,c\n',
    "space before a quote": 'size,kind,id\n5,x, "a"\n3,b,c\n',
    "text after a quote": 'size,kind\n5,"x"y"\n6,b\n',
    "missing": "size,kind\nNA,x\n,NULL\n5,\n",
    "byte order mark": "\ufeffsize,kind\n5,x\n",
    "quoted header": '"kind","size","a ""b"", c"\nx,5,1\n',
    "unicode": "size,kind,größe\n5,x,\U0001f600\n",
}


@pytest.mark.filterwarnings("ignore::faircg.exceptions.UnseenCategoryWarning")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_every_way_to_write_csv_is_passed_on(
    text: str, tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """Values stay as they are, and each row gets its own prediction."""
    check(faircg, tmp_path, text)


@pytest.mark.filterwarnings("ignore::faircg.exceptions.UnseenCategoryWarning")
def test_random_tables(tmp_path: Path, faircg: Callable[..., Done]) -> None:
    """Whatever a CSV writer writes is read, decided and written again."""
    rng = random.Random(0)
    kinds = ["x", "b", 'a,\n"c', '5" pipe', "1", "", "NA", " ", "\r\n", ","]
    for _ in range(40):
        buffer = io.StringIO()
        end = rng.choice(["\n", "\r\n"])
        quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        writer = csv.writer(buffer, lineterminator=end, quoting=quoting)
        writer.writerow(["note", "kind", "size"])
        for _ in range(rng.randrange(1, 30)):
            size = rng.choice(["", "3", "4.5", "-1e3", "9"])
            writer.writerow([rng.choice(kinds), rng.choice(kinds), size])
        check(faircg, tmp_path, buffer.getvalue())


def test_columns_can_be_left_out(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """I keep what I need, in the order that I say."""
    expected = RuleSetModel.load(model).predict(awkward()).tolist()
    args = ("--keep", "town", "--keep", "job, title", "--column", "said, so", "-q")
    done = faircg("predict", model, people, *args)
    table = pd.read_csv(io.StringIO(done.out))
    assert list(table) == ["town", "job, title", "said, so"]
    assert table["said, so"].tolist() == expected
    assert table["job, title"].equals(pd.read_csv(people)["job, title"])
    only = faircg("predict", model, people, "--only", "-q").out
    assert only.splitlines() == ["prediction", *expected]
    assert "contradict" in faircg("predict", model, people, "--only", *args).err


def test_counts_and_notes(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """The numbers that are printed are those of the file; new categories are told."""
    expected = RuleSetModel.load(model).predict(awkward()).tolist()
    values = faircg("predict", model, people, "--json", "-o", "out.csv").json
    assert values["rows"] == 240
    assert values["predicted"] == {x: expected.count(x) for x in ("no", "yes")}
    assert values["unseen_categories"] == {}
    MODEL.save(model)
    people.write_text("size,kind\n5,new\n5,new\n5,x\n", encoding="utf-8")
    done = faircg("predict", model, people, "-o", "out.csv")
    assert "'kind': 2 rows hold categories never seen" in done.err
    assert "3 of 3 rows are yes, sir" in done.out
    strict = faircg("predict", model, people, "-o", "strict.csv", "--strict")
    assert strict.code == 1
    assert not (people.parent / "strict.csv").exists()


def test_parquet_gives_parquet_or_csv(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """Types survive, and the predictions are the same."""
    frame = awkward()
    frame.to_parquet(people.parent / "p.parquet")
    expected = RuleSetModel.load(model).predict(frame).tolist()
    assert faircg("predict", model, "p.parquet", "-o", "o.parquet").code == 0
    table = pd.read_parquet(people.parent / "o.parquet")
    assert table["prediction"].tolist() == expected
    pd.testing.assert_frame_equal(table.drop(columns="prediction"), frame)
    assert faircg("predict", model, "p.parquet", "-o", "o.csv", "--only").code == 0
    assert pd.read_csv(people.parent / "o.csv")["prediction"].tolist() == expected
    assert faircg("predict", model, people, "-o", "x.parquet").code == 0
    written = pd.read_parquet(people.parent / "x.parquet")
    assert written["prediction"].tolist() == expected
    assert written["Größe"].tolist() == frame["Größe"].tolist()
    done = faircg("predict", model, people, "-o", "x.xlsx")
    assert (done.code, "give it such a name" in done.err) == (1, True)


def test_packed_files_and_standard_input(
    people: Path,
    model: Path,
    faircg: Callable[..., Done],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A compressed file and a pipe give what the file gives."""
    plain = faircg("predict", model, people, "-q").out
    with gzip.open(people.parent / "p.csv.gz", "wb") as packed:
        packed.write(people.read_bytes())
    assert faircg("predict", model, "p.csv.gz", "-q").out == plain
    with people.open() as source:
        monkeypatch.setattr("sys.stdin", source)
        assert faircg("predict", model, "-", "-q").out == plain
    damaged = (people.parent / "p.csv.gz").read_bytes()[:-40]
    (people.parent / "p.csv.gz").write_bytes(damaged)
    done = faircg("predict", model, "p.csv.gz", "-o", "o.csv")
    assert (done.code, (people.parent / "o.csv").exists()) == (1, False)


def test_categories_that_are_numbers(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """A model of number codes as names reads them from text and from Parquet."""
    codes = RuleSetModel(
        RuleSet((Rule((Condition("code", "=", 3),)),)),
        (Feature("code", "category", (1, 3)),),
        (0, 1),
    )
    texts = RuleSetModel(
        RuleSet((Rule((Condition("code", "=", "3"),)),)),
        (Feature("code", "category", ("1", "3")),),
        (0, 1),
    )
    frame = pd.DataFrame({"code": [1, 3, np.nan, 3]})
    frame.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("code\n1\n3\nNA\n3\n", encoding="utf-8")
    for model in (codes, texts):
        model.save(tmp_path / "m.json")
        for name in ("t.csv", "t.parquet"):
            done = faircg("predict", "m.json", name, "--only", "--strict")
            assert done.out.split() == ["prediction", "0", "1", "0", "1"], done.err


BAD = {
    "empty file": ("", "is empty"),
    "missing column": ("size\n1\n", "lacks the column 'kind'"),
    "taken name": ("size,kind,prediction\n1,x,0\n", "already has a column"),
    "repeated name": ("size,kind,size\n5,x,1\n", "give each a name of its own"),
    "long row": ("size,kind\n1,x\n1,x,2\n", "row 1 has 3 values"),
    "open quote": ('size,kind\n1,"x\n', "never closed"),
    "text for a number": ("size,kind\nbig,x\n", "'size' was numeric"),
    "digits in groups": ("size,kind\n1_000,x\n", "holds '1_000' in row 0"),
    "infinity": ("size,kind\ninf,x\n", "infinity"),
    "not text": ("size,kind\n1,\0\n", "NUL bytes"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD.keys())
def test_bad_tables_leave_no_file(
    text: str, message: str, tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """One line says what is wrong; an older output stays as it was."""
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    (tmp_path / "out.csv").write_text("old", encoding="utf-8")
    MODEL.save(tmp_path / "m.json")
    done = faircg("predict", "m.json", "t.csv", "-o", "out.csv")
    assert (done.code, done.out) == (1, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"t.csv", "out.csv", "m.json"}


def test_an_error_deep_in_a_file_names_its_rows(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """Row numbers are those of the file."""
    (tmp_path / "t.csv").write_text("size,kind\n" + "1,x\n" * 20 + "y,x\n", "utf-8")
    MODEL.save(tmp_path / "m.json")
    done = faircg("predict", "m.json", "t.csv", "-o", "out.csv")
    assert (done.code, (tmp_path / "out.csv").exists()) == (1, False)
    assert "holds 'y' in row 20" in done.err


def test_a_model_without_rules(tmp_path: Path, faircg: Callable[..., Done]) -> None:
    """The empty rule set refuses everybody, without reading a column."""
    RuleSetModel(RuleSet(()), (), (False, True)).save(tmp_path / "m.json")
    (tmp_path / "t.csv").write_text("x\n1\n2\n", encoding="utf-8")
    assert faircg("predict", "m.json", "t.csv").out == (
        "x,prediction\n1,False\n2,False\n"
    )
    (tmp_path / "t.csv").write_text("x\n", encoding="utf-8")
    done = faircg("predict", "m.json", "t.csv")
    assert (done.out, "has no rows" in done.err) == ("x,prediction\n", True)


def test_what_a_file_does_not_tell_can_be_said(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """Colons, decimal commas and Latin-1; the output has the same values, as UTF-8."""
    MODEL.save(tmp_path / "m.json")
    (tmp_path / "t.csv").write_text("size:kind:größe\n4,5:x:ä\n3,5:b:ö\n", "latin-1")
    said = ("--sep", ":", "--decimal", ",", "--encoding", "latin-1")
    done = faircg("predict", "m.json", "t.csv", *said, "-q")
    assert done.out.splitlines() == [
        "size:kind:größe:prediction",
        "4,5:x:ä:yes, sir",
        "3,5:b:ö:no",
    ], done.err
    done = faircg("predict", "m.json", "t.csv", "--sep", "::")
    assert (done.code, "a separator is one character" in done.err) == (1, True)


def test_rows_keep_their_order(tmp_path: Path, faircg: Callable[..., Done]) -> None:
    """DuckDB made joins of lists of texts, and half a million rows came out mixed."""
    MODEL.save(tmp_path / "m.json")
    rows = [f"{k % 9},{'xb1'[k % 3]},{k}\n" for k in range(500_000)]
    (tmp_path / "t.csv").write_text("size,kind,id\n" + "".join(rows), "utf-8")
    assert faircg("predict", "m.json", "t.csv", "-o", "out.csv").code == 0
    written = (tmp_path / "out.csv").read_text("utf-8").splitlines()[1:]
    assert [line.split(",", 3)[2] for line in written] == [*map(str, range(500_000))]


def test_names_that_look_like_numbers_stay_names(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """Pandas guesses types some rows at a time; 01 must not become 1 on the way."""
    names = RuleSetModel(
        RuleSet((Rule((Condition("kind", "=", "x"),)),)),
        (Feature("kind", "category", ("x",)),),
        (0, 1),
    )
    names.save(tmp_path / "m.json")
    kinds = ["01"] * 200_000 + ["x"] * 3
    (tmp_path / "t.csv").write_text("kind,n\n" + ",1\n".join([*kinds, ""]), "utf-8")
    done = faircg("predict", "m.json", "t.csv", "-o", "out.csv")
    assert (done.code, "--allow-unseen goes on" in done.err) == (1, True)
    assert not (tmp_path / "out.csv").exists()
    done = faircg("predict", "m.json", "t.csv", "-o", "out.csv", "--allow-unseen")
    assert (done.code, "200,000 rows hold" in done.err) == (0, True)
    assert "(for example '01')" in done.err
    assert "3 of 200,003 rows are 1" in done.out
    written = (tmp_path / "out.csv").read_text("utf-8").splitlines()
    assert written[0] == "kind,n,prediction"
    assert written[1:] == [f"{k},1,{int(k == 'x')}" for k in kinds]


def test_numbers_that_turn_into_text_are_refused(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """A word among many numbers is named, wherever it stands."""
    rows = "5,x\n" * 200_000 + "many,x\n"
    (tmp_path / "t.csv").write_text("size,kind\n" + rows, "utf-8")
    MODEL.save(tmp_path / "m.json")
    done = faircg("predict", "m.json", "t.csv", "-o", "out.csv")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "'size' was numeric" in done.err


def test_labels_with_any_character(tmp_path: Path, faircg: Callable[..., Done]) -> None:
    """Lines are put together by their ends; a label may hold the same characters."""
    odd = RuleSetModel(MODEL.rule_set, MODEL.features, ("a\0\nb", "\n\0,"))
    odd.save(tmp_path / "m.json")
    (tmp_path / "t.csv").write_text("size,kind\n5,x\n3,b\n", "utf-8")
    assert faircg("predict", "m.json", "t.csv", "-o", "out.csv").code == 0
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.reader(file))
    assert written[1:] == [["5", "x", "\n\0,"], ["3", "b", "a\0\nb"]]


def test_long_and_strange_values_cannot_flood_a_terminal(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """A value of a million characters is told in a line that can be read."""
    MODEL.save(tmp_path / "m.json")
    kind = "\x1b[31m" + "x" * 1_000_000
    (tmp_path / "t.csv").write_text(f"size,kind\n5,{kind}\n", "utf-8")
    done = faircg("predict", "m.json", "t.csv", "-o", "out.csv")
    assert done.code == 0
    assert len(done.err) < 400
    assert "1 row holds a category never seen" in done.err
    (tmp_path / "t.csv").write_text(f"{kind}\n5\n", "utf-8")
    done = faircg("predict", "m.json", "t.csv", "-o", "out.csv")
    assert (done.code, "\x1b" in done.err, len(done.err) < 400) == (1, False, True)
