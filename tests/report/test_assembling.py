"""What goes into a report: parts, recorded counts, certificates, rows."""

import pandas as pd
import pytest

from faircg import EqualityOfOpportunity, FairRuleSetClassifier, FairRuleSetClassifierCV
from faircg.colgen.certificate import certificate_words
from faircg.exceptions import UnseenCategoryWarning
from faircg.fairness import GroupCounts
from faircg.model import Feature, RuleSetModel
from faircg.report import (
    About,
    Part,
    Point,
    fit_frontier,
    make_report,
    render_report,
    report_of_model,
    report_of_search,
)
from faircg.report.assembling import RECORDED
from faircg.rules import Condition, Rule, RuleSet

LABELS = ("refuse", "grant")


def small(rules, **entries):
    feature = (
        Feature("income", "numeric"),
        Feature("job", "category", ("cook", "judge")),
    )
    return RuleSetModel(RuleSet(rules, "grant"), feature, LABELS, **entries)


PEOPLE = pd.DataFrame({"income": [10, 20, 30, 40], "job": ["cook", "judge"] * 2})
TRUTH = ["refuse", "refuse", "grant", "grant"]
RICH = (Rule((Condition("income", ">", 15),)),)


def test_the_last_part_given_speaks_for_the_model(report):
    """A committee wants to see people the rules were not learned from."""
    assert report.points[0].main.name == "test"
    assert report.shown.part == "test"
    assert list(report.points[0].parts) == ["train", "test"]


def test_training_counts_of_the_model_file_stand_beside_other_data():
    """Whoever reports on test data alone sees what was counted in training."""
    model = small(RICH, groups={"everybody": GroupCounts(3, 3, 3, 3)})
    (result,) = report_of_model(model, PEOPLE, TRUTH, part="test").points
    assert list(result.parts) == [RECORDED, "test"]
    assert result.parts[RECORDED].overall.counts.total == 12
    assert result.main.name == "test"
    assert result.loss is None


def test_the_certificate_speaks_of_the_rule_set_that_is_shown(report):
    """The bound is about the lowest loss; the rule set shown may have a higher one."""
    certificate = report.points[0].point.model.certificate
    words = certificate_words(certificate, 2100)
    assert "complexity at most 10 with at most 2 conditions per rule" in words
    assert "has a Hamming loss below 1,900" in words
    assert "This one has 2,100, within 10.5 % of it" in words
    assert "another found has 2,000" in words
    assert "exactly that: none is better" in certificate_words(certificate, 1900)
    recorded = certificate_words(certificate, None)
    assert "This one has 2,000, within 5.3 % of it" in recorded


def test_no_row_is_in_the_file_when_rows_are_not_wanted():
    """Counts only, for whoever may not show single people."""
    secret = "a value of one person only"
    people = PEOPLE.assign(job=["cook", "cook", "judge", secret])
    model = small((Rule((Condition("job", "=", "cook"),)),))
    report = report_of_model(model, people, TRUTH, n_rows=0)
    assert report.shown is None
    page = render_report(report)
    assert "people-table" not in page.split("<script>")[0]
    assert secret not in page
    assert secret in render_report(report_of_model(model, people, TRUTH))


def test_categories_never_seen_are_counted_in_the_report(recwarn):
    """An unknown category changes nothing silently."""
    people = PEOPLE.assign(job=["cook", "cook", "pilot", "pilot"])
    model = small((Rule((Condition("job", "!=", "cook"),)),))
    report = report_of_model(model, people, TRUTH)
    assert "2 rows of job hold a category never seen" in report.data[0].notes[0]
    assert report.data[0].notes[0] in render_report(report)
    assert not [w for w in recwarn if w.category is not UnseenCategoryWarning]


def test_missing_values_are_shown_as_missing():
    """Neither NaN nor None."""
    people = PEOPLE.assign(income=[10, None, 30, 40])
    report = report_of_model(small(RICH), people, TRUTH)
    assert [person.values[0] for person in report.shown.rows][1] == "missing"
    assert "but here it is missing" in report.shown.decisions[0][1].reason


def test_a_sample_of_rows_is_spread_and_bounded(report):
    """Always the same rows, from the first to the last."""
    rows = [int(person.row) for person in report.shown.rows]
    assert len(rows) == 200
    assert rows == sorted(set(rows))
    assert rows[0] == 0
    assert rows[-1] > 0.98 * report.shown.n_rows


