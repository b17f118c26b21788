"""The table of rules against naive loops over people."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faircg import Condition, FairRuleSetClassifier, Rule, RuleSet, RuleSetModel
from faircg.datasets import load_compas
from faircg.evaluate import rule_table
from faircg.exceptions import UnseenCategoryWarning
from faircg.model import Feature
from faircg.table import read_table

CONDITION = st.one_of(
    st.builds(
        Condition,
        st.just("age"),
        st.sampled_from(["<=", ">"]),
        st.integers(0, 3),
    ),
    st.builds(
        Condition,
        st.just("job"),
        st.sampled_from(["=", "!="]),
        st.sampled_from(["cook", "nurse"]),
    ),
    st.builds(Condition, st.just("age"), st.just("is missing")),
)
RULES = st.lists(
    st.builds(Rule, st.lists(CONDITION, min_size=1, max_size=2).map(tuple)), max_size=4
)
PERSON = st.fixed_dictionaries(
    {
        "age": st.one_of(st.none(), st.integers(0, 4)),
        "job": st.one_of(st.none(), st.sampled_from(["cook", "nurse", "pilot"])),
        "label": st.booleans(),
        "group": st.sampled_from(["a", "b"]),
    }
)


def meets(person, condition):
    value = person[condition.feature]
    if condition.operator == "is missing":
        return value is None
    if value is None:
        return False
    return {
        "<=": lambda: value <= condition.value,
        ">": lambda: value > condition.value,
        "=": lambda: value == condition.value,
        "!=": lambda: value != condition.value,
    }[condition.operator]()


def share(part, whole):
    return part / whole if whole else np.nan


@settings(max_examples=100, deadline=None, derandomize=True)
@given(RULES, st.lists(PERSON, max_size=8))
def test_counts_are_those_of_a_loop(rules, people):
    """Whoever counts by hand gets the same numbers."""
    model = RuleSetModel(
        RuleSet(tuple(rules)),
        (Feature("age", "numeric"), Feature("job", "category", ("cook", "nurse"))),
        (False, True),
    )
    frame = pd.DataFrame(
        {
            "age": pd.array([p["age"] for p in people], dtype="Int64"),
            "job": pd.array([p["job"] for p in people], dtype="string"),
        }
    )
    groups = [p["group"] for p in people]
    labels = np.array([p["label"] for p in people], dtype=bool)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        table = rule_table(model, frame, labels, sensitive_features=groups, totals=True)
    ordered = model.rule_set.rules

    def covering(person):
        return [r for r in ordered if all(meets(person, c) for c in r.conditions)]

    expected = []
    for rule in [*ordered, None]:
        inside = [p for p in people if (rule in covering(p) if rule else covering(p))]
        hits = sum(p["label"] for p in inside)
        line = {
            "rule": str(rule) if rule else "any rule",
            "conditions": sum(len(r.conditions) for r in ordered if rule in (r, None)),
            "covered": len(inside),
            "covered_share": share(len(inside), len(people)),
            "only_this_rule": sum(len(covering(p)) == 1 for p in inside),
            "newly_covered": sum(rule in (covering(p)[0], None) for p in inside),
            "covered_positives": hits,
            "precision": share(hits, len(inside)),
        }
        for group in sorted(set(groups)):
            count = sum(p["group"] == group for p in inside)
            line[f"covered: {group}"] = count
            line[f"covered_share: {group}"] = count / groups.count(group)
        expected.append(line)
    pd.testing.assert_frame_equal(table, pd.DataFrame(expected))


RULE_SET = RuleSet(
    (Rule((Condition("age", ">", 40),)), Rule((Condition("job", "=", "cook"),))),
    label="yes",
)
PEOPLE = pd.DataFrame(
    {
        "age": [50, 30, 20],
        "job": ["cook", "cook", "nurse"],
        "day": pd.to_datetime(["2020-01-01"] * 3),
    }
)


def test_a_bare_rule_set():
    """Rules without a model count too, and other columns may hold anything."""
    table = rule_table(RULE_SET, PEOPLE, ["yes", "no", "yes"])
    assert table["covered"].tolist() == [1, 2]
    assert table["precision"].tolist() == [1.0, 0.5]
    by_truth = rule_table(RULE_SET, PEOPLE, [True, False, True])
    pd.testing.assert_frame_equal(table, by_truth)
    polars = rule_table(RULE_SET, pl.from_pandas(PEOPLE), ["yes", "no", "yes"])
    pd.testing.assert_frame_equal(table, polars)
    read = read_table(PEOPLE[["age", "job"]])
    pd.testing.assert_frame_equal(
        table, rule_table(RULE_SET, read, ["yes", "no", "yes"])
    )


def test_columns_follow_the_question():
    """Without labels no precision, without groups no groups."""
    table = rule_table(RULE_SET, PEOPLE)
    assert table.columns.tolist() == [
        "rule",
        "conditions",
        "covered",
        "covered_share",
        "only_this_rule",
        "newly_covered",
    ]
    grouped = rule_table(RULE_SET, PEOPLE, sensitive_features=["x", "y", "x"])
    assert grouped.columns.tolist()[6:] == [
        "covered: x",
        "covered_share: x",
        "covered: y",
        "covered_share: y",
    ]
    none = rule_table(RuleSet(()), PEOPLE, totals=True)
    assert none[["rule", "covered"]].to_numpy().tolist() == [["any rule", 0]]
    assert len(rule_table(RuleSet(()), PEOPLE)) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": ["yes", "no"]}, r"X has 3 rows and y has 2 labels"),
        ({"y": ["ja", "nein", "ja"]}, "y has no label 'yes'.*'ja'"),
        ({"sensitive_features": ["a", "b"]}, "3 rows and sensitive_features has 2"),
        ({"sensitive_features": ["a", None, "b"]}, "1 missing values"),
    ],
)
def test_bad_input_is_refused(options, message):
    """The error names what was found."""
    with pytest.raises(ValueError, match=message):
        rule_table(RULE_SET, PEOPLE, **options)


def test_what_the_rules_test_must_be_there():
    """A missing column, or a label that the model does not know, is an error."""
    with pytest.raises(ValueError, match=r"lacks features that rules test: \['age'\]"):
        rule_table(RULE_SET, PEOPLE.drop(columns="age"))
    model = RuleSetModel(
        RULE_SET,
        (Feature("age", "numeric"), Feature("job", "category", ("cook", "nurse"))),
        ("no", "yes"),
    )
    with pytest.raises(ValueError, match=r"label 'maybe' .*the model knows 'no' and"):
        rule_table(model, PEOPLE, ["no", "yes", "maybe"])
    assert rule_table(model, PEOPLE, ["no"] * 3)["precision"].tolist() == [0, 0]
    with pytest.raises(ValueError, match="never seen"):
        rule_table(model, PEOPLE.assign(job="pilot"), strict=True)


def test_the_classifier_counts_what_it_predicts():
    """The totals are the confusion counts that fit recounted, group by group."""
    data = load_compas()
    clf = FairRuleSetClassifier(
        constraint="equality_of_opportunity",
        max_complexity=6,
        max_conditions=2,
        pricing="greedy",
    )
    clf.fit(data.X, data.y, sensitive_features=data.sensitive_features)
    table = clf.rule_table(
        data.X, data.y, sensitive_features=data.sensitive_features, totals=True
    )
    total = table.iloc[-1]
    counts = clf.fairness_.groups
    assert table["rule"].tolist()[:-1] == [str(rule) for rule in clf.rule_set_]
    assert total["covered"] == clf.predict(data.X).sum()
    assert total["covered_positives"] == sum(c.true_positives for c in counts.values())
    for name, c in counts.items():
        assert total[f"covered: {name}"] == c.true_positives + c.false_positives
        assert total[f"covered_share: {name}"] == c.selection_rate
