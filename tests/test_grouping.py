"""Groups by several attributes: each alone, combined, by a list, in strata, in bins."""

from __future__ import annotations

import json
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV, RuleSetModel
from faircg.evaluate import People, part_result
from faircg.exceptions import ModelFormatError
from faircg.fairness import Family
from faircg.grouping import Grouping, families_from_list, families_to_list
from faircg.groups import groups_of, read_groups
from faircg.plotting import FrontierDisplay
from faircg.report import render_report, report_of_model

PEOPLE = pd.DataFrame(
    {
        "race": ["x", "y", "x", "y", "x", "x"],
        "sex": ["f", "f", "m", "m", "f", "m"],
        "age": [20, 25, 26, 45, 46, 70],
    }
)
TWO = PEOPLE[["race", "sex"]]


def names(groups):
    """Each family: what it is about, and its groups with the rows of each."""
    return [
        (
            family.about,
            {
                name: [
                    row
                    for row, code in enumerate(groups.codes)
                    if groups.names[code] in inside
                ]
                for name, inside in family.groups.items()
            },
        )
        for family in groups.families
    ]


def test_every_combination_is_a_group_by_default():
    """As before, but the names say the attributes."""
    groups = read_groups(TWO)
    assert groups.families == ()
    assert groups.names == (
        "race = x, sex = f",
        "race = x, sex = m",
        "race = y, sex = f",
        "race = y, sex = m",
    )
    assert read_groups(PEOPLE["race"]).names == ("x", "y")
    assert read_groups(PEOPLE[["race"]]).names == ("x", "y")


def test_each_attribute_alone():
    """Women are compared with men, and not with a race."""
    groups = read_groups(TWO, grouping=Grouping("marginal"))
    assert names(groups) == [
        ("race", {"race = x": [0, 2, 4, 5], "race = y": [1, 3]}),
        ("sex", {"sex = f": [0, 1, 4], "sex = m": [2, 3, 5]}),
    ]


def test_a_list_with_an_epsilon_each():
    """Attributes and combinations, in the order given."""
    asked = Grouping({"sex": 0.1, ("race", "sex"): None})
    groups = read_groups(TWO, grouping=asked)
    assert [(f.about, f.epsilon, len(f.groups)) for f in groups.families] == [
        ("sex", 0.1, 2),
        ("race, sex", None, 4),
    ]
    assert asked.epsilons == (0.1,)
    alone = read_groups(TWO, grouping=Grouping(["sex"]))
    assert names(alone) == [("", {"sex = f": [0, 1, 4], "sex = m": [2, 3, 5]})]


def test_within_the_strata_of_another_column():
    """Each stratum is a family: nobody is compared across."""
    groups = read_groups(TWO, grouping=Grouping(within="sex"))
    assert names(groups) == [
        ("sex = f", {"race = x, sex = f": [0, 4], "race = y, sex = f": [1]}),
        ("sex = m", {"race = x, sex = m": [2, 5], "race = y, sex = m": [3]}),
    ]


def test_numbers_by_given_bins():
    """A cut point belongs to the lower side, as in rules."""
    alone = read_groups(PEOPLE["age"], grouping=Grouping(bins={"age": [25, 45]}))
    assert set(alone.names) == {"age <= 25", "25 < age <= 45", "age > 45"}
    assert [alone.names[c] for c in alone.codes] == [
        *["age <= 25"] * 2,
        *["25 < age <= 45"] * 2,
        *["age > 45"] * 2,
    ]
    both = read_groups(PEOPLE[["sex", "age"]], grouping=Grouping(bins={"age": [25]}))
    assert both.names[0] == "sex = f, age <= 25"
    gone = read_groups(
        pd.Series([20, None, 70], name="age"),
        missing="group",
        grouping=Grouping(bins={"age": [25]}),
    )
    assert set(gone.names) == {"age <= 25", "age > 25", "(missing)"}
    unnamed = read_groups(np.array([1, 5]), grouping=Grouping(bins={0: [3]}))
    assert unnamed.names == ("value <= 3", "value > 3")


