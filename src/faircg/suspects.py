"""Columns that should be no rules: names of rows, dates, answers, and proxies.

A rule on a row number or a date of the past says nothing about the next person, and one
on a column that already holds the answer will not have it when it is needed. Such
columns are recognised by what is in them and by how it goes together with the target
and the groups; whether they are left out is for the caller to decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from faircg.typing import BoolVector, FloatVector, IntVector

Suspicion: TypeAlias = Literal["identifier", "date", "leak", "proxy"]
LEFT_OUT: Final[tuple[Suspicion, ...]] = ("identifier", "date", "leak")
"""What the command line leaves out of rules."""
FEWEST_ROWS: Final = 20
"""Rows below which nothing is said: few values are all different by chance."""
FEWEST_TO_LEAK: Final = 100
"""Rows below which a column may determine the target by chance."""
NEARLY_ALL: Final = 0.9
"""Share of different texts among all, or of dates, from which on they are just that."""
LEAKS: Final = 0.001
"""Share of people for whom a column that leaks may miss the target."""
STANDS_FOR: Final = 0.25
"""Share of the mistakes of a blind guess that guessing by a proxy makes at most."""
MANY_NUMBERS: Final = 50
"""Different numbers beyond which they are cut into as many equal parts."""
_NAME: Final = re.compile(
    r"(?:^|[\W_])(?:id|ids|uuid|guid|key|index|nr|no|num|number|row|code)$"
    r"|^unnamed",
    re.IGNORECASE,
)
_CASED: Final = re.compile(r"[a-z](?:ID|Id|No|Nr)$")
_DAY, _MONTH, _YEAR = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"\d{4}"
_WORD: Final = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE: Final = re.compile(
    rf"(?:{_YEAR}[-/.]{_MONTH}(?:[-/.]{_DAY})?"
    rf"|{_DAY}[-/.]{_MONTH}[-/.](?:{_YEAR}|\d\d)|{_MONTH}[-/.]{_DAY}[-/.](?:{_YEAR}|\d\d)"
    rf"|{_DAY}[-. ]+{_WORD}[-. ]+(?:{_YEAR}|\d\d)|{_WORD}[-. ]+(?:{_DAY},? +)?{_YEAR})"
    r"(?:[T ]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AP]M)?(?:Z|[+-]\d\d:?\d\d)?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Suspect:
    """A column, what it seems to be, and why, in words."""

    column: str
    seems: Suspicion
    reason: str

    @property
    def is_left_out(self) -> bool:
        """Whether the command line leaves it out of rules."""
        return self.seems in LEFT_OUT


@dataclass(frozen=True, slots=True)
class Spread:
    """How many values of a column are there, how many differ, and of numbers the range.

    ``low`` and ``high`` are None unless all values are whole numbers.
    """

    present: int
    different: int
    is_text: bool
    low: float | None = None
    high: float | None = None

    def names_rows(self, name: str) -> str:
        """Say that the column names its rows, if it does."""
        if self.present < FEWEST_ROWS or self.different < NEARLY_ALL * self.present:
            return ""
        found = f"has {self.different:,} different values in {self.present:,} rows"
        if self.is_text:
            return found
        if self.low is None or self.high is None:
            return ""
        is_dense = self.high - self.low < 1.5 * self.present
        is_named = bool(_NAME.search(name) or _CASED.search(name))
        is_all = self.different == self.present
        return found if (is_all and is_dense) or is_named else ""


def suspects(
    X: pd.DataFrame,
    y: Any = None,
    sensitive_features: Any = None,
    *,
    times: IntVector | None = None,
) -> tuple[Suspect, ...]:
    """Find columns that should be no rules; each for the first reason that applies.

    Parameters
    ----------
    X
        The features, as a pandas frame.
    y
        Two labels: a column that determines them leaks.
    sensitive_features
        Group of each row, one column or several: a column that nearly determines the
        groups is a proxy.
    times
        How many people each row stands for, in a table of distinct rows; their order
        then means nothing. One each by default.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"case": range(100), "seen": ["2024-05-01"] * 100})
    >>> for found in suspects(people):
    ...     print(found.column, found.seems, found.reason)
    case identifier numbers its rows
    seen date holds dates, such as '2024-05-01'
    """
    return tuple(_found(X, y, sensitive_features, times))


def _found(
    X: pd.DataFrame, y: Any, sensitive_features: Any, times: IntVector | None
) -> Iterator[Suspect]:
    import pandas as pd

    people = np.ones(len(X), dtype=np.int64) if times is None else times
    if people.sum() < FEWEST_ROWS:
        return
    labels = None if y is None else pd.factorize(np.asarray(y))[0]
    groups, own = _groups(sensitive_features)
    for name in X.columns:
        called, column = str(name), _Counted.of(X[name], labels, groups, people)
        if reason := _dates(column.values, column.people):
            yield Suspect(called, "date", reason)
        elif times is None and _is_ascending(X[name]):
            yield Suspect(called, "identifier", "numbers its rows")
        elif reason := _names_rows(called, column.values, column.people):
            yield Suspect(called, "identifier", reason)
        elif labels is not None and (reason := _leaks(column)):
            yield Suspect(called, "leak", reason)
        elif (
            groups is not None
            and called not in own
            and (reason := _stands_for(column, own))
        ):
            yield Suspect(called, "proxy", reason)


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The different values of a column, with people of each label and group."""

    values: pd.Series
    labels: IntVector
    groups: IntVector
    people: IntVector

    @classmethod
    def of(
        cls,
        column: pd.Series,
        labels: IntVector | None,
        groups: IntVector | None,
        people: IntVector,
    ) -> _Counted:
        """Count people who are alike once, in the order in which values occur."""
        import pandas as pd

        nobody = np.zeros(len(column), dtype=np.int64)
        labels = nobody if labels is None else labels
        groups = nobody if groups is None else groups
        codes, different = pd.factorize(column)
        n_labels, n_groups = int(labels.max()) + 1, int(groups.max()) + 1
        shape = len(different) + 1, n_labels, n_groups
        if np.prod(shape, dtype=float) > 4 * len(column) or labels.min() < 0:
            return cls(column, labels, groups, people)
        codes = np.where(codes < 0, len(different), codes)
        rows = np.ravel_multi_index((codes, labels, groups), shape)
        counts = np.bincount(rows, people, minlength=int(np.prod(shape)))
        kept = np.flatnonzero(counts)
        value, label, group = np.unravel_index(kept, shape)
        values = pd.Series(different, name=column.name).reindex(value)
        return cls(
            values.reset_index(drop=True), label, group, counts[kept].astype(np.int64)
        )


