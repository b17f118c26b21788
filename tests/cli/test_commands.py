"""Every command on an awkward table, and on the embedded data sets."""

from __future__ import annotations

import json
import runpy
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cli.people import FIT, JOB, YEARS, awkward
from faircg import FairRuleSetClassifier, RuleSetModel
from faircg.cli import show
from faircg.datasets import load_compas
from faircg.groups import read_groups

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from cli.people import Done

GROUPS = ("--target", "hired", "--sensitive", "town")


def test_fit_writes_the_model_and_says_what_it_does(
    people: Path, learned: str, faircg: Callable[..., Done]
) -> None:
    """The command learns what the estimator learns, and prints groups and proof."""
    done = faircg("fit", people, *FIT, "-o", "fitted.json")
    assert done.code == 0, done.err
    fitted = json.loads((people.parent / "fitted.json").read_text(encoding="utf-8"))
    expected = json.loads(learned)
    remembered = {"target": "hired", "sensitive": ["town"]}
    assert {**expected["asked"], **remembered} == fitted.pop("asked")
    del expected["asked"]
    assert fitted == expected
    for text in (
        "Predict no if",
        "true positive rate",
        "satisfies the constraint on this data",
        "certificate: ",
        "wrong predictions",
        "details: a Hamming loss of",
        "Wrote fitted.json.",
    ):
        assert text in done.words, text
    assert done.err == ""


def test_fit_for_machines(people: Path, faircg: Callable[..., Done]) -> None:
    """With --json I get exact counts that add up, and nothing else."""
    done = faircg("fit", people, *FIT, "--json", "-o", "fitted.json")
    values = done.json
    assert set(values) == {
        "model",
        "rule_set",
        "text",
        "complexity",
        "overall",
        "groups",
        "gaps",
        "within_epsilon",
        "references",
        "certificate",
    }
    model = RuleSetModel.load(people.parent / "fitted.json")
    assert values["rule_set"] == model.rule_set.to_dict()
    frame = awkward()
    assert values["overall"]["people"] == len(frame)
    right = (model.predict(frame) == frame["hired"]).mean()
    assert values["overall"]["accuracy"] == right
    assert set(values["groups"]) == {"A", "B", "C"}
    gap = values["gaps"][0]
    assert float(Fraction(gap["fraction"])) == gap["gap"] <= gap["epsilon"] == 0.1
    assert gap["within_epsilon"] is values["within_epsilon"] is True


