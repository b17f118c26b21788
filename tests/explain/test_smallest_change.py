"""The smallest change against brute force: every combination of values is tried."""

import itertools
import math
import random
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from faircg import Condition, Rule, RuleSet, RuleSetModel
from faircg.exceptions import UnseenCategoryWarning
from faircg.explain import NumericRange, explain
from faircg.model import Feature

SOME = settings(max_examples=80, deadline=None, derandomize=True)
KNOWN = ("clerk", "cook", "nurse")
FEATURES = (
    Feature("priors", "numeric"),
    Feature("rate", "numeric"),
    Feature("job", "category", KNOWN),
    Feature("member", "boolean"),
)
RANGES = {
    "priors": NumericRange(0, 8, whole=True),
    "rate": NumericRange(0.0, 0.5, whole=False),
}
PRESENCE = st.sampled_from(["is missing", "is present"])
CONDITION = st.one_of(
    st.builds(
        Condition,
        st.just("priors"),
        st.sampled_from(["<=", ">"]),
        st.sampled_from([0, 2, 2.3, 2.7, 3, 5.0]),
    ),
    st.builds(
        Condition,
        st.just("rate"),
        st.sampled_from(["<=", ">"]),
        st.sampled_from([0.0, 0.1, 0.25]),
    ),
    st.builds(
        Condition,
        st.just("job"),
        st.sampled_from(["=", "!="]),
        st.sampled_from(KNOWN),
    ),
    st.builds(
        Condition, st.just("member"), st.sampled_from(["=", "!="]), st.booleans()
    ),
    st.builds(Condition, st.sampled_from([f.name for f in FEATURES]), PRESENCE),
)
RULES = st.builds(
    RuleSet,
    st.lists(
        st.builds(Rule, st.lists(CONDITION, min_size=1, max_size=3).map(tuple)),
        max_size=5,
    ).map(tuple),
    rules_for=st.sampled_from(["positive", "negative"]),
)
PERSON = st.fixed_dictionaries(
    {
        "priors": st.one_of(st.none(), st.integers(0, 7)),
        "rate": st.one_of(st.none(), st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.5])),
        "job": st.one_of(st.none(), st.sampled_from([*KNOWN, "pilot"])),
        "member": st.one_of(st.none(), st.booleans()),
    }
)
IMMUTABLE = st.sets(st.sampled_from([f.name for f in FEATURES]), max_size=2)


def frame_of(people):
    """Return people as a frame whose types do not depend on who is there."""
    types = {
        "priors": "Int64",
        "rate": "Float64",
        "job": "string",
        "member": "boolean",
    }
    return pd.DataFrame(
        {
            name: pd.array([p[name] for p in people], dtype=dtype)
            for name, dtype in types.items()
        }
    )


def model_of(rules):
    return RuleSetModel(rules, FEATURES, ("no", "yes"))


def meets(person, condition):
    """Say in plain Python whether a person meets a condition."""
    value = person[condition.feature]
    match condition.operator:
        case "is missing":
            return value is None
        case "is present":
            return value is not None
        case _ if value is None:
            return False
        case "<=":
            return value <= condition.value
        case ">":
            return value > condition.value
        case "=":
            return value == condition.value
        case "!=":
            return value != condition.value


def decide(person, rules):
    covered = any(all(meets(person, c) for c in rule.conditions) for rule in rules)
    return covered != (rules.rules_for == "negative")


def domain(name, person):
    """Every value worth trying, by a way of its own: no cells."""
    match name:
        case "priors":
            values = list(range(-1, 10))
        case "rate":
            cuts = [0.0, 0.1, 0.25]
            values = [*cuts, *(math.nextafter(c, 1) for c in cuts)]
        case "job":
            values = list(KNOWN)
        case _:
            values = [False, True]
    return values if person[name] in values else [*values, person[name]]


def cost(name, before, after):
    if before == after:
        return 0.0
    if before is None or after is None or name in ("job", "member"):
        return 1.0
    return abs(after - before) / RANGES[name].scale


def brute_force(person, rules, immutable, allow_missing):
    """Return number of features and cost of the smallest flip, or None."""
    axes = []
    for name in person:
        values = [person[name]] if name in immutable else domain(name, person)
        if allow_missing and name not in immutable:
            values = {*values, None}
        axes.append(list(values))
    before = decide(person, rules)
    best = None
    for combination in itertools.product(*axes):
        other = dict(zip(person, combination, strict=True))
        if decide(other, rules) != before:
            changed = [n for n in person if other[n] != person[n]]
            # fsum, as sums in another order differ in the last digit
            total = math.fsum(cost(n, person[n], other[n]) for n in changed)
            best = min(best or (9, 0.0), (len(changed), total))
    return best