def _dates(column: pd.Series, people: IntVector) -> str:
    """Say that a column holds dates, if it does."""
    import pandas as pd

    present = column.dropna()
    if not len(present):
        return ""
    if present.dtype.kind in "mM" or isinstance(present.dtype, pd.PeriodDtype):
        return f"holds dates, such as {str(present.iloc[0])!r}"
    if present.dtype.kind in "iuf":
        days = present.to_numpy(dtype=float)
        year, month, day = days // 10_000, days // 100 % 100, days % 100
        is_day = (year >= 1900) & (year < 2100) & (month >= 1) & (month <= 12)
        is_day &= (day >= 1) & (day <= 31) & (days % 1 == 0)
        if not is_day.all() or present.nunique() == 1:
            return ""
        return f"holds dates, such as {present.iloc[0]:.0f}"
    texts = texts_of(present)
    if texts is None:
        return ""
    times = pd.Series(people[column.notna().to_numpy()], index=present.index)
    counts = times.groupby(texts, sort=False).sum()
    counts = counts.sort_values(ascending=False, kind="stable")
    is_date = [bool(_DATE.fullmatch(text.strip())) for text in counts.index]
    if counts.to_numpy()[is_date].sum() < NEARLY_ALL * times.sum():
        return ""
    return f"holds dates, such as {counts.index[is_date.index(True)]!r}"


def _is_ascending(column: pd.Series) -> bool:
    """Whether a column numbers its rows, in their order or the other way round."""
    if column.dtype.kind not in "iuf":
        return False
    numbers = column.dropna().to_numpy(dtype=float)
    steps = np.diff(numbers)
    return (
        len(numbers) >= FEWEST_ROWS
        and bool((steps > 0).all() or (steps < 0).all())
        and not (numbers % 1 != 0).any()
    )


def _names_rows(name: str, column: pd.Series, people: IntVector) -> str:
    """Say that a column names its rows, if it does."""
    present = column.dropna()
    n_present = int(people[column.notna().to_numpy()].sum())
    n_values = present.nunique()
    if texts_of(present) is not None:
        return Spread(n_present, n_values, is_text=True).names_rows(name)
    if present.dtype.kind not in "iuf" or n_present < FEWEST_ROWS:
        return ""
    numbers = present.to_numpy(dtype=float)
    if (numbers % 1 != 0).any():
        return ""
    low, high = float(numbers.min()), float(numbers.max())
    return Spread(n_present, n_values, False, low, high).names_rows(name)


