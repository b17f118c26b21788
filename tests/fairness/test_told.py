"""Criteria, what is recorded of them and what is told: whole sentences, by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isnan, nan

import pytest

from faircg.exceptions import ModelFormatError
from faircg.fairness import (
    AccuracyParity,
    DemographicParity,
    Difference,
    EqualityOfOpportunity,
    EqualizedOdds,
    Floor,
    Linear,
    Mirrored,
    PrecisionFloor,
    Rate,
    Ratio,
)
from faircg.fairness.constraint import (
    criterion_at,
    criterion_by_name,
    criterion_of,
    takes_epsilon,
    with_epsilon,
)
from faircg.fairness.criterion import Together, changed_epsilon, compares
from faircg.fairness.loosened import Loosened
from faircg.fairness.metrics import Fairness, GroupCounts
from faircg.fairness.recorded import (
    RecordedCriterion,
    rates_from_json,
    rates_to_json,
)

THIRD, FIFTH = Fraction(1, 3), Fraction(1, 5)


def test_criteria_with_easier_limits_keep_name_and_epsilon():
    easier = Loosened(AccuracyParity(0.05) & PrecisionFloor(0.7), Fraction(1, 10))
    assert (easier.name, easier.epsilon) == (
        "accuracy_parity & precision_floor=0.7",
        0.05,
    )
    assert [rate.bound for rate in easier.rates()] == [
        Difference(Fraction(3, 20)),
        Floor(Fraction(3, 5)),
    ]
    wider = easier.with_epsilon(0.2)
    assert [rate.bound.limit for rate in wider.rates()] == [
        Fraction(3, 10),
        Fraction(3, 5),
    ]
    sums = Linear("two to one", {"true_positives": 2, "false_positives": -1}, 0.5)
    own = RecordedCriterion("mine", None, (sums,))
    assert Loosened(own, FIFTH).rates() == (sums,)


def test_the_other_label_keeps_the_limits():
    mirrored = Mirrored(EqualizedOdds(0.05, epsilon_negatives=0.1))
    assert mirrored.epsilon == 0.05
    wider = mirrored.with_epsilon(0.2)
    assert isinstance(wider, Mirrored)
    assert wider.criterion == EqualizedOdds(0.2, epsilon_negatives=0.1)
    sums = Linear("two to one", {"true_positives": 2, "false_positives": -1}, 0.5)
    weights = {"true_negatives": 2, "false_negatives": -1}
    assert sums.mirrored() == Linear("two to one", weights, 0.5)
    assert sums.mirrored().mirrored() == sums


def test_another_epsilon_changes_the_gaps_that_had_it():
    """A limit of its own stays, as do floors and sums."""
    counted, among = ("false_negatives",), ("positives",)
    sums = Linear("sum", {"true_positives": 1})
    rates = (
        Rate("a", counted, among, Difference(0.1)),
        Rate("b", counted, among, Difference(Fraction(1, 10))),
        Rate("c", counted, among, Difference(0.3)),
        Rate("d", counted, among, Floor(0.1)),
        sums,
    )
    recorded = RecordedCriterion("mine", 0.1, rates)
    assert recorded.rates() == rates
    wider = recorded.with_epsilon(Fraction(1, 4))
    assert (wider.name, wider.epsilon) == ("mine", 0.25)
    limits = [rate.bound.limit for rate in wider.rates()]
    assert limits == [0.25, 0.25, 0.3, 0.1, 0]
    assert wider.rates()[4] is sums
    none = RecordedCriterion("mine", None, rates).with_epsilon(0.5)
    assert none.rates() == rates
    assert none.epsilon == 0.5


def test_rates_as_plain_values_and_back():
    rate = Rate("a rate", ("true_positives",), ("positives",), Ratio(Fraction(4, 5)))
    sums = Linear("sum", {"true_positives": Fraction(1, 2), "false_positives": -1}, 3)
    plain = [
        {
            "name": "a rate",
            "counted": ["true_positives"],
            "among": ["positives"],
            "bound": "ratio",
            "limit": 0.8,
        },
        {
            "name": "sum",
            "weights": {"true_positives": 0.5, "false_positives": -1.0},
            "at_least": 3.0,
        },
    ]
    assert rates_to_json([rate, sums]) == plain
    weight = plain[1]["weights"]["false_positives"]
    assert type(weight) is type(plain[1]["at_least"]) is float
    assert rates_from_json(plain) == (replace(rate, bound=Ratio(0.8)), sums)
    assert rates_to_json([]) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"name": 3},
        {"at_least": None},
        {"at_least": True},
        {"at_least": inf},
        {"weights": {"true_positives": "1"}},
        {"weights": {"true_positives": nan}},
    ],
)
def test_a_sum_that_is_none_is_refused(changes):
    good = {"name": "sum", "weights": {"true_positives": 1}, "at_least": 0}
    assert rates_from_json([good]) == (Linear("sum", {"true_positives": 1}, 0),)
    words = (
        r"^a linear condition has a name, numbers for some of \['true_positives', "
        r"'false_negatives', 'false_positives', 'true_negatives'\], and a number that "
        r"their sum is at least$"
    )
    with pytest.raises(ModelFormatError, match=words):
        rates_from_json([{**good, **changes}])
    with pytest.raises(ModelFormatError, match="weights"):
        rates_from_json([{**good, "weights": [1]}])
    with pytest.raises(ModelFormatError, match="linear condition"):
        rates_from_json([{**good, "more": 1}])


def test_strange_rates_say_what_they_are():
    rate = {
        "name": "a",
        "counted": ["true_positives"],
        "among": ["positives"],
        "bound": "wish",
        "limit": 0.5,
    }
    with pytest.raises(
        ModelFormatError, match=r"^a rate cannot have the bound 'wish'$"
    ):
        rates_from_json([rate])
    with pytest.raises(ModelFormatError, match="a model's rates"):
        rates_from_json("rates")
    with pytest.raises(ModelFormatError, match="a rate"):
        rates_from_json([3])


@pytest.fixture
def told() -> Fairness:
    groups = {
        "a": GroupCounts(6, 2, 1, 9),
        "b": GroupCounts(3_000, 1_000, 0, 0),
        "c": GroupCounts(0, 0, 5, 0),
    }
    return Fairness(
        groups,
        {"false negative rate": 0.25, "ratio of the b": 0.5, "lowest c": 0.125},
        {"false negative rate": 0.05, "ratio of the b": 0.8},
        0.25,
        False,
        {"ratio of the b": "ratio", "lowest c": "floor"},
    )


def test_counts_and_gaps_are_told_line_by_line(told):
    assert str(told).splitlines() == [
        "a: 2 of 8 positives missed (25.0%), 1 of 10 negatives selected (10.0%)",
        "b: 1,000 of 4,000 positives missed (25.0%), no negatives",
        "c: no positives, 5 of 5 negatives selected (100.0%)",
        "gap of the false negative rate: 0.2500, allowed 0.05",
        "ratio of the b: 0.5000, at least 0.8",
        "lowest c: 0.1250",
    ]


def test_counts_and_gaps_as_a_table(told):
    page = told._repr_html_()
    cells = [cell.split("</")[0] for cell in page.split("<td>")[1:]]
    assert cells == [
        *("18", "25.0 %", "10.0 %", "38.9 %"),
        *("4,000", "25.0 %", "-", "75.0 %"),
        *("5", "-", "100.0 %", "100.0 %"),
    ]
    heads = [head.split("</")[0] for head in page.split('<th scope="col">')[1:]]
    names = ["false negative rate", "false positive rate", "selection rate"]
    assert heads == ["group", "people", *names]
    assert [head.split("</")[0] for head in page.split('<th scope="row">')[1:]] == [
        *"abc"
    ]
    assert "<p>ratio of the b: 0.5000, at least 0.8</p>" in page


def test_rates_of_a_group_by_hand():
    counts = GroupCounts(6, 2, 1, 9)
    assert (counts.positives, counts.negatives, counts.total) == (8, 10, 18)
    assert counts.true_positive_rate == 0.75
    assert counts.false_negative_rate == 0.25
    assert counts.false_positive_rate == 0.1
    assert counts.selection_rate == 7 / 18
    assert counts.accuracy == 15 / 18
    assert isnan(GroupCounts(0, 0, 1, 1).true_positive_rate)


@dataclass(frozen=True)
class NotEpsilon:
    """A criterion of one's own without a field for its gap."""

    limit: float = 0.1
    name = "mine"

    @property
    def epsilon(self):
        return self.limit

    def rates(self):
        return EqualityOfOpportunity(self.limit).rates()


