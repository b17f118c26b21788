"""Settings of the guide; ``make docs`` builds it without a network."""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "faircg"
author = "The faircg developers"
copyright = "The faircg developers"
version = release = version_of("faircg")

extensions = [
    "mathml",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
# Sphinx has a page of its own called "search"; ours only points to exact-search.
exclude_patterns = ["_build", "_extensions"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
napoleon_use_ivar = True
napoleon_google_docstring = False

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"faircg {version}"
html_static_path = ["_static"]
html_css_files = ["guide.css"]
