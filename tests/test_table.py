import datetime
from dataclasses import replace

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from faircg import Condition, FairRuleSetClassifier, Rule, RuleSet
from faircg.model import Feature, RuleSetModel
from faircg.table import read_table

DAY = datetime.date(2020, 1, 1)


def content(table):
    """Kinds, and values with None where missing."""
    return {
        name: (
            column.kind,
            [
                None if gone else value
                for value, gone in zip(
                    column.values.tolist(), column.missing.tolist(), strict=True
                )
            ],
        )
        for name, column in table.columns.items()
    }


@pytest.mark.parametrize(
    ("array", "kind", "values"),
    [
        (np.array([[1.5], [np.nan]]), "numeric", [1.5, None]),
        (np.array([[1.5], [2]], dtype=np.float32), "numeric", [1.5, 2]),
        (np.array([[1], [2]]), "numeric", [1, 2]),
        (np.array([[1], [2]], dtype=np.uint8), "numeric", [1, 2]),
        (np.array([[True], [False]]), "boolean", [1, 0]),
        (np.array([["a"], ["b"]]), "category", ["a", "b"]),
        (
            np.array([["a"], ["b"]], dtype=np.dtypes.StringDType()),
            "category",
            ["a", "b"],
        ),
        (np.array([["a"], [None]], dtype=object), "category", ["a", None]),
        (np.array([["a"], [np.nan]], dtype=object), "category", ["a", None]),
        (np.array([["a"], [pd.NA]], dtype=object), "category", ["a", None]),
        (np.array([[1], [2.5]], dtype=object), "numeric", [1, 2.5]),
        (np.array([[1], [None]], dtype=object), "numeric", [1, None]),
        (np.array([[np.int8(1)], [2]], dtype=object), "numeric", [1, 2]),
        (np.array([[True], [None]], dtype=object), "boolean", [1, None]),
        (np.array([[None], [None]], dtype=object), "category", [None, None]),
    ],
)
def test_numpy_columns(array, kind, values):
    """An array of any usual type is read for what it holds."""
    assert content(read_table(array)) == {"x0": (kind, values)}


def test_array_columns_can_be_named():
    """Columns of an array are x0, x1, ... unless I name them."""
    array = np.arange(4).reshape(2, 2)
    assert read_table(array).names == ("x0", "x1")
    assert read_table(array, names=["age", "pay"]).names == ("age", "pay")


PANDAS = {
    "int64": (pd.Series([1, 2]), "numeric", [1, 2]),
    "Int64": (pd.Series([1, None], dtype="Int64"), "numeric", [1, None]),
    "Float64": (pd.Series([1.5, None], dtype="Float64"), "numeric", [1.5, None]),
    "float NaN": (pd.Series([1.5, np.nan]), "numeric", [1.5, None]),
    "bool": (pd.Series([True, False]), "boolean", [1, 0]),
    "boolean": (pd.Series([True, None], dtype="boolean"), "boolean", [1, None]),
    "object bool": (pd.Series([True, None], dtype=object), "boolean", [1, None]),
    "str": (pd.Series(["a", None]), "category", ["a", None]),
    "string": (pd.Series(["a", None], dtype="string"), "category", ["a", None]),
    "object": (pd.Series(["a", np.nan], dtype=object), "category", ["a", None]),
    "category": (pd.Series(["a", None], dtype="category"), "category", ["a", None]),
    "int category": (pd.Series([1, 2], dtype="category"), "category", [1, 2]),
    "bool category": (
        pd.Series([True, None], dtype="category"),
        "category",
        [True, None],
    ),
    "sparse": (pd.Series(pd.arrays.SparseArray([0.0, 1.0])), "numeric", [0, 1]),
    "arrow int": (pd.Series([1, None], dtype="int64[pyarrow]"), "numeric", [1, None]),
    "arrow bool": (
        pd.Series([True, None], dtype="bool[pyarrow]"),
        "boolean",
        [1, None],
    ),
    "arrow string": (
        pd.Series(["a", None], dtype=pd.ArrowDtype(pa.string())),
        "category",
        ["a", None],
    ),
}