def _leaks(counted: _Counted) -> str:
    """Say that a column determines the target, if it does."""
    column, labels, people = counted.values, counted.labels, counted.people
    fewest, n_rows = int(np.bincount(labels, people).min()), int(people.sum())
    if n_rows < FEWEST_TO_LEAK or labels.max() != 1 or fewest < FEWEST_ROWS // 2:
        return ""
    wrong = _mistakes_by_value(_parts(column, people), labels, people)
    present = column.notna().to_numpy()
    if column.dtype.kind in "iuf" and present.any():
        numbers = column.to_numpy(dtype=float)[present]
        rest = _mistakes_by_cut(numbers, labels[present], people[present])
        missing = np.bincount(labels[~present], people[~present], minlength=2)
        wrong = min(wrong, rest + int(missing.min()))
    if wrong > LEAKS * n_rows or wrong >= fewest:
        return ""
    most = "" if wrong == 0 else f" for all but {wrong:,} of {n_rows:,} rows"
    return f"determines the target{most}"


def _stands_for(counted: _Counted, names: Sequence[str]) -> str:
    """Say that a column nearly determines the group, if it does."""
    column, groups, people = counted.values, counted.groups, counted.people
    n_rows = int(people.sum())
    others = n_rows - int(np.bincount(groups, people).max())
    wrong = _mistakes_by_value(_parts(column, people), groups, people)
    if not others or wrong > STANDS_FOR * others:
        return ""
    right = (n_rows - wrong) / n_rows
    return f"tells {' and '.join(names)} for {right:.1%} of rows"


def _parts(column: pd.Series, people: IntVector) -> IntVector:
    """Return a number for each value, missing ones too; many numbers are cut."""
    import pandas as pd

    codes = pd.factorize(column, use_na_sentinel=False)[0]
    if column.dtype.kind in "iuf" and column.nunique() > MANY_NUMBERS:
        values = column.to_numpy(dtype=float)
        edges = _quantiles(values, people)
        codes = np.searchsorted(edges, values, side="left").clip(min=1)
        codes[np.isnan(values)] = 0
    return np.asarray(codes, dtype=np.int64)


def _quantiles(values: FloatVector, people: IntVector) -> FloatVector:
    """Return what cuts the numbers of people into equal parts, if they differ."""
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    upto = np.cumsum(people[order])
    at = np.linspace(0, 1, MANY_NUMBERS + 1) * (upto[-1] - 1)
    below, above = (
        values[order][np.searchsorted(upto, rank, side="right")]
        for rank in (np.floor(at), np.ceil(at))
    )
    with np.errstate(invalid="ignore"):  # of infinity, which a fit refuses
        return np.unique(below + (above - below) * (at % 1))


def _mistakes_by_value(parts: IntVector, answers: IntVector, people: IntVector) -> int:
    """Count the wrong guesses of one who knows the usual answer of each value.

    About a value that occurs once nobody knows anything: the guess is wrong.
    """
    counts = np.zeros((parts.max() + 1, answers.max() + 1), dtype=np.int64)
    np.add.at(counts, (parts, answers), people)
    known = counts.sum(axis=1) > 1
    return int(people.sum() - counts[known].max(axis=1).sum())


def _mistakes_by_cut(numbers: FloatVector, labels: IntVector, people: IntVector) -> int:
    """Count the wrong guesses of one who knows on which side of a cut numbers are."""
    order = np.argsort(numbers, kind="stable")
    ones = np.concatenate(([0], np.cumsum((labels * people)[order])))
    below = np.concatenate(([0], np.cumsum(people[order])))
    is_cut: BoolVector = np.ones(len(ones), dtype=bool)
    is_cut[1:-1] = np.diff(numbers[order]) > 0
    wrong = ones + (below[-1] - below) - (ones[-1] - ones)  # 0 below, 1 above
    return int(np.minimum(wrong, below[-1] - wrong)[is_cut].min())


def texts_of(present: pd.Series) -> pd.Series | None:
    """Return values that are texts; None if they are something else."""
    import pandas as pd

    values: Any = present
    if isinstance(present.dtype, pd.CategoricalDtype):
        values = present.cat.categories
    if pd.api.types.infer_dtype(values, skipna=True) != "string":
        return None
    return present.astype(object)


def _groups(sensitive_features: Any) -> tuple[IntVector | None, list[str]]:
    """Return the number of each row's group, and the columns that say it."""
    import pandas as pd

    if sensitive_features is None:
        return None, []
    frame = pd.DataFrame(sensitive_features)
    codes = frame.groupby(list(frame.columns), dropna=False, sort=False).ngroup()
    return codes.to_numpy(dtype=np.int64), [str(name) for name in frame.columns]
