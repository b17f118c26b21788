"""A fit asks for memory before it takes it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from classifier.small import GROUPS, X, Y, fit
from faircg import FairRuleSetClassifier, memory
from faircg.binarize import ConditionBinarizer
from faircg.exceptions import FairCGError, MemoryLimitError


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Make the files in which a machine tells its memory; none is there yet."""
    monkeypatch.setattr(memory, "FREE", tmp_path / "meminfo")
    groups = ((tmp_path / "max", tmp_path / "current"),)
    monkeypatch.setattr(memory, "GROUPS", groups)
    return tmp_path


def test_a_container_has_less_than_its_machine(machine):
    """Free memory of the machine alone would get the process killed there."""
    (machine / "meminfo").write_text("MemTotal: 64000000 kB\nMemAvailable: 8000000 kB")
    assert memory.free_bytes() == 8_000_000 * 1024
    (machine / "max").write_text("3000000000\n")
    (machine / "current").write_text("1000000000\n")
    assert memory.free_bytes() == 2e9
    assert memory.Memory.of(None).limit == 1e9
    (machine / "max").write_text("max\n")
    assert memory.free_bytes() == 8_000_000 * 1024


def test_where_nobody_tells_what_is_free_all_there_is_counts(machine):
    """Other systems have no such files."""
    assert memory.free_bytes() > 1e8


def test_a_thousand_million_cut_points_are_not_made():
    """They took 23.8 GB; between 80 values there is room for 79."""
    values = np.linspace(0, 1, 80)
    for way in ("quantile", "tree"):
        clf = fit(
            pd.DataFrame({"x": values}),
            values > 0.5,
            thresholds=way,
            n_thresholds=10**9,
            max_complexity=2,
        )
        assert clf.certificate_.errors == 0


def test_very_many_conditions_are_refused_in_one_line():
    """Of each text that nobody shares there are two conditions."""
    texts = pd.DataFrame({"age": np.arange(480), "name": [f"p{i}" for i in range(480)]})
    clf = FairRuleSetClassifier(memory_limit=5e-4)
    with pytest.raises(MemoryLimitError) as error:
        clf.fit(texts, np.arange(480) % 3 == 0)
    assert isinstance(error.value, FairCGError)
    assert str(error.value) == (
        "980 conditions of the features up to 'name' need about 1.22 MB, and the "
        "memory limit is 0.5 MB; exclude features of many values or ask for fewer "
        "n_thresholds, or raise memory_limit"
    )
    clf.set_params(exclude=["name"]).fit(texts, np.arange(480) % 3 == 0)


def test_too_many_rows_are_refused_before_they_are_sorted():
    """A table of more values than may be sorted is refused by its size."""
    with pytest.raises(MemoryLimitError, match="80 rows of 4 features need about"):
        fit(memory_limit=1e-6)


def test_less_memory_is_a_smaller_search_with_a_rule_set_all_the_same():
    """Rules are not listed that would not fit; what is found then is still true."""
    small = FairRuleSetClassifier(memory_limit=3e-4, max_complexity=6)
    small.fit(X, Y, sensitive_features=GROUPS)
    large = FairRuleSetClassifier(max_complexity=6)
    large.fit(X, Y, sensitive_features=GROUPS)
    assert small.certificate_.lower_bound <= large.certificate_.objective
    assert large.certificate_.lower_bound <= small.certificate_.objective


def test_a_binarizer_alone_has_no_limit():
    """It is asked for all conditions that there are."""
    names = pd.DataFrame({"name": [f"p{i}" for i in range(300)]})
    assert len(ConditionBinarizer().fit(names).conditions_) == 600
