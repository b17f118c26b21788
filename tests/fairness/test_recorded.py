"""A model file says what its fit was asked, each rate with its own limit."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certificates import certificate
from faircg import EqualizedOdds, FairRuleSetClassifier, RuleSet, RuleSetModel
from faircg.cli.scoring import _criterion
from faircg.exceptions import ModelFormatError
from faircg.fairness import EqualityOfOpportunity, Rate
from faircg.fairness.bounds import BOUNDS, Bound
from faircg.fairness.rates import AMONG
from faircg.fairness.recorded import rates_from_json, rates_to_json
from faircg.report import report_of_model

if TYPE_CHECKING:
    from pathlib import Path

KINDS = list(
    chain.from_iterable(combinations(AMONG, size) for size in range(1, len(AMONG) + 1))
)
EVERYBODY = ("positives", "negatives")
MODEL = RuleSetModel(RuleSet((), "1"), (), (0, 1))


def people() -> dict[str, Any]:
    """One rule finds all positives, and half of the negatives of one group only."""
    blocks = [  # group, label, meets the rule, people
        ("a", 1, True, 40),
        ("a", 0, True, 10),
        ("a", 0, False, 10),
        ("b", 1, True, 40),
        ("b", 0, False, 40),
    ]
    rows = [block[:3] for block in blocks for _ in range(block[3])]
    frame = pd.DataFrame(rows, columns=["group", "label", "x"])
    return {
        "X": frame[["x"]],
        "y": frame["label"].to_numpy(),
        "sensitive_features": frame["group"],
    }


def test_each_rate_of_a_model_keeps_its_limit(tmp_path: Path) -> None:
    """False positive rates were allowed 0.6, and the report said "does not satisfy".

    The file kept one epsilon, that of the false negative rates, and whoever measured
    the model held it against both.
    """
    odds = EqualizedOdds(0.05, epsilon_negatives=0.6)
    clf = FairRuleSetClassifier(
        constraint=odds, max_complexity=4, max_conditions=2
    ).fit(**people())
    assert clf.fairness_.gaps == {"false negative rate": 0, "false positive rate": 0.5}
    clf.model_.save(tmp_path / "model.json")
    model = RuleSetModel.load(tmp_path / "model.json")
    assert model == clf.model_
    assert model.criterion is not None
    assert model.criterion.rates() == odds.rates()
    assert (model.criterion.name, model.criterion.epsilon) == (odds.name, 0.05)
    main = report_of_model(model, **people()).points[0].main
    assert main.within
    assert {gap.rate: gap.limit for gap in main.bounded} == clf.fairness_.allowed
    # By its name alone it is the same; another epsilon leaves the limit of its own.
    assert _criterion(model, odds.name, None) == model.criterion
    assert _criterion(model, "equalized_odds", None) == EqualizedOdds(0.05)
    wider = _criterion(model, None, 0.1)
    assert wider is not None
    assert wider.rates() == EqualizedOdds(0.1, epsilon_negatives=0.6).rates()
    assert _criterion(model, "none", None) is None
    same = report_of_model(model, **people(), constraint="equalized_odds")
    assert not same.points[0].main.within


def test_a_report_can_be_asked_for_no_constraint() -> None:
    """``report --constraint none`` measured by the model's all the same."""
    model = replace(MODEL, certificate=certificate())
    asked = report_of_model(model, **people())
    assert asked.points[0].main.bounded
    assert asked.constraint == "equality_of_opportunity"
    free = report_of_model(model, **people(), constraint="none")
    assert not free.points[0].main.bounded
    assert free.constraint is None


def test_a_criterion_of_my_own_is_measured_from_the_file() -> None:
    """Nobody needs its class: a file loaded elsewhere measures what was asked."""

    @dataclass(frozen=True)
    class Mine:
        epsilon: float
        name = "mine"

        def rates(self) -> tuple[Rate, ...]:
            wrong = ("false_negatives", "false_positives")
            bound = BOUNDS["difference"](self.epsilon)
            return (Rate("error rate", wrong, EVERYBODY, bound),)

    clf = FairRuleSetClassifier(
        constraint=Mine(0.2), max_complexity=4, max_conditions=2
    ).fit(**people())
    model = RuleSetModel.from_json(clf.model_.to_json())
    main = report_of_model(model, **people()).points[0].main
    assert [gap.rate for gap in main.bounded] == ["error rate"]
    assert float(main.bounded[0].value or 0) == clf.fairness_.gap
    assert main.within


def test_a_file_without_rates_is_measured_by_its_name() -> None:
    """Files of before had a name and one epsilon."""
    values = replace(MODEL, certificate=certificate()).to_dict()
    del values["rates"]
    model = RuleSetModel.from_json(json.dumps(values))
    assert model.criterion == EqualityOfOpportunity(0.05)
    unknown = replace(model, certificate=certificate(constraint="mine"))
    assert unknown.criterion is None
    assert replace(model, certificate=certificate(constraint=None)).criterion is None
    assert MODEL.criterion is None


@given(
    st.lists(
        st.builds(
            lambda name, counted, bound, limit: Rate(
                name, counted, EVERYBODY, BOUNDS[bound](limit)
            ),
            st.text(st.characters(codec="utf-8")),
            st.sampled_from(KINDS),
            st.sampled_from(sorted(BOUNDS)),
            st.floats(0, 1),
        )
    )
)
def test_any_rates_survive_a_file(rates: list[Rate]) -> None:
    """Whatever is counted, and however it is bounded."""
    model = replace(MODEL, rates=tuple(rates))
    assert RuleSetModel.from_json(model.to_json()) == model


def test_a_bound_without_a_name_is_not_recorded() -> None:
    """A class of the user's cannot be found again, so nothing is claimed."""

    class Odd(Bound):
        def violation(self, smallest: Any, largest: Any, limit: Any) -> Any:
            return limit

        def rows(self, size: int) -> list[Any]:
            return []

    rate = Rate("error rate", ("false_positives",), EVERYBODY, Odd(0.5))
    assert rates_to_json([rate]) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bound": "eval"}, "cannot have the bound 'eval'"),
        ({"limit": "0.1"}, "the limit of a rate cannot be '0.1'"),
        ({"limit": -1}, "epsilon must be a number of at least 0"),
        ({"counted": ["somebody"]}, "a rate counts some of"),
        ({"extra": 1}, "a rate must have exactly the keys"),
    ],
    ids=str,
)
def test_strange_rates_are_refused(changes: dict[str, Any], message: str) -> None:
    """A file may hold anything."""
    entries = rates_to_json(EqualityOfOpportunity(0.1).rates())
    assert rates_from_json(entries) == EqualityOfOpportunity(0.1).rates()
    values = {**MODEL.to_dict(), "rates": [{**entries[0], **changes}]}
    with pytest.raises(ModelFormatError, match=message):
        RuleSetModel.from_json(json.dumps(values))
    with pytest.raises(ModelFormatError, match="rates must be a list"):
        RuleSetModel.from_json(json.dumps({**values, "rates": {}}))
