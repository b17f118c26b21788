"""Count the tests that run by the rows of the reliability matrix (see matrix.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from matrix import RUNS, Matrix, cases_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MATRIX = pytest.StashKey[Matrix]()


class Counting:
    """Hears every report; those of other processes come to the main one."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            cases = dict(report.user_properties).get("cases", 1)
            self.matrix.add(report.nodeid, report.outcome, int(cases))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--matrix", choices=RUNS, help="print the reliability matrix and keep it"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        item.user_properties.append(("cases", cases_of(parameters)))


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MATRIX] = Matrix()
    config.pluginmanager.register(Counting(config.stash[MATRIX]))


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> Iterator[None]:
    yield
    run = config.getoption("--matrix")
    is_part = hasattr(config, "workerinput")  # other processes have summaries too
    if run is not None and not is_part:
        terminalreporter.section("reliability matrix")
        for line in config.stash[MATRIX].lines():
            terminalreporter.write_line(line)
        config.stash[MATRIX].keep(run)
