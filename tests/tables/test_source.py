"""Tables by name: every kind of file gives the same values, or one line."""

from __future__ import annotations

import sys
import zipfile
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import pytest

from faircg.tables import coded, source
from faircg.tables.source import Reading, open_source, open_table

if TYPE_CHECKING:
    from pathlib import Path

FRAME = pd.DataFrame(
    {
        "age": [31, 45, 28],
        "rate": [0.1, None, 2.5],
        "job": ["cook", 'say "a, b"', None],
        "member": [True, False, True],
    }
)
ROWS = [
    (31, 0.1, "cook", True),
    (45, None, 'say "a, b"', False),
    (28, 2.5, None, True),
]


def test_text_has_the_types_of_its_values(tmp_path: Path) -> None:
    """Numbers, true and false, and names are told apart by all the values."""
    FRAME.to_csv(tmp_path / "p.csv", index=False)
    relation = open_table(str(tmp_path / "p.csv"))
    assert relation.columns == list(FRAME)
    assert [*map(str, relation.types)] == ["BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN"]
    assert relation.fetchall() == ROWS
    texts = open_table(str(tmp_path / "p.csv"), texts=["age"]).fetchall()
    assert [row[0] for row in texts] == ["31", "45", "28"]


def test_other_kinds_of_files_hold_the_same(tmp_path: Path) -> None:
    """Parquet, JSON lines and Arrow give what the text gives."""
    FRAME.to_parquet(tmp_path / "p.parquet")
    FRAME.to_json(tmp_path / "p.jsonl", orient="records", lines=True)
    FRAME.to_feather(tmp_path / "p.arrow")
    for name in ("p.parquet", "p.jsonl", "p.arrow"):
        assert open_table(str(tmp_path / name)).fetchall() == ROWS, name


SHEET = """<?xml version="1.0"?><worksheet
xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}
</sheetData></worksheet>"""
WORKBOOK = """<?xml version="1.0"?><workbook
xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"
xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">
<sheets><sheet name="people" sheetId="1" r:id="rId1"/></sheets></workbook>"""
RELATIONS = """<?xml version="1.0"?><Relationships
xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/\
relationships/{}" Target="{}"/></Relationships>"""


def write_workbook(path: Path, rows: list[tuple[object, ...]]) -> None:
    """Write the smallest file that a spreadsheet program would open."""
    lines = ""
    for number, row in enumerate(rows, start=1):
        lines += f'<row r="{number}">'
        for letter, value in zip("ABCDEF", row, strict=False):
            place = f'r="{letter}{number}"'
            if isinstance(value, str):
                lines += f'<c {place} t="inlineStr"><is><t>{value}</t></is></c>'
            elif value is not None:
                lines += f"<c {place}><v>{value}</v></c>"
        lines += "</row>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", WORKBOOK)
        for name, relation in {
            "_rels/.rels": ("officeDocument", "xl/workbook.xml"),
            "xl/_rels/workbook.xml.rels": ("worksheet", "worksheets/sheet1.xml"),
        }.items():
            archive.writestr(name, RELATIONS.format(*relation))
        archive.writestr("xl/worksheets/sheet1.xml", SHEET.format(lines))


