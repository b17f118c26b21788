"""What a certificate says, whole sentences: every word of them is a claim."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from certificates import certificate
from faircg.colgen.certificate import certificate_words, relative_gap, status_words
from faircg.colgen.costs import Units

SCOPE = (
    "complexity at most 10, at most 2 conditions per rule, equality_of_opportunity "
    "within 0.05"
)
NONE = (
    "No rule set of complexity at most 10 with at most 2 conditions per rule that "
    "keeps equality of opportunity within 0.05"
)
COUNTED = {"errors": 110, "errors_lower_bound": 100, "any_classifier_errors": 90}
COST = {
    "costs": "a false negative costs 5",
    "cost": 1234.5,
    "cost_lower_bound": 1200.0,
    "any_classifier_cost": 1000.5,
}


@pytest.mark.parametrize(
    ("changes", "loss", "words"),
    [
        (
            {},
            2000,
            f"{NONE} has a Hamming loss below 1,900 on the training data. This one has "
            "2,000, within 5.3 % of it.",
        ),
        (
            {"lower_bound": 1999.5, "loss": "zero_one"},
            None,
            f"{NONE} has a 0-1 loss below 1,999.5 on the training data. This one has "
            "2,000, within 0.03 % of it.",
        ),
        (
            {"lower_bound": 1998.0},
            2000,
            f"{NONE} has a Hamming loss below 1,998 on the training data. This one has "
            "2,000, within 0.1 % of it.",
        ),
        (
            {},
            1900,
            f"{NONE} has a Hamming loss below 1,900 on the training data. This one has "
            "exactly that: none is better.",
        ),
        (
            {"returned_loss": 2100.0},
            None,
            f"{NONE} has a Hamming loss below 1,900 on the training data. This one has "
            "2,100, within 10.5 % of it; another found has 2,000, and this one was "
            "preferred because it makes fewer wrong decisions.",
        ),
        (
            {"returned_loss": 2100.0, "costs": "errors by label"},
            None,
            f"{NONE} has a Hamming loss below 1,900 on the training data. This one has "
            "2,100, within 10.5 % of it; another found has 2,000, and this one was "
            "preferred because its wrong decisions cost less.",
        ),
        (
            {"lower_bound": 1899.12345, "returned_loss": 2000.5},
            None,
            f"{NONE} has a Hamming loss below 1,899.123 on the training data. This one "
            "has 2,000.5, within 5.3 % of it; another found has 2,000, and this one "
            "was preferred because it makes fewer wrong decisions.",
        ),
        (
            {},
            1899.5,
            f"{NONE} has a Hamming loss below 1,900 on the training data. This one is "
            "recorded with 1,899.5, which contradicts it.",
        ),
        (
            {"rates": "proxy"},
            1899.5,
            f"{NONE} (as the search counts) has a Hamming loss below 1,900 on the "
            "training data. This one has 1,899.5: it satisfies the constraint itself, "
            "but not as the search counts, so that the bound does not speak about it.",
        ),
        (
            {},
            1800,
            f"{NONE} has a Hamming loss below 1,900 on the training data. This one is "
            "recorded with 1,800, which contradicts it.",
        ),
        (
            {"rates": "proxy"},
            1800,
            f"{NONE} (as the search counts) has a Hamming loss below 1,900 on the "
            "training data. This one has 1,800: it satisfies the constraint itself, "
            "but not as the search counts, so that the bound does not speak about it.",
        ),
        (
            {"lower_bound": 0.0, "returned_loss": 2100.0},
            None,
            "No bound was proven: better rule sets may exist. The lowest Hamming loss "
            "found on the training data is 2,000.",
        ),
        (
            {"lower_bound": 1.0, "max_conditions": 1, "constraint": None},
            1,
            "No rule set of complexity at most 10 with at most 1 condition per rule "
            "has a Hamming loss below 1 on the training data. This one has exactly "
            "that: none is better.",
        ),
    ],
)
def test_the_loss_is_told_in_whole_sentences(changes, loss, words):
    """Near the bound, at it, below it, without one; by the proxy and with costs."""
    assert certificate_words(certificate(**changes), loss) == words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            COUNTED,
            f"{NONE} makes fewer than 100 wrong predictions on the training data. This "
            "one makes 110, within 10.0 % of it. No classifier whatever on these "
            "conditions that satisfies the constraint makes fewer than 90.",
        ),
        (
            {**COUNTED, "errors": 100, "constraint": None, "epsilon": None},
            "No rule set of complexity at most 10 with at most 2 conditions per rule "
            "makes fewer than 100 wrong predictions on the training data. This one "
            "makes exactly that: none is better. No classifier whatever on these "
            "conditions makes fewer than 90.",
        ),
        (
            {**COUNTED, "errors": 10_005, "errors_lower_bound": 10_000},
            f"{NONE} makes fewer than 10,000 wrong predictions on the training data. "
            "This one makes 10,005, within 0.05 % of it. No classifier whatever on "
            "these conditions that satisfies the constraint makes fewer than 90.",
        ),
        (
            {**COUNTED, "errors": 1001, "errors_lower_bound": 1000},
            f"{NONE} makes fewer than 1,000 wrong predictions on the training data. "
            "This one makes 1,001, within 0.1 % of it. No classifier whatever on these "
            "conditions that satisfies the constraint makes fewer than 90.",
        ),
        (
            {"errors": 7, "errors_lower_bound": 1, "any_classifier_errors": 1},
            f"{NONE} makes fewer than 1 wrong predictions on the training data. This "
            "one makes 7, within 600.0 % of it. No classifier whatever on these "
            "conditions that satisfies the constraint makes fewer than 1.",
        ),
        (
            {"errors": 1, "any_classifier_errors": 1},
            "This rule set makes 1 wrong prediction on the training data. No bound was "
            "proven: better rule sets may exist.",
        ),
        (
            {**COUNTED, **COST},
            f"{NONE} costs less than 1,200 on the training data. This one costs "
            "1,234.5, within 2.9 % of it. No classifier whatever on these conditions "
            "that satisfies the constraint costs less than 1,000.5. (A false negative "
            "costs 5.)",
        ),
        (
            {**COST, "cost_lower_bound": None, "any_classifier_cost": None},
            "This rule set makes wrong predictions that cost 1,234.5 on the training "
            "data. No bound was proven: better rule sets may exist. (A false negative "
            "costs 5.)",
        ),
    ],
)
def test_wrong_predictions_are_told_in_whole_sentences(changes, words):
    """People or costs, with and without bounds; the loss follows as details."""
    by_errors = certificate(loss="zero_one", **changes)
    assert certificate_words(by_errors, 2000) == words
    uncounted = certificate(**{**changes, "errors": None, "cost": None})
    details = certificate_words(uncounted, 2000)
    told = certificate_words(certificate(**changes), 2000)
    assert told == f"{words} Details: {details}"


def test_a_constraint_that_allows_all_is_told_of_the_proxy_only():
    """Rates differ by one at most; false positives by rule may differ by more."""
    free = certificate(epsilon=1.0)
    assert "that keeps" not in certificate_words(free, 2000)
    assert "within 0.999" in certificate_words(certificate(epsilon=0.999), 2000)
    proxy = certificate_words(certificate(epsilon=1.0, rates="proxy"), 2000)
    assert "keeps equality of opportunity within 1 (as the search counts) has" in proxy
    told = certificate_words(certificate(constraint="own_rates", epsilon=None), 2000)
    assert "per rule that keeps own rates has a" in told


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (
            "optimal",
            "finished; the lowest loss possible is proven, and the certificate says "
            "how near the rule set shown is to it",
        ),
        ("feasible", "finished; the distance to the bound remains open"),
        ("work_limit", "stopped by its work limit; the best rule set so far was kept"),
        ("time_limit", "stopped by its time limit; the best rule set so far was kept"),
        ("interrupted", "interrupted; the best rule set so far was kept"),
    ],
)
def test_how_a_search_ended(status, words):
    """One that was cut short says so after what it proved."""
    ended = certificate(status=status)
    assert status_words(ended) == words
    plain = certificate_words(certificate(), 2000)
    is_cut_short = status in ("work_limit", "time_limit", "interrupted")
    assert ended.is_cut_short == is_cut_short
    told = f"{plain} The search was {words}." if is_cut_short else plain
    assert certificate_words(ended, 2000) == told


def test_what_is_not_recorded_is_not_made_up():
    assert status_words(None) == "not recorded"
    told = "The model carries no certificate: nothing is known about better ones."
    assert certificate_words(None, 5.0) == told
    fewest = certificate(errors=5, errors_lower_bound=5)
    words = "finished; no rule set makes fewer wrong predictions: that is proven"
    assert status_words(fewest) == words
    assert status_words(certificate(status="of another day")) == "of another day"
    assert "proven" not in status_words(certificate(errors=6, errors_lower_bound=5))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {},
            "the lowest Hamming loss found is 2000; no rule set does better than 1900, "
            f"so it is at most 5.26% above the best possible ({SCOPE})",
        ),
        (
            {**COUNTED, "loss": "zero_one"},
            "110 wrong predictions; no rule set makes fewer than 100, so this one is "
            f"at most 10.00% above the best possible ({SCOPE}); no classifier on these "
            "conditions makes fewer than 90",
        ),
        (
            {"errors": 300, "errors_lower_bound": 100, "loss": "zero_one"},
            "300 wrong predictions; no rule set makes fewer than 100; how near this "
            f"one is to the best possible is not known ({SCOPE})",
        ),
        (
            {"errors": 200, "errors_lower_bound": 100, "loss": "zero_one"},
            "200 wrong predictions; no rule set makes fewer than 100, so this one is "
            f"at most 100.00% above the best possible ({SCOPE})",
        ),
        (
            {"errors": 3, "depths": "one condition"},
            f"3 wrong predictions; no bound was proven ({SCOPE}). Details: the lowest "
            "Hamming loss found is 2000; no rule set does better than 1900, so it is "
            f"at most 5.26% above the best possible ({SCOPE}). Searched: one condition",
        ),
    ],
)
def test_a_certificate_in_one_line(changes, words):
    """Printed, it speaks of wrong predictions first, if somebody counted them."""
    assert str(certificate(**changes)) == words


def test_in_a_notebook_details_are_folded_unless_they_say_the_same():
    counted = certificate(**COUNTED)
    assert counted.details in counted._repr_html_()
    assert counted.summary in counted._repr_html_()
    for one in (certificate(), certificate(**COUNTED, loss="zero_one")):
        assert one._repr_html_().count("best possible") == 1
        assert "<details" not in one._repr_html_()


def test_units_of_the_user_change_every_loss_and_nothing_else():
    """Losses of 2,000 in halves of a dollar are 1,000 dollars."""
    inside = certificate(**COUNTED, **COST)
    halves = Units(loss=Fraction(1, 2), words="in dollars")
    told = inside.in_units(halves).to_dict()
    losses = ("objective", "lower_bound", "lp_value", "returned_loss")
    costs = ("cost", "cost_lower_bound", "any_classifier_cost")
    before = inside.to_dict()
    for name in (*losses, *costs):
        assert told.pop(name) == before.pop(name) / 2
    assert told.pop("costs") == "in dollars"
    before.pop("costs")
    assert told == before
    weighed = inside.in_units(Units(Fraction(1, 4), Fraction(1, 2)))
    assert weighed.errors is None
    assert weighed.objective == inside.objective / 2
    assert certificate().in_units(halves).cost is None
    assert certificate(lp_value=None).in_units(halves).lp_value is None


@pytest.mark.parametrize(
    ("objective", "bound", "gap", "above"),
    [
        (2000.0, 1900.0, 0.05, 100 / 1900),
        (2000.0, 2000.0, 0.0, 0.0),
        (0.0, 0.0, 0.0, 0.0),
        (2.0, 1.0, 0.5, 1.0),
        (1.0, 0.0, 1.0, math.inf),
        (1.0, 0.5, 0.5, 1.0),
        (1.0, -1.0, 2.0, math.inf),
    ],
)
def test_gaps_are_shares_of_what_their_names_say(objective, bound, gap, above):
    """The gap is one of the objective; above the best is one of the bound."""
    assert relative_gap(objective, bound) == gap
    assert certificate(objective=objective, lower_bound=bound).above_best == above
