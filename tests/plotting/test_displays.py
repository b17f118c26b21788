"""What all displays have in common."""

import io
import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from sklearn.exceptions import NotFittedError

from faircg import FairRuleSetClassifier, FairRuleSetClassifierCV
from faircg.plotting import (
    ConvergenceDisplay,
    FrontierDisplay,
    GroupRatesDisplay,
    RuleOverlapDisplay,
)

DRAW = {
    "frontier": lambda s, c, d, **k: FrontierDisplay.from_estimator(s, **k),
    "group rates": lambda s, c, d, **k: GroupRatesDisplay.from_estimator(c, **k),
    "convergence": lambda s, c, d, **k: ConvergenceDisplay.from_estimator(c, **k),
    "overlap": lambda s, c, d, **k: RuleOverlapDisplay.from_estimator(c, d.X, **k),
}


@pytest.fixture(params=DRAW)
def draw(request, search, clf, compas):
    return lambda **options: DRAW[request.param](search, clf, compas, **options)


def test_given_axes_are_used_and_nothing_global_changes(draw, ax):
    """No figure is opened, no setting changes, and the figure can be written."""
    before = dict(mpl.rcParams)
    display = draw(ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before
    display.figure_.savefig(io.BytesIO(), format="png")


def test_without_axes_a_new_figure_is_made(draw):
    """As in scikit-learn, pyplot knows the figure, so that it is shown."""
    display = draw()
    try:
        assert plt.get_fignums() == [display.figure_.number]
        assert display.figure_.axes == [display.ax_]
    finally:
        plt.close(display.figure_)


def test_plot_can_be_called_again_and_returns_the_display(draw, ax):
    display = draw(ax=ax)
    other = mpl.figure.Figure().subplots()
    assert display.plot(other) is display
    assert display.ax_ is other


def test_everything_fits_into_the_figure(draw):
    """No label leaves the picture."""
    display = draw()
    try:
        display.figure_.draw_without_rendering()
        inside = display.figure_.bbox
        box = display.ax_.get_tightbbox()
        assert box.x0 >= inside.x0 - 1
        assert box.x1 <= inside.x1 + 1
        assert box.y0 >= inside.y0 - 1
        assert box.y1 <= inside.y1 + 1
    finally:
        plt.close(display.figure_)


@pytest.mark.parametrize(
    "draw_unfitted",
    [
        lambda: FrontierDisplay.from_estimator(FairRuleSetClassifierCV()),
        lambda: GroupRatesDisplay.from_estimator(FairRuleSetClassifier()),
        lambda: ConvergenceDisplay.from_estimator(FairRuleSetClassifier()),
        lambda: RuleOverlapDisplay.from_estimator(FairRuleSetClassifier(), [[1]]),
    ],
)
def test_what_is_not_fitted_is_said_to_be_so(draw_unfitted):
    with pytest.raises(NotFittedError):
        draw_unfitted()


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_importing_the_displays_does_not_load_matplotlib():
    code = "import sys, faircg.plotting; sys.exit('matplotlib' in sys.modules)"
    assert run(code).returncode == 0


def test_axes_that_are_given_never_load_pyplot():
    code = (
        "import sys; from matplotlib.figure import Figure;"
        "from faircg.fairness import GroupCounts;"
        "from faircg.plotting import GroupRatesDisplay;"
        "GroupRatesDisplay({'a': GroupCounts(1, 2, 3, 4)}).plot(Figure().subplots());"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert run(code).returncode == 0


def test_without_matplotlib_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None;"
        "from faircg.fairness import GroupCounts;"
        "from faircg.plotting import GroupRatesDisplay;"
        "GroupRatesDisplay({'a': GroupCounts(1, 2, 3, 4)}).plot()"
    )
    last = run(code).stderr.strip().splitlines()[-1]
    assert last == (
        "ImportError: plots need matplotlib: install it with pip install "
        "'faircg[report]'"
    )
