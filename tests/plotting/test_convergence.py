"""ConvergenceDisplay draws the records, and nothing that was not recorded."""

import dataclasses

import numpy as np
import pytest

from faircg import FairRuleSetClassifier
from faircg.plotting import ConvergenceDisplay


@pytest.fixture(scope="module")
def deepened(compas):
    """Fit with two conditions per rule, then with three."""
    return FairRuleSetClassifier(max_complexity=4).fit(compas.X, compas.y)


@pytest.mark.parametrize("x", ["seconds", "rounds"])
def test_lines_hold_every_round(deepened, ax, x):
    """One line per number of conditions; together they hold all rounds, in order."""
    display = ConvergenceDisplay.from_estimator(deepened, x=x, ax=ax)
    depths = sorted({r.max_conditions for r in deepened.history_})
    assert len(depths) > 1
    for depth, lp, bound in zip(
        depths, display.lp_lines_, display.bound_lines_, strict=True
    ):
        rounds = [r for r in deepened.history_ if r.max_conditions == depth]
        at = [r.seconds if x == "seconds" else r.number for r in rounds]
        assert lp.get_xydata().tolist() == [
            [a, r.lp_value] for a, r in zip(at, rounds, strict=True)
        ]
        expected = [r.lower_bound or np.nan for r in rounds]
        np.testing.assert_array_equal(bound.get_ydata(), expected)
        np.testing.assert_array_equal(bound.get_xdata(), at)


def test_the_end_is_that_of_the_certificate(deepened, ax):
    display = ConvergenceDisplay.from_estimator(deepened, ax=ax)
    certificate = deepened.certificate_
    assert set(display.objective_line_.get_ydata()) == {certificate.objective}
    assert display.final_bound_.get_xydata().tolist() == [
        [certificate.seconds, certificate.lower_bound]
    ]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"lowest loss found by the end ({certificate.objective:,.0f})" in labels
    assert f"bound of the certificate ({certificate.lower_bound:,.0f})" in labels


@pytest.mark.parametrize("is_proven", [True, False])
def test_the_title_claims_what_was_proven(deepened, ax, is_proven):
    """Only a proof is called one."""
    certificate = dataclasses.replace(
        deepened.certificate_,
        proven_optimal=is_proven,
        objective=200.0,
        lower_bound=200.0 if is_proven else 150.0,
        gap=0.0 if is_proven else 0.25,
    )
    ConvergenceDisplay.from_history(deepened.history_, certificate, ax=ax)
    title = ax.get_title(loc="left")
    assert ("Proven optimal" in title) == is_proven
    assert ("at most 33.33% above the best possible" in title) != is_proven


def test_no_rounds_at_all(compas, ax):
    """A limit that no rule fits leaves only the level and the bound."""
    clf = FairRuleSetClassifier(max_complexity=1).fit(compas.X, compas.y)
    assert not clf.history_
    display = ConvergenceDisplay.from_estimator(clf, x="rounds", ax=ax)
    assert not display.lp_lines_
    assert display.final_bound_.get_ydata()[0] == compas.y.sum()


def test_a_search_shows_its_last_fit(search, ax):
    display = ConvergenceDisplay.from_estimator(search, ax=ax)
    assert display.history == search.best_estimator_.history_


def test_another_axis_is_an_error(deepened):
    with pytest.raises(ValueError, match="x must be 'seconds' or 'rounds'"):
        ConvergenceDisplay.from_estimator(deepened, x="minutes")
