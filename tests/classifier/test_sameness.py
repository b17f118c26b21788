"""What changes nothing about the result."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from classifier.small import GROUPS, ODDS, OPPORTUNITY, X, Y, fit, record


@pytest.mark.parametrize("pricing", ["exact", "sampled"])
def test_the_same_seed_gives_the_same_bytes(pricing):
    """Fitting again changes nothing, in another object or in the same one."""
    first = fit(pricing=pricing, warm_start_rules="forest", random_state=7)
    expected = record(first)
    assert record(clone(first).fit(X, Y, sensitive_features=GROUPS)) == expected
    assert record(first.fit(X, Y, sensitive_features=GROUPS)) == expected


@pytest.mark.parametrize("jobs", [2, -1])
def test_threads_do_not_change_the_result(clf, jobs):
    """One thread or many: the same bytes."""
    assert record(fit(n_jobs=jobs)) == record(clf)


ELSEWHERE = """
import contextlib, hashlib, locale, warnings
from classifier.small import GROUPS, ODDS, OPPORTUNITY, X, fit, record

with contextlib.suppress(locale.Error):  # not every machine has every locale
    locale.setlocale(locale.LC_ALL, "")
warnings.simplefilter("ignore")
jobs = X["job"].map({"cook": "Äpfel", "nurse": "Irmak", "clerk": "zebra"})
for threads in (1, 2, 4):
    for asked in (
        {"constraint": None, "warm_start_rules": "forest"},
        {"constraint": OPPORTUNITY, "objective": "zero_one", "max_complexity": 4},
        {"constraint": ODDS, "pricing": "sampled", "epsilon": 0.1},
    ):
        clf = fit(X.assign(job=jobs), groups=GROUPS.map({"f": "ö", "m": "I"}),
                  n_jobs=threads, **asked)
        print(threads, asked, hashlib.sha256(record(clf).encode()).hexdigest())
"""
HASH_SEEDS = ("0", "1", "77", "2024", "4294967295")
LOCALES = ("C", "C.utf8", "tr_TR.UTF-8", "de_DE.UTF-8")
FITS = 9
"""What the script makes in one process: three questions on 1, 2 and 4 threads."""


@pytest.mark.parametrize(
    "settings",
    [
        (("0", "C"), ("77", "tr_TR.UTF-8")),
        pytest.param([*product(HASH_SEEDS, LOCALES)], marks=pytest.mark.long),
    ],
    ids=len,
)
def test_threads_hash_seeds_and_locales_do_not_change_the_bytes(
    settings, record_property
):
    """A fit ends with the same model file on 1, 2 and 4 threads, in any process.

    Sets of texts go another way with each hash seed, and what is a letter, or its
    order, with each locale.
    """
    record_property("cases", FITS * len(settings))
    printed = {
        subprocess.run(
            [sys.executable, "-c", ELSEWHERE],
            env={
                **os.environ,
                "PYTHONPATH": str(Path(__file__).parents[1]),
                "PYTHONHASHSEED": seed,
                "PYTHONIOENCODING": "utf-8",
                "LC_ALL": name,
            },
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed, name in settings
    }
    (lines,) = printed
    digests = [line.rpartition(" ")[2] for line in lines.splitlines()]
    assert len(digests) == FITS
    assert digests[:3] == digests[3:6] == digests[6:]
    assert len(set(digests)) == 3


def test_the_order_of_samples_does_not_matter(clf):
    """Shuffling the rows gives the same model."""
    order = np.random.default_rng(1).permutation(len(Y))
    other = fit(X=X.iloc[order], y=Y[order], groups=GROUPS.iloc[order])
    assert record(other) == record(clf)


def test_the_index_of_a_frame_changes_nothing(clf):
    """Rows are matched by position; groups with another index are refused."""
    rng = np.random.default_rng(2)
    index = rng.permutation(len(Y))
    other = fit(
        X=X.set_index(index),
        y=pd.Series(Y, index=rng.permutation(len(Y))),
        groups=GROUPS.set_axis(index),
    )
    assert record(other) == record(clf)


def test_renaming_groups_changes_only_their_names(clf):
    """Which group comes first in the alphabet decides nothing."""
    other = fit(groups=GROUPS.map({"f": "z", "m": "a"}))
    assert other.rule_set_ == clf.rule_set_
    assert other.fairness_.groups["z"] == clf.fairness_.groups["f"]


@pytest.mark.parametrize("constraint", [None, OPPORTUNITY, ODDS])
def test_integer_weights_are_repeated_rows(constraint):
    """A weight of three is the row three times, a weight of zero no row: same bytes."""
    weights = np.random.default_rng(3).integers(0, 4, len(Y))
    rows = np.repeat(np.arange(len(Y)), weights)
    parameters = {"constraint": constraint, "max_complexity": 4}
    weighted = fit(weights=weights, **parameters)
    repeated = fit(X.iloc[rows], Y[rows], GROUPS.iloc[rows], **parameters)
    assert record(weighted) == record(repeated)


def test_equal_weights_change_nothing_but_the_counts(clf):
    """Everybody twice is the same rule set with twice the loss."""
    twice = fit(weights=np.full(len(Y), 2.0))
    assert twice.certificate_.objective == 2 * clf.certificate_.objective
    assert twice.fairness_.gap <= 0.05