def test_which_constraints_take_an_epsilon():
    assert [takes_epsilon(c) for c in (None, "four_fifths", "equalized_odds=0.1")] == [
        False
    ] * 3
    assert takes_epsilon("four_fifths & equalized_odds")
    assert takes_epsilon("four_fifths&equalized_odds ")
    assert takes_epsilon(EqualizedOdds)
    assert takes_epsilon(EqualizedOdds(0.2))
    assert not takes_epsilon(PrecisionFloor(0.5))
    assert takes_epsilon(lambda epsilon: EqualizedOdds(epsilon))


def test_a_constraint_at_an_epsilon():
    assert criterion_at("equalized_odds", 0.2) == EqualizedOdds(0.2)
    assert criterion_at(EqualizedOdds, 0.2) == EqualizedOdds(0.2)
    assert criterion_at(EqualizedOdds(0.1), 0.2) == EqualizedOdds(0.2)
    assert criterion_at(PrecisionFloor(0.5), 0.2) == PrecisionFloor(0.5)
    assert criterion_at("equalized_odds=0.1", 0.2) == EqualizedOdds(0.1)
    assert criterion_at(None, 0.2) is None
    assert with_epsilon("equalized_odds", 0.2) == "equalized_odds"
    assert with_epsilon(EqualizedOdds(0.1), 0.2) == EqualizedOdds(0.2)
    assert with_epsilon(PrecisionFloor(0.5), 0.2) == PrecisionFloor(0.5)
    assert criterion_of(None) is None
    assert criterion_of("equalized_odds") == EqualizedOdds(0.05)
    assert criterion_of(EqualizedOdds) == EqualizedOdds(0.05)
    assert criterion_of(EqualizedOdds(1 / 3), THIRD) == EqualizedOdds(1 / 3)


