import json
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faircg import Condition, Rule, RuleSet
from faircg.exceptions import ModelFormatError
from faircg.table import read_table

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers(-(10**6), 10**6) | st.floats(
    allow_nan=False, allow_infinity=False
)
CONDITIONS = (
    st.builds(Condition, TEXT, st.sampled_from(["<=", ">"]), NUMBERS)
    | st.builds(
        Condition,
        TEXT,
        st.sampled_from(["=", "!="]),
        TEXT | st.booleans() | NUMBERS,
    )
    | st.builds(Condition, TEXT, st.sampled_from(["is missing", "is present"]))
)
RULES = st.lists(CONDITIONS, min_size=1, max_size=3).map(lambda c: Rule(tuple(c)))
RULE_SETS = st.builds(RuleSet, st.lists(RULES, max_size=3).map(tuple), TEXT)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (("age", ">", 45.0), "age > 45"),
        (("age", "<=", 45), "age <= 45"),
        (("age", "<=", 0.1), "age <= 0.1"),
        (("age", "<=", -0.0), "age <= 0"),
        (("age", "<=", 1e20), "age <= 1e+20"),
        (("age", "<=", np.float64(3.5)), "age <= 3.5"),
        (("age", "<=", np.int64(3)), "age <= 3"),
        (("employed", "=", True), "employed"),
        (("employed", "=", False), "not employed"),
        (("employed", "!=", True), "not employed"),
        (("employed", "!=", False), "employed"),
        (("job", "=", "cook"), "job = cook"),
        (("job", "!=", "Other-service"), "job != Other-service"),
        (("income", "=", ">50K"), "income = >50K"),
        (("job", "=", "?"), "job = ?"),
        (("job", "=", "head of sales"), 'job = "head of sales"'),
        (("job", "=", ""), 'job = ""'),
        (("job", "=", "and"), 'job = "and"'),
        (("job", "=", "None"), 'job = "None"'),
        (("code", "=", "3"), 'code = "3"'),
        (("code", "=", 3), "code = 3"),
        (("code", "=", 3.0), "code = 3"),
        (("city", "=", "Zürich"), "city = Zürich"),
        (("job", "=", 'the "boss"'), 'job = "the \\"boss\\""'),
        (("age", "is missing"), "age is missing"),
        (("age", "is present"), "age is present"),
        (("days in jail", ">", 3), "days in jail > 3"),
    ],
)
def test_a_condition_prints_as_people_speak(condition, text):
    """I read the test as a sentence, with my own names and values."""
    assert str(Condition(*condition)) == text


@pytest.mark.parametrize(
    "character", ["\n", "\r", "\t", "\x00", "\x1b", "\x7f", "\x9b", "\u2028", "\u202e"]
)
def test_control_characters_never_reach_the_terminal(character):
    """A hostile name, value or label cannot garble or repaint my screen."""
    hostile = f"a{character}b"
    rule = Rule((Condition(hostile, "=", hostile),))
    printed = str(RuleSet((rule,), label=hostile))
    assert character not in printed.replace("\nPredict", "").split("if\n", 1)[1]
    assert printed.count("\n") == 1
    assert all(line.isprintable() for line in printed.splitlines())


def test_every_rule_set_prints_one_line_per_rule():
    """The shortest rules come first, joined by "or"."""
    long = Rule((Condition("priors", ">", 3), Condition("age", "<=", 45)))
    short = Rule((Condition("priors", ">", 20),))
    assert str(RuleSet((long, short), "reoffends")) == (
        "Predict reoffends if\n    priors > 20\n or age <= 45 and priors > 3"
    )


def test_the_empty_rule_set_says_that_it_predicts_nobody():
    """An empty OR is never true, and says so."""
    assert str(RuleSet((), "poor")) == "Never predict poor (the empty rule set)"


@given(RULE_SETS)
def test_any_rule_set_prints_printable_lines(rule_set):
    """Whatever my names and values are, printing works and stays on its lines."""
    lines = str(rule_set).splitlines()
    assert len(lines) == 1 + len(rule_set)
    assert all(line.isprintable() for line in lines)


