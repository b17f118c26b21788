from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from faircg import ConditionBinarizer
from faircg.cuts import _quantiles, quantile_cuts
from faircg.datasets import DATASETS


def conditions(X, **parameters):
    """Return the conditions as text, with the paper's cut points."""
    parameters = {"thresholds": "quantile", **parameters}
    binarizer = ConditionBinarizer(**parameters).fit(pd.DataFrame(X))
    return [str(condition) for condition in binarizer.conditions_]


def test_numbers_are_cut_at_deciles_with_both_signs():
    """Ten parts have nine inner cut points, each with "at most" and "more than"."""
    found = conditions({"age": np.arange(101.0)})
    cuts = range(10, 100, 10)
    assert found == [f"age <= {t}" for t in cuts] + [f"age > {t}" for t in cuts]


def test_equal_deciles_are_one_cut_point():
    """A column that is mostly zero has few cut points, no two of which say the same."""
    values = [0] * 70 + [1] * 15 + [2] * 15
    assert conditions({"priors": values}) == [
        "priors <= 0",
        "priors <= 1",
        "priors > 0",
        "priors > 1",
    ]


def test_two_values_have_one_cut_point():
    """A rare value of two is not lost between deciles; 0 and 1 are no and yes."""
    assert conditions({"rare": [0] * 99 + [1]}) == ["not rare", "rare"]


def test_cut_points_have_no_noise_digits():
    """I read 0.25, not 0.25000000000000006."""
    assert conditions({"rate": [0.1, 0.2, 0.3, 0.4]}, n_thresholds=2) == [
        "rate <= 0.25",
        "rate > 0.25",
    ]


@given(
    st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=3, max_size=40),
    st.integers(2, 12),
)
def test_a_rounded_cut_point_divides_as_the_quantile_does(values, parts):
    """Fewer digits never move a person to the other side."""
    values = np.array(values)
    cuts = np.array(quantile_cuts(values, np.ones(len(values), dtype=int), parts))
    if len(np.unique(values)) > 2:
        exact = np.unique(np.quantile(values, np.arange(1, parts) / parts))
        sides = {tuple((values <= cut).tolist()) for cut in exact}
        assert {tuple((values <= cut).tolist()) for cut in cuts} == sides
    assert (np.diff(cuts) > 0).all()


@given(
    st.lists(
        st.tuples(st.floats(-1e9, 1e9), st.integers(1, 30)), min_size=1, max_size=40
    ),
    st.integers(2, 12),
)
def test_weighted_cut_points_are_those_of_repeated_people(people, parts):
    """To the last bit, so that no condition depends on how a table is written."""
    values, weights = (np.array(column) for column in zip(*people, strict=True))
    values = values.astype(float)
    repeated = np.repeat(values, weights)
    levels = np.arange(1, parts) / parts
    assert (
        _quantiles(values, weights, levels).tolist()
        == np.quantile(repeated, levels).tolist()
    )
    assert quantile_cuts(values, weights, parts) == quantile_cuts(
        repeated, np.ones(len(repeated), dtype=int), parts
    )


def test_survey_weights_need_no_more_memory():
    """A row for each person was made: a few thousand rows for a whole nation."""
    people = pd.DataFrame({"age": [20.0, 40, 60, 80]})
    binarizer = ConditionBinarizer(thresholds="quantile", n_thresholds=2)
    binarizer.fit(people, sample_weight=[10**14, 1, 1, 10**14])
    assert [str(c) for c in binarizer.conditions_] == ["age <= 50", "age > 50"]


def test_categories_and_booleans_have_both_signs():
    """Each value of a category can be demanded or ruled out."""
    found = conditions({"job": ["b", "a", "c"], "member": [True, False, True]})
    assert found == [
        "job = a",
        "job = b",
        "job = c",
        "job != a",
        "job != b",
        "job != c",
        "member",
        "not member",
    ]


def test_two_categories_are_each_others_negation():
    """For two values "= a" and "!= b" would say the same thing twice."""
    assert conditions({"sex": ["m", "f"]}) == ["sex = f", "sex = m"]


def test_with_missing_values_two_categories_need_all_signs():
    """A missing value is neither "= a" nor "!= b"."""
    assert conditions({"sex": ["m", "f", None]}) == [
        "sex = f",
        "sex = m",
        "sex != f",
        "sex != m",
        "sex is missing",
        "sex is present",
    ]


