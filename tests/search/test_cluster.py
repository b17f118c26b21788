"""Folds on a cluster: a real one of two workers, of which one dies in mid-run."""

import os
import signal

import pandas as pd
import pytest
from joblib import parallel_config

from faircg.colgen.events import CellDone
from search.small import search, without_seconds

distributed = pytest.importorskip("distributed", reason="distributed not installed")


def cells(events):
    return {
        (event.fold, event.phase, event.epsilon, event.max_complexity)
        for event in events
        if isinstance(event, CellDone)
    }


@pytest.mark.long
@pytest.mark.filterwarnings("default")  # what a dying worker leaves open
def test_a_worker_that_dies_changes_nothing(tmp_path):
    """The others do its folds again: same frame, byte for byte, and every event."""
    serial_told, told, died = [], [], []
    serial = search(callbacks=[serial_told.append])

    def listen(event):
        told.append(event)
        if isinstance(event, CellDone) and not died:
            died.append(victim)
            os.kill(victim, signal.SIGKILL)

    local = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        local_directory=str(tmp_path),
    )
    with local, distributed.Client(local) as client:
        victim = min(client.run(os.getpid).values())
        with parallel_config(backend="dask"):
            found = search(callbacks=[listen])
        assert victim not in client.run(os.getpid).values()
    assert died == [victim]
    assert cells(told) == cells(serial_told)
    for name in ("cv_results_", "frontier_"):
        one, other = getattr(found, name), getattr(serial, name)
        pd.testing.assert_frame_equal(without(one), without(other), check_exact=True)
        assert without(one).to_csv() == without(other).to_csv()
    assert found.rule_set_ == serial.rule_set_


def without(frame):
    return without_seconds(frame) if "seconds" in frame else frame
