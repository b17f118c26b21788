"""COMPAS, whole: values that were found by listing all of its 10,588 rules."""

from __future__ import annotations

from fractions import Fraction

import pytest

from faircg import FairRuleSetClassifier
from faircg.datasets import load_compas

OPPORTUNITY = "equality_of_opportunity"


@pytest.fixture(scope="module")
def compas():
    """Load the data once."""
    return load_compas()


def fitted(compas, constraint, epsilon, max_complexity, **more):
    """Fit with rules of at most six conditions, and recount the gap in fractions."""
    clf = FairRuleSetClassifier(
        constraint=constraint,
        epsilon=epsilon,
        max_complexity=max_complexity,
        max_conditions=6,
        thresholds="quantile",
        rules_for="positive",
        time_limit=3_600,  # a machine that does much else needs more than a minute
        **more,
    )
    groups = compas.sensitive_features
    clf.fit(compas.X, compas.y, sensitive_features=groups)
    assert clf.rule_set_.complexity <= max_complexity
    if constraint is not None:
        predicted = clf.predict(compas.X)
        rates = []
        for group in sorted(set(groups)):
            positives = [
                p
                for p, y, g in zip(predicted, compas.y, groups, strict=True)
                if y == 1 and g == group
            ]
            rates.append(Fraction(sum(int(p == 1) for p in positives), len(positives)))
        assert max(rates) - min(rates) <= Fraction(str(epsilon))
    return clf.certificate_


def test_equality_of_opportunity_ends_with_the_known_optimum(compas):
    """LP value and integer optimum over all rules, both proven."""
    certificate = fitted(compas, OPPORTUNITY, 0.05, 15)
    assert certificate.lp_value == pytest.approx(1728.941, abs=0.01)
    assert certificate.lp_proven
    assert certificate.objective == 1743
    assert certificate.proven_optimal
    assert certificate.status == "optimal"


@pytest.mark.long
@pytest.mark.parametrize(
    ("constraint", "epsilon", "max_complexity", "lp_value", "optimum"),
    [
        (OPPORTUNITY, 0.1, 20, 1679.990, 1697),
        (None, None, 10, 1683.5, 1695),
        (None, None, 15, 1653.0, 1653),
        (None, None, 30, 1614.714, 1617),
    ],
)
def test_the_other_known_optima(
    compas, constraint, epsilon, max_complexity, lp_value, optimum
):
    """With and without the criterion, at several complexities."""
    certificate = fitted(compas, constraint, epsilon, max_complexity)
    assert certificate.lp_value == pytest.approx(lp_value, abs=0.01)
    assert certificate.lp_proven
    assert certificate.objective == optimum
    assert certificate.proven_optimal


@pytest.mark.long
@pytest.mark.parametrize("pricing", ["ip", "ip_dash"])
def test_the_pricing_programs_prove_the_same_lp_value(compas, pricing):
    """The paper's way to the same number."""
    certificate = fitted(compas, OPPORTUNITY, 0.05, 15, pricing=pricing)
    assert certificate.lp_value == pytest.approx(1728.941, abs=0.01)
    assert certificate.lp_proven
    assert certificate.objective == 1743


@pytest.mark.long
@pytest.mark.parametrize("pricing", ["greedy", "sampled"])
def test_heuristic_pricing_ends_at_the_same_or_a_higher_lp_value(compas, pricing):
    """Never lower; and what it returns still satisfies the constraint."""
    certificate = fitted(compas, OPPORTUNITY, 0.05, 15, pricing=pricing)
    assert certificate.lp_value >= 1728.941 - 0.01
    assert certificate.lower_bound <= 1743
    assert certificate.objective >= 1743


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_complexity", [5, 15, 30])
@pytest.mark.parametrize(
    "constraint",
    [None, OPPORTUNITY, "equalized_odds", "demographic_parity", "predictive_equality"],
)
def test_fewer_wrong_predictions_are_found_by_counting_them(
    compas, constraint, max_complexity
):
    """A search by 0-1 loss ended with 33 errors more than one by Hamming loss.

    Both get the same work, which is the same rules on any machine: with the same time
    one of these failed where other tests ran beside it.
    """
    found = [
        FairRuleSetClassifier(
            constraint=constraint,
            max_complexity=max_complexity,
            max_conditions=6,
            objective=objective,
            work_limit=30,
        )
        .fit(compas.X, compas.y, sensitive_features=compas.sensitive_features)
        .certificate_.errors
        for objective in ("zero_one", "hamming")
    ]
    assert found[0] <= found[1]
