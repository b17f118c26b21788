"""The report of a search: the rule set of every point on the frontier."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from sklearn.utils.validation import check_is_fitted

from faircg.fairness.constraint import criterion_at
from faircg.limits import limit_words
from faircg.report.assembling import TRAIN, make_report, read_parts, with_defaults
from faircg.report.contents import CrossValidated, Point
from faircg.report.rows import resolved

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from faircg.classifier import FairRuleSetClassifier
    from faircg.fairness import Criterion
    from faircg.model import RuleSetModel
    from faircg.report.assembling import Data
    from faircg.report.contents import About, Report
    from faircg.report.rows import RowOptions
    from faircg.search import FairRuleSetClassifierCV


def fit_frontier(
    search: FairRuleSetClassifierCV,
    X: Any,
    y: ArrayLike,
    *,
    sensitive_features: Any = None,
    sample_weight: ArrayLike | None = None,
    costs: ArrayLike | None = None,
) -> dict[tuple[float, int], RuleSetModel]:
    """Fit the rule set of every frontier point on all data, those of the search.

    A search keeps one rule set per fold and point; whoever decides needs one per point.
    Each fit may take the ``time_limit`` of a cell; the point that the search chose and
    fitted is not fitted again. Returns the model of each ``(epsilon, max_complexity)``
    of ``search.frontier_``.
    """
    check_is_fitted(search, "frontier_")
    models = {}
    for key in _keys(search):
        is_best = key == (search.best_epsilon_, search.best_complexity_)
        if is_best and hasattr(search, "best_estimator_"):
            models[key] = search.best_estimator_.model_
            continue
        estimator = search.estimator_at(*key)
        estimator.fit(
            X,
            y,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            costs=costs,
        )
        models[key] = estimator.model_
    return models


def report_of_search(
    search: FairRuleSetClassifierCV,
    X: Any,
    y: ArrayLike,
    *,
    sensitive_features: Any = None,
    sample_weight: ArrayLike | None = None,
    costs: ArrayLike | None = None,
    models: Mapping[tuple[float, int], RuleSetModel] | None = None,
    others: Mapping[str, Data] | None = None,
    about: About | None = None,
    **rows: Unpack[RowOptions],
) -> Report:
    """Make the report of a search, with its frontier to choose from.

    Parameters
    ----------
    search
        A fitted search.
    X, y, sensitive_features, sample_weight, costs
        The data that it was fitted with; the part ``"train"`` of the report.
    models
        The model of each frontier point, fitted on all data; :func:`fit_frontier`
        makes them, and is called when this is None.
    others
        Held-out parts by name, each ``(X, y, sensitive_features)``.
    about, **rows
        As in :func:`report_of_model`.
    """
    if models is None:
        models = fit_frontier(
            search,
            X,
            y,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            costs=costs,
        )
    keys = _keys(search)
    absent = [key for key in keys if key not in models]
    if absent:
        raise ValueError(
            f"models lacks the frontier point with epsilon {absent[0][0]:g} and "
            f"complexity {absent[0][1]}; fit_frontier makes all of them"
        )
    points = _points(search, models)
    best = (search.best_epsilon_, search.best_complexity_)
    data: dict[str, Data] = {TRAIN: (X, y, sensitive_features, sample_weight)}
    data |= others or {}
    estimator = search.estimator_at(*best)
    parts = read_parts(
        data, [p.model for p in points], missing_groups=estimator.missing_groups
    )
    seed = estimator.random_state
    return make_report(
        points,
        parts,
        chosen=keys.index(best),
        constraint=None if search.constraint_ is None else partial(_at, search),
        about=with_defaults(
            about,
            excluded=search.features_.excluded,
            seed=seed if isinstance(seed, int) else None,
            settings=_settings(search, estimator),
        ),
        **resolved(rows, search.features_),
    )


def _at(search: FairRuleSetClassifierCV, epsilon: float) -> Criterion:
    """Return the criterion of a point; one given as an object has another epsilon."""
    criterion = criterion_at(search.constraint_, epsilon)
    assert criterion is not None
    return criterion


def _points(
    search: FairRuleSetClassifierCV, models: Mapping[tuple[float, int], RuleSetModel]
) -> list[Point]:
    """Return the points of the frontier with what cross-validation found there."""
    constrained = search.constraint_ is not None
    by_point = search.cv_results_.groupby(["epsilon", "max_complexity"])
    points = []
    for key, (_, row) in zip(_keys(search), search.frontier_.iterrows(), strict=True):
        folds = by_point.get_group(key)
        found = CrossValidated(
            accuracy=float(row["test_accuracy"]),
            accuracy_std=float(row["test_accuracy_std"]),
            gap=_number(row["pooled_gap"]) if constrained else None,
            fold_gap=_number(folds["test_gap"].mean()) if constrained else None,
            complexity=float(row["complexity"]),
            n_folds=int(search.cv_results_["fold"].nunique()),
            n_cut=int((~folds["is_finished"].astype(bool)).sum()),
        )
        points.append(
            Point(models[key], key[0] if constrained else None, key[1], found)
        )
    return points


def _settings(
    search: FairRuleSetClassifierCV, estimator: FairRuleSetClassifier
) -> dict[str, str]:
    results = search.cv_results_
    grid = {
        "epsilons of the grid": "epsilon",
        "complexity limits of the grid": "max_complexity",
    }
    if search.constraint_ is None:
        del grid["epsilons of the grid"]
    settings = {
        name: ", ".join(f"{value:g}" for value in sorted(set(results[column])))
        for name, column in grid.items()
    }
    settings["cross-validation"] = f"{int(results['fold'].nunique())} folds"
    n_cut = int((~results["is_finished"].astype(bool)).sum())
    cut_short = "no cell was cut short"
    if n_cut:
        cut_short = (
            f"{n_cut} cells were cut short, and another run may find other rule sets "
            "there"
        )
    limit = limit_words(estimator.time_limit, estimator.work_limit)
    settings["time limit"] = (
        f"{limit} for each of {len(results)} cells and for each fit on all data; "
        f"{cut_short}"
    )
    if search.target_gap is not None:
        settings["choice"] = (
            "the most accurate point whose cross-validated gap is at most "
            f"{search.target_gap:g}"
        )
    elif search.target_accuracy is not None:
        settings["choice"] = (
            "the smallest cross-validated gap with an accuracy of at least "
            f"{search.target_accuracy:g}"
        )
    else:
        settings["choice"] = "the most accurate point by cross-validation"
    return settings


def _keys(search: FairRuleSetClassifierCV) -> list[tuple[float, int]]:
    frontier = search.frontier_[["epsilon", "max_complexity"]]
    return [(float(e), int(c)) for e, c in frontier.itertuples(index=False)]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