@pytest.mark.parametrize("dtype", PANDAS)
def test_pandas_columns(dtype):
    """Every usual pandas type is read, nullable and Arrow-backed ones too."""
    series, kind, values = PANDAS[dtype]
    assert content(read_table(series.to_frame("a"))) == {"a": (kind, values)}


POLARS = {
    "int": (pl.Series([1, None]), "numeric", [1, None]),
    "float": (pl.Series([1.5, float("nan"), None]), "numeric", [1.5, None, None]),
    "decimal": (pl.Series(["1.5"]).cast(pl.Decimal(9, 2)), "numeric", [1.5]),
    "bool": (pl.Series([True, None]), "boolean", [1, None]),
    "string": (pl.Series(["a", None]), "category", ["a", None]),
    "categorical": (
        pl.Series(["a", None], dtype=pl.Categorical),
        "category",
        ["a", None],
    ),
    "enum": (
        pl.Series(["a", None], dtype=pl.Enum(["b", "a"])),
        "category",
        ["a", None],
    ),
    "null": (pl.Series([None, None]), "category", [None, None]),
}


@pytest.mark.parametrize("dtype", POLARS)
def test_polars_columns(dtype):
    """Every usual polars type is read, and a null is a missing value."""
    series, kind, values = POLARS[dtype]
    assert content(read_table(series.alias("a").to_frame())) == {"a": (kind, values)}


def test_an_arrow_table_is_read_with_its_names():
    """An Arrow table is a frame too, and its columns keep their names."""
    table = read_table(pa.table({"age": [31, None], "job": ["cook", None]}))
    assert content(table) == {
        "age": ("numeric", [31, None]),
        "job": ("category", ["cook", None]),
    }


def test_the_three_libraries_agree():
    """The same people give the same table, wherever they come from."""
    data = {"age": [31, 40], "job": ["cook", None], "member": [True, False]}
    expected = content(read_table(pd.DataFrame(data)))
    assert content(read_table(pl.DataFrame(data))) == expected
    assert content(read_table(pa.table(data))) == expected
    array = np.array(list(zip(*data.values(), strict=True)), dtype=object)
    assert content(read_table(array, names=list(data))) == expected


NAMES = [
    "with space",
    'with "quotes"',
    "it's",
    "naïve 名前",
    "a\nb",
    "=1+1",
    "",
    "x" * 9,
]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("name", NAMES)
def test_any_name_works(make, name):
    """A column may be called anything; rules are never built through code."""
    frame = make({name: [1.0, 2.0], "other": [0.0, 0.0]})
    rule_set = RuleSet((Rule((Condition(name, ">", 1.5),)),))
    assert rule_set.covers(read_table(frame)).tolist() == [False, True]


def test_names_that_are_no_text_become_text():
    """Columns numbered by pandas can be tested by their number as text."""
    assert read_table(pd.DataFrame([[1, 2]])).names == ("0", "1")


