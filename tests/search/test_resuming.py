"""Cells kept on disk: nothing is solved twice."""

import json
import logging

import pandas as pd
import pytest

from faircg import folds as folds_module
from faircg.colgen.engine import solve
from search.small import (
    N_COARSE,
    N_FINE,
    SMALL,
    search,
    without_seconds,
)


def test_a_stopped_search_goes_on_where_it_was(tmp_path, solved):
    """Only a cell whose file is gone is solved again, with the same answer."""
    first = search(cache=tmp_path / "cells")
    files = sorted((tmp_path / "cells").iterdir())
    assert len(solved) == len(files)
    assert 3 * N_COARSE < len(solved) < 3 * (N_COARSE + N_FINE), "some were proven"
    for phase in ("I-", "II-"):
        solved.clear()
        [gone, *_] = [file for file in files if file.name.startswith(phase)]
        before = {file: file.stat().st_mtime_ns for file in files}
        text = json.loads(gone.read_text())
        gone.unlink()
        again = search(cache=str(tmp_path / "cells"))
        assert len(solved) == 1
        assert sorted((tmp_path / "cells").iterdir()) == files
        assert [f for f in files if f.stat().st_mtime_ns != before[f]] == [gone]
        assert {**json.loads(gone.read_text()), "seconds": 0} == {**text, "seconds": 0}
        pd.testing.assert_frame_equal(
            without_seconds(again.cv_results_), without_seconds(first.cv_results_)
        )


def test_a_search_that_is_interrupted_keeps_its_cells(found, tmp_path, monkeypatch):
    """Whatever was finished before Ctrl-C is not solved again."""
    calls = []

    def interrupted(problem, options):
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return solve(problem, options)

    monkeypatch.setattr(folds_module, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search(cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 5
    resumed = search(cache=tmp_path)
    assert len(calls) - 1 == len(list(tmp_path.iterdir()))
    pd.testing.assert_frame_equal(resumed.frontier_, found.frontier_)


def test_a_finer_grid_costs_its_new_cells(tmp_path, solved):
    """Phase I is reused, and so is every cell of phase II that is known."""
    search(cache=tmp_path)
    solved.clear()
    search(cache=tmp_path, fine_epsilons=(*SMALL["fine_epsilons"], 0.1))
    assert 0 < len(solved) <= 3 * len(SMALL["complexities"])


@pytest.mark.parametrize(
    "changed", [{"random_state": 1}, {"n_thresholds": 5}, {"time_limit": 61}]
)
def test_other_settings_do_not_reuse_cells(tmp_path, solved, changed):
    """A cell answers one question only."""
    one = {"fine_epsilons": (0.05,), "complexities": (3,), "cache": tmp_path}
    search(**one)
    n_files = len(list(tmp_path.iterdir()))
    solved.clear()
    search(**one, **changed)
    assert len(solved) == len(list(tmp_path.iterdir())) - n_files > 0


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"rules": 3}', None], ids=lambda text: f"{text!r}"
)
def test_a_broken_cell_is_replaced(tmp_path, solved, caplog, text):
    """A file that is no cell is not believed."""
    one = {"fine_epsilons": (0.02,), "complexities": (3,), "cache": tmp_path}
    search(**one)
    file = sorted(tmp_path.iterdir())[0]
    kept = json.loads(file.read_text())
    if text is None:
        text = json.dumps({**kept, "best": [[0, 10_000]]})
    file.write_text(text)
    solved.clear()
    with caplog.at_level(logging.WARNING):
        search(**one)
    assert len(solved) == 1
    assert "is replaced" in caplog.text
    assert {**json.loads(file.read_text()), "seconds": 0} == {**kept, "seconds": 0}
