"""Several fits at once, in threads and in processes, end as one after the other."""

import pandas as pd
import pytest
from joblib import Parallel, delayed

from classifier.small import ODDS, OPPORTUNITY, fit, record
from search.small import search

ASKED = [
    {"constraint": constraint, "objective": objective, "n_jobs": jobs}
    for constraint, objective, jobs in (
        (OPPORTUNITY, "hamming", 1),
        (ODDS, "zero_one", 2),
        (OPPORTUNITY, "zero_one", 1),
        (ODDS, "hamming", 2),
    )
]


def recorded(asked):
    """Fit, and return the model as its file has it."""
    return record(fit(**asked))


@pytest.fixture(scope="module")
def one_by_one():
    """Fit one after the other; the number of threads goes up and down between them."""
    return [recorded(asked) for asked in ASKED]


def test_fits_in_threads_do_not_disturb_each_other(one_by_one, record_property):
    """A web service fits for two people at once: solver, kernel and clock are shared.

    Threads other than the main one receive no Ctrl-C and must not listen for it.
    """
    record_property("cases", len(ASKED))
    together = Parallel(n_jobs=2, backend="threading")(
        delayed(recorded)(asked) for asked in ASKED
    )
    assert together == one_by_one


def frontier(n_jobs):
    """Search folds, perhaps side by side, and return the points that none beats."""
    few = {"fine_epsilons": (0.05, 1.0), "complexities": (3,), "cv": 2}
    return search(n_jobs=n_jobs, refit=False, **few).frontier_


def test_folds_side_by_side_inside_of_work_side_by_side(record_property):
    """Somebody compares settings by joblib, and each search asks joblib for folds."""
    record_property("cases", 2)
    alone = frontier(1)
    for together in Parallel(n_jobs=2)(delayed(frontier)(jobs) for jobs in (1, 2)):
        pd.testing.assert_frame_equal(together, alone)
