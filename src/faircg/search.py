"""FairRuleSetClassifierCV: choose epsilon and complexity by cross-validation.

The two phases of the paper, for each training fold. Phase I runs column generation on a
coarse grid of (epsilon, C) and collects the rules; each cell starts from the rules of
those before it. Phase II solves the integer master over the collected rules on a fine
grid. A rule set found in one cell counts in every cell that allows it, so within a fold
a looser cell is never worse on the training data than a tighter one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from faircg.classifier import FairRuleSetClassifier
from faircg.colgen.events import SearchBegun
from faircg.evaluate.pooling import pooled_points
from faircg.exceptions import FairCGError
from faircg.fairness.constraint import takes_epsilon, with_epsilon
from faircg.folds import search_fold
from faircg.grid import COARSE_EPSILONS, Grid, GridPoint
from faircg.labelled import LabelledTable
from faircg.listening import Channel, telling
from faircg.notebook import Shown
from faircg.question import Question
from faircg.validation import TakesTables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from faircg.colgen.events import Event
    from faircg.explain import Explanations
    from faircg.typing import BoolVector, FloatMatrix, FloatVector, IntVector

CELL_SECONDS = 30.0
"""Time limit of a cell when no estimator is given."""


class FairRuleSetClassifierCV(Shown, TakesTables, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fair rule sets on a grid of epsilon and complexity, by cross-validation.

    Per training fold, phase I collects rules by column generation on a coarse grid, and
    phase II solves the integer master over them on a fine grid (Lawless and Günlük,
    section 5). The chosen point is fitted again on all data.

    Parameters
    ----------
    estimator : FairRuleSetClassifier or None, default=None
        Whose parameters are asked at every point, and which is cloned, never fitted.
        The grid takes the place of its ``epsilon`` and ``max_complexity``; a criterion
        object gets the epsilons of the grid too, and a larger one must allow more. Its
        ``time_limit`` is that of one cell (one fold, phase, epsilon and complexity) and
        of the last fit on all data; its ``n_jobs`` counts in cells only while folds go
        one at a time. A fold, which has cut points of its own, begins with those of
        the given ``warm_start_rules`` that test its conditions only. None is
        ``FairRuleSetClassifier(time_limit=30.0)``.
    epsilons, complexities : sequence, default=(0.01, 0.1, 1.0) and (5, 15, 30)
        The grid of phase I.
    fine_epsilons, fine_complexities : sequence or None, default=None
        The grid of phase II. By default that of phase I; if epsilons are the default,
        then with 0, 0.05, 0.15 and 0.2 as well. Without a constraint, or with one that
        bounds no gap between groups (such as ``"four_fifths"``), there is one epsilon,
        1. A point that phase I proved optimal is not solved again. With exact
        pricing, phase II may add rules of its own and proves its answers too; other
        pricers choose from the rules of phase I.
    cv : int, splitter or iterable of splits, default=10
        An integer shuffles, and keeps the shares of the labels in every fold.
    target_gap : float or None, default=None
        Choose the most accurate point whose pooled test gap is at most this.
    target_accuracy : float or None, default=None
        Choose the point of smallest pooled test gap with at least this mean test
        accuracy. Without any target the most accurate point is chosen.
    refit : bool, default=True
        Fit the chosen point again on all data. Without it there is nothing to predict
        with, and only the tables of results are kept.
    cache : path or None, default=None
        Directory where every finished cell is kept as a file. A search over the same
        data with the same settings reuses them, so one that was stopped goes on where
        it was, and a larger grid only costs its new cells.
    n_jobs : int or None, default=None
        Folds at a time, through joblib.
    random_state : int, RandomState or None, default=0
        Seed of the folds; fits take that of the estimator.
    verbose : int, default=0
        1 shows each finished cell on standard error, 2 what happens inside as well.
    callbacks : sequence of callables, default=()
        Each is called with every event of the search (:mod:`faircg.colgen.events`),
        those of folds in other processes included, and of the last fit. What one
        raises ends the search.

    Attributes
    ----------
    cv_results_ : DataFrame
        One row for each fold and point of the fine grid: ``train_accuracy``,
        ``test_accuracy``, ``train_gap`` and ``test_gap`` (true rates, recounted; NaN
        where a group has nobody to count), ``complexity``, ``n_rules``, ``rule_set``,
        the ``train_hamming_loss`` of that rule set, ``best_hamming_loss`` (the lowest
        found) and its proven ``lower_bound`` (zero if none was proven for all rules
        allowed there), ``is_finished`` (not cut short by the time limit), ``seconds``,
        and for each group four counts of the test part, such as
        ``test_false_negatives: women``. With ``objective="zero_one"`` the two losses
        are ``train_zero_one_loss`` and ``best_zero_one_loss``, of which the bound
        speaks then. Samples count as often as their weights say.
    frontier_ : DataFrame
        Points of the fine grid that no other beats in both mean ``test_accuracy`` and
        ``pooled_gap``, by increasing gap: means over the folds, and the gap of all test
        counts added up, NaN if a group has nobody to count in any of them. The mean of
        ``test_gap`` is larger, as chance widens the gap of every small fold. Without a
        constraint all gaps are zero, and one point is left.
    constraint_ : None, str, Criterion or callable
        The constraint of the estimator.
    families_ : tuple of Family
        The groups that are compared with each other; empty if all are.
    best_epsilon_, best_complexity_ : float, int
        The chosen point.
    best_estimator_ : FairRuleSetClassifier
        Fitted on all data at that point; ``rule_set_``, ``certificate_`` and
        ``fairness_`` are its own.
    classes_, n_features_in_, feature_names_in_
        As those of :class:`FairRuleSetClassifier`.

    Examples
    --------
    >>> from faircg.datasets import load_compas
    >>> data = load_compas()
    >>> search = FairRuleSetClassifierCV(
    ...     FairRuleSetClassifier(
    ...         constraint="equality_of_opportunity", max_conditions=2, time_limit=30
    ...     ),
    ...     epsilons=(0.05, 1.0),
    ...     complexities=(6,),
    ...     cv=3,
    ...     target_gap=0.1,
    ... )
    >>> search = search.fit(
    ...     data.X, data.y, sensitive_features=data.sensitive_features
    ... )
    >>> len(search.cv_results_)
    6
    >>> search.best_epsilon_
    0.05
    >>> print(search.rule_set_)
    Predict 1 if
        ...
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [FairRuleSetClassifier, None],
        "epsilons": ["array-like"],
        "complexities": ["array-like"],
        "fine_epsilons": ["array-like", None],
        "fine_complexities": ["array-like", None],
        "cv": [
            Interval(Integral, 2, None, closed="left"),
            HasMethods(["split"]),
            Iterable,
        ],
        "target_gap": [Interval(Real, 0, None, closed="left"), None],
        "target_accuracy": [Interval(Real, 0, 1, closed="both"), None],
        "refit": ["boolean"],
        "cache": [str, Path, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callbacks": ["array-like"],
    }

    def __init__(
        self,
        estimator: FairRuleSetClassifier | None = None,
        *,
        epsilons: Sequence[float] = COARSE_EPSILONS,
        complexities: Sequence[int] = (5, 15, 30),
        fine_epsilons: Sequence[float] | None = None,
        fine_complexities: Sequence[int] | None = None,
        cv: Any = 10,
        target_gap: float | None = None,
        target_accuracy: float | None = None,
        refit: bool = True,
        cache: str | Path | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
        callbacks: Sequence[Callable[[Event], object]] = (),
    ) -> None:
        self.estimator = estimator
        self.epsilons = epsilons
        self.complexities = complexities
        self.fine_epsilons = fine_epsilons
        self.fine_complexities = fine_complexities
        self.cv = cv
        self.target_gap = target_gap
        self.target_accuracy = target_accuracy
        self.refit = refit
        self.cache = cache
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        costs: ArrayLike | None = None,
    ) -> Self:
        """Search the grid, choose a point, and fit it on all data.

        Takes what :meth:`FairRuleSetClassifier.fit` does. The folds are those of the
        rows, whatever their weights.
        """
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # of an earlier fit, which this one may not replace
        if self.target_gap is not None and self.target_accuracy is not None:
            raise ValueError(
                "target_gap and target_accuracy were both given; choose one of them"
            )
        estimator = self._unfitted()
        estimator._validate_params()  # noqa: SLF001 (scikit-learn's own)
        self.constraint_ = estimator.constraint
        grid = Grid.of(
            epsilons=self.epsilons,
            complexities=self.complexities,
            fine_epsilons=self.fine_epsilons,
            fine_complexities=self.fine_complexities,
            has_constraint=takes_epsilon(self.constraint_),
        )
        question = Question.of(estimator)
        criterion = question.at(*grid.fine[0]).criterion
        data = LabelledTable.read(
            self, question, X, y, sensitive_features, sample_weight, costs
        )
        question = question.about(data)
        results = self._search(question, grid, data)
        self.classes_ = data.labels.classes
        self.cv_results_ = results
        self.families_ = data.groups.families
        points = pooled_points(results, criterion, self.families_)
        kept = points[points["on_frontier"]].drop(columns="on_frontier")
        self.frontier_ = kept.reset_index(drop=True)
        self.best_epsilon_, self.best_complexity_ = self._chosen()
        if self.refit:
            self.best_estimator_ = self.estimator_at(
                self.best_epsilon_, self.best_complexity_
            ).fit(
                X,
                y,
                sensitive_features=sensitive_features,
                sample_weight=sample_weight,
                costs=costs,
            )
            self.rule_set_ = self.best_estimator_.rule_set_
            self.certificate_ = self.best_estimator_.certificate_
            self.fairness_ = self.best_estimator_.fairness_
        return self

    def estimator_at(
        self, epsilon: float, max_complexity: int
    ) -> FairRuleSetClassifier:
        """Return a clone of the estimator, not fitted, for one point of the grid.

        It tells its events to the callbacks of the search as well.
        """
        estimator = self._unfitted()
        return estimator.set_params(  # type: ignore[no-any-return]
            constraint=with_epsilon(estimator.constraint, epsilon),
            epsilon=epsilon if takes_epsilon(estimator.constraint) else None,
            max_complexity=max_complexity,
            verbose=max(int(estimator.verbose), int(self.verbose) - 1),
            callbacks=(*estimator.callbacks, *self.callbacks),
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row; groups are not needed."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)  # type: ignore[no-any-return]

    def predict_proba(self, X: Any) -> FloatMatrix:
        """Score rows as :meth:`FairRuleSetClassifier.predict_proba` does."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_proba(X)  # type: ignore[no-any-return]

    def decision_function(self, X: Any) -> FloatVector:
        """Score rows as :meth:`FairRuleSetClassifier.decision_function` does."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.decision_function(X)  # type: ignore[no-any-return]

    def explain(self, X: Any, **options: Any) -> Explanations:
        """Explain decisions as :meth:`FairRuleSetClassifier.explain` does."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.explain(X, **options)  # type: ignore[no-any-return]

    def rule_table(
        self, X: Any, y: ArrayLike | None = None, **options: Any
    ) -> pd.DataFrame:
        """Count people as :meth:`FairRuleSetClassifier.rule_table` does."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.rule_table(X, y, **options)

    def _search(
        self, question: Question, grid: Grid, data: LabelledTable
    ) -> pd.DataFrame:
        """Solve both phases on every fold; return all that was counted."""
        import pandas as pd

        cache = None if self.cache is None else Path(self.cache)
        if cache is not None:
            cache.mkdir(parents=True, exist_ok=True)
        workers = Parallel(n_jobs=self.n_jobs)
        if workers.n_jobs != 1:  # folds already use the processors
            question = replace(question, threads=1)
        splits = list(self._splits(data.labels.is_positive))
        with telling(self.callbacks, self.verbose) as tell, Channel(tell) as channel:
            sides = len(question.sides())
            tell(
                SearchBegun(
                    len(splits), sides * len(grid.coarse), sides * len(grid.fine)
                )
            )
            folds = workers(
                delayed(search_fold)(
                    question, grid, number, data, rows, cache=cache, on_event=channel
                )
                for number, rows in enumerate(splits)
            )
        return pd.DataFrame([record for records in folds for record in records])

    def _unfitted(self) -> FairRuleSetClassifier:
        given = self.estimator or FairRuleSetClassifier(time_limit=CELL_SECONDS)
        cloned: FairRuleSetClassifier = clone(given)
        return cloned

    def _splits(self, is_positive: BoolVector) -> Iterable[tuple[IntVector, IntVector]]:
        splitter = self.cv
        if isinstance(splitter, Integral):
            splitter = StratifiedKFold(
                int(splitter), shuffle=True, random_state=self.random_state
            )
        splits: Iterable[tuple[IntVector, IntVector]] = check_cv(splitter).split(
            np.zeros((len(is_positive), 1)), is_positive.astype(int)
        )
        return splits

    def _chosen(self) -> GridPoint:
        """Choose from the frontier, on which accuracy grows with the gap."""
        frontier, row = self.frontier_, self.frontier_.iloc[-1]
        if self.target_gap is not None:
            fitting = frontier[frontier["pooled_gap"] <= self.target_gap]
            if fitting.empty:
                least = frontier.iloc[0]
                raise FairCGError(
                    f"no point has a pooled test gap of at most {self.target_gap:g}; "
                    f"the smallest is {least['pooled_gap']:.4f}, at epsilon "
                    f"{least['epsilon']:g} and complexity "
                    f"{least['max_complexity']:.0f}. Raise target_gap or add smaller "
                    "fine_epsilons"
                )
            row = fitting.iloc[-1]
        elif self.target_accuracy is not None:
            fitting = frontier[frontier["test_accuracy"] >= self.target_accuracy]
            if fitting.empty:
                raise FairCGError(
                    f"no point has a mean test accuracy of {self.target_accuracy:g}; "
                    f"the highest is {row['test_accuracy']:.4f}, at epsilon "
                    f"{row['epsilon']:g} and complexity {row['max_complexity']:.0f}. "
                    "Lower target_accuracy or add larger epsilons and complexities"
                )
            row = fitting.iloc[0]
        return float(row["epsilon"]), int(row["max_complexity"])
