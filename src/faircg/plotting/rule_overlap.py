"""RuleOverlapDisplay: how many people each pair of rules covers both."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from faircg.evaluate import Coverage
from faircg.evaluate.rule_table import rules_and_table
from faircg.plotting.style import axes_for, share_in_words
from faircg.validation import checked_table, read_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.text import Text
    from numpy.typing import ArrayLike

    from faircg.model import RuleSetModel
    from faircg.rules import RuleSet

WIDTH: Final = 44
"""Letters of a rule in one line."""
HALF: Final = 0.5
"""Lightness below which numbers are written in white."""


class RuleOverlapDisplay:
    """A table of people: covered by each rule, and by each pair of rules.

    On the diagonal is the number of people that a rule covers, below it the number that
    two rules cover both.

    Parameters
    ----------
    covered
        For each rule (rows) and row of the data (columns) whether the rule covers it.
    names
        What the rules are called.
    sample_weight
        How many people each column stands for: whole numbers; one each by default.

    Attributes
    ----------
    counts_ : ndarray of shape (n_rules, n_rules)
        People covered by both rules.
    n_people_, covered_by_any_, covered_once_ : int
        People, those covered by at least one rule, and those by exactly one.
    ax_, figure_, image_, text_
        Where :meth:`plot` drew, the shades, and the number drawn for each pair.

    Examples
    --------
    >>> import pandas as pd
    >>> from faircg import Condition, Rule, RuleSet
    >>> from matplotlib.figure import Figure
    >>> old = Rule((Condition("age", ">", 40),))
    >>> rules = RuleSet((old, Rule((Condition("member", "=", True),))))
    >>> people = pd.DataFrame({"age": [50, 50, 30], "member": [True, False, False]})
    >>> display = RuleOverlapDisplay.from_rules(rules, people, ax=Figure().subplots())
    >>> display.counts_
    array([[2, 1],
           [1, 1]])
    >>> display.covered_by_any_, display.covered_once_
    (2, 1)
    """

    def __init__(
        self,
        covered: ArrayLike,
        names: Sequence[str],
        *,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.covered = np.asarray(covered, dtype=bool)
        self.names = tuple(names)
        if self.covered.ndim != 2 or len(self.covered) != len(self.names):
            raise ValueError(
                f"covered must have a row for each of the {len(self.names)} rules, not "
                f"the shape {self.covered.shape}"
            )
        weights = read_weights(sample_weight, self.covered.shape[1]).whole
        coverage = Coverage(self.covered, weights)
        self.counts_ = coverage.pairs
        self.n_people_ = int(weights.sum())
        self.covered_by_any_ = coverage.people(coverage.any)
        self.covered_once_ = coverage.people(coverage.times == 1)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> Self:
        """Draw the rules of a fitted faircg estimator, counted on the people ``X``.

        The options are ``sample_weight`` and ``ax``, as in :meth:`from_rules`.
        """
        check_is_fitted(estimator)
        clf = getattr(estimator, "best_estimator_", estimator)
        check_is_fitted(clf, "model_")
        table = checked_table(clf, X, reset=False, kinds=clf.model_.kinds)
        return cls.from_rules(clf.rule_set_, table, **options)

    @classmethod
    def from_rules(
        cls,
        rules: RuleSet | RuleSetModel,
        X: Any,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the rules of a rule set or of a model, by default on a new figure.

        ``X`` has the features that the rules test; ``sample_weight`` says how many
        people each row stands for, one each by default.
        """
        rule_set, table = rules_and_table(rules, X)
        covered = Coverage.of(rule_set, table).masks
        names = [str(rule) for rule in rule_set]
        return cls(covered, names, sample_weight=sample_weight).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, on these axes or on a new figure."""
        n_rules = len(self.names)
        ax = axes_for(ax, (5.5 + 0.8 * n_rules, 1.5 + 0.65 * max(n_rules, 1)))
        self.image_: AxesImage | None = None
        self.text_: dict[tuple[int, int], Text] = {}
        if n_rules:
            self._draw(ax)
        else:
            words = "no rules: nobody is covered"
            ax.text(0.5, 0.5, words, ha="center", transform=ax.transAxes)
            ax.set_axis_off()
        once = share_in_words(self.covered_once_, self.covered_by_any_)
        ax.set_title(
            "People covered by any rule: "
            f"{share_in_words(self.covered_by_any_, self.n_people_)}\n"
            f"of them, covered by one rule only: {once}",
            loc="left",
            fontsize="medium",
        )
        self.ax_: Axes = ax
        self.figure_: Figure = ax.figure  # type: ignore[assignment]
        return self

    def _draw(self, ax: Axes) -> None:
        n_rules = len(self.names)
        above = np.triu(np.ones((n_rules, n_rules), dtype=bool), 1)
        shown = np.ma.masked_array(self.counts_, mask=above)
        image = ax.imshow(
            shown, cmap="Blues", vmin=0, vmax=max(1, self.counts_.max()), aspect="auto"
        )
        for i in range(n_rules):
            for j in range(i + 1):
                colour = image.to_rgba(np.array([[self.counts_[i, j]]]))[0, 0]
                lightness = float(np.dot((0.299, 0.587, 0.114), colour[:3]))
                self.text_[i, j] = ax.text(
                    j,
                    i,
                    f"{self.counts_[i, j]:,}",
                    ha="center",
                    va="center",
                    color="white" if lightness < HALF else "black",
                    fontweight="bold" if i == j else "normal",
                )
        labels = [
            fill(f"{number}: {name}", WIDTH, subsequent_indent="   ")
            for number, name in enumerate(self.names, 1)
        ]
        ax.set_yticks(range(n_rules), labels)
        ax.set_xticks(range(n_rules), [f"rule {k}" for k in range(1, n_rules + 1)])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set_xlabel("people covered by both rules; on the diagonal, by the rule")
        self.image_ = image
