"""Files as people have them: a right result, or one line that says what to do."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.people import Done

ASKED = ("--target", "paid", "--sensitive", "sex", "--positive", "yes")
QUICK = ("--max-conditions", 1, "--max-complexity", 4, "--warm-start", "none")


def loans(n: int = 160) -> pd.DataFrame:
    """Return a table whose labels follow income, with some noise."""
    rng = np.random.default_rng(5)
    income = rng.integers(800, 6_000, n)
    is_paid = income + rng.normal(0, 500, n) > 2_500
    return pd.DataFrame(
        {
            "income": income,
            "age": rng.integers(18, 80, n),
            "job": rng.choice(["cook", "nurse", "smith"], n),
            "sex": rng.choice(["f", "m"], n),
            "paid": np.where(is_paid, "yes", "no"),
        }
    )


def text(frame: pd.DataFrame | None = None, **options: object) -> bytes:
    """Return a table as a CSV file has it."""
    frame = loans() if frame is None else frame
    return str(frame.to_csv(index=False, **options)).encode()  # type: ignore[call-overload]


def with_column(name: str, values: object) -> bytes:
    """Return the table with one more column, first."""
    frame = loans()
    frame.insert(0, name, values)
    return text(frame)


def with_income(write: Callable[[int], str]) -> bytes:
    """Return the table with incomes as somebody writes them."""
    frame = loans()
    return text(frame.assign(income=[write(value) for value in frame["income"]]))


def changed(column: str, rows: slice, value: object) -> bytes:
    """Return the table with other values in some rows of a column."""
    frame = loans().astype(object)
    frame.loc[frame.index[rows], column] = value
    return text(frame)


def zipped(*names: str) -> bytes:
    """Return a ZIP archive with the table under each of some names."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, text())
    return buffer.getvalue()


def comma(value: float) -> str:
    """Write a number as in Vienna."""
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def days(written: str) -> list[str]:
    """Return a day for each row."""
    found = pd.date_range("2021-01-04", periods=len(loans()))
    return [*found.strftime(written)]


@dataclass(frozen=True)
class Case:
    """A file, and what must be said about it: a note, or an error."""

    content: bytes
    name: str = "loans.csv"
    note: str = ""
    error: str = ""


