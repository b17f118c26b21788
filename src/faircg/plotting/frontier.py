"""FrontierDisplay: what accuracy costs in difference between groups and in rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from faircg.evaluate.pooling import pooled_points
from faircg.fairness.constraint import criterion_at
from faircg.plotting.style import GREY, axes_for, mark, quiet_frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from faircg.fairness import Family
    from faircg.fairness.constraint import Constraint


class FrontierDisplay:
    """Accuracy, gap and complexity of every point of a search, and its frontier.

    Each point is one epsilon and one limit on complexity: mean accuracy on the held-out
    folds against the largest gap between groups when all held-out people are counted
    together. A point is on the frontier if no other is at least as accurate with a gap
    as small; the step line through them is the best accuracy within each gap. Small
    numbers are epsilons, shapes are limits on complexity.

    Parameters
    ----------
    points
        One line per point: ``epsilon``, ``max_complexity``, ``test_accuracy``,
        ``pooled_gap``, ``complexity`` (mean over the folds) and ``on_frontier``.
    chosen
        Epsilon and limit on complexity of the chosen point.
    constraint
        Name of the criterion.

    Attributes
    ----------
    ax_, figure_
        Where :meth:`plot` drew.
    scatters_, line_, chosen_
        The marks by limit on complexity (first those off the frontier, then those on
        it), the frontier, and the ring around the chosen point, if there is one.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> points = pd.DataFrame(
    ...     {
    ...         "epsilon": [0.05, 1.0],
    ...         "max_complexity": [5, 5],
    ...         "test_accuracy": [0.64, 0.66],
    ...         "pooled_gap": [0.04, 0.21],
    ...         "complexity": [4.5, 5.0],
    ...         "on_frontier": [True, True],
    ...     }
    ... )
    >>> display = FrontierDisplay(points, chosen=(0.05, 5)).plot(Figure().subplots())
    >>> display.line_.get_xydata().tolist()
    [[0.04, 0.64], [0.21, 0.66]]
    """

    def __init__(
        self,
        points: pd.DataFrame,
        *,
        chosen: tuple[float, int] | None = None,
        constraint: str | None = None,
    ) -> None:
        self.points = points
        self.chosen = chosen
        self.constraint = constraint

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Draw a fitted :class:`~faircg.FairRuleSetClassifierCV`."""
        check_is_fitted(estimator, "cv_results_")
        return cls.from_cv_results(
            estimator.cv_results_,
            constraint=estimator.constraint_,
            chosen=(estimator.best_epsilon_, estimator.best_complexity_),
            families=estimator.families_,
            ax=ax,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: pd.DataFrame,
        *,
        constraint: Constraint | None,
        chosen: tuple[float, int] | None = None,
        families: Sequence[Family] = (),
        ax: Axes | None = None,
    ) -> Self:
        """Draw the table ``cv_results_``, perhaps read from a file.

        The gap is that of the ``constraint`` within each of the ``families`` of groups,
        as in the search (its ``families_``).
        """
        criterion = criterion_at(constraint, 1.0)  # gaps do not depend on epsilon
        name = None if criterion is None else criterion.name
        points = pooled_points(cv_results, criterion, families)
        return cls(points, chosen=chosen, constraint=name).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, on these axes or on a new figure."""
        ax = axes_for(ax, (8.0, 5.0))
        from matplotlib.ticker import PercentFormatter

        frontier = self.points[self.points["on_frontier"]].sort_values("pooled_gap")
        x, y = "pooled_gap", "test_accuracy"
        numbers = "" if self.constraint is None else " (numbers: epsilon)"
        [self.line_] = ax.plot(
            frontier[x].to_numpy(),
            frontier[y].to_numpy(),
            color=GREY,
            drawstyle="steps-post",
            zorder=1,
            label=f"frontier: highest accuracy within each gap{numbers}",
        )
        self.scatters_: dict[int, tuple[PathCollection, PathCollection]] = {}
        for number, (limit, rows) in enumerate(self.points.groupby("max_complexity")):
            style = mark(number)
            off, on = rows[~rows["on_frontier"]], rows[rows["on_frontier"]]
            low, high = rows["complexity"].min(), rows["complexity"].max()
            used = f"{low:.1f}" if low == high else f"{low:.1f} to {high:.1f}"
            self.scatters_[int(str(limit))] = (
                ax.scatter(
                    off[x],
                    off[y],
                    marker=style["marker"],
                    facecolors="none",
                    edgecolors=style["color"],
                    s=36,
                    zorder=2,
                ),
                ax.scatter(
                    on[x],
                    on[y],
                    marker=style["marker"],
                    color=style["color"],
                    s=48,
                    zorder=3,
                    label=f"complexity at most {limit} (used: {used})",
                ),
            )
        if self.constraint is not None:
            self._name_epsilons(ax, frontier)
        self.chosen_: Line2D | None = None
        if self.chosen is not None:
            self._show_chosen(ax, self.chosen)
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.set_ylabel("accuracy on held-out folds (mean)")
        spoken = str(self.constraint).replace("_", " ")
        criterion = "" if self.constraint is None else f" ({spoken})"
        ax.set_xlabel(
            f"largest gap between groups, all held-out people together{criterion}"
        )
        ax.grid(color="0.9")
        ax.legend(fontsize="small", loc="lower right")
        quiet_frame(ax)
        self.ax_: Axes = ax
        self.figure_: Figure = ax.figure  # type: ignore[assignment]
        return self

    def _name_epsilons(self, ax: Axes, frontier: pd.DataFrame) -> None:
        for number, (_, row) in enumerate(frontier.iterrows()):
            is_above = number % 2 == 0  # neighbours may be close
            ax.annotate(
                f"{row['epsilon']:g}",
                (row["pooled_gap"], row["test_accuracy"]),
                xytext=(0, 9 if is_above else -9),
                textcoords="offset points",
                ha="center",
                va="bottom" if is_above else "top",
                fontsize="small",
            )

    def _show_chosen(self, ax: Axes, chosen: tuple[float, int]) -> None:
        points = self.points.set_index(["epsilon", "max_complexity"], drop=False)
        if chosen not in points.index:
            raise ValueError(f"no point has epsilon and complexity {chosen}")
        row = points.loc[[chosen]].iloc[0]
        [self.chosen_] = ax.plot(
            [row["pooled_gap"]],
            [row["test_accuracy"]],
            marker="o",
            markersize=15,
            markerfacecolor="none",
            markeredgecolor="black",
            markeredgewidth=1.5,
            linestyle="none",
            label="chosen point",
        )
        epsilon = f"epsilon {row['epsilon']:g}, " if self.constraint else ""
        ax.set_title(
            f"Chosen: {epsilon}complexity at most {row['max_complexity']:.0f}\n"
            f"accuracy {row['test_accuracy']:.2%}, gap {row['pooled_gap']:.4f}",
            loc="left",
            fontsize="medium",
        )