@pytest.mark.parametrize(
    ("constraint", "epsilon", "words"),
    [
        (
            None,
            0.1,
            "epsilon=0.1 is an allowed gap between groups, and no constraint says of "
            "what; give constraint= one of ['accuracy_parity', ",
        ),
        (
            EqualizedOdds(0.1),
            0.2,
            "constraint=EqualizedOdds(epsilon=0.1, epsilon_negatives=None) has the "
            "epsilon 0.1, and epsilon=0.2 was given beside it; leave epsilon out, or "
            "give the class EqualizedOdds",
        ),
        (
            PrecisionFloor(0.5),
            0.2,
            "precision_floor=0.5 has no single allowed gap between groups that an "
            "epsilon could change; leave epsilon out",
        ),
        (
            "four_fifths",
            0.2,
            "epsilon=0.2 is an allowed gap between groups, and nothing in "
            "'four_fifths' takes it; leave it out",
        ),
        (
            7,
            None,
            "constraint=7 is neither the name of a criterion, nor a criterion (an "
            "object with a name, an epsilon and rates), nor a class or function that "
            "makes one from an epsilon",
        ),
        (
            "precision_floor",
            None,
            "constraint 'precision_floor' needs a number of its own, such as "
            "precision_floor=0.7: epsilon is an allowed gap between groups, and says "
            "nothing about it",
        ),
        (
            "precision_floor = much",
            None,
            "constraint 'precision_floor = much': 'much' is no number, such as 0.8 or "
            "4/5",
        ),
        (
            "fair",
            None,
            "constraint 'fair' is not known; use one of ['accuracy_parity', ",
        ),
    ],
)
def test_what_is_no_constraint_says_why(constraint, epsilon, words):
    with pytest.raises(ValueError) as told:  # noqa: PT011 (the words are compared)
        criterion_of(constraint, epsilon)
    assert str(told.value).startswith(words)


def test_names_with_numbers():
    assert criterion_by_name("precision_floor = 7/10") == PrecisionFloor(
        Fraction(7, 10)
    )
    both = criterion_by_name("equalized_odds&precision_floor=0.5", 0.1)
    assert both.criteria == (EqualizedOdds(0.1), PrecisionFloor(0.5))
    told = (
        r"RATE_floor, RATE_cap or RATE_ratio with a RATE of \['accuracy', .*, or None$"
    )
    with pytest.raises(ValueError, match=told):
        criterion_by_name("accuracy_flor=0.5")


def test_only_some_criteria_compare_groups():
    assert compares(EqualizedOdds(0.1))
    assert compares(criterion_by_name("four_fifths"))
    assert compares(PrecisionFloor(0.5) & EqualizedOdds(0.1))
    assert not compares(PrecisionFloor(0.5))


@pytest.mark.parametrize(("wrong", "found"), [((3,), "3"), ((), "nothing")])
def test_only_criteria_are_joined(wrong, found):
    words = (
        r"^& joins criteria, such as EqualizedOdds\(0\.05\) & PrecisionFloor\(0\.7\), "
        rf"not {found}$"
    )
    with pytest.raises(ValueError, match=words):
        Together(wrong)


def test_an_epsilon_that_cannot_be_changed():
    words = (
        r"^constraint=NotEpsilon\(limit=0\.1\) has one epsilon and is no dataclass, so "
        r"that it cannot be given another; pass its class, or a function that makes "
        r"one from an epsilon$"
    )
    with pytest.raises(ValueError, match=words):
        changed_epsilon(NotEpsilon(), 0.2)
    differing = EqualizedOdds(0.1) & DemographicParity(0.2)
    words = r"^equalized_odds=0\.1 & demographic_parity=0\.2 has no single allowed gap "
    with pytest.raises(ValueError, match=words):
        changed_epsilon(differing, 0.3)
    joined = PrecisionFloor(0.5) & EqualizedOdds(0.1)
    changed = changed_epsilon(joined, 0.3)
    assert changed.criteria == (PrecisionFloor(0.5), EqualizedOdds(0.3))