def test_a_workbook_is_read_by_its_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers are numbers, and a code such as 007 stays a text."""
    rows = [("age", "rate", "code"), (31, 0.5, "007"), (45, None, "B"), (28, 2, "")]
    write_workbook(tmp_path / "p.xlsx", rows)
    relation = open_table(str(tmp_path / "p.xlsx"))
    assert relation.columns == ["age", "rate", "code"]
    assert relation.fetchall() == [
        (31, 0.5, "007"),
        (45, None, "B"),
        (28, 2.0, None),
    ]
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ImportError, match=r"pip install 'faircg\[excel\]'"):
        open_table(str(tmp_path / "p.xlsx"))


def test_a_pattern_names_several_files(tmp_path: Path) -> None:
    """They are read in the order of their names, and need the same columns."""
    for part in (0, 1, 2):
        FRAME[part : part + 1].to_parquet(tmp_path / f"p{part}.parquet")
        FRAME[part : part + 1].to_csv(tmp_path / f"p{part}.csv", index=False)
    for end in ("parquet", "csv"):
        assert open_table(str(tmp_path / f"p*.{end}")).fetchall() == ROWS
    (tmp_path / "p3.csv").write_text("age,job\n1,a\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"p3\.csv has other columns than"):
        open_table(str(tmp_path / "p*.csv"))


def test_a_name_with_brackets_is_no_pattern_if_it_is_there(tmp_path: Path) -> None:
    """``x[1].csv`` is that file, and not ``x1.csv``."""
    (tmp_path / "x1.csv").write_text("a,b\n1,1\n", encoding="utf-8")
    (tmp_path / "x[1].csv").write_text("a,b\n2,2\n", encoding="utf-8")
    assert open_table(str(tmp_path / "x[1].csv")).fetchall() == [(2, 2)]


def test_what_is_not_found_can_be_said(tmp_path: Path) -> None:
    """Separator, decimal mark and encoding, where the file does not tell them."""
    text = "größe:job\n1,5:Näherin\n2:cook\n"
    (tmp_path / "p.csv").write_text(text, encoding="latin-1")
    how = Reading(separator=":", decimal=",", encoding="latin-1")
    relation = open_table(str(tmp_path / "p.csv"), reading=how)
    assert relation.columns == ["größe", "job"]
    assert relation.fetchall() == [(1.5, "Näherin"), (2.0, "cook")]
    with pytest.raises(ValueError, match="for example with --encoding"):
        open_table(str(tmp_path / "p.csv"))
    with pytest.raises(ValueError, match="unknown encoding: klingon"):
        open_table(str(tmp_path / "p.csv"), reading=Reading(encoding="klingon"))


@pytest.mark.parametrize("text", ["1_000", "1e", "0x10", "5\0", "--1", "1,5"])
def test_what_is_no_number_stays_text(tmp_path: Path, text: str) -> None:
    """DuckDB takes some of these for numbers; people do not."""
    lines = ["a,b", *["1,x"] * 3, f'"{text}",x']
    head = "a,b\n" + "1,x\n" * 600_000  # beyond the bytes that are looked at first
    (tmp_path / "p.csv").write_text(head + "\n".join(lines[1:]), encoding="utf-8")
    relation = open_table(str(tmp_path / "p.csv"))
    assert str(relation.types[0]) == "VARCHAR"
    assert relation.filter("a <> '1'").fetchall() == [(text, "x")]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-20", "300"], "BIGINT"),
        (["007", "+5", "-0"], "BIGINT"),
        (["1", "", "3"], "DOUBLE"),
        (["1", "1e3", "NA"], "DOUBLE"),
        (["1", "9223372036854775808", "3"], "DOUBLE"),
        (["1", "1_000", "3"], "VARCHAR"),
        (["1", "0x10", "3"], "VARCHAR"),
        (["1", "True", "0"], "VARCHAR"),
        (["True", "false", "NA"], "BOOLEAN"),
    ],
)
@pytest.mark.parametrize("at", [0, 6_000])
def test_one_value_late_in_a_column_decides_its_type(
    tmp_path: Path, texts: list[str], kind: str, at: int
) -> None:
    """A quick test passes plain digits; all others are looked at as before."""
    rows = [texts[0]] * at + texts
    pd.DataFrame({"x": rows, "y": "a"}).to_csv(tmp_path / "p.csv", index=False)
    assert str(open_table(str(tmp_path / "p.csv")).types[0]) == kind


@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_texts_as_codes_are_the_same_texts(tmp_path: Path, end: str) -> None:
    """Whatever they hold; many different ones, or NUL, stay texts."""
    n = 1_200
    words = ["cook", "it's", 'say "a, b"', "näh\nerin", " x ", "-", "na", "CASE"]
    frame = pd.DataFrame(
        {
            "job": [words[k % len(words)] if k % 9 else None for k in range(n)],
            "name": [f"person {k}" for k in range(n)],
            "none": [None] * n,
            "number": range(n),
        }
    )
    if end == "parquet":
        frame["nul"] = ["a\0b", "a"] * (n // 2)
    getattr(frame, f"to_{end}")(tmp_path / f"p.{end}", index=False)
    source = open_source(str(tmp_path / f"p.{end}"))
    plain, short = (source.frame(["none"], coded=c)[1] for c in (False, True))
    kinds = {name: str(kind) == "category" for name, kind in short.dtypes.items()}
    assert [name for name, is_coded in kinds.items() if is_coded] == ["job"]
    for name in frame:
        there = short[name].astype(object).where(short[name].notna(), None)
        here = plain[name].astype(object).where(plain[name].notna(), None)
        assert there.tolist() == here.tolist(), name


def test_texts_that_do_not_fit_in_memory_stay_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table whose first rows have few different texts may have millions later."""
    FRAME.to_csv(tmp_path / "p.csv", index=False)
    asked = coded._asked

    def too_large(values: Any, sums: list[str]) -> Any:
        if any("histogram" in text for text in sums):
            raise duckdb.OutOfMemoryException("failed to allocate")
        return asked(values, sums)

    monkeypatch.setattr(coded, "_asked", too_large)
    _, frame = open_source(str(tmp_path / "p.csv")).frame(coded=True)
    assert frame["job"].dropna().tolist() == ["cook", 'say "a, b"']


@pytest.mark.parametrize("problem", [None, ValueError])
def test_very_many_columns_are_planned_without_comparing_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: type[Exception] | None
) -> None:
    """Forty rows of 10,000 numbers took two minutes to read: a plan of all pairs.

    The step that is left out comes back, for other queries are slower without it.
    """
    n = source.MANY + 1
    frame = pd.DataFrame([range(n), range(1, n + 1)]).add_prefix("x") / 2
    frame.loc[0, "x7"] = None
    frame.to_csv(tmp_path / "p.csv", index=False)
    usual, met = str(setting()), []
    to_frame = duckdb.DuckDBPyRelation.df

    def looked(relation: duckdb.DuckDBPyRelation) -> pd.DataFrame:
        met.append(setting())
        if problem is not None:
            raise problem
        return to_frame(relation)

    monkeypatch.setattr(duckdb.DuckDBPyRelation, "df", looked)
    opened = open_source(str(tmp_path / "p.csv"))
    if problem is not None:
        with pytest.raises(problem):
            opened.frame()
    else:
        pd.testing.assert_frame_equal(opened.frame()[1], frame)
    assert setting() == usual
    assert set(met[0].split(",")) == {*usual.split(","), "common_subexpressions"}


def setting() -> str:
    """Return the steps of planning that DuckDB leaves out."""
    asked = "SELECT current_setting('disabled_optimizers')"
    [[found]] = source.connection().execute(asked).fetchall()
    return str(found)
