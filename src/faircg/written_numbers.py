"""Numbers as people write them: ``$1,200``, ``12,5 %``, ``1.234,50 €``.

A column of such texts holds numbers, and which of comma and point separates decimals is
a fact about the whole column, never about one value: it is found once, in the training
data, and recorded with the model, so that other data are read in the same way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import pandas as pd

Decimal: TypeAlias = Literal[".", ","]
"""What separates the decimals of a column."""
MOSTLY: Final = 0.9
"""Share of numbers among texts from which on the others are exceptions."""
MOST_WORDS: Final = 20
"""Different words that may be exceptions; so many different numbers are needed too."""
SIGNS: Final = r"[$€£¥₹%]|\b(?:USD|EUR|GBP|CHF|JPY|kr)\b"
SPACES: Final = "[\\s\u00a0\u202f'\u2019]"
OTHERS: Final[Mapping[Decimal, str]] = {".": ",", ",": "."}
SHAPES: Final[Mapping[Decimal, re.Pattern[str]]] = {
    mark: re.compile(
        rf"[+-]?(?:\d+|\d{{1,3}}(?:{re.escape(other)}\d{{3}})+)?(?:{re.escape(mark)}\d*)?"
        r"(?:[eE][+-]?\d+)?"
    )
    for mark, other in OTHERS.items()
}


def number_of(text: str, decimal: Decimal) -> float | None:
    """Read a number as it is written; None if it is none.

    A percentage is its number, 12 for ``12 %``.

    Examples
    --------
    >>> number_of("-$1,200.50", "."), number_of("1.234,5 €", ","), number_of("12%", ".")
    (-1200.5, 1234.5, 12.0)
    >>> number_of("1,5", ".") is None
    True
    """
    bare = re.sub(f"{SIGNS}|{SPACES}", "", text).replace("\N{MINUS SIGN}", "-")
    is_owed = bare.startswith("(") and bare.endswith(")")  # as accountants write -5
    bare = bare[1:-1] if is_owed else bare
    if not SHAPES[decimal].fullmatch(bare) or not re.search(r"\d", bare):
        return None
    value = float(bare.replace(OTHERS[decimal], "").replace(decimal, "."))
    return -value if is_owed else value


def decimal_of(texts: Iterable[str]) -> Decimal | None:
    """Return what separates decimals in a column of numbers; None if not all are.

    Where either would do, as in ``1,200``, groups of three digits are thousands.

    Examples
    --------
    >>> decimal_of(["0,5", "12,25"]), decimal_of(["$1,200", "$80"]), decimal_of(["a"])
    (',', '.', None)
    """
    distinct = {text for text in texts if text.strip()}
    for decimal in SHAPES:
        if distinct and all(number_of(text, decimal) is not None for text in distinct):
            return decimal
    return None


def spoilt(counts: Mapping[str, int]) -> tuple[Decimal, tuple[str, ...]] | None:
    """Return what separates decimals, and the few words among many numbers; else None.

    ``counts`` says how often each text occurs.

    Examples
    --------
    >>> spoilt({str(n): 2 for n in range(50)} | {"unknown": 3})
    ('.', ('unknown',))
    """
    for decimal in SHAPES:
        words = [text for text in counts if number_of(text, decimal) is None]
        n_numbers = sum(counts.values()) - sum(counts[word] for word in words)
        is_few = 0 < len(words) <= MOST_WORDS < len(counts) - len(words)
        if is_few and n_numbers >= MOSTLY * sum(counts.values()):
            return decimal, tuple(words)
    return None


def as_numbers(
    column: pd.Series, decimal: Decimal, words: Collection[str] = ()
) -> pd.Series:
    """Read a column of texts; what is not written as a number is an error.

    Blank texts, and some words, are missing values.
    """
    import pandas as pd

    def read(text: Any) -> float:
        if pd.isna(text) or not str(text).strip() or text in words:
            return float("nan")
        value = number_of(str(text), decimal)
        if value is None:
            raise ValueError(
                f"{column.name!r} holds {text!r}, which is no number with {decimal!r} "
                "before its decimals, as the training data has"
            )
        return value

    values = {text: read(text) for text in column.unique()}
    return column.map(values).astype(float)