def test_only_known_features_are_read_in_any_order():
    """When predicting, columns may be shuffled, and unused ones may hold anything."""
    kinds = {"age": "numeric", "job": "category"}
    frame = pd.DataFrame({"when": [pd.Timestamp(0)], "job": ["cook"], "age": [3]})
    table = read_table(frame, kinds=kinds)
    assert table.names == ("age", "job")
    assert table.kinds == kinds


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_the_order_of_columns_does_not_change_a_prediction(make):
    """A saved model finds its columns by name, never by position."""
    rules = RuleSet((Rule((Condition("age", ">", 40), Condition("job", "=", "cook"))),))
    features = (Feature("age", "numeric"), Feature("job", "category", ("cook",)))
    model = RuleSetModel(rules, features, (0, 1))
    data = {"age": [50, 30], "job": ["cook", "cook"]}
    turned = {"extra": [1, 2], "job": data["job"], "age": data["age"]}
    assert model.predict(make(data)).tolist() == [1, 0]
    assert model.predict(make(turned)).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        (["x"], "numeric", "'a' was numeric .* is category now .*'x'"),
        (
            [2.0],
            "category",
            r"'a' was category .* is numeric now .*example 2\.0 in row 0\)",
        ),
        ([True], "category", "'a' was category .* is boolean now"),
        ([2.0, 0.0], "boolean", r"'a' was boolean .* is numeric now .*2\.0"),
        (["yes"], "boolean", "'a' was boolean .* is category now"),
    ],
)
def test_another_kind_than_in_fit_is_an_error(values, kind, message):
    """A number that turned into text is said, not guessed."""
    with pytest.raises(ValueError, match=message):
        read_table(pd.DataFrame({"a": values}), kinds={"a": kind})


@pytest.mark.parametrize(
    ("values", "kind", "read"),
    [
        ([True, False], "numeric", [1, 0]),
        ([1, 0], "boolean", [1, 0]),
        ([1.0, None], "boolean", [1, None]),
        ([None, None], "numeric", [None, None]),
        ([None, None], "category", [None, None]),
        ([np.nan, np.nan], "category", [None, None]),
        ([np.nan, np.nan], "boolean", [None, None]),
    ],
)
def test_the_same_in_effect_is_read(values, kind, read):
    """Booleans written as 0 and 1, and columns that are all missing, are no error."""
    table = read_table(pd.DataFrame({"a": values}), kinds={"a": kind})
    assert content(table) == {"a": (kind, read)}


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (
            pd.DataFrame({"a": [1, np.inf]}),
            ValueError,
            r"'a' has infinity in 1 rows \(f",
        ),
        (pl.DataFrame({"a": [-np.inf]}), ValueError, "'a' has infinity"),
        (np.array([[0.0, np.inf]]), ValueError, "'x1' has infinity"),
        (np.array([[np.inf, "b"]], dtype=object), ValueError, "'x0' has infinity"),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            ValueError,
            r"names must be unique; repeated: \['a'\]",
        ),
        (
            pd.DataFrame([[1, 2]], columns=[1, "1"]),
            ValueError,
            r"names must be unique; repeated: \['1'\]",
        ),
        (pd.DataFrame({"a": [pd.Timestamp(0)]}), ValueError, "'a' holds Datetime"),
        (pd.DataFrame({"a": [pd.Timedelta(0)]}), ValueError, "'a' holds Duration"),
        (pd.DataFrame({"a": [DAY]}, dtype=object), TypeError, r"'a' .*\['date'\]"),
        (pd.DataFrame({"a": pd.Categorical([DAY])}), TypeError, "'a' has the category"),
        (pl.DataFrame({"a": [DAY]}), ValueError, "'a' holds Date; turn it into"),
        (pl.DataFrame({"a": [[1]]}), ValueError, "'a' holds List"),
        (
            np.array([["2020-01-01"]], dtype="M8[D]"),
            ValueError,
            "'x0' holds datetime64",
        ),
        (np.array([[1j]]), ValueError, "'x0' holds complex128"),
        (pd.DataFrame({"a": [1j]}), TypeError, "'a' .*complex"),
        (np.array([[b"a"]]), ValueError, "'x0' holds"),
        (
            np.array([[1], ["a"]], dtype=object),
            TypeError,
            r"'x0' mixes .*\['int', 'str'\]",
        ),
        (pd.DataFrame({"a": [True, "x"]}), TypeError, r"'a' mixes .*\['bool', 'str'\]"),
        (pl.LazyFrame({"a": [1]}), TypeError, r"the table is lazy .*collect it first"),
        (pd.Series([1, 2]), TypeError, "expected a data frame .*not Series"),
        (np.array([1.0, 2.0]), TypeError, "two-dimensional array, not ndarray"),
        ([[1.0]], TypeError, "not list"),
        ({"a": [1]}, TypeError, "not dict"),
        (None, TypeError, "not NoneType"),
    ],
)
def test_what_cannot_be_tested_is_refused(data, error, message):
    """The message names the column, what it holds and what to do."""
    with pytest.raises(error, match=message):
        read_table(data)


