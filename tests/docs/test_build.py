"""The guide builds without a warning, and its pages load nothing from elsewhere."""

import re
import subprocess
import sys

import pytest
from docs.run_snippets import DOCS


@pytest.mark.long
def test_the_guide_builds_without_warnings(tmp_path):
    pytest.importorskip("furo")
    pytest.importorskip("latex2mathml")
    pytest.importorskip("myst_parser")
    options = ("--fail-on-warning", "--keep-going", "--quiet")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(DOCS), str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "index.html").exists()
    remote = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=.https?:")
    for page in tmp_path.rglob("*.html"):
        assert not remote.search(page.read_text("utf-8")), page.name
    assert "<math" in (tmp_path / "exact-search.html").read_text("utf-8")
