"""GroupRatesDisplay: rates of each group with exact intervals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from faircg.fairness.metrics import GroupCounts, count_people
from faircg.groups import read_groups
from faircg.labels import read_labels
from faircg.plotting.style import axes_for, mark, quiet_frame, share_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

RATES: Final[Mapping[str, Callable[[GroupCounts], tuple[int, int]]]] = {
    "true positive rate": lambda c: (c.true_positives, c.positives),
    "false negative rate": lambda c: (c.false_negatives, c.positives),
    "false positive rate": lambda c: (c.false_positives, c.negatives),
    "true negative rate": lambda c: (c.true_negatives, c.negatives),
    "selection rate": lambda c: (c.true_positives + c.false_positives, c.total),
    "accuracy": lambda c: (c.true_positives + c.true_negatives, c.total),
    "precision": lambda c: (c.true_positives, c.true_positives + c.false_positives),
}
"""The rates by name: people counted, and people that they are a share of."""
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


@dataclass(frozen=True, slots=True)
class GroupRate:
    """One rate of one group.

    Attributes
    ----------
    rate, group
        Their names.
    count, size
        People counted, and people that they are a share of.
    low, high
        Ends of the exact interval; 0 and 1 where nobody can be counted.
    """

    rate: str
    group: str
    count: int
    size: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The share; NaN of nobody."""
        return self.count / self.size if self.size else float("nan")


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
        Which of :data:`~faircg.plotting.group_rates.RATES` to show.
    confidence
        Confidence of the intervals.
    allowed
        Largest allowed difference by rate, as in ``fairness_.allowed``.
    data
        What the people are called in the title, such as ``"training data"``.

    Attributes
    ----------
    values_ : tuple of GroupRate
        What is drawn, from top to bottom.
    gaps_ : dict
        Largest difference of each rate between two groups, exact until it is divided;
        NaN where a group has nobody to count.
    ax_, figure_
        Where :meth:`plot` drew.
    intervals_ : dict
        The container that matplotlib made of each rate and group with a value.

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
    >>> [(v.group, v.count, v.size) for v in display.values_]
    [('a', 1, 2), ('b', 2, 2)]
    >>> display.gaps_
    {'true positive rate': 0.5}
    """

    def __init__(
        self,
        counts: Mapping[str, GroupCounts],
        *,
        rates: Sequence[str] = USUAL,
        confidence: float = 0.95,
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
        self.values_ = tuple(
            _group_rate(rate, group, *RATES[rate](c), confidence)
            for rate in self.rates
            for group, c in self.counts.items()
        )
        self.gaps_ = {rate: self._gap(rate) for rate in self.rates}

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
        pos_label: Any = None,
        rates: Sequence[str] = USUAL,
        confidence: float = 0.95,
        data: str | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the rates of a fitted classifier.

        Parameters
        ----------
        estimator
            A fitted faircg estimator; with data, any fitted classifier of two labels.
        X, y, sensitive_features
            People to count. Without ``X``, the training data of a faircg estimator, as
            in ``fairness_``.
        pos_label
            The positive label; by default the one that rules predict, or
            ``classes_[1]``.
        rates, confidence, data
            As in the class.
        ax
            Axes to draw on; a new figure by default.
        """
        check_is_fitted(estimator)
        fairness = getattr(estimator, "fairness_", None)
        allowed = {} if fairness is None else dict(fairness.allowed)
        if X is not None:
            if y is None or sensitive_features is None:
                raise ValueError("with X, pass y and sensitive_features as well")
            if pos_label is None:
                model = getattr(
                    getattr(estimator, "best_estimator_", estimator), "model_", None
                )
                known = estimator.classes_ if model is None else model.labels
                pos_label = known[1]
            return cls.from_predictions(
                y,
                estimator.predict(X),
                sensitive_features=sensitive_features,
                pos_label=pos_label,
                rates=rates,
                confidence=confidence,
                allowed=allowed,
                data=data or "",
                ax=ax,
            )
        if fairness is None:
            raise ValueError(
                f"{type(estimator).__name__} keeps no counts of its training data; "
                "pass X, y and sensitive_features"
            )
        return cls(
            fairness.groups,
            rates=rates,
            confidence=confidence,
            allowed=allowed,
            data="training data" if data is None else data,
        ).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sensitive_features: Any,
        pos_label: Any = None,
        rates: Sequence[str] = USUAL,
        confidence: float = 0.95,
        allowed: Mapping[str, float] | None = None,
        data: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Draw the rates of any predictions.

        Parameters
        ----------
        y_true, y_pred
            True and predicted labels.
        sensitive_features
            Group of each person.
        pos_label
            The positive label; the larger one of ``y_true`` by default.
        rates, confidence, allowed, data
            As in the class.
        ax
            Axes to draw on; a new figure by default.
        """
        predicted = np.asarray(y_pred)
        labels = read_labels(y_true, len(predicted), pos_label)
        is_positive = labels.is_positive
        selected = np.asarray(predicted == labels.classes[labels.positive], dtype=bool)
        groups = read_groups(sensitive_features)
        if len(groups.codes) != len(predicted):
            raise ValueError(
                f"y_pred has {len(predicted)} rows and sensitive_features has "
                f"{len(groups.codes)}"
            )
        ones = np.ones(len(predicted), dtype=np.int64)
        cells = [
            count_people(mask, groups.codes, ones, len(groups.names)).tolist()
            for mask in (
                *(selected & is_positive, ~selected & is_positive),
                *(selected & ~is_positive, ~selected & ~is_positive),
            )
        ]
        counts = {
            name: GroupCounts(*cell)
            for name, cell in zip(groups.names, zip(*cells, strict=True), strict=True)
        }
        return cls(
            counts, rates=rates, confidence=confidence, allowed=allowed, data=data
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, on these axes or on a new figure."""
        n_lines = len(self.rates) * (len(self.counts) + 1)
        ax = axes_for(ax, (8.5, 1.3 + LINE * n_lines))
        from matplotlib.ticker import PercentFormatter

        number_of = {group: number for number, group in enumerate(self.counts)}
        self.intervals_: dict[tuple[str, str], ErrorbarContainer] = {}
        ticks: list[tuple[str, bool]] = []
        for value in self.values_:
            if number_of[value.group] == 0:
                ticks.append((self._heading(value.rate), True))
                ax.axhline(len(ticks) - 1.5, color="0.85", linewidth=0.8)
                ax.text(
                    *(0.0, len(ticks) - 1, MEANING[value.rate]),
                    color="0.35",
                    fontsize="small",
                    va="center",
                )
            line = len(ticks)
            words = share_in_words(value.count, value.size)
            ticks.append((f"{value.group}: {words}", False))
            if not value.size:
                continue
            self.intervals_[value.rate, value.group] = ax.errorbar(
                value.value,
                line,
                xerr=[[value.value - value.low], [value.high - value.value]],
                capsize=4,
                linestyle="none",
                markersize=7,
                **mark(number_of[value.group]),
            )
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

    def _gap(self, rate: str) -> float:
        pairs = [RATES[rate](c) for c in self.counts.values()]
        if not all(size for _, size in pairs):
            return float("nan")
        shares = [Fraction(count, size) for count, size in pairs]
        return float(max(shares) - min(shares))

    def _heading(self, rate: str) -> str:
        if len(self.counts) < 2:
            return rate
        gap = self.gaps_[rate]
        found = "not estimable" if np.isnan(gap) else f"{gap:.4f}"
        text = f"{rate}: largest difference {found}"
        allowed = self.allowed.get(rate, self.allowed.get(COMPLEMENT.get(rate, "")))
        if allowed is not None:
            text += f"\n(at most {allowed:g} allowed in training)"
        return text


def _group_rate(
    rate: str, group: str, count: int, size: int, confidence: float
) -> GroupRate:
    if not size:
        return GroupRate(rate, group, count, size, 0.0, 1.0)
    from scipy.stats import binomtest

    interval = binomtest(count, size).proportion_ci(confidence, method="exact")
    return GroupRate(
        rate, group, count, size, float(interval.low), float(interval.high)
    )
