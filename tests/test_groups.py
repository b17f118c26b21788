import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from faircg.groups import groups_of, read_groups


def read(data, **options):
    """Names and the name of each sample's group."""
    groups = read_groups(data, **options)
    assert groups.codes.dtype == np.int64
    return groups.names, [groups.names[code] for code in groups.codes]


SAME = ["b", "a", "b"]


@pytest.mark.parametrize(
    "data",
    [
        SAME,
        tuple(SAME),
        np.array(SAME),
        np.array(SAME, dtype=object),
        np.array(SAME)[:, np.newaxis],
        pd.Series(SAME),
        pd.Series(SAME, index=[7, 7, 3]),
        pd.Series(SAME, dtype="category"),
        pd.Series(SAME, dtype="string"),
        pd.DataFrame({"sex": SAME}),
        pl.Series(SAME),
        pl.Series(SAME, dtype=pl.Categorical),
        pl.DataFrame({"sex": SAME}),
    ],
    ids=lambda data: type(data).__module__.split(".")[0] + " " + type(data).__name__,
)
def test_one_column_of_any_type(data):
    """A list, an array, a Series or a frame of one column is read alike."""
    assert read(data) == (("a", "b"), SAME)


@pytest.mark.parametrize(
    "data",
    [
        np.array([3, 1, 3]),
        np.array([0.5, np.nan, 0.5], dtype=np.float32),
        np.array([[1, 2], [0, 2], [1, 0]]),
        np.array([True, False, True]),
        np.array([2**53 + 1, 2**53, 7], dtype=np.uint64),
        pd.Series(["b", None, "b"], dtype="string"),
        pd.Series(["b", None, "b"], dtype="str"),
        pd.Series([3, None, 3], dtype="Int64"),
        pd.Series([-0.0, 0.0, 1.5]),
        pd.DataFrame({"sex": ["f", "m", "f"], "age": [30, 30, 41]}),
        pl.Series([3, None, 3]),
    ],
    ids=range(11),
)
def test_values_of_one_type_are_read_as_one_by_one(data):
    """Their type says that none is taken for another, so they are not looked at each.

    Of a million people that takes a third of the time.
    """
    given = data.to_list() if isinstance(data, pl.Series) else data
    one_by_one = pd.DataFrame(given).astype(object)
    found, expected = (read_groups(d, missing="group") for d in (data, one_by_one))
    assert found.codes.tolist() == expected.codes.tolist()
    if one_by_one.shape[1] == 1:
        assert found.names == expected.names


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([1, 0, 1], ("0", "1")),
        ([1.0, 0.0], ("0", "1")),
        ([1.5, 0.0], ("0", "1.5")),
        ([True, False], ("False", "True")),
        ([np.int8(2), 10], ("10", "2")),
        ([datetime.date(2020, 1, 2)], ("2020-01-02",)),
        ([float("inf"), 1.0], ("1", "inf")),
    ],
)
def test_names_are_the_values_as_text(values, names):
    """Groups are called by their value, numbers without a needless point."""
    assert read(np.array(values, dtype=object))[0] == names


def test_combinations_of_columns_are_groups():
    """Two sensitive columns make one group for each combination that occurs."""
    frame = pd.DataFrame({"sex": ["m", "f", "m"], "race": ["x", "x", "y"]})
    expected = ("f, x", "m, x", "m, y"), ["m, x", "f, x", "m, y"]
    names, rows = read(frame)
    assert names == ("sex = f, race = x", "sex = m, race = x", "sex = m, race = y")
    assert rows == [names[1], names[0], names[2]]
    assert read(pl.from_pandas(frame)) == (names, rows)
    assert read(frame.to_numpy()) == expected
    assert read(frame.to_numpy().tolist()) == expected


MISSING = [
    ["a", None, "a", float("nan")],
    pd.Series(["a", None, "a", None]),
    pd.Series(["a", pd.NA, "a", pd.NA], dtype="string"),
    pl.Series(["a", None, "a", None]),
]


@pytest.mark.parametrize("data", MISSING, ids=["list", "pandas", "string", "polars"])
def test_missing_groups_raise_by_default(data):
    """Nobody is put into a group silently; I learn how many and where."""
    with pytest.raises(ValueError, match=r"2 missing values \(first rows: \[1, 3\]\)"):
        read_groups(data)


@pytest.mark.parametrize("data", MISSING, ids=["list", "pandas", "string", "polars"])
def test_missing_groups_can_be_a_group(data):
    """When I say so, people without a group are one."""
    names = ("(missing)", "a")
    assert read(data, missing="group") == (names, ["a", names[0], "a", names[0]])


def test_missing_numbers_do_not_change_the_other_names():
    """A null among whole numbers does not turn group 1 into group 1.0."""
    for data in (pd.Series([1, None], dtype="Int64"), pl.Series([1, None])):
        assert read(data, missing="group")[0] == ("(missing)", "1")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (np.array([["a, b", "c"], ["a", "b, c"]], dtype=object), "'a, b, c'"),
        (["(missing)", None], r"'\(missing\)'"),
    ],
)
def test_groups_are_never_merged_by_their_names(data, name):
    """Two different groups that would be called the same are an error."""
    with pytest.raises(ValueError, match=f"would both be called {name}; rename"):
        read_groups(data, missing="group")


def test_a_trailing_null_character_is_refused():
    """NumPy text drops trailing null characters, and so do other programs."""
    with pytest.raises(ValueError, match="NUL character"):
        read(["a\0", "a"])


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (np.zeros((2, 2, 2)), r"\(2, 2, 2\)"),
        (np.zeros((2, 0)), r"\(2, 0\)"),
        (pd.DataFrame(index=[0, 1]), r"\(2, 0\)"),
        ("sex", r"\(\)"),
        ({"sex": ["a"]}, r"\(\)"),
        ([["a", "b"], ["c"]], r"\(2,\)"),
    ],
)
def test_what_is_no_column_is_refused(data, shape):
    """A name, a dictionary or a cube is no group of each sample."""
    with pytest.raises(ValueError, match=f"one column, or a table .* shape {shape}"):
        read_groups(data)


def test_many_groups_are_read():
    """Hundreds of groups are sorted by name and none is lost."""
    values = [f"g{number:03}" for number in range(500)]
    assert read(values[::-1]) == (tuple(values), values[::-1])


def test_a_group_whose_rows_weigh_nothing_has_no_name():
    """Rows keep their places; those of the group that is left out count for nobody."""
    groups = groups_of(["b", "a", "c", "b"], np.array([1, 0, 2, 3]))
    assert groups.names == ("b", "c")
    assert groups.codes[[0, 2, 3]].tolist() == [0, 1, 0]
    assert len(groups.codes) == 4
    last = groups_of(["b", "a", "c", "b"], np.array([1, 1, 0, 3]))
    assert last.names == ("a", "b")
    assert last.codes[[0, 1, 3]].tolist() == [1, 0, 1]
    assert groups_of(None, np.array([0, 1])).names == ("everybody",)
