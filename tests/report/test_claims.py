"""What a report may not say: each test tells of a sentence that was too strong."""

import re

import numpy as np
import pytest

from certificates import certificate
from faircg.colgen.certificate import certificate_words, status_words
from faircg.evaluate import RuleResult, Share, part_result
from faircg.fairness import EqualizedOdds, GroupCounts
from faircg.model import Asked, RuleSetModel
from faircg.report import About, render_report, report_of_model
from faircg.report.assembling import GIVEN, RECORDED
from faircg.report.words import one_sided_words
from faircg.rules import Condition, Rule, RuleSet
from report.conftest import FEATURES

RULES = (Rule((Condition("priors", ">", 3),)),)


def model(counts=None, asked=None, **changes):
    return RuleSetModel(
        RuleSet(RULES, "1"),
        FEATURES,
        (0, 1),
        certificate=certificate(**changes),
        groups=counts or {},
        asked=asked or Asked(),
    )


def text_of(page):
    """Return what a reader sees, on one line."""
    body = page.split("<body", 1)[1].split("<script", 1)[0]
    return " ".join(re.sub(r"<[^>]*>", " ", body).split())


@pytest.mark.parametrize("named", [True, False])
def test_one_group_satisfies_nothing(compas, named):
    """With nobody to compare with, a tick would be a lie."""
    rows = compas.sensitive_features == "Caucasian"
    groups = compas.sensitive_features[rows] if named else None
    report = report_of_model(
        model(), compas.X[rows], compas.y[rows], sensitive_features=groups
    )
    assert report.points[0].main.within is None
    text = text_of(render_report(report))
    assert "only one group here, and nothing to compare it with" in text
    assert "✓" not in text


def test_a_group_that_is_not_there_leaves_the_question_open():
    """The group left out may be the one that differs."""
    three = {
        "A": GroupCounts(90, 10, 10, 90),
        "B": GroupCounts(89, 11, 10, 90),
        "C": GroupCounts(10, 90, 10, 90),
    }
    two = {name: three[name] for name in "AB"}
    limit = EqualizedOdds(0.05)
    assert part_result("test", three, limit, trained=tuple("ABC")).within is False
    part = part_result("test", two, limit, trained=tuple("ABC"))
    assert (part.within, part.absent, part.unknown) == (None, ("C",), ())
    assert part_result("test", two, limit, trained=tuple("AB")).within is True
    new = part_result("test", three, limit, trained=tuple("AB"))
    assert (new.within, new.unknown) == (False, ("C",))
    other = part_result("test", two, limit, trained=("young", "old"))
    assert (other.within, other.absent, other.unknown) == (True, (), ())


def test_absent_groups_are_named_on_the_page(compas):
    """The summary itself says who is not compared."""
    counts = GroupCounts(5, 5, 5, 5)
    trained = dict.fromkeys(("African-American", "Caucasian", "Other"), counts)
    report = report_of_model(
        model(trained),
        compas.X,
        compas.y,
        sensitive_features=compas.sensitive_features,
        part="test",
    )
    text = text_of(render_report(report))
    assert "The group Other of the training data has nobody in “test”" in text