def test_parquet_and_standard_input_are_read_alike(
    people: Path,
    learned: str,
    faircg: Callable[..., Done],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same table gives the same rules, whatever it comes in."""
    awkward().to_parquet(people.with_suffix(".parquet"))
    done = faircg("fit", people.with_suffix(".parquet"), *FIT, "-o", "1.json")
    assert done.code == 0, done.err
    with people.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert faircg("fit", "-", *FIT, "-o", "2.json").code == 0
    expected = json.loads(learned)["rule_set"]
    for name in ("1.json", "2.json"):
        text = (people.parent / name).read_text(encoding="utf-8")
        assert json.loads(text)["rule_set"] == expected


def test_explain_in_three_shapes(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """Text to read, a table for a spreadsheet, JSON for a program; the same rows."""
    text = faircg("explain", model, people, "--row", 3, "--row", 0)
    assert text.out.index("Row 3:") < text.out.index("Row 0:")
    values = faircg("explain", model, people, "--row", 3, "--json").json
    assert values[0]["row"] == 3
    assert values[0]["text"] in text.out
    assert (
        faircg("explain", model, people, "--row", 3, "--format", "json").json == values
    )
    args = ("--format", "table", "--limit", 0, "-o", "why.csv")
    done = faircg("explain", model, people, *args, "--immutable", YEARS)
    assert done.out == ""
    table = pd.read_csv(people.parent / "why.csv")
    assert table["row"].tolist() == list(range(240))
    predicted = RuleSetModel.load(model).predict(awkward())
    assert table["decision"].tolist() == predicted.tolist()


def test_a_model_file_explains_as_its_estimator(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """The same row cost 0.333 by the command line and 0.125 by the estimator."""
    frame = awkward()
    clf = FairRuleSetClassifier(max_complexity=8, max_conditions=2, pos_label="yes")
    features = frame.drop(columns="hired")
    clf.fit(features, frame["hired"].to_numpy())
    clf.model_.save("model.json")
    arguments = ["explain", "model.json", people, "--limit", 0, "--json"]
    told = json.loads(faircg(*arguments, "--direction", "both", "-q").out)
    expected = clf.explain(features, direction="both")
    costs = [e.change and e.change.cost for e in expected]
    assert any(cost not in (None, 0, 1) for cost in costs)
    assert [e["change"] and e["change"]["cost"] for e in told] == costs


def test_explain_says_which_rows_it_left_out(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """A long file is not poured over my terminal."""
    done = faircg("explain", model, people, "--limit", 2)
    assert done.out.count("Row ") == 2
    assert "the first 2 of 240 rows" in done.err
    assert faircg("explain", model, people, "--limit", 2, "-q").err == ""
    done = faircg("explain", model, people, "--row", 240)
    assert (done.code, done.out) == (1, "")
    assert "there is no row 240" in done.err
    done = faircg("explain", model, people, "--immutable", "Grösse")
    assert "immutable names 'Grösse', which is not a feature" in done.err


def test_evaluate_counts_people(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """Counts by hand are the counts printed, and the gap is their exact difference."""
    values = faircg("evaluate", model, people, *GROUPS, "--json").json
    frame = awkward()
    predicted = RuleSetModel.load(model).predict(frame)
    rates = []
    for town, rows in frame.groupby("town").groups.items():
        truth, said = frame.loc[rows, "hired"], predicted[rows]
        missed = int(((truth == "yes") & (said == "no")).sum())
        counts = values["groups"][town]
        assert counts["false_negatives"] == missed
        assert counts["false_positives"] == ((truth == "no") & (said == "yes")).sum()
        assert counts["people"] == len(rows)
        rates.append(Fraction(missed, int((truth == "yes").sum())))
    assert values["gaps"][0]["rate"] == "false negative rate"
    assert Fraction(values["gaps"][0]["fraction"]) == max(rates) - min(rates)
    assert values["constraint"] == "equality_of_opportunity"
    text = faircg("evaluate", model, people, *GROUPS)
    assert "satisfies the constraint on this data" in text.words
    assert f"({(predicted == frame['hired']).sum()} of 240)" in text.words


def test_evaluate_checks_against_epsilon(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """A pipeline can stop when the gap on new data is too large."""
    assert faircg("evaluate", model, people, *GROUPS, "--check").code == 0
    done = faircg("evaluate", model, people, *GROUPS, "--epsilon", 0.001, "--check")
    assert done.code == 3
    assert "does not satisfy the constraint" in done.words
    assert "more than the allowed 0.001" in done.err
    odds = ("--constraint", "equalized_odds", "--epsilon", 1, "--json")
    values = faircg("evaluate", model, people, *GROUPS, *odds).json
    assert [g["epsilon"] for g in values["gaps"][:2]] == [1, 1]
    alone = faircg("evaluate", model, people, "--target", "hired", "--check")
    assert alone.code == 3
    assert "cannot be told" in alone.err


def test_no_constraint_is_measured_by_when_none_is_asked_for(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """``report --constraint none`` took the model's own all the same."""
    for command in (("evaluate",), ("report", "-o", "r.html")):
        args = (*command, model, people, *GROUPS, "--json")
        assert faircg(*args).json["within_epsilon"] is True
        assert faircg(*args, "--constraint", "none").json["within_epsilon"] is None


def test_the_fewest_wrong_predictions_are_not_put_in_doubt(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """With a proof for the 0-1 loss, "fewer are not ruled out" was said below it."""
    fit = ("fit", people, *FIT, "--max-conditions", 1, "-o", "m.json", "--objective")
    proven = faircg(*fit, "zero_one").words
    assert "proven optimal: no rule set makes fewer" in proven
    assert "not ruled out" not in proven
    assert "Hamming" not in proven
    assert "details: a Hamming loss" in faircg(*fit, "hamming").words


def test_a_group_without_positives_is_not_called_equal(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """A rate of nobody is not estimable, which is a result."""
    frame = awkward()
    frame.loc[frame["town"] == "C", "hired"] = "no"
    frame.to_csv(people, index=False)
    done = faircg("evaluate", model, people, *GROUPS, "--check")
    assert done.code == 3
    assert "not estimable" in done.words
    values = faircg("evaluate", model, people, *GROUPS, "--json").json
    assert values["within_epsilon"] is None
    assert values["groups"]["C"]["true_positive_rate"] is None


def test_report_of_an_awkward_table(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """The report is one HTML file, with held-out data beside."""
    awkward(seed=2).to_csv(people.parent / "new.csv", index=False)
    args = (*GROUPS, "--test", "new.csv", "--title", "Who is <hired>?")
    done = faircg("report", model, people, *args, "-o", "report.html")
    assert done.code == 0, done.err
    page = (people.parent / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "Who is &lt;hired&gt;?" in page
    values = faircg(
        "report", model, people, *args, "--json", "--rows", 0, "-o", "r.html"
    ).json
    assert (values["part"], values["overall"]["people"]) == ("test", 240)


def test_frontier_prints_and_writes_everything(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """One command gives table, report and model."""
    grid = (
        "--epsilon",
        0.05,
        "--epsilon",
        1,
        "--max-complexity",
        4,
        "--max-conditions",
        2,
        "--folds",
        2,
        "--jobs",
        1,
        "--exclude",
        "town",
    )
    files = (
        "-o",
        "f.html",
        "--csv",
        "f.csv",
        "--results",
        "r.csv",
        "--model",
        "m.json",
    )
    done = faircg("frontier", people, *GROUPS, "--positive", "yes", *grid, *files)
    assert done.code == 0, done.err
    table = pd.read_csv(people.parent / "f.csv", converters={"pooled_gap": float})
    assert {"epsilon", "test_accuracy", "pooled_gap"} <= set(table)
    assert table["pooled_gap"].is_monotonic_increasing
    assert len(pd.read_csv(people.parent / "r.csv")) == 4
    assert "Predict no if" in done.out
    page = (people.parent / "f.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    chosen = RuleSetModel.load(people.parent / "m.json")
    assert str(chosen.rule_set) in done.out
    again = faircg("frontier", people, *GROUPS, "--positive", "yes", *grid, "--json")
    records = again.json["frontier"]
    assert [r["pooled_gap"] for r in records] == table["pooled_gap"].tolist()
    assert again.json["chosen"]["rule_set"] == chosen.rule_set.to_dict()


def test_frontier_without_a_point_that_is_good_enough(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """The table is shown, the exit code says that the target is not met."""
    done = faircg(
        "frontier",
        people,
        *GROUPS,
        "--epsilon",
        1,
        "--max-complexity",
        2,
        "--max-conditions",
        1,
        "--folds",
        2,
        "--jobs",
        1,
        "--cache",
        "cells",
        "--target-accuracy",
        1,
        "--csv",
        "f.csv",
    )
    assert done.code == 3
    assert "no point has a mean test accuracy of 1" in done.err
    assert "test_accuracy" in done.out
    assert (people.parent / "f.csv").exists()
    assert any((people.parent / "cells").iterdir())


def test_export_to_every_format(
    people: Path, model: Path, faircg: Callable[..., Done]
) -> None:
    """Each format is written; the Python function agrees with predict."""
    for name in ("json", "sql", "onnx", "python", "markdown", "latex"):
        done = faircg("export", model, "--to", name, "-o", f"out.{name}")
        assert done.code == 0, done.err
        assert (people.parent / f"out.{name}").stat().st_size > 0
    (people.parent / "out.python").rename(people.parent / "rules.py")
    rules = runpy.run_path(str(people.parent / "rules.py"))
    frame = awkward().replace({np.nan: None})
    rows = frame.to_dict("records")
    assert [rules["predict"](r) for r in rows] == [
        *RuleSetModel.load(model).predict(awkward())
    ]
    sql = faircg(
        "export",
        model,
        "--to",
        "sql",
        "--dialect",
        "postgres",
        "--table",
        "applicants",
        "--schema",
        "hr",
    )
    assert '"hr"."applicants"' in sql.out
    assert sql.err == ""
    values = faircg("export", model, "--to", "latex", "--json", "-o", "x.tex").json
    assert values["bytes"] == (people.parent / "x.tex").stat().st_size


def test_datasets_are_listed_described_and_written(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """The embedded data sets can be looked at and written."""
    listed = faircg("datasets").out
    assert all(name in listed for name in ("adult", "compas", "default", "32,561"))
    assert "ProPublica" in faircg("datasets", "compas").out
    assert faircg("datasets", "compas", "-o", "compas.csv").code == 0
    assert pd.read_csv(tmp_path / "compas.csv").shape == (5278, 8)
    values = faircg("datasets", "default", "--json", "-o", "d.parquet").json
    assert pd.read_parquet(tmp_path / "d.parquet").shape == (30000, 24)
    assert (values["rows"], values["sensitive"]) == (30000, "SEX")
    assert [d["name"] for d in faircg("datasets", "--json").json] == [
        "adult",
        "compas",
        "default",
    ]
    assert faircg("datasets", "iris").code == 1


def test_an_embedded_data_set_knows_its_columns(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """Its name is enough for fit, and a file of that name goes before."""
    quick = ("--max-complexity", 3, "--max-conditions", 1, "--warm-start", "none")
    done = faircg("fit", "compas", *quick, "-o", "m.json", "--json")
    assert set(done.json["groups"]) == {"African-American", "Caucasian"}
    data = load_compas()
    out = faircg("predict", "m.json", "compas", "--only", "-q").out.split()
    model = RuleSetModel.load(tmp_path / "m.json")
    assert out[1:] == [*map(str, model.predict(data.X))]
    assert len(read_groups(data.sensitive_features).names) == 2
    (tmp_path / "compas").write_text("x\n", encoding="utf-8")
    assert "must end in .csv" in faircg("evaluate", "m.json", "compas").err


def test_demo_prints_everything_and_writes_model_and_reports(
    tmp_path: Path, faircg: Callable[..., Done]
) -> None:
    """The demo shows rules, groups, accuracy, complexity and the certificate."""
    done = faircg("demo", "--directory", tmp_path)
    for text in (
        "Predict reoffends within two years if",
        "African-American",
        "true positive rate",
        "false positive rate",
        "accuracy",
        "complexity 15 of 15",
        "satisfies the constraint on this data",
        "1,885 wrong predictions, proven optimal",
        "1851.230 (proven)",
        "a higher value of priors or high_score may only count towards “reoffends",
    ):
        assert text in done.words, text
    model = RuleSetModel.load(tmp_path / "faircg-demo-model.json")
    assert "race" not in model.rule_set.features
    tests = {str(c) for rule in model.rule_set for c in rule.conditions}
    assert "high_score" in tests
    assert not any(t.startswith(("not high_score", "priors <=")) for t in tests)
    data = load_compas()
    right = (model.predict(data.X) == data.positive_label) == (data.y == 1)
    assert f"({right.sum():,} of 5,278)" in done.out
    report = (tmp_path / "faircg-demo-report.txt").read_text(encoding="utf-8")
    assert "Predict reoffends" in report
    page = (tmp_path / "faircg-demo-report.html").read_text(encoding="utf-8")
    assert "reoffends within two years" in page


def test_names_of_the_table_are_printed_as_they_are(
    people: Path, faircg: Callable[..., Done]
) -> None:
    """A name in brackets is a name, not a colour."""
    frame = awkward().rename(columns={"member": "[bold]member[/bold]"})
    frame["town"] = "[red]" + frame["town"]
    frame.to_csv(people, index=False)
    done = faircg("fit", people, *FIT, "-o", "m.json")
    assert done.code == 0, done.err
    assert "[red]A" in done.out
    assert JOB in frame.columns


def test_no_character_of_a_name_is_added_or_replaced(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A last backslash was printed twice, and a group called ``:us:`` as a flag."""
    names = ["[b]A[/b]", ":us:", "C:\\"]
    show.show_table(show.console(), pd.DataFrame({"town": names}), {})
    assert capsys.readouterr().out.split() == ["town", *names]
