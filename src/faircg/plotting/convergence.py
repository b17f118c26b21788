"""ConvergenceDisplay: how the linear program and its bound met."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from faircg.plotting.style import BLUE, ORANGE, axes_for, quiet_frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from faircg.colgen.certificate import Certificate
    from faircg.colgen.events import Round

Clock: TypeAlias = Literal["seconds", "rounds"]
CLOSE: Final = 0.02
"""Part of the axis within which a second number would cover the first."""


class ConvergenceDisplay:
    """Value of the linear program, proven bound and best loss, as the fit went on.

    The value falls while rules are added, the bound rises, and where they meet the
    linear program over all rules is solved. When rules may have one more condition a
    new linear program begins, and with it a new bound; a thin line marks the place. A
    round without a bound yet has no mark. The history does not say when the best loss
    was found, so it is a level line; the last mark is the bound of the certificate,
    proven after the rounds.

    Parameters
    ----------
    history
        The records of the rounds, as in ``history_``.
    certificate
        What was proven in the end.

    Attributes
    ----------
    ax_, figure_
        Where :meth:`plot` drew.
    lp_lines_, bound_lines_ : list of Line2D
        One for each number of conditions.
    objective_line_, final_bound_ : Line2D
        The best loss, and the bound of the certificate.

    Examples
    --------
    >>> from faircg import FairRuleSetClassifier
    >>> from matplotlib.figure import Figure
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> clf = FairRuleSetClassifier(max_complexity=4).fit(X, [0, 1, 1, 1])
    >>> display = ConvergenceDisplay.from_estimator(
    ...     clf, x="rounds", ax=Figure().subplots()
    ... )
    >>> display.objective_line_.get_ydata()[0] == clf.certificate_.objective
    True
    """

    def __init__(self, history: Sequence[Round], certificate: Certificate) -> None:
        self.history = tuple(history)
        self.certificate = certificate

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, x: Clock = "seconds", ax: Axes | None = None
    ) -> Self:
        """Draw the rounds of a fitted classifier, or of the refit of a search.

        ``x`` is ``"seconds"`` since the fit began, or ``"rounds"``; without ``ax``
        there is a new figure.
        """
        check_is_fitted(estimator)
        clf = getattr(estimator, "best_estimator_", estimator)
        check_is_fitted(clf, "history_")
        return cls.from_history(clf.history_, clf.certificate_, x=x, ax=ax)

    @classmethod
    def from_history(
        cls,
        history: Sequence[Round],
        certificate: Certificate,
        *,
        x: Clock = "seconds",
        ax: Axes | None = None,
    ) -> Self:
        """Draw these rounds; parameters as in the class and :meth:`from_estimator`."""
        return cls(history, certificate).plot(ax, x=x)

    def plot(self, ax: Axes | None = None, *, x: Clock = "seconds") -> Self:
        """Draw, on these axes or on a new figure, over seconds or rounds."""
        if x not in ("seconds", "rounds"):
            raise ValueError(f"x must be 'seconds' or 'rounds', not {x!r}")
        ax = axes_for(ax, (8.0, 4.5))
        from matplotlib.ticker import MaxNLocator, StrMethodFormatter

        certificate = self.certificate
        if x == "seconds":
            at, end = [r.seconds for r in self.history], certificate.seconds or 0.0
            x_label = "seconds since the fit began"
        else:
            at = [float(r.number) for r in self.history]
            end = max(at, default=0.0) + 1
            x_label = "round of column generation (last mark: after the rounds)"
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel(x_label)
        self.lp_lines_: list[Line2D] = []
        self.bound_lines_: list[Line2D] = []
        steps = groupby(
            zip(self.history, at, strict=True), lambda e: e[0].max_conditions
        )
        named = -np.inf
        for number, (depth, entries) in enumerate(steps):
            rounds, places = zip(*entries, strict=True)
            if len(rounds) < len(self.history):
                is_far = places[0] - named > CLOSE * end
                named = places[0] if is_far else named
                _mark_step(ax, places[0], f"{depth}" if is_far else "", not number)
            self._draw_step(ax, rounds, places, is_first=not number)
        self.objective_line_: Line2D = ax.axhline(
            certificate.objective,
            color="black",
            linestyle="-.",
            linewidth=1.2,
            label=f"lowest loss found by the end ({certificate.objective:,.0f})",
        )
        [self.final_bound_] = ax.plot(
            [end],
            [certificate.lower_bound],
            color="black",
            marker="D",
            linestyle="none",
            label=f"bound of the certificate ({certificate.lower_bound:,.0f})",
        )
        ax.set_ylabel(f"{certificate.loss_name} (people)")
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        ax.set_title(certificate.headline, loc="left", pad=18)
        ax.grid(axis="y", color="0.9")
        ax.legend(fontsize="small")
        quiet_frame(ax)
        self.ax_: Axes = ax
        self.figure_: Figure = ax.figure  # type: ignore[assignment]
        return self

    def _draw_step(
        self,
        ax: Axes,
        rounds: Sequence[Round],
        places: Sequence[float],
        *,
        is_first: bool,
    ) -> None:
        """Draw the rounds of one linear program; only the first is in the legend."""
        solved = "solved" if self.certificate.lp_proven else "not solved to the end"
        value = f"linear program ({solved}, {self.certificate.lp_value:,.3f})"
        self.lp_lines_ += ax.plot(
            places,
            [r.lp_value for r in rounds],
            color=BLUE,
            marker="o",
            markersize=4,
            label=value if is_first else "_",
        )
        self.bound_lines_ += ax.plot(
            places,
            [r.lower_bound if r.lower_bound > 0 else np.nan for r in rounds],
            color=ORANGE,
            marker="^",
            markersize=5,
            linestyle="--",
            label="proven lower bound of the linear program" if is_first else "_",
        )


def _mark_step(ax: Axes, place: float, depth: str, is_first: bool) -> None:
    """Mark where rules may have one more condition; name it where there is room."""
    label = "most conditions of a rule (above)" if is_first else "_"
    ax.axvline(place, color="0.6", linewidth=0.8, linestyle=":", label=label)
    if depth:
        ax.annotate(
            depth,
            (place, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            fontsize="small",
            ha="center",
        )