def test_parts_in_a_tile_tell_of_one_rate(compas):
    """The widest gap of another part may be that of another rate."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(compas.y))
    parts = [
        (compas.X.iloc[r], compas.y.iloc[r], compas.sensitive_features.iloc[r])
        for r in np.array_split(order, 3)
    ]
    report = report_of_model(
        model(constraint="equalized_odds", epsilon=0.3),
        *parts[0][:2],
        sensitive_features=parts[0][2],
        part="a",
        others={"b": parts[1], "c": parts[2]},
    )
    (result,) = report.points
    rate = result.main.widest.rate
    page = render_report(report)
    tile = text_of("<body>" + page[page.index("Gap of the") :])
    for name in "ab":
        value = float(result.parts[name].gap_of(rate).value)
        assert f"{name}: {100 * value:.2f}, within the limit" in tile


def test_a_loss_below_the_bound_is_explained_where_the_search_counts_otherwise():
    """With false positives bounded, the search counts a person once for each rule."""
    proxy = certificate(rates="proxy", proven_optimal=True)
    words = certificate_words(proxy, 1899)
    assert "This one has 1,899" in words
    assert "the bound does not speak about it" in words
    assert "This one has 2,000" in certificate_words(proxy, None)


def test_a_finished_search_is_not_called_a_proof_of_the_rule_set_shown():
    """The rule set shown may have a higher loss than the one that was proven best."""
    finished = certificate(status="optimal", proven_optimal=True)
    assert "no better rule set exists" not in status_words(finished)


def test_a_search_that_proved_the_fewest_errors_is_not_called_open():
    """A proof of wrong predictions stood beside words that said it was open."""
    finished = certificate(status="feasible", errors=5, errors_lower_bound=5)
    assert "fewer wrong predictions: that is proven" in status_words(finished)
    unproven = certificate(status="feasible", errors=5, errors_lower_bound=4)
    assert "remains open" in status_words(unproven)


def test_distance_from_the_bound_is_a_share_of_the_bound():
    """107 above 1,653 is 6.5 %, not 6.1 %."""
    c = certificate(objective=1760.0, lower_bound=1653.0)
    assert "within 6.5 % of it" in certificate_words(c, 1760)
    assert "at most 6.47% above the best possible" in str(c)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Asked(), "not recorded"),
        (Asked(exclude=()), "none"),
        (Asked(exclude=("race", "sex")), "race, sex"),
    ],
)
def test_excluded_features_are_those_of_the_fit(compas, asked, words):
    """A file that does not say is no evidence that nothing was excluded."""
    made = report_of_model(
        model(asked=asked),
        compas.X,
        compas.y,
        sensitive_features=compas.sensitive_features,
    )
    text = text_of(render_report(made))
    assert f"Features that rules may not test {words} " in text


def test_what_the_writer_says_wins_over_the_model_file(compas):
    """About is for whoever knows better."""
    made = report_of_model(
        model(asked=Asked(exclude=("race",), random_state=3, time_limit=9.0)),
        compas.X,
        compas.y,
        about=About(excluded=("sex",)),
    )
    assert (made.about.excluded, made.about.seed) == (("sex",), 3)
    assert made.about.settings == {"time limit": "9 s"}


def test_data_with_other_counts_is_not_called_training_data(compas):
    """The model knows what it counted; other people are other people."""
    own = report_of_model(
        model(), compas.X, compas.y, sensitive_features=compas.sensitive_features
    )
    counts = {g.name: g.counts for g in own.points[0].main.groups}
    assert own.points[0].main.name == "train"
    same = report_of_model(
        model(counts),
        compas.X,
        compas.y,
        sensitive_features=compas.sensitive_features,
    )
    assert list(same.points[0].parts) == ["train"]
    assert list(report_of_model(model(counts), compas.X, compas.y).points[0].parts)[
        -1:
    ] == ["train"]
    half = slice(0, 2000)
    other = report_of_model(
        model(counts),
        compas.X[half],
        compas.y[half],
        sensitive_features=compas.sensitive_features[half],
    )
    assert list(other.points[0].parts) == [RECORDED, GIVEN]


def test_stand_ins_for_a_group_are_pointed_out():
    """Rules that never test sex may cover men only: wives and husbands."""

    def entry(women, men):
        sizes = {"women": (women, 1000), "men": (men, 2000)}
        groups = {g: Share(k, n, 0, 1) for g, (k, n) in sizes.items()}
        both = Share(women + men, 3000, 0, 1)
        return RuleResult(both, 0, 0, both, groups)

    assert entry(1, 99).one_sided == "men"
    assert entry(30, 0).one_sided == "women"
    assert entry(10, 90).one_sided is None
    assert entry(0, 10).one_sided is None
    words = one_sided_words(entry(1, 99))
    assert words.startswith("99.0 % of the people whom this rule covers are men")
    assert one_sided_words(entry(50, 50)) == ""
