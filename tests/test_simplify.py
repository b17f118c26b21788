"""Simpler rule sets decide everything as the ones they come from."""

import itertools
import random

import pandas as pd
import pytest

from export.random_models import as_frame, random_columns, random_model
from faircg.rules import Condition, Rule, RuleSet
from faircg.simplify import simplified
from faircg.table import read_table

KINDS = {"age": "numeric", "job": "category", "member": "boolean"}
POSSIBLE = {
    "age": [None, 10.0, 20.0, 25.0, 30.0, 31.0],
    "job": [None, "cook", "nurse", "never seen"],
    "member": [None, True, False],
}
CONDITIONS = [
    *(Condition("age", sign, cut) for sign in ("<=", ">") for cut in (10, 20, 30)),
    *(Condition("job", sign, v) for sign in ("=", "!=") for v in ("cook", "nurse")),
    *(Condition("member", "=", value) for value in (True, False)),
    *(
        Condition(name, f"is {what}")
        for name in KINDS
        for what in ("missing", "present")
    ),
]


def everybody():
    """Return a row for each combination of values that some rule could tell apart."""
    rows = list(itertools.product(*POSSIBLE.values()))
    frame = pd.DataFrame(rows, columns=list(POSSIBLE))
    return read_table(
        frame.astype({"age": float, "job": object, "member": "boolean"}), kinds=KINDS
    )


def rules(*texts):
    """Read rules such as ``"age<=30 & job=cook"``."""
    known = {str(c).replace(" ", ""): c for c in CONDITIONS}
    return RuleSet(tuple(Rule(tuple(known[t] for t in r.split("&"))) for r in texts))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["age<=30", "age>30"], ["ageispresent"]),
        (["age<=30&member", "age>30&member"], ["ageispresent&member"]),
        (["age<=20", "age<=30"], ["age<=30"]),
        (["age<=20&age<=30"], ["age<=20"]),
        (["age<=30&ageispresent"], ["age<=30"]),
        (["age<=10", "age>10&age<=30"], ["age<=30"]),
        (["job=cook", "job!=cook"], ["jobispresent"]),
        (["member", "notmember"], ["memberispresent"]),
        (["job=cook&job!=nurse"], ["job=cook"]),
        (["job=cook&job=nurse", "member"], ["member"]),
        (
            ["age<=30", "age>30&member", "ageismissing"],
            ["member", "age<=30", "ageismissing"],
        ),
        # A missing age meets neither, so that nothing may be left out of these.
        (["age<=30", "age>30&member"], ["age<=30", "age>30&member"]),
        (["job=cook", "job=nurse"], ["job=cook", "job=nurse"]),
    ],
)
def test_what_changes_no_decision_is_left_out(given, expected):
    """The rules ``a <= 30 or a > 30`` were shown as two rules that say something."""
    assert simplified(rules(*given), KINDS) == rules(*expected)


@pytest.mark.parametrize("seed", range(60))
def test_nothing_is_left_to_leave_out(seed):
    """All people there could be: the same decisions, and each condition is needed."""
    rng = random.Random(seed)
    given = RuleSet(
        tuple(
            Rule(tuple(rng.sample(CONDITIONS, rng.randint(1, 3))))
            for _ in range(rng.randint(1, 5))
        ),
        rules_for=rng.choice(["positive", "negative"]),
    )
    found, people = simplified(given, KINDS), everybody()
    decided = given.accepts(people)
    assert (found.accepts(people) == decided).all()
    assert found.complexity <= given.complexity
    assert max((r.complexity for r in found), default=0) <= max(
        r.complexity for r in given
    )
    for rule in found:
        others = set(found.rules) - {rule}
        shorter = [tuple(set(rule.conditions) - {c}) for c in rule.conditions]
        for kept in [[], *([Rule(s)] for s in shorter if s)]:
            changed = RuleSet((*others, *kept), rules_for=given.rules_for)
            assert (changed.accepts(people) != decided).any(), (found, changed)


@pytest.mark.parametrize("seed", range(25))
def test_awkward_values_are_decided_alike(seed):
    """Numbers next to a cut point, missing values, categories never seen."""
    rng = random.Random(seed)
    model, columns = random_model(rng)
    rows = as_frame(columns, random_columns(model, columns, rng, 200))
    table = read_table(rows, kinds=model.kinds)
    found = simplified(model.rule_set, model.kinds)
    assert (found.accepts(table) == model.rule_set.accepts(table)).all()
    assert found.complexity <= model.rule_set.complexity


def test_rules_that_would_take_long_are_kept():
    """Forty rules of three features each have more pieces than anybody waits for."""
    rng = random.Random(1)
    names = [f"x{j}" for j in range(30)]
    many = RuleSet(
        tuple(
            Rule(
                tuple(
                    Condition(n, rng.choice(["<=", ">"]), 0.5)
                    for n in rng.sample(names, 3)
                )
            )
            for _ in range(40)
        )
    )
    assert (
        simplified(many, dict.fromkeys(names, "numeric")).complexity <= many.complexity
    )