def test_order_of_conditions_and_rules_does_not_matter():
    """The same rules in another order are the same rule set, with the same hash."""
    a, b = Condition("a", ">", 1), Condition("b", "=", "x")
    assert Rule((a, b)) == Rule((b, a, a))
    assert hash(Rule((a, b))) == hash(Rule((b, a)))
    one, two = Rule((a,)), Rule((b,))
    assert RuleSet((one, two)) == RuleSet((two, one, two))
    assert RuleSet((one,)) != RuleSet((one,), label="other")


def test_rules_are_immutable():
    """Nobody changes a model by accident."""
    condition = Condition("a", ">", 1)
    for value, name in (
        (condition, "value"),
        (Rule((condition,)), "conditions"),
        (RuleSet(()), "rules"),
    ):
        with pytest.raises(AttributeError):
            setattr(value, name, ())


def test_whole_and_decimal_thresholds_sort_by_size():
    """1.5 comes before 2, whether or not 2 was written with a point."""
    numbers = [3, 1.5, 2, 2.5, 1]
    conditions = sorted(Condition("a", "<=", n) for n in numbers)
    assert [c.value for c in conditions] == sorted(numbers)


@given(st.lists(CONDITIONS, max_size=6), st.randoms(use_true_random=False))
def test_conditions_of_any_kind_have_one_order(conditions, rng):
    """Sorting shuffled conditions always gives the same list."""
    shuffled = conditions.copy()
    rng.shuffle(shuffled)
    assert sorted(map(str, conditions)) == sorted(map(str, shuffled))
    assert [c.sort_key for c in sorted(conditions)] == [
        c.sort_key for c in sorted(shuffled)
    ]


def test_complexity_counts_rules_and_conditions():
    """A rule costs one, and one for each of its conditions."""
    a, b = Condition("a", ">", 1), Condition("b", "=", "x")
    assert Rule((a, b)).complexity == 3
    assert RuleSet((Rule((a, b)), Rule((a,)))).complexity == 5
    assert RuleSet(()).complexity == 0
    assert RuleSet((Rule((a, b)),)).features == ("a", "b")


@given(RULE_SETS)
def test_json_round_trip(rule_set):
    """Writing a rule set as JSON and reading it back changes nothing."""
    text = json.dumps(rule_set.to_dict(), allow_nan=False)
    again = RuleSet.from_dict(json.loads(text))
    assert again == rule_set
    assert str(again) == str(rule_set)
    assert json.dumps(again.to_dict()) == text