@pytest.mark.parametrize(
    "values", [[3.0] * 4, ["a"] * 4, [True] * 4, [np.nan] * 4, [None] * 4]
)
def test_constants_are_dropped(values):
    """A column that is the same for everybody separates nobody."""
    assert conditions({"same": values}) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0, np.nan], True),
        ([1.0, 2.0, 3.0], False),
        (["a", "b", None], True),
        (["a", "b", "c"], False),
        (pd.array([True, False, None], dtype="boolean"), True),
        ([True, False, True], False),
    ],
)
def test_missing_is_a_condition_only_when_training_had_missing_values(values, expected):
    """Tests of presence appear together, and only where there is a reason."""
    found = conditions({"a": values})
    assert ("a is missing" in found) == ("a is present" in found) == expected


def test_missing_values_appearing_later_meet_no_comparison():
    """A column without missing values in training may have them later."""
    binarizer = ConditionBinarizer().fit(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    later = pd.DataFrame({"a": [np.nan], "b": [None]})
    assert not binarizer.transform(later).any()


def test_an_unseen_category_meets_inequalities_only():
    """A new job is not any of the known jobs."""
    binarizer = ConditionBinarizer().fit(pd.DataFrame({"job": ["a", "b", "c"]}))
    met = binarizer.transform(pd.DataFrame({"job": ["new"]}))[0]
    assert [c.operator == "!=" for c in binarizer.conditions_] == met.tolist()


def test_a_rule_never_needs_two_conditions_of_one_family():
    """Conditions that share a family are nested or exclude each other."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.normal(size=200),
            "pay": np.where(rng.random(200) < 0.2, np.nan, rng.normal(size=200)),
            "job": rng.choice(["a", "b", "c", "d"], 200),
            "sex": rng.choice(["f", "m", None], 200),
            "member": rng.random(200) < 0.5,
        }
    )
    binarizer = ConditionBinarizer().fit(X)
    met = binarizer.transform(X)
    families = binarizer.families_
    assert families.dtype == np.int32
    assert sorted(set(families.tolist())) == list(range(families.max() + 1))
    shared = 0
    for i, j in combinations(range(len(families)), 2):
        if families[i] == families[j]:
            shared += 1
            both = met[:, i] & met[:, j]
            nested = (both == met[:, i]).all() or (both == met[:, j]).all()
            assert nested or not both.any()
    assert shared > 100


def test_excluded_features_give_no_condition():
    """What rules may not use is not even binarized."""
    X = {"age": [1, 2, 3], "race": ["a", "b", "c"]}
    assert all("race" not in text for text in conditions(X, exclude=["race"]))
    assert conditions(X, exclude=("race", "age")) == []


def test_thresholds_by_hand():
    """I set the cut points of one feature; the others are cut by themselves."""
    X = {"age": np.arange(100), "pay": np.arange(100)}
    found = conditions(X, thresholds={"age": [65, 18, 65]}, n_thresholds=2)
    assert found == [
        "age <= 18",
        "age <= 65",
        "age > 18",
        "age > 65",
        "pay <= 49",
        "pay > 49",
    ]


def test_a_cut_point_outside_the_data_is_dropped():
    """A test that everybody passes is no test."""
    assert conditions({"age": [20, 30]}, thresholds={"age": [10, 25, 99]}) == [
        "age <= 25",
        "age > 25",
    ]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(0, 30)),
            st.sampled_from(["a", "b", "c"]),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=15,
    ).filter(lambda rows: any(weight for *_, weight in rows))
)
def test_weights_are_repetitions(rows):
    """A person of weight three is that person three times, of weight zero nobody."""
    X = pd.DataFrame({"age": [r[0] for r in rows], "job": [r[1] for r in rows]})
    X["age"] = X["age"].astype(float)
    weights = np.array([r[2] for r in rows])
    weighted = ConditionBinarizer().fit(X, sample_weight=weights)
    repeated = ConditionBinarizer().fit(X.loc[np.repeat(X.index, weights)])
    assert weighted.conditions_ == repeated.conditions_


@pytest.mark.parametrize(
    ("name", "n_conditions", "n_rows"),
    [("compas", 24, 282), ("adult", 262, 29_153), ("default", 316, 29_406)],
)
def test_the_papers_data_have_the_papers_conditions(name, n_conditions, n_rows):
    """The embedded data become as many conditions and distinct people as expected."""
    X = DATASETS[name]().X
    binarizer = ConditionBinarizer(thresholds="quantile").fit(X)
    met = binarizer.transform(X)
    assert met.shape == (len(X), n_conditions)
    assert not met.all(axis=0).any()
    assert met.any(axis=0).all()
    packed = np.ascontiguousarray(np.packbits(met, axis=1))
    distinct = np.unique(packed.view(np.dtype((np.void, packed.shape[1]))))
    assert len(distinct) == n_rows


def test_the_two_sexes_of_adult_give_two_conditions():
    """A two-valued text column becomes one condition for each value."""
    adult = DATASETS["adult"]()
    binarizer = ConditionBinarizer().fit(adult.X)
    tests = [c for c in binarizer.conditions_ if c.feature == "sex"]
    assert [str(c) for c in tests] == ["sex = Female", "sex = Male"]


def test_numpy_pandas_and_polars_agree():
    """The same people give the same conditions and the same matrix."""
    X = DATASETS["compas"]().X
    ours = ConditionBinarizer().fit(X)
    names = {f"x{j}": name for j, name in enumerate(X.columns)}
    for other in (pl.from_pandas(X), X.astype(object).to_numpy()):
        theirs = ConditionBinarizer().fit(other)
        assert [
            (names.get(c.feature, c.feature), c.operator, c.value)
            for c in theirs.conditions_
        ] == [(c.feature, c.operator, c.value) for c in ours.conditions_]
        assert (theirs.transform(other) == ours.transform(X)).all()
        assert (theirs.families_ == ours.families_).all()


def test_transforming_needs_only_the_features_that_are_tested():
    """A shuffled table with more columns gives the same matrix."""
    X = pd.DataFrame({"age": [1, 2, 3], "job": ["a", "b", "c"]})
    binarizer = ConditionBinarizer().fit(X)
    assert binarizer.feature_kinds_ == {"age": "numeric", "job": "category"}
    assert binarizer.get_feature_names_out().tolist() == [
        str(condition) for condition in binarizer.conditions_
    ]


def test_cloning_forgets_what_was_learned():
    """A clone has my parameters and no conditions."""
    binarizer = ConditionBinarizer(n_thresholds=3).fit(pd.DataFrame({"a": [1, 2]}))
    copy = clone(binarizer)
    assert copy.n_thresholds == 3
    with pytest.raises(NotFittedError):
        copy.transform(pd.DataFrame({"a": [1]}))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"thresholds": "magic"}, "thresholds='magic' is not known"),
        ({"thresholds": 3}, "thresholds=3 is not known"),
        (
            {"thresholds": {"pay": [1]}},
            "thresholds names 'pay', which is not a feature; the features are",
        ),
        ({"thresholds": {"age": 3}}, "cut points of 'age' must be a list of finite"),
        ({"thresholds": {"age": [np.nan]}}, "cut points of 'age' must be a list"),
        ({"thresholds": {"age": ["x"]}}, "cut points of 'age' must be a list"),
        ({"thresholds": {"job": [1]}}, "cut points for 'job', which is category"),
        ({"exclude": ["pay"]}, "exclude names 'pay', which is not a feature"),
        ({"n_thresholds": 1}, "whole number of at least 2, not 1"),
        ({"n_thresholds": 2.5}, "whole number of at least 2, not 2.5"),
        ({"n_thresholds": "many"}, "whole number of at least 2, not 'many'"),
    ],
)
def test_nonsensical_parameters_are_refused(parameters, message):
    """The message names the parameter, its value and what would do."""
    X = pd.DataFrame({"age": [1, 2], "job": ["a", "b"]})
    with pytest.raises(ValueError, match=message):
        ConditionBinarizer(**parameters).fit(X)


def test_tree_thresholds_cut_where_the_labels_change():
    """A feature that is mostly zero, useless by deciles, gets a cut that matters."""
    gain = np.where(np.arange(1000) < 940, 0.0, np.arange(1000) * 10.0)
    rich = gain > 9700
    frame = pd.DataFrame({"gain": gain})
    by_deciles = ConditionBinarizer(thresholds="quantile").fit(frame)
    assert {c.value for c in by_deciles.conditions_} == {0.0}
    by_tree = ConditionBinarizer(thresholds="tree").fit(frame, rich)
    cuts = {c.value for c in by_tree.conditions_}
    assert any(((gain > cut) == rich).all() for cut in cuts)


def test_tree_thresholds_need_labels_and_count_weights_as_repetitions():
    """Without labels there is nothing to choose by; weights repeat people."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=300), "z": rng.integers(0, 9, 300)})
    labels = frame["x"] + rng.normal(size=300) > 0.3
    with pytest.raises(ValueError, match="pass y to fit"):
        ConditionBinarizer(thresholds="tree").fit(frame)
    weights = rng.integers(0, 4, 300)
    weighted = ConditionBinarizer(thresholds="tree").fit(
        frame, labels, sample_weight=weights
    )
    repeated = ConditionBinarizer(thresholds="tree").fit(
        frame.loc[frame.index.repeat(weights)], labels.repeat(weights)
    )
    assert weighted.conditions_ == repeated.conditions_
    few = ConditionBinarizer(thresholds="tree", n_thresholds=3).fit(frame, labels)
    assert sum(c.feature == "x" for c in few.conditions_) <= 4
