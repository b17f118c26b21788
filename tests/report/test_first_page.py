"""The first page of a report: what a person who decides must see, and must not."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from faircg import FairRuleSetClassifier
from faircg.report import About, Point, make_report, render_report, report_of_model
from faircg.report.assembling import read_parts
from faircg.report.contents import CrossValidated


def summary(page):
    """Return the text of the first page, without what is folded."""
    section = re.search(r'<section id="summary".*?</section>', page, re.S).group()
    section = re.sub(r"<details.*?</details>", "", section, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", section).split())


@pytest.fixture(scope="module")
def credit():
    """Return people of four groups, a third of them kept apart, and a model."""
    rng = np.random.default_rng(5)
    n = 900
    X = pd.DataFrame(
        {"income": rng.normal(30, 9, n).round(), "late": rng.poisson(1, n)}
    )
    groups = pd.Series(rng.choice(["north", "south", "east", "west"], n), name="region")
    y = np.where(
        X["income"] - 8 * X["late"] + rng.normal(0, 6, n) > 20, "repaid", "not"
    )
    parts = {
        name: (X[rows], y[rows], groups[rows])
        for name, rows in (
            ("train", np.arange(n) % 3 > 0),
            ("test", np.arange(n) % 3 < 1),
        )
    }
    clf = FairRuleSetClassifier(
        constraint="equality_of_opportunity", max_complexity=6, max_conditions=2
    )
    table, labels, members = parts["train"]
    return parts, clf.fit(table, labels, sensitive_features=members).model_


def report_of(credit, *names, **options):
    parts, model = credit
    X, y, groups = parts["train"]
    others = {name: parts[name] for name in names}
    return report_of_model(
        model, X, y, sensitive_features=groups, others=others, **options
    )


def test_everything_to_decide_by_is_on_the_first_page(credit):
    """Decisions right, what is simpler, selection, impact ratio, gap and rules."""
    made = report_of(
        credit, "test", about=About(descriptions={"late": "Late payments"})
    )
    text, main = summary(render_report(made)), made.points[0].headline
    assert main.name == "test"
    right = main.overall.shares["accuracy"]
    assert f"{right.count} of {right.size}" in text
    assert (
        "Measured on 300 people of “test”, whom the rules were not learned from."
        in text
    )
    assert "A plain tree of depth 4:" in text
    assert re.search(r"Always (repaid|not): \d", text)
    for group in main.groups:
        rate, ratio = (
            group.shares["selection rate"].value,
            main.impact_ratios[group.name],
        )
        told = f"{group.name} {group.counts.total} {100 * rate:.1f} % {ratio:.2f}"
        assert told in text
    assert max(main.impact_ratios.values()) == 1
    assert "Gap of the false negative rate, test" in text
    assert "Predict “not” if" in text
    assert "Late payments" in text
    for word in ("Complexity", "Certificate", "loss"):
        assert word not in text


@pytest.mark.parametrize(
    ("columns", "head"),
    [((), "Group People"), (("region",), "Group (region) People")],
)
def test_groups_are_told_with_the_column_that_names_them(credit, columns, head):
    """A table of groups called 0 and 1 did not say of what."""
    text = summary(render_report(report_of(credit, about=About(sensitive=columns))))
    assert head in text


def test_training_numbers_alone_are_said_to_be_that(credit):
    """Nobody else was measured, and the reader is told what to expect."""
    text = summary(render_report(report_of(credit)))
    assert "Measured only on the 600 people of “train”" in text


def test_no_tick_from_training_while_the_folds_say_otherwise(credit):
    """The rules kept to the limit where they were learned, and nowhere else."""
    parts, model = credit
    folds = CrossValidated(0.71, 0.01, 0.2, 4.0, 5, fold_gap=0.25)
    points = [
        Point(model, 0.05, 6, folds),
        Point(model, 0.05, 6, replace(folds, gap=0.01)),
    ]
    read = read_parts({"train": parts["train"]}, [model])
    pages = [render_report(make_report(points, read, chosen=k)) for k in (0, 1)]
    bad, good = map(summary, pages)
    assert "20.00 of 5 points allowed ✕ Not within the limit" in bad
    assert "✓" not in bad
    assert "1.00 of 5 points allowed ✓ Within the limit, all folds together" in good
    assert "71.0 %" in bad
    assert "Cross-validated: 71.0 % right, gap 20.00 points." in pages[0]


def test_what_a_file_records_of_people_kept_apart_comes_first(credit):
    """The model file is all that is left of them."""
    parts, model = credit
    held = {
        name: replace(c, true_positives=c.true_positives + 1)
        for name, c in model.groups.items()
    }
    X, y, groups = parts["train"]
    made = report_of_model(
        replace(model, held_out=held), X, y, sensitive_features=groups
    )
    assert made.points[0].headline.name == "held out, as recorded"
    assert "whom the rules were not learned from" in summary(render_report(made))


def test_rules_that_tell_nobody_apart_are_said_to_in_the_first_line(credit):
    """A rule set that covers everybody once got a green tick and no word about it."""
    from faircg.rules import Condition, Rule, RuleSet

    parts, model = credit
    rules = RuleSet((Rule((Condition("late", ">", -1),)),), "repaid")
    trivial = replace(model, rule_set=rules, scores=None)
    X, y, groups = parts["test"]
    made = report_of_model(trivial, X, y, sensitive_features=groups, part="test")
    text = summary(render_report(made))
    assert text.startswith("Summary It predicts “repaid” for everybody here")


def test_many_groups_are_a_table_and_not_a_paragraph(credit):
    """Beside each rule stood a sentence with every group in it."""
    page = render_report(report_of(credit, "test"))
    assert "Share of each group that each rule covers, test" in page
    assert not re.search(r"north: \d+ of \d+;", page)


def test_what_was_asked_lists_only_what_was_asked(credit):
    """No entry says that something was not asked for."""
    section = re.search(
        r'<section id="asked".*?<details', render_report(report_of(credit)), re.S
    ).group()
    assert "Constraint" in section
    for word in ("none", "not named", "not recorded", "Seed", "Loss"):
        assert word not in section