ONES = np.ones(6, dtype=np.int64)


def test_small_groups_are_refused_told_or_merged():
    """The error says how many people they have, and the way out."""
    least = {"min_group_size": 2}
    with pytest.raises(
        ValueError, match=r"fewer than 2 people: 'race = y, sex = f' \(1\)"
    ):
        groups_of(TWO, ONES, grouping=Grouping(**least))
    with pytest.warns(UserWarning, match="2 of the groups have fewer than 2 people"):
        told = groups_of(TWO, ONES, grouping=Grouping(**least, small_groups="warn"))
    assert told.families == ()
    merged = groups_of(TWO, ONES, grouping=Grouping(**least, small_groups="merge"))
    ((_, found),) = names(merged)
    assert found == {
        "race = x, sex = f": [0, 4],
        "race = x, sex = m": [2, 5],
        "other (race = y, sex = f, race = y, sex = m)": [1, 3],
    }
    weights = np.array([1, 5, 1, 5, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        groups_of(TWO, weights, grouping=Grouping(**least, small_groups="warn"))
    with pytest.raises(ValueError, match="all groups are merged into one"):
        groups_of(TWO, ONES, grouping=Grouping(min_group_size=6, small_groups="merge"))


def test_one_small_group_is_merged_with_the_next():
    """A group of its own would still be too small."""
    races = pd.Series(["x"] * 5 + ["y"] * 3 + ["z"])
    asked = Grouping(min_group_size=2, small_groups="merge")
    groups = groups_of(races, np.ones(9, dtype=np.int64), grouping=asked)
    assert [*groups.families[0].groups] == ["x", "other (y, z)"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda: Grouping("race"), r"use one of .* such as \['race'\]"),
        (lambda: Grouping(7), "neither one of"),
        (lambda: Grouping([]), "must name attributes"),
        (lambda: Grouping(["race", "race"]), "each once"),
        (lambda: Grouping({"race": -1}), "must be a number of at least 0"),
        (lambda: Grouping(bins={"age": []}), "must be a list of numbers"),
        (lambda: Grouping(bins={"age": [3, 3]}), "must increase"),
        (lambda: Grouping(min_group_size=-1), "at least 0"),
        (lambda: Grouping(small_groups="drop"), "must be one of"),
        (
            lambda: read_groups(TWO, grouping=Grouping(["town"])),
            "'town' is no sensitive",
        ),
        (lambda: read_groups(TWO, grouping=Grouping(within="town")), "within: 'town'"),
        (
            lambda: read_groups(PEOPLE["sex"], grouping=Grouping(within="sex")),
            "the only sensitive attribute",
        ),
        (
            lambda: read_groups(TWO, grouping=Grouping(["sex"], within="sex")),
            "are within it",
        ),
        (
            lambda: read_groups(PEOPLE["sex"], grouping=Grouping(bins={"sex": [1]})),
            "no number",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(asked, message):
    with pytest.raises(ValueError, match=message):
        asked()


@given(
    st.builds(
        Grouping,
        st.sampled_from(
            [
                "intersection",
                "marginal",
                ["a"],
                {"a": 0.1, ("a", "b"): None},
                [0, (0, 1)],
            ]
        ),
        st.sampled_from([None, "c", 2]),
        st.sampled_from([{}, {"age": [1, 2.5]}, {0: [3]}]),
        st.integers(0, 9),
        st.sampled_from(["raise", "warn", "merge"]),
    )
)
def test_a_grouping_survives_a_file(grouping):
    """Whatever was asked can be read again."""
    assert Grouping.from_dict(json.loads(json.dumps(grouping.to_dict()))) == grouping


@pytest.mark.parametrize(
    "changes",
    [
        {"by": "eval"},
        {"by": [{"columns": [], "epsilon": None}]},
        {"by": [{"columns": ["a"]}]},
        {"within": 1.5},
        {"bins": {"a": [1]}},
        {"min_group_size": "3"},
        {"small_groups": 1},
        {"more": 1},
    ],
    ids=str,
)
def test_strange_groupings_are_refused(changes):
    with pytest.raises(ModelFormatError):
        Grouping.from_dict({**Grouping().to_dict(), **changes})


def test_families_survive_a_file():
    families = (Family({"a": ("a, x", "a, y")}, "sex", 0.1), Family({"b": ("b",)}))
    data = json.loads(json.dumps(families_to_list(families)))
    assert families_from_list(data) == families
    for strange in (
        {},
        [{}],
        [{**data[0], "groups": {}}],
        [{**data[0], "epsilon": -1}],
    ):
        with pytest.raises(ModelFormatError):
            families_from_list(strange)


def crowd(seed=0, n=240):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 4, n),
            "b": rng.integers(0, 3, n),
            "c": rng.random(n) < 0.4,
        }
    )
    groups = pd.DataFrame(
        {"race": rng.choice(["x", "y", "z"], n), "sex": rng.choice(["f", "m"], n)}
    )
    score = X["a"] + X["b"] + (groups["sex"] == "f") + rng.random(n) * 2
    return X, (score > 4).astype(int), groups


