"""Decided and written in one pass: the bytes and the counts of the careful way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

from faircg import Condition, Rule, RuleSet, RuleSetModel
from faircg.model import Feature
from faircg.tables import at_once
from faircg.tables.at_once import write_at_once
from faircg.tables.decide import Counted, Decisions
from faircg.tables.source import Source, open_source
from faircg.tables.write import Wanted, write_decisions

if TYPE_CHECKING:
    from pathlib import Path

WANTED = Wanted("decision")
JOBS = ("cook", "nurse", "say\n,yes\n")


def model(*labels: object) -> RuleSetModel:
    """Return rules on a number and a name."""
    rules = RuleSet(
        (
            Rule((Condition("age", ">", 40),)),
            Rule((Condition("age", ">", 30), Condition("job", "=", "cook"))),
        )
    )
    features = (Feature("age", "numeric"), Feature("job", "category", JOBS))
    return RuleSetModel(rules, features, labels or ("no", "yes"))


def people(path: Path, **columns: object) -> Source:
    """Write 5,000 people of every kind, or some others, and open the file."""
    n = 5_000
    frame = pd.DataFrame(
        {
            "age": [None if k % 13 == 0 else k % 60 + k / 8 for k in range(n)],
            "remark": [("", 'a "b"', "c,d", "ü")[k % 4] for k in range(n)],
            "job": [(*JOBS[:2], None)[k % 3] for k in range(n)],
        }
    )
    frame.assign(**columns).to_csv(path, index=False)
    return open_source(str(path))


def both(source: Source, to: Path, rules: RuleSetModel) -> Counted | None:
    """Write in both ways, if the first goes, and compare bytes and counts."""
    decisions = Decisions(rules, source)
    found = write_at_once(decisions, WANTED, to.name, to)
    if found is None:
        return None
    fast = to.read_bytes()
    counted = decisions.count()
    write_decisions(decisions, WANTED, to.name, to, counted.rows)
    assert (fast, found) == (to.read_bytes(), counted)
    return found


@pytest.mark.parametrize("block", [7, 64, at_once.BLOCK])
@pytest.mark.parametrize("name", ["out.csv", "out.tsv"])
def test_both_ways_write_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, name: str
) -> None:
    """Whatever part of the file is looked at by a time, ends of lines are counted."""
    monkeypatch.setattr(at_once, "BLOCK", block)
    found = both(people(tmp_path / "in.csv"), tmp_path / name, model())
    assert found is not None
    assert 0 < found.positive < found.rows == 5_000


def test_a_value_that_ends_like_a_line_is_not_counted(tmp_path: Path) -> None:
    """A remark with a line end and a label in it would be one decision more."""
    remark = ["fine\n", "he said,yes\nand left"] * 2_500
    source = people(tmp_path / "in.csv", remark=remark)
    assert both(source, tmp_path / "out.csv", model()) is None
    others = model(0, 1)
    assert both(source, tmp_path / "out.csv", others) is not None


@pytest.mark.parametrize(
    ("column", "value"),
    [("age", "forty"), ("age", "inf"), ("age", "1_000"), ("job", "pilot")],
)
def test_one_odd_row_asks_for_the_careful_way(
    tmp_path: Path, column: str, value: str
) -> None:
    """What is to be told about a row is told, wherever it stands."""
    for place in (0, 4_999):
        values = ["cook" if column == "job" else "31"] * 5_000
        values[place] = value
        source = people(tmp_path / "in.csv", **{column: values})
        assert both(source, tmp_path / "out.csv", model()) is None


def test_labels_that_are_quoted_and_files_that_are_packed(tmp_path: Path) -> None:
    """Their lines cannot be counted by their ends."""
    source = people(tmp_path / "in.csv")
    for labels in (("no, never", "yes"), ("", "yes"), ("a b", "c")):
        assert both(source, tmp_path / "out.csv", model(*labels)) is None
    assert both(source, tmp_path / "out.csv.gz", model()) is None
    only, out = Wanted("decision", ()), tmp_path / "out.csv"
    assert write_at_once(Decisions(model(), source), only, out.name, out) is None
