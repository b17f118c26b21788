"""FairRuleSetClassifierCV: choose epsilon and complexity by cross-validation.

The two phases of the paper, for each training fold. Phase I runs column generation on a
coarse grid of (epsilon, C) and collects the rules; each cell starts from the rules of
those before it. Phase II solves the integer master over the collected rules on a fine
grid. A rule set found in one cell counts in every cell that allows it, so within a fold
a looser cell is never worse on the training data than a tighter one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from faircg.binarize import named_thresholds
from faircg.classifier import FairRuleSetClassifier
from faircg.evaluate.frontier import pooled_points
from faircg.exceptions import FairCGError
from faircg.fitting import groups_for
from faircg.folds import search_fold
from faircg.grid import Point, Settings
from faircg.labels import plain, read_labels
from faircg.validation import checked_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    from faircg.colgen.pricing import Pricer
    from faircg.explain import Explanations
    from faircg.fairness import Criterion
    from faircg.rules import Rule
    from faircg.typing import BoolVector, IntVector

COARSE_EPSILONS = (0.01, 0.1, 1.0)
"""Epsilons of phase I by default."""
FINER_EPSILONS = (0.0, 0.05, 0.15, 0.2)
"""Epsilons that phase II adds to those of phase I by default."""
NO_LIMIT = 1.0
"""The only epsilon of a search without a constraint: no gap is larger."""


class FairRuleSetClassifierCV(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fair rule sets on a grid of epsilon and complexity, by cross-validation.

    Per training fold, phase I collects rules by column generation on a coarse grid, and
    phase II solves the integer master over them on a fine grid (Lawless and Günlük,
    section 5). The chosen point is fitted again on all data.

    Parameters
    ----------
    constraint : None, str or callable, default=None
        Name of a criterion, as in :class:`~faircg.FairRuleSetClassifier`, or what makes
        one from an epsilon, such as :class:`~faircg.fairness.EqualizedOdds` itself; a
        larger epsilon must allow more.
    epsilons, complexities : sequence, default=(0.01, 0.1, 1.0) and (5, 15, 30)
        The grid of phase I.
    fine_epsilons, fine_complexities : sequence or None, default=None
        The grid of phase II. By default that of phase I; if epsilons are the default,
        then with 0, 0.05, 0.15 and 0.2 as well. Without a constraint there is one
        epsilon, 1. A point that phase I proved optimal is not solved again. With exact
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
    max_conditions, pricing, warm_start_rules, thresholds, n_thresholds, exclude
        As in :class:`~faircg.FairRuleSetClassifier`.
    time_limit : float, default=30.0
        Seconds for one cell: one fold, phase, epsilon and complexity. The last fit on
        all data has as many.
    cache : path or None, default=None
        Directory where every finished cell is kept as a file. A search over the same
        data with the same settings reuses them, so one that was stopped goes on where
        it was, and a larger grid only costs its new cells.
    n_jobs : int or None, default=None
        Folds at a time, through joblib.
    random_state : int, RandomState or None, default=0
        Seed of the folds, the warm start and the searches.
    verbose : int, default=0
        1 reports each cell through :mod:`logging`, 2 each round as well.
    pos_label, missing_groups
        As in :class:`~faircg.FairRuleSetClassifier`.

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
        ``test_false_negatives: women``.
    frontier_ : DataFrame
        Points of the fine grid that no other beats in both mean ``test_accuracy`` and
        ``pooled_gap``, by increasing gap: means over the folds, and the gap of all test
        counts added up. The mean of ``test_gap`` is larger, as chance widens the gap of
        every small fold. Without a constraint all gaps are zero, and one point is left.
    best_epsilon_, best_complexity_ : float, int
        The chosen point.
    best_estimator_ : FairRuleSetClassifier
        Fitted on all data at that point.
    rule_set_, certificate_, fairness_ : RuleSet, Certificate, Fairness
        Those of ``best_estimator_``.
    classes_ : ndarray of shape (2,)
        The labels.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray
        Their names, when ``X`` was a frame.

    Examples
    --------
    >>> from faircg.datasets import load_compas
    >>> data = load_compas()
    >>> search = FairRuleSetClassifierCV(
    ...     constraint="equality_of_opportunity",
    ...     epsilons=(0.05, 1.0),
    ...     fine_epsilons=(0.05, 1.0),
    ...     complexities=(6,),
    ...     max_conditions=2,
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
        "constraint": [str, callable, None],
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
        "max_conditions": [Interval(Integral, 1, None, closed="left"), None],
        "pricing": [str, HasMethods(["price"])],
        "warm_start_rules": [str, Iterable, None],
        "thresholds": [str, Mapping],
        "n_thresholds": [Interval(Integral, 2, None, closed="left")],
        "exclude": ["array-like"],
        "time_limit": [Interval(Real, 0, None, closed="neither")],
        "cache": [str, Path, None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "missing_groups": [StrOptions({"raise", "group"})],
    }

    def __init__(
        self,
        *,
        constraint: str | Callable[[float], Criterion] | None = None,
        epsilons: Sequence[float] = COARSE_EPSILONS,
        complexities: Sequence[int] = (5, 15, 30),
        fine_epsilons: Sequence[float] | None = None,
        fine_complexities: Sequence[int] | None = None,
        cv: Any = 10,
        target_gap: float | None = None,
        target_accuracy: float | None = None,
        refit: bool = True,
        max_conditions: int | None = None,
        pricing: str | Pricer = "exact",
        warm_start_rules: str | Iterable[Rule] | None = "forest",
        thresholds: str | Mapping[Any, Sequence[float]] = "quantile",
        n_thresholds: int = 10,
        exclude: Sequence[str | int] = (),
        time_limit: float = 30.0,
        cache: str | Path | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
        pos_label: Any = None,
        missing_groups: str = "raise",
    ) -> None:
        self.constraint = constraint
        self.epsilons = epsilons
        self.complexities = complexities
        self.fine_epsilons = fine_epsilons
        self.fine_complexities = fine_complexities
        self.cv = cv
        self.target_gap = target_gap
        self.target_accuracy = target_accuracy
        self.refit = refit
        self.max_conditions = max_conditions
        self.pricing = pricing
        self.warm_start_rules = warm_start_rules
        self.thresholds = thresholds
        self.n_thresholds = n_thresholds
        self.exclude = exclude
        self.time_limit = time_limit
        self.cache = cache
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.pos_label = pos_label
        self.missing_groups = missing_groups

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: ArrayLike, *, sensitive_features: Any = None) -> Self:
        """Search the grid, choose a point, and fit it on all data.

        Parameters
        ----------
        X
            Frame or array of shape (n_samples, n_features).
        y
            Two labels.
        sensitive_features
            Group of each sample: one column, or several whose combinations are the
            groups. Only used here; prediction never needs it.
        """
        if self.target_gap is not None and self.target_accuracy is not None:
            raise ValueError(
                "target_gap and target_accuracy were both given; choose one of them"
            )
        coarse, fine = self._grids()
        table = checked_table(self, X, reset=True, exclude=self.exclude)
        labels = read_labels(y, table.n_rows, self.pos_label)
        settings = self._settings(coarse, fine, plain(labels.classes[labels.positive]))
        criterion = settings.criterion(fine[0][0])
        groups = groups_for(
            criterion, sensitive_features, table.n_rows, missing=self.missing_groups
        )
        if self.cache is not None:
            Path(self.cache).mkdir(parents=True, exist_ok=True)
        folds = Parallel(n_jobs=self.n_jobs)(
            delayed(search_fold)(
                *(settings, table, labels.is_positive, groups, number, train, test),
                verbose=self.verbose,
            )
            for number, (train, test) in enumerate(self._splits(labels.is_positive))
        )
        import pandas as pd

        self.classes_ = labels.classes
        self.cv_results_ = pd.DataFrame([row for rows in folds for row in rows])
        points = pooled_points(self.cv_results_, criterion)
        kept = points[points["on_frontier"]].drop(columns="on_frontier")
        self.frontier_ = kept.reset_index(drop=True)
        self.best_epsilon_, self.best_complexity_ = self._chosen()
        if not self.refit:
            return self
        self.best_estimator_ = FairRuleSetClassifier(
            constraint=settings.criterion(self.best_epsilon_),
            epsilon=self.best_epsilon_,
            max_complexity=self.best_complexity_,
            max_conditions=self.max_conditions,
            pricing=self.pricing,
            warm_start_rules=settings.warm_start_rules,
            thresholds=self.thresholds,
            n_thresholds=self.n_thresholds,
            exclude=self.exclude,
            time_limit=self.time_limit,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            verbose=max(0, int(self.verbose) - 1),
            pos_label=self.pos_label,
            missing_groups=self.missing_groups,
        ).fit(X, y, sensitive_features=sensitive_features)
        self.rule_set_ = self.best_estimator_.rule_set_
        self.certificate_ = self.best_estimator_.certificate_
        self.fairness_ = self.best_estimator_.fairness_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the label of each row; groups are not needed."""
        check_is_fitted(self, "best_estimator_")
        predictions: NDArray[Any] = self.best_estimator_.predict(X)
        return predictions

    def explain(self, X: Any, **options: Any) -> Explanations:
        """Explain decisions as :meth:`FairRuleSetClassifier.explain` does."""
        check_is_fitted(self, "best_estimator_")
        explanations: Explanations = self.best_estimator_.explain(X, **options)
        return explanations

    def rule_table(
        self, X: Any, y: ArrayLike | None = None, **options: Any
    ) -> pd.DataFrame:
        """Count people as :meth:`FairRuleSetClassifier.rule_table` does."""
        check_is_fitted(self, "best_estimator_")
        table: pd.DataFrame = self.best_estimator_.rule_table(X, y, **options)
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _grids(self) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
        """Return the points of both phases, small rule sets first.

        Phase I goes from large epsilons to small ones: the linear master is easier to
        solve without a binding constraint, and its bound holds at smaller epsilons.
        """
        epsilons = _numbers("epsilons", self.epsilons)
        complexities = _numbers("complexities", self.complexities, whole=True)
        fine_epsilons = epsilons
        if tuple(epsilons) == COARSE_EPSILONS:  # whoever gives others wants just those
            fine_epsilons = sorted({*epsilons, *FINER_EPSILONS})
        if self.fine_epsilons is not None:
            fine_epsilons = _numbers("fine_epsilons", self.fine_epsilons)
        fine_complexities = complexities
        if self.fine_complexities is not None:
            fine_complexities = _numbers(
                "fine_complexities", self.fine_complexities, whole=True
            )
        if self.constraint is None:
            epsilons = fine_epsilons = [NO_LIMIT]
        return (
            tuple((e, int(C)) for C, e in product(complexities, epsilons[::-1])),
            tuple((e, int(C)) for C, e in product(fine_complexities, fine_epsilons)),
        )

    def _settings(
        self, coarse: tuple[Point, ...], fine: tuple[Point, ...], label: object
    ) -> Settings:
        rng = check_random_state(self.random_state)
        source = self.warm_start_rules
        if source is not None and not isinstance(source, str):
            source = tuple(source)
        return Settings(
            constraint=self.constraint,
            coarse=coarse,
            fine=fine,
            max_conditions=self.max_conditions,
            pricing=self.pricing,
            warm_start_rules=source,
            thresholds=named_thresholds(self.thresholds, self.features_),
            n_thresholds=self.n_thresholds,
            time_limit=float(self.time_limit),
            cache=None if self.cache is None else str(self.cache),
            seed=int(rng.randint(np.iinfo(np.int32).max)),
            label=str(label),
        )

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

    def _chosen(self) -> Point:
        """Choose from the frontier, on which accuracy grows with the gap."""
        frontier = self.frontier_
        row = frontier.iloc[-1]
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


def _numbers(name: str, values: Iterable[Any], *, whole: bool = False) -> list[float]:
    """Read one axis of a grid, sorted, without repetitions."""
    wanted: Any = Integral if whole else Real
    kind = "whole numbers" if whole else "numbers"
    read: list[Any] = list(values)
    bad = [v for v in read if not isinstance(v, wanted) or not 0 <= v < np.inf]
    if not read or bad:
        found = f"found {bad[0]!r}" if bad else "it is empty"
        raise ValueError(f"{name} must be a list of {kind} of at least 0; {found}")
    return sorted({float(v) for v in read})