def test_each_decision_of_each_point_is_that_of_its_model(report, halves):
    """Row by row."""
    rows = [int(person.row) for person in report.shown.rows]
    X, y, groups = (column.iloc[rows] for column in halves["test"])
    for result, decisions in zip(report.points, report.shown.decisions, strict=True):
        expected = result.point.model.covers(X).tolist()
        assert [decision.is_positive for decision in decisions] == expected
    persons = report.shown.rows
    assert [person.is_positive for person in persons] == (y == 1).tolist()
    assert [person.group for person in persons] == groups.tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": ["refuse", "grant", "perhaps", "grant"]}, "label 'perhaps'"),
        ({"y": TRUTH[:2]}, "4 rows and y has 2"),
        ({"sensitive_features": ["a", "b"]}, "sensitive_features has 2"),
        ({"others": {"train": (PEOPLE, TRUTH, None)}}, "two parts are called"),
        ({"constraint": "equalized_odds"}, "no epsilon is known"),
    ],
)
def test_bad_input_is_named(change, message):
    """One clear sentence says what is wrong."""
    arguments = {"X": PEOPLE, "y": TRUTH} | change
    with pytest.raises(ValueError, match=message):
        report_of_model(small(RICH), **arguments)


def test_points_and_parts_must_fit_together():
    """A report needs one of each, and one pair of labels."""
    model = small(RICH)
    part = Part.read("train", PEOPLE, TRUTH, models=[model])
    point = Point(model, None, None)
    other = RuleSetModel(model.rule_set, model.features, ("no", "yes"))
    for points, parts, chosen, message in (
        ([], [part], 0, "at least one point"),
        ([point], [], 0, "at least one part"),
        ([point], [part, part], 0, "different names"),
        ([point], [part], 1, "no position"),
        ([point, Point(other, None, None)], [part], 0, "different labels"),
    ):
        with pytest.raises(ValueError, match=message):
            make_report(points, parts, chosen=chosen)


@pytest.mark.parametrize(
    "constraint", ["equality_of_opportunity", EqualityOfOpportunity(0.3)], ids=repr
)
def test_a_search_shows_the_rule_set_of_every_frontier_point(compas, constraint):
    """Fitted on all data, with the numbers of cross-validation beside them.

    A criterion given as an object was measured by its own epsilon at every point.
    """
    rows = slice(0, 600)
    X, y, groups = compas.X[rows], compas.y[rows], compas.sensitive_features[rows]
    search = FairRuleSetClassifierCV(
        FairRuleSetClassifier(
            constraint=constraint,
            max_conditions=2,
            exclude=["race"],
            time_limit=30,
        ),
        epsilons=(0.05, 1.0),
        fine_epsilons=(0.0, 0.05, 1.0),
        complexities=(4,),
        cv=2,
    ).fit(X, y, sensitive_features=groups)
    models = fit_frontier(search, X, y, sensitive_features=groups)
    report = report_of_search(
        search, X, y, sensitive_features=groups, models=models, about=About(title="T")
    )
    assert len(report.points) == len(search.frontier_) == len(models)
    chosen = report.points[report.chosen].point
    assert chosen.model.rule_set == search.rule_set_
    assert (chosen.epsilon, chosen.max_complexity) == (
        search.best_epsilon_,
        search.best_complexity_,
    )
    for result, accuracy in zip(
        report.points, search.frontier_["test_accuracy"], strict=True
    ):
        assert result.point.cross_validated.accuracy == accuracy
        train = result.parts["train"]
        assert all(gap.within for gap in train.watched)
        assert [gap.limit for gap in train.watched] == [result.point.epsilon]
        # Epsilon 1 asks for nothing, so that nothing can be said to be satisfied.
        assert train.within is (True if result.point.epsilon < 1 else None)
        assert "race" not in result.point.model.rule_set.features
        assert result.loss >= result.certificate.lower_bound - 1e-6
    assert report.about.excluded == ("race",)
    assert report.about.settings["cross-validation"] == "2 folds"
    with pytest.raises(ValueError, match="models lacks the frontier point"):
        report_of_search(search, X, y, sensitive_features=groups, models={})