def gap(y, predicted, groups):
    """Return the largest difference of false negative rates, in fractions."""
    rates = []
    for name in np.unique(groups):
        inside = (groups == name) & (y == 1)
        rates.append(Fraction(int((predicted[inside] == 0).sum()), int(inside.sum())))
    return max(rates) - min(rates)


def fitted(groups="intersection", **asked):
    X, y, s = crowd()
    clf = FairRuleSetClassifier(
        **{"constraint": "equality_of_opportunity", "epsilon": 0.05, **asked},
        max_complexity=8,
        max_conditions=2,
        groups=groups,
    ).fit(X, y, sensitive_features=s)
    return clf, X, y.to_numpy(), s, np.asarray(clf.predict(X))


def test_a_fit_compares_each_attribute_alone():
    """Recounted by hand: each gap is within epsilon, and recorded by its name."""
    clf, _, y, s, predicted = fitted("marginal")
    for column in ("race", "sex"):
        found = gap(y, predicted, s[column].to_numpy())
        assert found <= Fraction(1, 20)
        title = f"false negative rate ({column})"
        assert clf.fairness_.gaps[title] == pytest.approx(float(found), abs=1e-12)
    assert set(clf.fairness_.groups) == {
        "race = x",
        "race = y",
        "race = z",
        "sex = f",
        "sex = m",
    }
    assert sum(c.total for c in clf.model_.groups.values()) == len(y)


def test_an_epsilon_for_each_attribute():
    """The stricter one binds where it was asked for."""
    clf, _, y, s, predicted = fitted({"race": 0.3, "sex": 0.0})
    assert gap(y, predicted, s["sex"].to_numpy()) == 0
    assert gap(y, predicted, s["race"].to_numpy()) <= Fraction(3, 10)
    assert set(clf.fairness_.allowed.values()) == {0.3, 0.0}
    with pytest.raises(ValueError, match="no single allowed gap"):
        fitted({"race": 0.3}, constraint="four_fifths", epsilon=None)


def test_a_fit_within_strata():
    """Races may differ between the sexes, but not within one."""
    clf, _, y, s, predicted = fitted(Grouping(within="sex"))
    for sex in ("f", "m"):
        here = (s["sex"] == sex).to_numpy()
        assert gap(y[here], predicted[here], s["race"].to_numpy()[here]) <= Fraction(
            1, 20
        )
    assert len(clf.fairness_.gaps) == 2