def explained(people, rules, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        return explain(model_of(rules), frame_of(people), direction="both", **options)


def random_problem(seed):
    """Return crowded rules and a person without awkward values."""
    rng = random.Random(seed)

    def condition(name):
        match name:
            case "priors":
                return Condition(name, rng.choice(["<=", ">"]), rng.randint(0, 6))
            case "rate":
                cut = rng.choice([0.0, 0.1, 0.25])
                return Condition(name, rng.choice(["<=", ">"]), cut)
            case "job":
                return Condition(name, rng.choice(["=", "!="]), rng.choice(KNOWN))
            case _:
                return Condition(name, "=", rng.random() < 0.5)

    names = ["priors", "priors", "rate", "rate", "job", "member"]
    rules = [
        Rule(tuple(condition(n) for n in rng.sample(names, rng.randint(1, 3))))
        for _ in range(rng.randint(2, 8))
    ]
    person = {
        "priors": rng.randint(0, 8),
        "rate": rng.choice([0.0, 0.05, 0.15, 0.3, 0.5]),
        "job": rng.choice(KNOWN),
        "member": rng.random() < 0.5,
    }
    return RuleSet(tuple(rules)), person


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_the_change_is_the_smallest_among_many_rules(start):
    """Rules that cross each other in many ways do not lead the search astray."""
    for seed in range(start, start + 100):
        rules, person = random_problem(seed)
        (explanation,) = explained([person], rules, ranges=RANGES)
        best = brute_force(person, rules, (), allow_missing=False)
        size = None if explanation.change is None else explanation.change.size
        assert size == (None if best is None else pytest.approx(best)), seed


def test_a_feature_may_leave_one_rule_and_stay_inside_another():
    """The rate leaves the first rule and runs into the second; priors leave that."""
    rules = RuleSet(
        (
            Rule((Condition("priors", ">", 0), Condition("rate", ">", 0.1))),
            Rule((Condition("priors", ">", 3), Condition("rate", "<=", 0.1))),
            Rule((Condition("priors", "<=", 0),)),
        )
    )
    person = {"priors": 5, "rate": 0.2, "job": "cook", "member": True}
    (explanation,) = explained([person], rules, ranges=RANGES)
    assert str(explanation.change) == (
        "priors more than 0 and at most 3 instead of 5; rate at most 0.1 instead of 0.2"
    )


def changed(person, change):
    return {**person, **{c.feature: c.after for c in change.features}}


@SOME
@given(RULES, st.lists(PERSON, min_size=1, max_size=3), IMMUTABLE, st.booleans())
def test_the_change_is_the_smallest(rules, people, immutable, allow_missing):
    """No combination of values flips with fewer features, or as few and cheaper."""
    found = explained(
        people,
        rules,
        ranges=RANGES,
        immutable=immutable,
        allow_missing=allow_missing,
    )
    for person, explanation in zip(people, found, strict=True):
        best = brute_force(person, rules, immutable, allow_missing)
        if best is None:
            assert explanation.change is None
            assert explanation.change_status == "impossible"
        else:
            assert explanation.change_status == "found"
            assert explanation.change.size == pytest.approx(best)


@SOME
@given(RULES, st.lists(PERSON, min_size=1, max_size=4), IMMUTABLE, st.booleans())
def test_every_change_flips_the_prediction(rules, people, immutable, allow_missing):
    """I make the change, I predict again, and the other label comes out."""
    model = model_of(rules)
    found = explained(
        people, rules, immutable=immutable, allow_missing=allow_missing, n_closest=9
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        predictions = model.predict(frame_of(people))
        assert [e.decision for e in found] == predictions.tolist()
        for person, e in zip(people, found, strict=True):
            for change in [e.change, *(near.change for near in e.closest)]:
                if change is None:
                    continue
                assert not immutable & {c.feature for c in change.features}
                assert all(c.before == person[c.feature] for c in change.features)
                assert all(c.before != c.after for c in change.features)
                after = model.predict(frame_of([changed(person, change)]))
                assert after.tolist() == [e.other]
                if not allow_missing:
                    assert None not in [c.after for c in change.features]


def is_wanted(value, words):
    """Read the words again, and say whether this is a value that they name."""
    if words in ("any number", "any category"):
        return value is not None
    if words == "missing" or value is None:
        return words == "missing" and value is None
    if match := re.fullmatch(r"other than (.*)", words):
        return value not in match[1].split(" or ")
    if re.match("exactly|more than|at most", words):
        return all(
            {
                "exactly": value == float(number),
                "more than": value > float(number),
                "at most": value <= float(number),
            }[comparison]
            for comparison, number in re.findall(
                r"(exactly|more than|at most) ([-.e\d]+)", words
            )
        )
    named = [{"true": True, "false": False}.get(w, w) for w in words.split(" or ")]
    return value in named


@SOME
@given(RULES, PERSON, st.booleans())
def test_all_values_wanted_flip_together(rules, person, allow_missing):
    """Every number above 5 is "more than 5" enough, whatever the others do."""
    (explanation,) = explained(
        [person], rules, ranges=RANGES, allow_missing=allow_missing
    )
    if explanation.change is None:
        return
    axes = []
    for change in explanation.change.features:
        assert is_wanted(change.after, change.wanted), change
        values = {*domain(change.feature, person), None}
        axes.append([v for v in values if is_wanted(v, change.wanted)])
    names = [change.feature for change in explanation.change.features]
    for combination in itertools.product(*axes):
        other = {**person, **dict(zip(names, combination, strict=True))}
        assert decide(other, rules) != explanation.is_positive


@SOME
@given(RULES, st.lists(PERSON, min_size=1, max_size=4))
def test_fired_and_failed_are_what_the_rules_say(rules, people):
    """Rules that fired cover the row; conditions that failed are not met, in order."""
    found = explained(people, rules, n_closest=99)
    for person, e in zip(people, found, strict=True):
        covering = [
            rule for rule in rules if all(meets(person, c) for c in rule.conditions)
        ]
        assert list(e.fired) == covering
        assert e.is_positive == decide(person, rules)
        assert dict(e.values) == {n: person[n] for n in e.values}
        if covering:
            assert e.closest == ()
            continue
        assert sorted(n.rule for n in e.closest) == list(rules)
        for near in e.closest:
            failed = [c for c in near.rule.conditions if not meets(person, c)]
            assert [f.condition for f in near.failed] == failed
            assert all(f.value == person[f.condition.feature] for f in near.failed)
        sizes = [
            (len(n.failed), n.change.size if n.change else (99, 0.0)) for n in e.closest
        ]
        assert sizes == sorted(sizes)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.integers(-(2**62), 2**62),
    st.integers(-(2**62), 2**62),
    st.sampled_from(["<=", ">"]),
)
@example(2**53, 2**53, ">")
@example(2**53 + 1, 2**53 + 1, ">")
@example(-(2**60), -(2**60), ">")
@example(2**53 - 1, 2**53 - 1, ">")
def test_numbers_beyond_two_to_the_53(value, cut, operator):
    """One more than a huge number is the same float: the change goes far enough."""
    model = RuleSetModel(
        RuleSet((Rule((Condition("n", operator, cut),)),)),
        (Feature("n", "numeric"),),
        (0, 1),
    )
    people = pd.DataFrame({"n": np.array([value], dtype=np.int64)})
    (e,) = explain(model, people, direction="both")
    (change,) = e.change.features
    assert type(change.after) is int
    before, after = model.predict(people), change.after
    assert model.predict(pd.DataFrame({"n": [after]})) != before
    towards = math.inf if after < value else -math.inf
    nearer = math.nextafter(float(after), towards)
    nearer = int(nearer) if abs(after) > 2**53 else after + (1 if after < value else -1)
    assert model.predict(pd.DataFrame({"n": [nearer]})) == before


def one(rules, person, **options):
    (explanation,) = explained([person], RuleSet(tuple(rules)), **options)
    return explanation


SOMEBODY = {"priors": 3, "rate": 0.2, "job": "cook", "member": True}


def test_a_number_goes_just_beyond_the_cut_point():
    """More than 5 is 6 for whole numbers, else the next float; at most is the cut."""
    up = one([Rule((Condition("priors", ">", 5),))], SOMEBODY).change.features[0]
    assert (up.before, up.after, up.wanted) == (3, 6, "more than 5")
    assert str(up) == "priors more than 5, such as 6, instead of 3"
    rate = one([Rule((Condition("rate", ">", 0.25),))], SOMEBODY).change.features[0]
    assert rate.after == math.nextafter(0.25, 1)
    assert str(rate) == "rate more than 0.25 instead of 0.2"
    down = one([Rule((Condition("priors", "<=", 2.3),))], SOMEBODY).change.features[0]
    assert (down.after, str(down)) == (2, "priors at most 2.3, such as 2, instead of 3")


def test_several_conditions_on_a_feature_hold_together():
    """Between 2.3 and 2.7 there is no whole number, but there are others."""
    between = (Condition("priors", ">", 3.5), Condition("priors", "<=", 5))
    change = one([Rule(between)], SOMEBODY).change.features[0]
    assert (change.after, change.wanted) == (4, "more than 3.5 and at most 5")
    nowhere = (Condition("priors", ">", 2.3), Condition("priors", "<=", 2.7))
    assert one([Rule(nowhere)], SOMEBODY).change_status == "impossible"
    real = {"priors": NumericRange(0, 8, whole=False)}
    change = one([Rule(nowhere)], SOMEBODY, ranges=real).change.features[0]
    assert change.after == 2.7
    exact = (Condition("priors", ">", 4), Condition("priors", "<=", 5))
    change = one([Rule(exact)], SOMEBODY).change.features[0]
    assert str(change) == "priors exactly 5 instead of 3"


def test_fewer_features_come_before_lower_cost():
    """One far change is smaller than two near ones."""
    near = Rule((Condition("priors", ">", 3), Condition("rate", ">", 0.2001)))
    far = Rule((Condition("priors", ">", 1000),))
    assert one([near, far], SOMEBODY).change.features[0].after == 1001


def test_the_range_is_the_unit_of_cost():
    """What is near depends on how far people lie apart."""
    rules = [Rule((Condition("priors", ">", 5),)), Rule((Condition("rate", ">", 0.9),))]
    wide = {"priors": NumericRange(0, 1000, True), "rate": NumericRange(0, 1, False)}
    change = one(rules, SOMEBODY, ranges=wide).change
    assert change.features[0].feature == "priors"
    assert change.cost == pytest.approx(0.003)
    narrow = {**wide, "priors": NumericRange(0, 3, True)}
    change = one(rules, SOMEBODY, ranges=narrow).change
    assert change.features[0].feature == "rate"
    same = NumericRange(4, 4, whole=True)
    assert same.scale == 1.0
    # Without ranges the largest cut point is the unit.
    assert one(rules[:1], SOMEBODY).change.cost == pytest.approx(3 / 5)


def test_an_unseen_category_is_never_suggested():
    """Only pilots are neither, and the model has never met one."""
    rule = Rule(tuple(Condition("job", "!=", value) for value in KNOWN))
    assert one([rule], SOMEBODY).change_status == "impossible"
    pilot = {**SOMEBODY, "job": "pilot"}
    away = one([rule], pilot).change.features[0]
    assert away.after in KNOWN
    is_clerk = one([Rule((Condition("job", "=", "clerk"),))], pilot)
    assert str(is_clerk.closest[0].failed[0]) == (
        "job = clerk fails (job = pilot, never seen in training)"
    )


def test_equality_with_a_number_is_refused():
    """Numbers are compared with cut points; a model with other rules is none."""
    for condition in (Condition("priors", "=", 5), Condition("rate", "!=", 0.2)):
        with pytest.raises(ValueError, match="does not fit a numeric feature"):
            one([Rule((condition,))], SOMEBODY)


def test_nothing_lies_beyond_the_largest_float():
    """No number is larger than the largest, so no change is suggested."""
    largest = float(np.finfo(float).max)
    assert one([Rule((Condition("rate", ">", largest),))], SOMEBODY).change is None
    far = one(
        [Rule((Condition("rate", "<=", -largest),))], {**SOMEBODY, "rate": largest}
    )
    assert far.change.features[0].after == -largest
    assert far.change.cost == math.inf
    assert far.to_dict()["change"]["cost"] is None


def test_many_rules_are_left_at_once():
    """Twelve rules over the same features: the search for a way out stays small."""
    rules = [
        Rule(
            (
                Condition("priors", ">", a),
                Condition("rate", ">", b),
                Condition("job", "!=", job),
            )
        )
        for a in (0, 2)
        for b in (0.0, 0.1)
        for job in KNOWN
    ]
    explanation = one(rules, SOMEBODY, immutable=["priors"])
    assert len(explanation.fired) == 8
    assert str(explanation.change) == "rate at most 0 instead of 0.2"
