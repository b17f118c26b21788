"""What every experiment's report offers; one module for each experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.figure import Figure

Frames: TypeAlias = "Mapping[str, pd.DataFrame]"
"""The records of every source."""


class Report(Protocol):
    """One experiment: from records to results, tables, figures and words."""

    NAME: str
    TITLE: str

    def results(self, frames: Frames) -> pd.DataFrame:
        """Return what goes to the experiment's CSV file."""
        ...

    def tables(self, results: pd.DataFrame) -> dict[str, str]:
        """Return Markdown tables by name."""
        ...

    def figures(self, results: pd.DataFrame) -> dict[str, Figure]:
        """Return figures by name."""
        ...

    def words(self, results: pd.DataFrame) -> str:
        """Say what was run and what came out, in numbers."""
        ...