def test_a_model_file_knows_its_groups(tmp_path):
    """Evaluated from the file, groups are those of the fit: merged ones too."""
    asked = Grouping("marginal", min_group_size=75, small_groups="merge")
    clf, X, y, s, _ = fitted(asked)
    clf.model_.save(tmp_path / "model.json")
    model = RuleSetModel.load(tmp_path / "model.json")
    assert model == clf.model_
    people = People.read(X, y, sensitive_features=s, models=[model])
    counts = people.counts(model.accepts(people.table))
    part = part_result(
        "train",
        counts,
        model.criterion,
        families=people.groups.families,
        trained=model.group_names,
    )
    assert part.within
    assert part.overall.counts.total == len(y)
    assert [g.name for g in part.groups] == [*clf.fairness_.groups]
    assert any(g.name.startswith("other (") for g in part.groups)
    assert {g.title: float(g.value) for g in part.bounded} == {
        f"gap of the {title}": value for title, value in clf.fairness_.gaps.items()
    }
    page = render_report(report_of_model(model, X, y, sensitive_features=s))
    assert "false negative rate (race)" in page
    table = clf.rule_table(X, y, sensitive_features=s)
    assert {f"covered: {g.name}" for g in part.groups} <= set(table.columns)
    # Strangers and other attributes are told, or compared by themselves.
    other = s.assign(race="q")
    strangers = People.read(X, y, sensitive_features=other, models=[model])
    found = part_result(
        "new",
        strangers.counts(model.accepts(strangers.table)),
        model.criterion,
        families=strangers.groups.families,
        trained=model.group_names,
    )
    assert found.overall.counts.total == len(y)
    old = json.loads(model.to_json())
    del old["grouping"]
    assert RuleSetModel.from_json(json.dumps(old)).families == ()


def test_a_search_compares_the_same_groups():
    """Gaps of folds and of the frontier are those within each family."""
    X, y, s = crowd(n=400)
    search = FairRuleSetClassifierCV(
        FairRuleSetClassifier(
            constraint="equality_of_opportunity",
            max_conditions=1,
            groups="marginal",
            warm_start_rules=None,
        ),
        epsilons=(0.05, 1.0),
        complexities=(4,),
        cv=2,
    ).fit(X, y, sensitive_features=s)
    assert search.best_estimator_.model_.families == search.families_
    assert (search.cv_results_.query("epsilon < 1")["train_gap"] <= 0.05).all()
    points = FrontierDisplay.from_estimator(search).points
    kept = points[points["on_frontier"]]["pooled_gap"].tolist()
    assert kept == search.frontier_["pooled_gap"].tolist()


def test_a_search_without_a_gap_to_vary_has_one_epsilon():
    """Four fifths is no epsilon; the grid has complexities only."""
    X, y, s = crowd(n=200)
    search = FairRuleSetClassifierCV(
        FairRuleSetClassifier(
            constraint="four_fifths", max_conditions=1, warm_start_rules=None
        ),
        complexities=(2, 4),
        cv=2,
    ).fit(X, y, sensitive_features=s["sex"])
    assert set(search.cv_results_["epsilon"]) == {1.0}
    assert search.best_estimator_.fairness_.within_epsilon
    assert search.certificate_.constraint == "four_fifths"
    assert search.certificate_.epsilon is None


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 6))
def test_every_person_is_in_one_group_of_each_family(seed, n_columns, least):
    """Whatever is merged, families are partitions of everybody."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        rng.integers(0, 3, (20, n_columns)), columns=list("abc")[:n_columns]
    )
    asked = Grouping("marginal", min_group_size=least, small_groups="merge")
    try:
        groups = groups_of(frame, np.ones(20, dtype=np.int64), grouping=asked)
    except ValueError:
        assert least  # all were merged into one
        return
    for family in groups.families:
        parts = [part for inside in family.groups.values() for part in inside]
        assert sorted(parts) == sorted(groups.names)
        people = family.members(groups.names) @ np.bincount(groups.codes)
        assert (people >= least).all()
