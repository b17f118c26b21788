"""Small fits on COMPAS that all plots share."""

from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV
from faircg.datasets import load_compas


@pytest.fixture(scope="session")
def compas():
    data = load_compas()
    return SimpleNamespace(X=data.X, y=data.y, groups=data.sensitive_features)


@pytest.fixture(scope="session")
def clf(compas):
    return FairRuleSetClassifier(
        constraint="equality_of_opportunity", max_complexity=9, max_conditions=2
    ).fit(compas.X, compas.y, sensitive_features=compas.groups)


@pytest.fixture(scope="session")
def search(compas):
    return FairRuleSetClassifierCV(
        FairRuleSetClassifier(
            constraint="equality_of_opportunity", max_conditions=2, time_limit=30
        ),
        epsilons=(0.05, 1.0),
        fine_epsilons=(0.0, 0.05, 1.0),
        complexities=(4, 7),
        cv=3,
        target_gap=0.1,
    ).fit(compas.X, compas.y, sensitive_features=compas.groups)


@pytest.fixture
def ax():
    return Figure().subplots()
