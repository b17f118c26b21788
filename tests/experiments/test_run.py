"""A whole protocol, small: run, killed, resumed, written, recounted, tampered with."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from experiments.check import cells_of, check
from experiments.protocol import PROTOCOLS
from experiments.sources import all_tasks
from experiments.tasks import file_of, progress
from experiments.write import render

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "experiments", "tiny", "--results"]
TINY = PROTOCOLS["tiny"]


def task_files(folder):
    return {
        file: file.stat().st_mtime_ns
        for file in (folder / "tiny/tasks").rglob("*.json")
    }


@pytest.fixture(scope="module")
def killed_and_resumed(tmp_path_factory):
    """Kill a run without mercy after some tasks, then run it again."""
    folder = tmp_path_factory.mktemp("results")
    process = subprocess.Popen(
        [*COMMAND, str(folder)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while len(task_files(folder)) < 4 and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = task_files(folder)
    again = subprocess.run(
        [*COMMAND, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return folder / "tiny", before, again


@pytest.mark.long
def test_a_killed_run_goes_on_where_it_was(killed_and_resumed):
    """Finished tasks are not touched, and all the others are done."""
    folder, before, again = killed_and_resumed
    assert again.returncode == 0, again.stderr
    n_tasks = len(all_tasks(TINY))
    assert 4 <= len(before) < n_tasks
    after = task_files(folder.parent)
    assert {file: after[file] for file in before} == before
    assert len(after) == n_tasks
    assert f"protocol tiny: {len(before)} of {n_tasks} tasks are done" in again.stdout
    assert "every cell was recounted" in again.stdout


@pytest.mark.long
def test_a_kill_leaves_no_broken_file(killed_and_resumed):
    """Whatever a task wrote is whole: files appear at once."""
    folder, before, _ = killed_and_resumed
    state = progress(all_tasks(TINY), folder)
    assert state.n_done == state.n_tasks
    assert all(file.stat().st_size for file in before)


@pytest.mark.long
def test_everything_is_written(killed_and_resumed):
    """Every table and figure is there, has all cells, and survives the recount."""
    folder, _, _ = killed_and_resumed
    assert check(TINY, folder) == []
    page = (folder / "results.md").read_text(encoding="utf-8")
    for table in (folder / "tables").iterdir():
        assert table.read_text(encoding="utf-8").rstrip() in page
    for figure in (folder / "figures").glob("*.svg"):
        assert f"figures/{figure.name}" in page


@pytest.mark.long
def test_the_page_follows_from_the_files(killed_and_resumed, tmp_path):
    """Rendering the CSV files again gives the same bytes."""
    folder, _, _ = killed_and_resumed
    copy = tmp_path / "tiny"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("tasks", "cache"))
    render(copy, copy / "results.md")
    for part in ("results.md", "tables/frontier_compas.md", "figures/frontier.svg"):
        assert (copy / part).read_bytes() == (folder / part).read_bytes()


def tamper_prediction(folder):
    with np.load(folder / "predictions.npz") as stored:
        arrays = {name: rows.copy() for name, rows in stored.items()}
    arrays["grid_compas"][0, 0] ^= 0b1010
    np.savez_compressed(folder / "predictions.npz", **arrays)


def tamper_epsilon(folder):
    frame = pd.read_csv(folder / "grid.csv")
    loose = (frame["epsilon"] == 0.2) & (frame["train_odds_gap"] > 0.05)
    frame.loc[frame["epsilon"] == 0.01, "epsilon"] = 99
    frame.loc[loose, "epsilon"] = 0.01
    frame.to_csv(folder / "grid.csv", index=False)


def tamper_cells(folder):
    pd.read_csv(folder / "mining.csv").iloc[1:].to_csv(
        folder / "mining.csv", index=False
    )


def tamper_figure(folder):
    (folder / "figures/frontier.png").unlink()


def tamper_twice(folder):
    frame = pd.read_csv(folder / "masters.csv")
    pd.concat([frame, frame.iloc[:1]]).to_csv(folder / "masters.csv", index=False)


@pytest.mark.long
@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (tamper_prediction, "are not those stored"),
        (tamper_epsilon, "exceeds epsilon"),
        (tamper_cells, "mining.csv lacks the cell"),
        (tamper_figure, "frontier.png is missing"),
        (tamper_twice, "masters.csv has a cell twice"),
    ],
)
def test_the_check_notices(killed_and_resumed, tmp_path, tamper, message):
    """A check that cannot fail would be worth nothing."""
    copy = tmp_path / "tiny"
    shutil.copytree(
        killed_and_resumed[0], copy, ignore=shutil.ignore_patterns("tasks", "cache")
    )
    tamper(copy)
    assert any(message in problem for problem in check(TINY, copy))


def test_a_changed_protocol_does_not_reuse_files():
    """A task's file is named by everything its answer depends on."""
    quick, tiny = (
        {file_of(task, Path()) for task in all_tasks(PROTOCOLS[name], ["grid"])}
        for name in ("quick", "tiny")
    )
    assert not quick & tiny


@pytest.mark.parametrize("name", PROTOCOLS)
def test_no_two_tasks_share_a_file(name):
    """Otherwise one would be taken for done."""
    tasks = all_tasks(PROTOCOLS[name])
    assert len({file_of(task, Path()) for task in tasks}) == len(tasks)


def test_a_time_limit_stops_before_the_next_task(tmp_path):
    """Long protocols are split over several runs."""
    done = subprocess.run(
        [*COMMAND, str(tmp_path), "--only", "samples", "--minutes", "0"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "run again to go on" in done.stdout
    assert progress(all_tasks(TINY), tmp_path / "tiny").n_done == 0


def test_the_full_protocol_has_the_grids_of_the_paper():
    """Ten folds; the grids of the appendix are parts of ours."""
    full = PROTOCOLS["full"]
    phase_one = {"adult": (5, 20, 40), "compas": (5, 15, 30), "default": (5, 15, 30)}
    for name, part in full.data.items():
        assert part.folds == part.few_folds == 10
        for grid in part.grids.values():
            assert grid.complexities == phase_one[name]
            assert grid.epsilons == (0.01, 0.1, 1.0)
            assert {0, 0.01, 0.05, 0.1, 0.2, 1} <= set(grid.fine_epsilons)
    assert len(cells_of(full)["mining"]) == 3 * 10 * 2 * 3 * 6