N = len(loans())
VIENNA = loans().assign(income=[comma(v) for v in loans()["income"]])
LABELS = loans()["paid"]
LINES = text().splitlines(keepends=True)
RIGHT = {
    "commas": Case(text()),
    "semicolons": Case(text(sep=";")),
    "decimal commas": Case(text(VIENNA, sep=";"), note="'income' is read as numbers"),
    "tabs": Case(text(sep="\t"), "loans.tsv"),
    "tabs in a .csv": Case(text(sep="\t")),
    "bars": Case(text(sep="|")),
    "a .txt": Case(text(sep="\t"), "loans.txt"),
    "a .zip": Case(zipped("a.csv"), "loans.zip"),
    "a .csv.gz": Case(gzip.compress(text()), "loans.csv.gz"),
    "a .csv.bz2": Case(bz2.compress(text()), "loans.csv.bz2"),
    "a .tsv.xz": Case(lzma.compress(text(sep="\t")), "loans.tsv.xz"),
    "Windows line ends": Case(text().replace(b"\n", b"\r\n")),
    "old Mac line ends": Case(text().replace(b"\n", b"\r")),
    "a byte order mark": Case(b"\xef\xbb\xbf" + text()),
    "UTF-16": Case(text().decode().encode("utf-16")),
    "quotes around all": Case(text(quoting=1)),
    "commas in values": Case(with_column("a, b", ["x, y", "z"] * (N // 2))),
    "lines in values": Case(with_column("address", ["x\ny", "z"] * (N // 2))),
    "an empty column": Case(with_column("fax", [None] * N)),
    "a constant column": Case(with_column("country", ["AT"] * N)),
    "stray codes": Case(changed("age", slice(3, 9), 999)),
    "short rows": Case(text(loans().assign(more="x")) + b"900,30,cook,f,no\n"),
    "true and false": Case(with_column("member", [True, False] * (N // 2))),
    "names in other letters": Case(with_column("Größe ☃", range(0, 3 * N, 3)[::-1])),
    "row numbers": Case(
        with_column("", range(N)), note="'Unnamed: 0' numbers its rows: it is left out"
    ),
    "identifiers": Case(
        with_column("case", [f"A-{k:05}" for k in range(N)]),
        note="'case' has 160 different values in 160 rows: it is left out; --keep case",
    ),
    "customer numbers": Case(
        with_column("customer_id", np.random.default_rng(1).permutation(9_000)[:N]),
        note="'customer_id' has 160 different values in 160 rows: it is left out",
    ),
    "dates": Case(
        with_column("since", days("%Y-%m-%d")),
        note="'since' holds dates, such as '2021-01-04': it is left out",
    ),
    "dates and times": Case(
        with_column("since", days("%d.%m.%Y %H:%M")),
        note="'since' holds dates, such as '04.01.2021 00:00'",
    ),
    "dates as numbers": Case(
        with_column("since", days("%Y%m%d")), note="'since' holds dates, such as"
    ),
    "the answer in other words": Case(
        with_column("status", np.where(LABELS == "yes", "closed", "sold")),
        note="'status' determines the target: it is left out; --keep status",
    ),
    "the answer as a number": Case(
        with_column("repaid", np.where(LABELS == "yes", np.arange(N) % 7 + 500, 20)),
        note="'repaid' determines the target: it is left out",
    ),
    "a proxy": Case(
        with_column("salutation", loans()["sex"].map({"f": "Mrs", "m": "Mr"})),
        note="'salutation' tells sex for 100.0% of rows",
    ),
    "dollars": Case(
        with_income(lambda v: f"${v:,}"), note="'income' is read as numbers"
    ),
    "euros": Case(
        with_income(lambda v: f"{v:,} €"), note="'income' is read as numbers"
    ),
    "percentages": Case(
        with_income(lambda v: f"{v / 100} %"), note="'income' is read as numbers"
    ),
    "words among numbers": Case(
        changed("income", slice(0, N, 20), "n.s."),
        note="'income' is read as numbers: 8 cells such as 'n.s.' are read as missing",
    ),
    "missing values": Case(changed("income", slice(0, N, 20), "NA")),
}
WRONG = {
    "a spreadsheet": Case(zipped("xl/a.xml"), "loans.xlsx", error="is not a workbook"),
    "a spreadsheet called .csv": Case(zipped("xl/a.xml"), error="save .* as CSV"),
    "two files in one": Case(zipped("a.csv", "b.csv"), "l.zip", error="holds 2 files"),
    "no ZIP archive": Case(text(), "loans.zip", error="cannot be unpacked"),
    "packed without saying": Case(gzip.compress(text()), error=r"ends in \.csv\.gz"),
    "Latin-1": Case(
        changed("job", slice(3, 9), "Näherin").decode().encode("latin-1"),
        error="not UTF-8 text; say what it is",
    ),
    "columns of the same name": Case(
        text().replace(b"age", b"job", 1), error="give each a name of its own"
    ),
    "nothing": Case(b"", error="a header line is needed"),
    "a header alone": Case(LINES[0], error="has no rows"),
    "only the target": Case(
        text(loans()[["sex", "paid"]]), error="no column is left that rules may test"
    ),
    "long rows": Case(text() + b"1,2,cook,f,no,7\n", error="row 160 has 6 values"),
    "labels missing": Case(changed("paid", slice(3, 9), ""), error="missing in 6 rows"),
    "three labels": Case(changed("paid", slice(3, 9), "late"), error="has 3 values"),
    "one label": Case(changed("paid", slice(N), "no"), error="has only one value"),
    "groups missing": Case(changed("sex", slice(3, 9), ""), error="missing"),
    "one group": Case(changed("sex", slice(N), "f"), error="everybody is of the group"),
    "infinity": Case(changed("age", slice(3, 4), "inf"), error="replace it"),
    "another name": Case(text(), "loans.dat", error=r"must end in \.csv"),
}


@pytest.mark.parametrize("case", RIGHT.values(), ids=RIGHT.keys())
def test_a_file_that_can_be_read_is_read_right(
    faircg: Callable[..., Done], tmp_path: Path, case: Case
):
    """I give it my file as it is; its rules find the income, and predict it again."""
    (tmp_path / case.name).write_bytes(case.content)
    done = faircg("fit", case.name, *ASKED, *QUICK, "--json", "-o", "m.json")
    assert done.code == 0, done.err
    assert case.note in " ".join(done.err.split())
    assert "income <= " in done.json["text"] or "income > " in done.json["text"]
    assert done.json["overall"]["accuracy"] > 0.85
    again = faircg("predict", "m.json", case.name, "-o", "out.csv", "--json")
    assert again.code == 0, again.err
    selected = sum(
        group["true_positives"] + group["false_positives"]
        for group in done.json["groups"].values()
    )
    assert again.json["predicted"]["yes"] == selected


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_a_file_that_cannot_be_read_is_one_line(
    faircg: Callable[..., Done], tmp_path: Path, case: Case
):
    """What cannot be used ends with one line that says what to do, and no model."""
    import re

    (tmp_path / case.name).write_bytes(case.content)
    asked = (*ASKED, "--constraint", "demographic_parity", *QUICK)
    done = faircg("fit", case.name, *asked, "-q", "-o", "m.json")
    assert done.code == 1
    assert re.search(case.error, done.err), done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "m.json").exists()
