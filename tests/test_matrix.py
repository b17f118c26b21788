"""The reliability matrix counts what ran, once, and names files that are there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import matrix
from matrix import ROWS, Matrix

TESTS = Path(__file__).parent


def test_every_row_has_tests_or_says_where_they_are():
    """A row whose file was renamed would stand there with zero cases."""
    for row in ROWS:
        assert row.files or row.elsewhere, row.name
        for file in row.files:
            assert (TESTS / file).exists(), (row.name, file)
    files = [file for row in ROWS for file in row.files]
    assert len(files) == len(set(files))


@pytest.fixture
def counted() -> Matrix:
    found = Matrix()
    found.add("tests/test_stop.py::test_one", "passed")
    found.add("tests/test_stop.py::test_two[a::b]", "failed")
    found.add("tests/test_model.py::test_many", "passed", 200)
    found.add("tests/somewhere_else.py::test_three", "passed")
    return found


def test_cases_are_counted_by_row(counted):
    """A test that looks at 200 files counts 200 times."""
    assert counted.counts["H"] == {"passed": 1, "failed": 1}
    assert counted.counts["L"] == {"passed": 200}
    assert sum(sum(counts.values()) for counts in counted.counts.values()) == 202


def test_instances_are_cases():
    """A test that compares 260 random instances stood there as one case."""
    assert matrix.cases_of({"count": 260, "first": 0, "objective": "hamming"}) == 260
    assert matrix.cases_of({"seeds": range(8, 20)}) == 12
    assert matrix.cases_of({"seed": 3}) == matrix.cases_of({}) == 1


def test_the_page_tells_failures_and_what_is_absent(counted, tmp_path, monkeypatch):
    """Nothing that did not run looks as if it had."""
    monkeypatch.setattr(matrix, "KEPT", tmp_path)
    monkeypatch.setattr(matrix, "PAGE", tmp_path / "page.md")
    counted.keep("test")
    Matrix().keep("test-long")
    matrix.main()
    lines = (tmp_path / "page.md").read_text(encoding="utf-8").splitlines()
    told = {line.split(" | ")[0]: line for line in lines if line.startswith("| ")}
    assert told["| H"].endswith("| 1 | 0 | 1 |")
    assert told["| L"].endswith("| 200 | 0 | 0 |")
    assert "absent: no test ran" in told["| A"]
    assert "make test-oldest" in told["| R"]
    assert lines[9].startswith("* `make test`: 20")
    assert "highspy" in lines[10]


@pytest.mark.long
def test_processes_are_added_up(tmp_path):
    """Reports of other processes are counted where they come together, and once.

    Each of them kept its part too, over what the last run of all had counted.
    """
    kept = matrix.KEPT / "test.json"
    before = kept.stat().st_mtime_ns if kept.exists() else None
    asked = "tests/test_stop.py -q -n 1 -p no:cacheprovider -k deadline --matrix test"
    script = "import sys, pytest, matrix; from pathlib import Path; "
    script += f"matrix.KEPT = Path({str(tmp_path)!r}); pytest.main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", script, *asked.split()],
        cwd=TESTS.parent,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    line = next(text for text in done.stdout.splitlines() if text.startswith("H "))
    (passed,) = re.findall(r"^(\d+) passed", done.stdout, re.MULTILINE)
    assert int(line.split()[1]) == int(passed) > 1
    assert done.stdout.count("reliability matrix") == 1
    assert (tmp_path / "test.json").exists()
    assert (kept.stat().st_mtime_ns if kept.exists() else None) == before
    assert (tmp_path / "test.json").exists()
