"""GroupRatesDisplay: rates of each group with exact intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from faircg.evaluate import group_counts, share_of
from faircg.evaluate.gaps import gap_of
from faircg.evaluate.shares import CONFIDENCE, RATES
from faircg.groups import groups_of
from faircg.labels import read_labels
from faircg.plotting.style import axes_for, mark, quiet_frame, share_in_words
from faircg.validation import read_weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from faircg.fairness import GroupCounts

USUAL: Final = ("true positive rate", "false positive rate", "selection rate")
"""Rates that are shown unless others are asked for."""
COMPLEMENT: Final = {
    "true positive rate": "false negative rate",
    "true negative rate": "false positive rate",
}
"""Rates whose differences between groups are those of another one."""
MEANING: Final = {
    "true positive rate": "of the true positives, predicted positive",
    "false negative rate": "of the true positives, predicted negative",
    "false positive rate": "of the true negatives, predicted positive",
    "true negative rate": "of the true negatives, predicted negative",
    "selection rate": "of everybody, predicted positive",
    "accuracy": "of everybody, predicted right",
    "precision": "of those predicted positive, truly positive",
}
LINE: Final = 0.30
"""Inches for one line of the plot."""


class GroupRatesDisplay:
    """Rates per group, each with the people behind it and an exact interval.

    The intervals are Clopper and Pearson's, from scipy: each one covers the rate of the
    population that the group is a random sample of with at least the stated confidence,
    for a rule set that was not chosen by looking at these people. They are about one
    rate each, not about differences between groups.

    Parameters
    ----------
    counts
        Confusion counts by group.
    rates
        Which of :data:`~faircg.evaluate.shares.RATES` to show.
    confidence
        Confidence of the intervals.
    allowed
        Largest allowed difference by rate, as in ``fairness_.allowed``.
    data
        What the people are called in the title, such as ``"training data"``.

    Attributes
    ----------
    values_, intervals_ : dict
        The :class:`~faircg.evaluate.Share` of each rate and group, in the order in
        which they are drawn, and what matplotlib made of those with a value.
    gaps_ : dict
        Largest difference of each rate between two groups, as a fraction; None where a
        group has nobody to count.
    ax_, figure_
        Where :meth:`plot` drew.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> display = GroupRatesDisplay.from_predictions(
    ...     y_true=[1, 1, 0, 1, 1, 0],
    ...     y_pred=[1, 0, 0, 1, 1, 1],
    ...     sensitive_features=["a", "a", "a", "b", "b", "b"],
    ...     rates=["true positive rate"],
    ...     ax=Figure().subplots(),
    ... )
    >>> [(group, v.count, v.size) for (_, group), v in display.values_.items()]
    [('a', 1, 2), ('b', 2, 2)]
    >>> display.gaps_
    {'true positive rate': Fraction(1, 2)}
    """

    def __init__(
        self,
        counts: Mapping[str, GroupCounts],
        *,
        rates: Sequence[str] = USUAL,
        confidence: float = CONFIDENCE,
        allowed: Mapping[str, float] | None = None,
        data: str = "",
    ) -> None:
        unknown = [rate for rate in rates if rate not in RATES]
        if unknown:
            raise ValueError(f"no rate {unknown[0]!r}; use some of {list(RATES)}")
        if not rates or not counts:
            raise ValueError("at least one rate and one group are needed")
        if not 0 < confidence < 1:
            raise ValueError(
                f"confidence must be between 0 and 1, such as 0.95, not {confidence!r}"
            )
        self.counts = dict(counts)
        self.rates = tuple(rates)
        self.confidence = confidence
        self.allowed = dict(allowed or {})
        self.data = data
        self.values_ = {
            (rate, group): share_of(*RATES[rate](c), confidence)
            for rate in self.rates
            for group, c in self.counts.items()
        }
        self.gaps_ = {rate: gap_of(rate, self.counts).value for rate in self.rates}

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
        pos_label: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the rates of a fitted classifier.

        With data, any fitted classifier of two labels will do; without ``X`` the
        training data of a faircg estimator are counted, as in ``fairness_``.
        ``pos_label`` is by default the one that rules predict, or ``classes_[1]``;
        without ``ax`` there is a new figure. The options are ``rates``, ``confidence``
        and ``data``, as in the class, and with ``X`` also ``sample_weight``.
        """
        check_is_fitted(estimator)
        fairness = getattr(estimator, "fairness_", None)
        options["allowed"] = {} if fairness is None else dict(fairness.allowed)
        if X is None:
            if fairness is None:
                raise ValueError(
                    f"{type(estimator).__name__} keeps no counts of its training data; "
                    "pass X, y and sensitive_features"
                )
            return cls(fairness.groups, **{"data": "training data", **options}).plot(ax)
        if y is None or sensitive_features is None:
            raise ValueError("with X, pass y and sensitive_features as well")
        if pos_label is None:
            clf = getattr(estimator, "best_estimator_", estimator)
            model = getattr(clf, "model_", None)
            pos_label = (estimator.classes_ if model is None else model.labels)[1]
        return cls.from_predictions(
            y,
            estimator.predict(X),
            sensitive_features=sensitive_features,
            pos_label=pos_label,
            ax=ax,
            **options,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sensitive_features: Any,
        sample_weight: ArrayLike | None = None,
        pos_label: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the rates of any predictions.

        ``sample_weight`` says how many people each row stands for, one each by default;
        ``pos_label`` is the larger one of ``y_true`` by default. The options are those
        of :meth:`from_estimator`, and ``allowed``, as in the class.
        """
        predicted = np.asarray(y_pred)
        labels = read_labels(y_true, len(predicted), pos_label)
        selected = np.asarray(predicted == labels.classes[labels.positive], dtype=bool)
        weights = read_weights(sample_weight, len(predicted)).whole
        groups = groups_of(sensitive_features, weights)
        counts = group_counts(selected, labels.is_positive, groups, weights)
        return cls(counts, **options).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, on these axes or on a new figure."""
        n_lines = len(self.rates) * (len(self.counts) + 1)
        ax = axes_for(ax, (8.5, 1.3 + LINE * n_lines))
        from matplotlib.ticker import PercentFormatter

        self.intervals_: dict[tuple[str, str], ErrorbarContainer] = {}
        ticks: list[tuple[str, bool]] = []
        for rate in self.rates:
            ax.axhline(len(ticks) - 0.5, color="0.85", linewidth=0.8)
            ax.text(
                0.0,
                len(ticks),
                MEANING[rate],
                color="0.35",
                fontsize="small",
                va="center",
            )
            ticks.append((self._heading(rate), True))
            for number, group in enumerate(self.counts):
                share = self.values_[rate, group]
                words = share_in_words(share.count, share.size)
                if share.value is not None:
                    self.intervals_[rate, group] = ax.errorbar(
                        share.value,
                        len(ticks),
                        xerr=[[share.value - share.low], [share.high - share.value]],
                        capsize=4,
                        linestyle="none",
                        markersize=7,
                        **mark(number),
                    )
                ticks.append((f"{group}: {words}", False))
        ax.set_yticks(range(len(ticks)), [text for text, _ in ticks])
        for tick, (_, is_heading) in zip(
            ax.yaxis.get_major_ticks(), ticks, strict=True
        ):
            tick.tick1line.set_visible(False)
            if is_heading:
                tick.label1.set_fontweight("bold")
        ax.set_ylim(len(ticks) - 0.5, -0.5)
        ax.set_xlim(-0.02, 1.02)
        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
        ax.grid(axis="x", color="0.9")
        percent = f"{100 * self.confidence:.4g}%"
        ax.set_xlabel(f"share of people, with exact {percent} intervals")
        on = f" on the {self.data}" if self.data else ""
        ax.set_title(f"Rates of each group{on}", loc="left")
        quiet_frame(ax)
        self.ax_: Axes = ax
        self.figure_: Figure = ax.figure  # type: ignore[assignment]
        return self

    def _heading(self, rate: str) -> str:
        if len(self.counts) < 2:
            return rate
        gap = self.gaps_[rate]
        found = "not estimable" if gap is None else f"{float(gap):.4f}"
        text = f"{rate}: largest difference {found}"
        allowed = self.allowed.get(rate, self.allowed.get(COMPLEMENT.get(rate, "")))
        if allowed is not None:
            text += f"\n(at most {allowed:g} allowed in training)"
        return text
