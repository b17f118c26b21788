"""Models written by hand on COMPAS, so that no test has to fit anything."""

import numpy as np
import pytest

from certificates import certificate
from faircg.datasets import load_compas
from faircg.model import Feature, RuleSetModel
from faircg.report import About, Part, Point, make_report, render_report
from faircg.report.contents import CrossValidated
from faircg.rules import Condition, Rule, RuleSet

FEATURES = (
    Feature("priors", "numeric"),
    Feature("age_below_25", "boolean"),
    Feature("race", "category", ("African-American", "Caucasian")),
)
EPSILONS = (0.0, 0.2, 0.001)
RULES = {
    "none": (),
    "few": (Rule((Condition("priors", ">", 3),)),),
    "many": (
        Rule((Condition("priors", ">", 3),)),
        Rule((Condition("age_below_25", "=", True), Condition("priors", ">", 0))),
        Rule((Condition("race", "=", "Caucasian"), Condition("priors", ">", 1))),
    ),
}


def model_of(rules, **changes):
    """Return a model of some rules, with a certificate."""
    return RuleSetModel(RuleSet(rules, "1"), FEATURES, (0, 1), certificate(**changes))


@pytest.fixture(scope="session")
def compas():
    return load_compas()


@pytest.fixture(scope="session")
def halves(compas):
    """Train and test data, as (table, labels, groups)."""
    order = np.random.default_rng(0).permutation(len(compas.y))
    return {
        name: (
            compas.X.iloc[rows],
            compas.y.iloc[rows],
            compas.sensitive_features.iloc[rows],
        )
        for name, rows in (("train", order[:3000]), ("test", order[3000:]))
    }


@pytest.fixture(scope="session")
def about(compas):
    return About(
        title="Reoffending within two years",
        data_name="COMPAS",
        data_description=compas.description,
        target="two_year_recid",
        positive="reoffends",
        negative="no new offence",
        sensitive=("race",),
        seed=0,
    )


@pytest.fixture(scope="session")
def report(halves, about):
    """Three points on two parts; the second point is the chosen one."""
    models = [
        model_of(rules, epsilon=epsilon)
        for rules, epsilon in zip(RULES.values(), EPSILONS, strict=True)
    ]
    points = [
        Point(m, e, 10, CrossValidated(0.5 + k / 10, 0.01, k / 20, 3.0, 3))
        for k, (m, e) in enumerate(zip(models, EPSILONS, strict=True))
    ]
    parts = [Part.read(name, *data, models=models) for name, data in halves.items()]
    return make_report(points, parts, chosen=1, about=about)


@pytest.fixture(scope="session")
def page(report):
    return render_report(report)
