"""How numbers, tables and figures look; nothing here knows an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from matplotlib.typing import RcKeyType

STYLE: Final[dict[RcKeyType, Any]] = {
    "svg.hashsalt": "faircg",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "figure.constrained_layout.use": True,
    "legend.frameon": False,
}
COLOURS: Final = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#8C6D31",
    "#7F7F7F",
    "#B22222",
    "#4B0082",
)
"""Told apart by people with any kind of colour vision, together with the markers."""
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h")
DATA_NAMES: Final = {"adult": "Adult", "compas": "COMPAS", "default": "Default"}
CRITERION_NAMES: Final = {
    "equality_of_opportunity": "equality of opportunity",
    "equalized_odds": "equalized odds",
}
SOURCE_NAMES: Final = {
    "tree": "decision tree",
    "fair_tree": "fair tree",
    "forest": "random forest",
}


def percent(value: float, digits: int = 1) -> str:
    """Write a share as a percentage, without the sign."""
    return f"{100 * value:.{digits}f}"


def with_spread(mean: float, spread: float, digits: int = 1) -> str:
    """Write a mean and its standard deviation, in the units given."""
    return f"{mean:.{digits}f} ({spread:.{digits}f})"


def shares(mean: float, spread: float, digits: int = 1) -> str:
    """Write a mean share and its deviation as percentages."""
    return with_spread(100 * mean, 100 * spread, digits)


def markdown(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write a table."""
    lines = [list(map(str, header)), ["---"] * len(header)]
    lines += [[str(cell) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def new_figure(
    n_rows: int = 1, n_columns: int = 1, *, size: tuple[float, float] = (3.2, 2.6)
) -> tuple[Figure, Any]:
    """Start a figure of some panels; the axes come as a two-dimensional array."""
    figure = Figure(figsize=(size[0] * n_columns, size[1] * n_rows))
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def save_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as SVG and PNG, the same bytes for the same figure."""
    files = []
    for suffix, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
        file = folder / f"{name}.{suffix}"
        figure.savefig(file, metadata=metadata, dpi=150)
        files.append(file)
    return files


def styled() -> Any:
    """Return the context in which figures are made and saved."""
    return mpl.rc_context(STYLE)
