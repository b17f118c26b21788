"""Columns that should be no rules are recognised; honest columns are left alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from faircg.datasets import DATASETS
from faircg.suspects import suspects
from faircg.written_numbers import as_numbers, decimal_of, number_of, spoilt

RNG = np.random.default_rng(3)
N = 400
LABELS = RNG.choice(["no", "yes"], N)
GROUPS = pd.Series(RNG.choice(["f", "m"], N), name="sex")


def found(values: object, name: str = "column") -> tuple[str, ...]:
    """Say what a column seems to be."""
    frame = pd.DataFrame({name: values})
    return tuple(s.seems for s in suspects(frame, LABELS, GROUPS))


DAYS = pd.date_range("2019-03-01", periods=N)
IDENTIFIERS = {
    "names": [f"person {k}" for k in range(N)],
    "names, some of them twice": [f"person {k % 380}" for k in range(N)],
    "row numbers": range(N),
    "row numbers in any order": RNG.permutation(N) + 7,
    "row numbers, the last first": [*range(N)][::-1],
}
DATES = {
    "ISO": DAYS.strftime("%Y-%m-%d"),
    "with time": DAYS.strftime("%Y-%m-%dT%H:%M:%SZ"),
    "German": DAYS.strftime("%d.%m.%Y"),
    "American": DAYS.strftime("%m/%d/%y"),
    "words": DAYS.strftime("%d %b %Y"),
    "numbers": DAYS.strftime("%Y%m%d").astype(int),
    "a type of its own": DAYS,
    "a few missing": [*DAYS.strftime("%Y-%m-%d")[:390], *["never"] * 10],
}
LEAKS = {
    "other words": np.where(LABELS == "yes", "accepted", "refused"),
    "more words": np.where(LABELS == "yes", "accepted", RNG.choice(["a", "b"], N)),
    "numbers": np.where(LABELS == "yes", RNG.normal(9, 1, N), RNG.normal(-9, 1, N)),
    "only there for one label": np.where(LABELS == "yes", RNG.random(N), np.nan),
}
HONEST = {
    "amounts, all different": RNG.normal(size=N),
    "whole amounts, nearly all different": RNG.permutation(900_000)[:N],
    "years": RNG.integers(1950, 2024, N),
    "postal codes": RNG.integers(1000, 9999, N),
    "one in three names": [f"person {k % 130}" for k in range(N)],
    "a strong feature": np.where(RNG.random(N) < 0.97, LABELS, "no"),
    "a constant": ["AT"] * N,
    "nothing": [None] * N,
    "versions": [f"{k % 3}.{k % 7}" for k in range(N)],
}


@pytest.mark.parametrize("values", IDENTIFIERS.values(), ids=IDENTIFIERS)
def test_identifiers(values):
    """A rule on a name or a row number says nothing about the next person."""
    assert found(values) == ("identifier",)


def test_a_number_that_is_called_an_identifier():
    """Customer numbers have gaps, as amounts have; their name gives them away."""
    numbers = RNG.permutation(900_000)[:N]
    for name in ("customer_id", "CustomerID", "Kunden-Nr", "account number", "key"):
        assert found(numbers, name) == ("identifier",), name
    for name in ("paid", "valid", "income", "grid"):
        assert found(numbers, name) == (), name


@pytest.mark.parametrize("values", DATES.values(), ids=DATES)
def test_dates(values):
    """A rule on a date of the past holds for nobody in the future."""
    assert found(values) == ("date",)


@pytest.mark.parametrize("values", LEAKS.values(), ids=LEAKS)
def test_columns_that_already_know_the_answer(values):
    """What is only known after the decision cannot help to make it."""
    assert found(values) == ("leak",)


def test_a_proxy_is_said_to_be_one():
    """A salutation tells the sex of all but a few; the sensitive column is no proxy."""
    salutation = GROUPS.map({"f": "Mrs", "m": "Mr"}).mask(np.arange(N) < 5, "Dr")
    assert found(salutation) == ("proxy",)
    assert found(GROUPS, "sex") == ()
    (proxy,) = suspects(pd.DataFrame({"title": salutation}), None, GROUPS)
    assert proxy.reason.startswith("tells sex for 99.")
    assert not proxy.is_left_out


def test_a_column_that_was_made_from_the_groups_is_a_proxy():
    """German credit's "sex-age" joins two columns; some of its values hold both sexes.

    It tells the group of 93.5 % of people, 690 of one and 310 of the other: a fifth of
    the mistakes of a blind guess are left. Nothing was said, and rules tested it.
    """
    sex = pd.Series(["male"] * 690 + ["female"] * 310, name="sex")
    joined = sex.mask(np.arange(1000) % 5 == 0, "male")
    (proxy,) = suspects(pd.DataFrame({"sex-age": joined + " adult"}), None, sex)
    assert (proxy.seems, proxy.reason) == ("proxy", "tells sex for 93.8% of rows")
    guessed = sex.mask(np.arange(1000) % 3 == 0, "male")
    assert suspects(pd.DataFrame({"title": guessed}), None, sex) == ()


@pytest.mark.parametrize("values", HONEST.values(), ids=HONEST)
def test_honest_columns_are_left_alone(values):
    """What is merely detailed, or merely good, stays."""
    assert found(values) == ()


@pytest.mark.parametrize("name", DATASETS)
def test_the_embedded_data_sets_have_no_suspects(name):
    """Nothing in data that everybody uses is taken for something else."""
    data = DATASETS[name]()
    told = suspects(data.X, data.y, data.sensitive_features)
    assert [s.column for s in told] == []


def test_few_rows_say_nothing():
    """Three different names in three rows are no identifiers."""
    frame = pd.DataFrame({"name": ["a", "b", "c"], "day": ["2020-01-01"] * 3})
    assert suspects(frame, ["x", "y", "x"]) == ()


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("1,234.5", ".", 1234.5),
        ("1.234,5", ",", 1234.5),
        ("1 234,5", ",", 1234.5),
        ("1'234.50 CHF", ".", 1234.5),
        ("\N{MINUS SIGN}3 %", ".", -3.0),
        ("(20.00)", ".", -20.0),
        ("€ .5", ".", 0.5),
        ("1e3", ".", 1000.0),
        ("1,23,4", ".", None),
        ("12.34.56", ",", None),
        ("3 apples", ".", None),
        ("%", ".", None),
        ("-", ".", None),
        ("1-2", ".", None),
    ],
)
def test_numbers_as_people_write_them(text, decimal, value):
    """Signs, spaces and thousands are read over; anything else is no number."""
    assert number_of(text, decimal) == value


def test_a_column_is_written_in_one_way():
    """One value decides where others could be read in both ways."""
    assert decimal_of(["1,200", "3,400"]) == "."
    assert decimal_of(["1,200", "3,4"]) == ","
    assert decimal_of(["1.200", "3,4"]) == ","
    assert decimal_of(["1.2", "3,4"]) is None
    read = as_numbers(pd.Series(["1,200", None, " ", "?"]), ",", ["?"])
    assert read.tolist()[0] == 1.2
    assert read.isna().tolist() == [False, True, True, True]
    with pytest.raises(ValueError, match="holds 'a', which is no number with ','"):
        as_numbers(pd.Series(["1,2", "a"], name="x"), ",")


def test_many_words_do_not_spoil_numbers():
    """A column with few numbers, or with many words, is one of names."""
    numbers = {str(k): 3 for k in range(40)}
    assert spoilt(numbers | {"?": 1, "none": 2}) == (".", ("?", "none"))
    assert spoilt(numbers | {"?": 30}) is None
    assert spoilt({"1": 50, "2": 50, "3 or more": 3}) is None
    assert spoilt(numbers) is None


@pytest.mark.parametrize(
    "values",
    [*(IDENTIFIERS | DATES | LEAKS | HONEST).values()],
    ids=[*(IDENTIFIERS | DATES | LEAKS | HONEST)],
)
def test_distinct_rows_tell_what_all_rows_tell(values: object) -> None:
    """A database counts who is alike: only the order of rows is then unknown."""
    frame = pd.DataFrame({"column": values})
    keys = [frame["column"], pd.Series(LABELS, name="label"), GROUPS]
    counts = frame.groupby(keys, dropna=False).size().rename("n").reset_index()
    counted = suspects(
        counts[["column"]], counts["label"], counts["sex"], times=counts["n"].to_numpy()
    )
    assert found(values) == tuple(s.seems for s in counted)
