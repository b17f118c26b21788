"""The files around the code say the same as each other."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
SYSTEMS = ["ubuntu-latest", "macos-latest", "windows-latest"]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def workflow(name: str) -> Any:
    return read(ROOT / ".github/workflows" / name)


def pythons() -> list[str]:
    """Versions of Python that the classifiers name."""
    found = [
        re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", classifier)
        for classifier in PROJECT["classifiers"]
    ]
    return [match[1] for match in found if match]


def test_there_are_workflows_for_tests_wheels_and_docs() -> None:
    """So that the tests below have something to look at."""
    assert [path.name for path in WORKFLOWS] == ["docs.yml", "tests.yml", "wheels.yml"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_little_and_ends(path: Path) -> None:
    """It reads the repository, knows no secret, and no job runs for hours."""
    jobs = read(path)
    assert jobs["permissions"] == {"contents": "read"}
    assert "secrets" not in path.read_text(encoding="utf-8")
    for job in jobs["jobs"].values():
        assert job["timeout-minutes"] <= 60
        assert "permissions" not in job


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_names_the_version_of_what_it_uses(path: Path) -> None:
    """An action at a branch is another one tomorrow."""
    for job in read(path)["jobs"].values():
        used = [step["uses"] for step in job["steps"] if "uses" in step]
        assert used
        for name in used:
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+(\.\d+)*", name), name


def test_everything_is_tested_that_the_classifiers_promise() -> None:
    """Every Python that we name, on three systems; wheels for the same."""
    matrix = workflow("tests.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix == {"os": SYSTEMS, "python": pythons()}
    wheels = workflow("wheels.yml")["jobs"]
    assert wheels["wheels"]["strategy"]["matrix"] == {"os": SYSTEMS}
    assert any("--sdist" in step.get("run", "") for step in wheels["sdist"]["steps"])
    built = [f"cp{version.replace('.', '')}-*" for version in pythons()]
    assert PYPROJECT["tool"]["cibuildwheel"]["build"] == built
    assert PROJECT["requires-python"] == f">={pythons()[0]}"
    assert PYPROJECT["tool"]["mypy"]["python_version"] == pythons()[0]


def test_commits_are_checked_by_what_make_lint_runs() -> None:
    """With the tools of the project's own environment, so that it works offline."""
    repos = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [repo["repo"] for repo in repos] == ["local"]
    hooks = [re.findall(r"[\w/.-]+", hook["entry"]) for hook in repos[0]["hooks"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    linted = [
        line.split() for line in recipe[1].replace("$(BIN)", ".venv/bin").splitlines()
    ]

    def tool(words: list[str]) -> tuple[str, ...]:
        """Return the program, and what it is asked to do where it can do much."""
        return tuple(words[: 2 if words[0].endswith("ruff") else 1])

    assert [tool(words) for words in hooks] == [tool(words) for words in linted]


def test_issue_templates_ask_for_something() -> None:
    """A form with a mistake in it is not shown at all."""
    forms = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) == 2
    for form in map(read, forms):
        assert {"name", "description", "body"} <= set(form)
        ids = [part["id"] for part in form["body"]]
        assert len(set(ids)) == len(ids)
        assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_the_version_has_its_changes() -> None:
    """Above them is room for what comes next."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert titles[0] == "[Unreleased]"
    released = [re.fullmatch(r"\[(.+)\] - (\d{4}-\d\d-\d\d)", t) for t in titles[1:]]
    assert all(released), titles
    versions, dates = zip(*(match.groups() for match in released if match), strict=True)
    assert versions[0] == PROJECT["version"]
    assert list(dates) == sorted(dates, reverse=True)
    assert read(ROOT / "CITATION.cff")["version"] == PROJECT["version"]


def test_ci_runs_the_newcomers_command() -> None:
    """What passes here passes there."""
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert lines[-1] == "make test"


def test_the_library_alone_needs_nine_packages() -> None:
    """Everything else is an extra, which whoever needs it asks for by name."""
    needed = {re.split(r"[^\w-]", need)[0] for need in PROJECT["dependencies"]}
    assert needed == {
        "duckdb",
        "highspy",
        "narwhals",
        "numpy",
        "pandas",
        "rich",
        "scikit-learn",
        "scipy",
        "typer",
    }


def test_the_demo_needs_little() -> None:
    """It once installed every development tool first, for two minutes."""
    extras = PROJECT["optional-dependencies"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^demo: \$\(VENV\)/\.demo$", makefile, re.MULTILINE)
    assert "scripts/requirements.py html >" in makefile
    steps = re.findall(r"\$\(INSTALL\) ([^&;\n]*?)(?: &|;|$)", makefile, re.MULTILINE)
    assert steps[:3] == [
        "--no-deps --editable .",
        "--requirement $(VENV)/requirements.txt",
        "'faircg[dev]'",
    ]
    assert [re.split(r"\W", need)[0] for need in extras["html"]] == ["jinja2"]


def test_no_test_reads_a_clock() -> None:
    """A busy machine is no mistake of ours: speed is measured in ``benchmarks/``."""
    clocks = {"monotonic", "perf_counter", "process_time", "thread_time", "time"}
    readers = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Attribute(value=ast.Name(id="time"), attr=name):
                    if name.removesuffix("_ns") in clocks:
                        readers.append(f"{path.name}:{node.lineno}")
                case ast.ImportFrom(module="time"):
                    readers.append(f"{path.name}:{node.lineno}")
    assert not readers
