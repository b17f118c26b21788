"""Plots with matplotlib, in the manner of scikit-learn's displays.

Each display holds what it draws as plain values, draws on the axes that it is given (or
on a new figure), and keeps ``ax_`` and ``figure_``. Marks differ in shape as well as in
colour, so that plots can be read in grey. Nothing global is changed, and matplotlib is
loaded when something is drawn.
"""

from __future__ import annotations

from faircg.plotting.convergence import ConvergenceDisplay
from faircg.plotting.frontier import FrontierDisplay
from faircg.plotting.group_rates import GroupRatesDisplay
from faircg.plotting.rule_overlap import RuleOverlapDisplay

__all__ = [
    "ConvergenceDisplay",
    "FrontierDisplay",
    "GroupRatesDisplay",
    "RuleOverlapDisplay",
]
