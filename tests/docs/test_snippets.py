"""Every snippet of the guide runs, and prints what the guide says."""

from importlib.util import find_spec

import matplotlib.pyplot as plt
import pytest
from docs.run_snippets import DOCS, Block, Shown, blocks, images, pages, run_page

PAGES = pages()
NEEDS = {"cluster.md": "distributed"}
"""Pages that start processes of their own, and what they need."""


def marked(path):
    """Leave pages that take long to the long run, and skip what is not installed."""
    needed = NEEDS.get(path.name)
    name = str(path.relative_to(DOCS))
    if needed is None:
        return pytest.param(path, id=name)
    is_missing = pytest.mark.skipif(
        find_spec(needed) is None, reason=f"{needed} not installed"
    )
    ignoring = pytest.mark.filterwarnings("default")
    return pytest.param(path, id=name, marks=[pytest.mark.long, is_missing, ignoring])


@pytest.mark.parametrize("path", [marked(path) for path in PAGES])
def test_the_page_shows_what_its_code_prints(path, tmp_path, monkeypatch):
    """Run a page in an empty directory; it also saves the figures that it shows."""
    monkeypatch.chdir(tmp_path)
    try:
        shown = run_page(path)
    finally:
        plt.close("all")
    assert shown
    for entry in shown:
        assert entry.is_right, (
            f"{path}:{entry.block.line} prints\n{entry.got}\nnot\n{entry.expected}"
        )
    for name in images(path):
        assert (tmp_path / name).stat().st_size > 0, f"{name} is not saved by the page"
        assert (DOCS / "images" / name).stat().st_size > 0, f"{name} is not committed"


def test_pictures_belong_to_pages():
    """No picture is left behind when its page no longer shows it."""
    used = set().union(*map(images, PAGES))
    assert {path.name for path in (DOCS / "images").iterdir()} == used


def test_blocks_are_found_with_their_lines():
    text = "a\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n"
    assert blocks(text) == [
        Block("python", "print(1)\n", 3),
        Block("output", "1\n", 7),
    ]


@pytest.mark.parametrize(
    ("got", "expected", "is_right"),
    [
        ("", None, True),
        ("1\n", None, False),
        ("1\n", "1\n", True),
        ("1\n", "2\n", False),
        ("took 1.3 s\n", "took ... s\n", True),
        ("took 1.3 s\n", "took ... minutes\n", False),
    ],
)
def test_what_is_printed_must_be_shown(got, expected, is_right):
    """A page that hides or changes what its code prints is wrong."""
    assert Shown(Block("python", "", 1), got, expected).is_right is is_right
