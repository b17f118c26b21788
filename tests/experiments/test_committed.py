"""The results kept here: complete, recounted, and the page follows from them."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from experiments.__main__ import PAGE, PAGE_PROTOCOL, RESULTS
from experiments.check import check
from experiments.paper import MINING
from experiments.protocol import PROTOCOLS
from experiments.write import render

PROTOCOL = PROTOCOLS[PAGE_PROTOCOL]
FOLDER = RESULTS / PROTOCOL.name


def test_every_cell_is_there_and_recounted():
    """Counts follow from stored predictions, and no train gap exceeds its epsilon."""
    assert check(PROTOCOL, FOLDER) == []


def test_the_protocol_is_the_one_of_this_code():
    """Results of another protocol would be under a wrong name."""
    record = json.loads((FOLDER / "provenance.json").read_text(encoding="utf-8"))
    stored = record["protocol"]["data"]
    assert set(stored) == {"adult", "compas", "default"}
    for name, part in PROTOCOL.data.items():
        assert stored[name]["folds"] == part.folds == 10
        for thresholds, grid in part.grids.items():
            kept = stored[name]["grids"][thresholds]
            assert kept["fine_epsilons"] == list(grid.fine_epsilons)
            assert kept["fine_complexities"] == list(grid.fine_complexities)
    done, _, all_tasks = record["tasks_done"].partition(" of ")
    assert done == all_tasks


@pytest.mark.long
def test_the_page_is_generated(tmp_path):
    """Rendering the committed CSV files gives the committed page."""
    copy = tmp_path / "experiments" / "results" / FOLDER.name
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("tasks", "cache"))
    page = tmp_path / "docs" / PAGE.name
    page.parent.mkdir()
    render(copy, page)
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
    for table in sorted(Path(FOLDER, "tables").iterdir()):
        again = (copy / "tables" / table.name).read_text(encoding="utf-8")
        assert again == table.read_text(encoding="utf-8")


@pytest.mark.parametrize("data", ["adult", "compas", "default"])
def test_train_losses_are_below_the_papers_best(data):
    """In every cell of its rule mining tables, against its 'All' row."""
    results = pd.read_csv(FOLDER / "rule_mining.csv")
    ours = results[(results["data"] == data) & (results["rules_from"] == "all")]
    assert len(ours) == 6
    for row in ours.itertuples():
        paper = MINING[data][row.criterion][row.epsilon]["all"][2][0]
        assert row.hamming_loss < paper
