"""The guide builds without a warning."""

import subprocess
import sys

import pytest
from docs.run_snippets import DOCS


@pytest.mark.long
def test_the_guide_builds_without_warnings(tmp_path):
    pytest.importorskip("furo")
    pytest.importorskip("myst_parser")
    options = ("--fail-on-warning", "--keep-going", "--quiet")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(DOCS), str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "index.html").exists()
