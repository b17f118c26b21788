"""One search that several tests look at, and what the engine is asked."""

import pytest

from faircg import folds as folds_module
from faircg.colgen.engine import solve
from search.small import search


@pytest.fixture(scope="session")
def found():
    """Search once what several tests look at."""
    return search()


@pytest.fixture
def solved(monkeypatch):
    """Count the cells that the engine solves."""
    calls = []

    def counted(problem, options):
        calls.append(type(options.pricer).__name__)
        return solve(problem, options)

    monkeypatch.setattr(folds_module, "solve", counted)
    return calls


@pytest.fixture
def starts(monkeypatch):
    """Keep the rules that each cell begins with."""
    starts = []

    def seen(problem, options):
        starts.append(list(options.rules))
        return solve(problem, options)

    monkeypatch.setattr(folds_module, "solve", seen)
    return starts
