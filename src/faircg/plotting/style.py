"""What the displays share: axes, marks that differ in grey, and numbers in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE: Final = "#0072B2"
ORANGE: Final = "#E69F00"
GREY: Final = "#767676"
"""From the palette of Okabe and Ito, apart in lightness for every kind of sight."""
COLOURS: Final = (BLUE, ORANGE, "#000000", "#56B4E9", "#D55E00", "#009E73", "#CC79A7")
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the axes given, or those of a new figure of this size in inches.

    Only the latter uses pyplot, as scikit-learn does, so that the figure is shown.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib: install it with pip install 'faircg[report]'"
        ) from error
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    axes: Axes = plt.subplots(figsize=size, layout="constrained")[1]
    return axes


def mark(number: int) -> dict[str, Any]:
    """Return colour and shape of the series with this number.

    Examples
    --------
    >>> mark(0) == mark(1)
    False
    """
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
    }


def share_in_words(count: int, size: int) -> str:
    """Write a share with the people that it is made of.

    Examples
    --------
    >>> share_in_words(999, 1661)
    '60.1% (999 of 1,661)'
    >>> share_in_words(0, 0)
    'not estimable (0 of 0)'
    """
    if not size:
        return f"not estimable ({count:,} of 0)"
    return f"{count / size:.1%} ({count:,} of {size:,})"


def quiet_frame(ax: Axes) -> None:
    """Leave only the left and the lower edge of the frame, and a light grid below."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
