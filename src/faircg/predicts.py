"""What a fitted estimator does with people: decide, score, explain and count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from faircg.evaluate import rule_table
from faircg.explain import Explanations, explain
from faircg.notebook import Shown
from faircg.validation import checked_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from faircg.explain.explanations import Direction
    from faircg.features import Features
    from faircg.model import RuleSetModel
    from faircg.table import Table
    from faircg.typing import FloatMatrix, FloatVector


class Predicts(Shown):
    """Methods of an estimator that has a ``model_``; groups are never needed."""

    model_: RuleSetModel
    classes_: NDArray[Any]
    features_: Features
    strict: bool | None
    missing_groups: str
    _positive: int

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row; groups are not needed."""
        table = self._tested(X)
        accepted = self.model_.accepts(table, strict=self.strict)
        order = self.classes_ if self._positive == 1 else self.classes_[::-1]
        predictions: NDArray[Any] = order[accepted.astype(int)]
        return predictions

    def predict_proba(self, X: Any) -> FloatMatrix:
        """Return a score of each row for each class; decisions never use it.

        It is no model of chances but a count: the share of training people with the
        label among those of the rule that covers the row (of several, the surest), or
        among those whom no rule covers, smoothed as if one more person of each label
        had been seen. Rows that get a label score above one half for it: a share on the
        other side is moved to just beside one half.
        """
        scores = self._scores(X)
        columns = (1 - scores, scores) if self._positive == 1 else (scores, 1 - scores)
        return np.column_stack(columns)

    def decision_function(self, X: Any) -> FloatVector:
        """Return how far the score of ``classes_[1]`` is above one half.

        Takes and counts what :meth:`predict_proba` does.
        """
        above = self._scores(X) - 0.5
        return above if self._positive == 1 else -above

    def _scores(self, X: Any) -> FloatVector:
        table = self._tested(X)
        return self.model_.score(table, strict=self.strict)

    def explain(
        self,
        X: Any,
        *,
        immutable: Iterable[str | int] = (),
        direction: Direction = "to_positive",
        n_closest: int = 3,
        allow_missing: bool = False,
    ) -> Explanations:
        """Say why each row gets its decision, and the smallest change that flips it.

        Takes what :func:`faircg.explain.explain` does. ``immutable`` may name features
        by their position in the table of ``fit``; distances of numbers are measured in
        units of the range of the training data, and where that holds whole numbers
        only, so do the changes.
        """
        table = self._tested(X)
        names = self.features_.resolve(immutable, parameter="immutable")
        return explain(
            self.model_,
            table,
            immutable=[name for name in names if name in table.names],
            direction=direction,
            n_closest=n_closest,
            allow_missing=allow_missing,
            strict=self.strict,
        )

    def rule_table(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        totals: bool = False,
    ) -> pd.DataFrame:
        """Count the people that each rule covers, by group.

        Takes and returns what :func:`faircg.rule_table` does.
        """
        table = self._tested(X)
        return rule_table(
            self.model_,
            table,
            y,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            missing_groups=self.missing_groups,
            totals=totals,
            strict=self.strict,
        )

    def _tested(self, X: Any) -> Table:
        """Read the features that rules test."""
        check_is_fitted(self)
        return checked_table(self, X, reset=False, kinds=self.model_.kinds)
