"""One HTML file for people who decide: what the rules do, to whom, and what is proven.

:func:`report_of_model` and :func:`report_of_search` count everything into a
:class:`Report`; :func:`render_report` turns that into the text of a file which opens
offline and needs nothing else.
"""

from __future__ import annotations

from faircg.report.assembling import make_report, report_of_model
from faircg.report.contents import About, Point, Report
from faircg.report.parts import Part
from faircg.report.rendering import render_report
from faircg.report.searches import fit_frontier, report_of_search

__all__ = [
    "About",
    "Part",
    "Point",
    "Report",
    "fit_frontier",
    "make_report",
    "render_report",
    "report_of_model",
    "report_of_search",
]
