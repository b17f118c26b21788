"""A limit on work cuts a fit short at the same place, wherever and whenever it runs."""

from __future__ import annotations

import importlib
import json
import time
import warnings

import pytest

from classifier.small import ODDS, OPPORTUNITY, fit, record
from faircg import RuleSetModel
from faircg._kernel import HAS_NATIVE
from faircg.colgen import stop
from made_up import make_people

# The modules: the package has functions of the same names.
rule_sets = importlib.import_module("faircg._kernel.rule_sets")
search = importlib.import_module("faircg._kernel.search")
LIMITED = {
    "time_limit": None,
    "max_conditions": None,
    "max_complexity": 10,
    "thresholds": "auto",
    "n_thresholds": 10,
    "warm_start_rules": "tree",
}
PEOPLE = make_people(300)


def limited(work, **parameters):
    """Fit within so much work; say how it ended and what the file holds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = fit(*PEOPLE, work_limit=work, **{**LIMITED, **parameters})
    return clf.certificate_.status, clf.model_.to_json()


@pytest.mark.parametrize(
    "parameters",
    [
        {"constraint": "equalized_odds"},
        {"objective": "zero_one"},
        {"pricing": "ip", "max_conditions": 3},
        {"rules_for": "auto", "warm_start_rules": "forest"},
    ],
    ids=str,
)
def test_a_fit_that_work_cuts_short_is_the_same_on_a_slower_machine(
    monkeypatch, parameters
):
    """Every look at the clock takes longer the second time, and there are two threads.

    A time limit would end such a fit elsewhere, with other rules.
    """
    first = limited(0.01, n_jobs=1, **parameters)
    assert first[0] == "work_limit"
    now = stop.Deadline().clock

    def slowly():
        time.sleep(0.001)
        return now()

    monkeypatch.setattr(stop.time, "monotonic", slowly)
    assert limited(0.01, n_jobs=2, **parameters) == first


def test_less_work_cuts_shorter_and_says_so():
    """Little work is cut short, with a warning that names the limit; much ends."""
    with pytest.warns(match=r"work limit of 0\.005 units of work was reached"):
        cut = fit(*PEOPLE, work_limit=0.005, **LIMITED)
    assert cut.certificate_.status == "work_limit"
    assert cut.model_.asked.work_limit == 0.005
    assert cut.model_.asked.time_limit is None
    done = fit(*PEOPLE, work_limit=100, **LIMITED)
    assert done.certificate_.status == "optimal"
    assert done.certificate_.errors <= cut.certificate_.errors


def test_time_ends_a_fit_with_a_limit_on_work_only_if_it_is_limited_too():
    """Both limits may be given; then the first that is reached ends the fit."""
    with pytest.warns(match="time limit of 0.001 s or 1e"):
        clf = fit(*PEOPLE, **{**LIMITED, "work_limit": 1e9, "time_limit": 1e-3})
    assert clf.certificate_.status == "time_limit"


def test_the_file_of_a_model_holds_no_time(tmp_path):
    """Two fits of the same data wrote different files: the seconds they had taken."""
    clf = fit()
    clf.model_.save(tmp_path / "model.json")
    data = json.loads((tmp_path / "model.json").read_text())
    assert "seconds" not in data["certificate"]
    assert clf.certificate_.seconds > 0
    loaded = RuleSetModel.load(tmp_path / "model.json")
    assert loaded.certificate.seconds is None
    assert loaded == clf.model_


def test_a_file_that_holds_the_seconds_is_still_read():
    """Files of earlier versions had them."""
    data = fit().model_.to_dict()
    data["certificate"]["seconds"] = 1.5
    assert RuleSetModel.from_json(json.dumps(data)).certificate.seconds == 1.5


@pytest.mark.skipif(not HAS_NATIVE, reason="there is only one kernel")
@pytest.mark.parametrize("constraint", [OPPORTUNITY, ODDS])
def test_both_kernels_write_the_same_bytes(monkeypatch, constraint):
    """The value of the linear master differed in its last digit."""
    native = record(fit(constraint=constraint, max_complexity=4))
    for module in (rule_sets, search):
        monkeypatch.setattr(module, "compiled", None)
    assert record(fit(constraint=constraint, max_complexity=4)) == native