GOOD = {"feature": "a", "operator": "=", "value": "x"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "a rule set must have exactly the keys"),
        ([], "a rule set must have exactly the keys"),
        ({"rules": []}, "a rule set must have exactly the keys"),
        ({"label": "1", "rules": [], "code": "x"}, "exactly the keys"),
        ({"label": 1, "rules": []}, "label must be text"),
        ({"label": "1", "rules": {}}, "rules must be a list, not dict"),
        ({"label": "1", "rules": [{}]}, "a rule must be a list, not dict"),
        ({"label": "1", "rules": [[]]}, "a rule needs at least one condition"),
        ({"label": "1", "rules": [["a"]]}, "a condition must have exactly the keys"),
        ({"label": "1", "rules": [[{**GOOD, "x": 1}]]}, "exactly the keys"),
        ({"label": "1", "rules": [[{**GOOD, "feature": 1}]]}, "must be text"),
        ({"label": "1", "rules": [[{**GOOD, "operator": None}]]}, "must be text"),
        ({"label": "1", "rules": [[{**GOOD, "operator": "~"}]]}, "unknown operator"),
        ({"label": "1", "rules": [[{**GOOD, "value": [1]}]]}, "value cannot be"),
        ({"label": "1", "rules": [[{**GOOD, "value": None}]]}, "needs a text"),
        ({"label": "1", "rules": [[{**GOOD, "operator": "<="}]]}, "finite number"),
        (
            {"label": "1", "rules": [[{**GOOD, "operator": "is missing"}]]},
            "takes no value",
        ),
        (
            {"label": "1", "rules": [[{**GOOD, "operator": ">", "value": 10**400}]]},
            "finite number",
        ),
    ],
)
def test_malformed_json_is_refused(data, message):
    """What is not a rule set is never half-read."""
    with pytest.raises(ModelFormatError, match=message):
        RuleSet.from_dict(data)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", "<", 1), "unknown operator '<'"),
        (("a", "<=", "1"), "needs a finite number, not '1'"),
        (("a", "<=", True), "needs a finite number, not True"),
        (("a", ">", float("nan")), "needs a finite number, not nan"),
        (("a", ">", float("inf")), "needs a finite number, not inf"),
        (("a", "=", float("nan")), "boolean or a finite number, not nan"),
        (("a", "="), "boolean or a finite number, not None"),
        (("a", "=", ["x"]), "boolean or a finite number"),
        (("a", "is missing", 1), "takes no value"),
        ((3, ">", 1), "feature must be text, not 3"),
    ],
)
def test_a_nonsensical_condition_is_refused_at_once(arguments, message):
    """A condition that means nothing cannot be made."""
    with pytest.raises(ValueError, match=message):
        Condition(*arguments)


def test_a_rule_without_conditions_is_refused():
    """The research code's pricing could return a rule that covers everybody."""
    with pytest.raises(ValueError, match="at least one condition"):
        Rule(())


TABLE = read_table(
    pd.DataFrame(
        {
            "age": [30.0, 45.0, np.nan, 60.0],
            "job": ["cook", None, "nurse", "pilot"],
            "member": pd.array([True, False, None, True], dtype="boolean"),
        }
    )
)


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        (("age", "<=", 45), [1, 1, 0, 0]),
        (("age", ">", 45), [0, 0, 0, 1]),
        (("age", "is missing"), [0, 0, 1, 0]),
        (("age", "is present"), [1, 1, 0, 1]),
        (("job", "=", "cook"), [1, 0, 0, 0]),
        (("job", "!=", "cook"), [0, 0, 1, 1]),
        (("job", "=", "unheard of"), [0, 0, 0, 0]),
        (("job", "!=", "unheard of"), [1, 0, 1, 1]),
        (("job", "is missing"), [0, 1, 0, 0]),
        (("member", "=", True), [1, 0, 0, 1]),
        (("member", "=", False), [0, 1, 0, 0]),
        (("member", "!=", True), [0, 1, 0, 0]),
        (("member", "is present"), [1, 1, 0, 1]),
    ],
)
def test_a_missing_value_meets_no_comparison(condition, met):
    """Where the value is missing, both a test and its opposite are false."""
    condition = Condition(*condition)
    holds = condition.holds(TABLE[condition.feature])
    assert holds.dtype == bool
    assert holds.tolist() == list(map(bool, met))


def test_rules_are_ands_and_rule_sets_are_ors():
    """A rule needs all of its conditions, a rule set any of its rules."""
    old, cook = Condition("age", ">", 40), Condition("job", "=", "cook")
    member = Condition("member", "=", True)
    both = Rule((old, member))
    assert both.covers(TABLE).tolist() == [False, False, False, True]
    either = RuleSet((both, Rule((cook,))))
    assert either.covers(TABLE).tolist() == [True, False, False, True]
    assert RuleSet(()).covers(TABLE).tolist() == [False] * 4


def test_iterating_over_a_rule_set_gives_its_rules():
    """I can loop over the rules and count them."""
    rules = [Rule((Condition(name, ">", 1),)) for name in "cab"]
    random.Random(0).shuffle(rules)
    rule_set = RuleSet(tuple(rules))
    assert list(rule_set) == sorted(rules) == list(rule_set.rules)
    assert len(rule_set) == 3
