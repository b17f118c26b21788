"""A fit only looks at distinct rows: the same people give the same model."""

import json

import numpy as np
import pytest

from faircg import labelled as labelled_module
from faircg.exceptions import SolverError
from faircg.labelled import LabelledTable
from reduction.people import ASKED, asked, people, text_of

WAYS = [
    way if way in ("auto", "quantile") else pytest.param(way, marks=pytest.mark.long)
    for way in ASKED
]


def model_text(X, y, groups, *, sample_weight=None, costs=None, **parameters):
    """Return the model file of a fit, without how long it took."""
    return text_of(
        asked(**parameters).fit(
            X, y, sensitive_features=groups, sample_weight=sample_weight, costs=costs
        )
    )


@pytest.fixture(params=[100_000, 10], ids=["exact", "cut"])
def most_distinct(request, monkeypatch):
    """Reduce to distinct rows, or to distinct rows of intervals."""
    monkeypatch.setattr(labelled_module, "MOST_DISTINCT", request.param)


@pytest.mark.usefixtures("most_distinct")
@pytest.mark.parametrize("way", WAYS)
def test_only_the_people_decide_the_model(way):
    """Shuffled rows, repeated rows and weights are the same people: the same file."""
    X, y, groups = people(0)
    rng = np.random.default_rng(1)
    often = rng.integers(0, 4, len(X))
    plain = model_text(X, y, groups, sample_weight=often, **ASKED[way])
    order = rng.permutation(np.repeat(np.arange(len(X)), often))
    again = X.iloc[order], y[order], groups.iloc[order]
    repeated = [part.reset_index(drop=True) for part in (again[0], again[2])]
    assert plain == model_text(repeated[0], again[1], repeated[1], **ASKED[way])


@pytest.mark.usefixtures("most_distinct")
def test_weights_in_parts_and_costs_by_row_are_kept():
    """People who are alike but for what their errors cost are not the same person."""
    X, y, groups = people(2)
    rng = np.random.default_rng(3)
    amounts = rng.choice([0.25, 1.5, 2.0], (2, len(X)))
    order = rng.permutation(len(X))
    first = model_text(X, y, groups, sample_weight=amounts[0], costs=amounts[1])
    shuffled = [part.iloc[order].reset_index(drop=True) for part in (X, groups)]
    second = model_text(
        shuffled[0],
        y[order],
        shuffled[1],
        sample_weight=amounts[0][order],
        costs=amounts[1][order],
    )
    assert first == second


@pytest.mark.parametrize("way", WAYS)
def test_intervals_lose_nothing_that_a_rule_can_test(way, monkeypatch):
    """Rules, certificate and ranges are those of the numbers themselves.

    Only the plain tree beside them, which cuts where it likes, may be another.
    """
    X, y, groups = people(4)
    X["three"] = np.random.default_rng(5).choice([0.0, 0.3, 1.0], len(X))
    whole = json.loads(model_text(X, y, groups, **ASKED[way]))
    monkeypatch.setattr(labelled_module, "MOST_DISTINCT", 10)
    cut = json.loads(model_text(X, y, groups, **ASKED[way]))
    for entry in (whole, cut):
        entry.pop("baseline")
    assert whole == cut


def test_a_model_of_other_people_is_refused(monkeypatch):
    """Whatever a reduction does wrong, the people themselves are counted once more."""
    reduced = LabelledTable.reduced

    def without_the_last(self, *asked):
        rows = reduced(self, *asked)
        return rows.take(np.arange(len(rows.weights) - 1))

    monkeypatch.setattr(LabelledTable, "reduced", without_the_last)
    with pytest.raises(SolverError, match="disagree with their distinct rows"):
        model_text(*people(6))