def test_a_lazy_frame_is_refused_by_the_classifier():
    """The classifier asks me to collect a lazy frame, in one clear sentence."""
    with pytest.raises(TypeError, match=r"lazy .*collect it first"):
        FairRuleSetClassifier().fit(pl.LazyFrame({"a": [1, 2]}), [0, 1])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("b", "lacks 1 feature that the model was fitted with: 'b'"),
        ("bcdefgh", r"lacks 7 features .*'b', 'c', 'd', 'e', 'f', \.\.\. \(7 in all\)"),
    ],
)
def test_lacking_features_are_named(names, message):
    """A table without a column that rules test says which one."""
    with pytest.raises(ValueError, match=message):
        read_table(pd.DataFrame({"a": [1]}), kinds=dict.fromkeys(names, "numeric"))


def test_the_value_that_is_no_number_is_named():
    """Of 3 numbers and one word, the word is the news, with its row."""
    frame = pd.DataFrame({"pay": ["1", None, "2", "unknown", "4"]})
    with pytest.raises(ValueError, match=r"example 'unknown' in row 3\)"):
        read_table(frame, kinds={"pay": "numeric"})
    with pytest.raises(ValueError, match=r"example the text '1' in row 0\)"):
        read_table(frame[:3], kinds={"pay": "numeric"})


@pytest.mark.parametrize("dtype", ["str", "category", object, "string"])
def test_categories_as_numbers_say_the_same(dtype):
    """A frame's categories are numbered; each test and count is as without numbers."""
    values = ["b", None, "a", "b", "ü", "a", "a"]
    column = read_table(pd.DataFrame({"x": pd.Series(values, dtype=dtype)}))["x"]
    plain = replace(column, given=column.values, coding=None)
    some = column.take(np.array([4, 2]))
    assert some.values.tolist() == ["ü", "a"]
    assert some.counts() == {"ü": 1, "a": 1}
    for value in ("a", "b", "ü", "never", "", 1, True):
        expected = [v == value for v in values]
        assert column.equals(value).tolist() == expected
        assert plain.equals(value).tolist() == expected
        met = Condition("x", "!=", value).holds(column).tolist()
        assert met == [v is not None and v != value for v in values]
    assert list(column.counts().items()) == [("b", 2), ("a", 3), ("ü", 1)]
    assert list(plain.counts().items()) == [("b", 2), ("a", 3), ("ü", 1)]


def test_columns_are_read_only():
    """What was read once cannot change behind the rules' back."""
    column = read_table(pd.DataFrame({"a": [1.0, 2.0]}))["a"]
    with pytest.raises(ValueError, match="read-only"):
        column.values[0] = 9.0


@pytest.mark.parametrize("dtype", [float, bool, object])
def test_reading_leaves_my_array_alone(dtype):
    """My own array stays writeable and unchanged."""
    array = np.array([[1, 0], [0, 1]]).astype(dtype)
    before = array.copy()
    read_table(array)
    array[0, 0] = array[0, 0]
    assert (array == before).all()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_reading_a_column_does_not_look_at_all_others(library, monkeypatch):
    """A table of 10,000 columns took 20 seconds to read before any limit was looked at.

    Each column was taken by its number, for which narwhals lists the names of all.
    """
    looked = []
    names = nw.DataFrame.columns
    monkeypatch.setattr(
        nw.DataFrame, "columns", property(lambda f: looked.append(f) or names.fget(f))
    )
    wide = library({f"x{j}": [0.5, 1.5] for j in range(200)})
    assert len(read_table(wide).columns) == 200
    assert len(looked) < 10
