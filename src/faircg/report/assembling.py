"""Assembling: from models, searches and data to a :class:`Report`."""

from __future__ import annotations

import platform
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Unpack

from faircg.evaluate import recorded_result, rule_results, total
from faircg.fairness.constraint import criterion_of, is_criterion, takes_epsilon
from faircg.features import Features
from faircg.groups import EVERYBODY
from faircg.report.contents import About, Point, PointResult, Report
from faircg.report.parts import Part
from faircg.report.rows import resolved, sample_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from faircg.evaluate import PartResult, RuleResult
    from faircg.fairness import Criterion
    from faircg.fairness.constraint import Constraint
    from faircg.model import Asked, RuleSetModel
    from faircg.report.rows import RowOptions

Data: TypeAlias = tuple[Any, Any, Any] | tuple[Any, Any, Any, Any]
"""Table, labels, groups (or None) and perhaps weights of one part."""
TRAIN: Final = "train"
"""Name of the part that the rules were learned from."""
GIVEN: Final = "given data"
"""Name of data whose counts are not those recorded in training."""
RECORDED: Final = "train, as recorded"
"""Name of the training counts that a model file carries."""
KEPT_APART: Final = "held out, as recorded"
"""Name of the counts of people kept apart that a model file carries."""
_SOFTWARE: Final = ("faircg", "highspy", "numpy", "scikit-learn", "scipy")


def report_of_model(
    model: RuleSetModel,
    X: Any,
    y: ArrayLike,
    *,
    sensitive_features: Any = None,
    sample_weight: ArrayLike | None = None,
    part: str | None = None,
    others: Mapping[str, Data] | None = None,
    constraint: str | Criterion | None = None,
    about: About | None = None,
    missing_groups: str = "raise",
    **rows: Unpack[RowOptions],
) -> Report:
    """Make the report of one model.

    Parameters
    ----------
    model
        ``clf.model_``, or ``RuleSetModel.load(path)``.
    X, y, sensitive_features, sample_weight
        Data with true labels and groups, and how many people each row stands for.
    part
        What that data is: ``"train"`` for the data the rules were learned from,
        ``"test"`` or any other name for data they were not. None says ``"train"`` if
        the counts are those that the model recorded in training (or it recorded none),
        and ``"given data"`` otherwise.
    others
        More parts by name, each ``(X, y, sensitive_features)`` or with weights as the
        fourth, shown side by side. The last part given speaks for the model in the
        headline.
    constraint
        The criterion to measure gaps by; that of the model by default, and none if it
        is ``"none"``.
    about, missing_groups
        Title, names and descriptions; missing groups as for ``fit``.
    **rows
        ``n_rows``: rows to show one by one, with the reason for each decision (200 by
        default); 0 for none, so that the file holds no data of single people.
        ``direction`` and ``immutable``: smallest changes to tell, as in
        :func:`faircg.explain.explain`; none by default. ``ids`` and ``id_name``: what
        the rows of the last part are called instead of numbers.

    Examples
    --------
    >>> from faircg import FairRuleSetClassifier
    >>> from faircg.datasets import load_compas
    >>> from faircg.report import render_report, report_of_model
    >>> data = load_compas()
    >>> clf = FairRuleSetClassifier(
    ...     constraint="equality_of_opportunity", max_complexity=5, max_conditions=2
    ... ).fit(data.X, data.y, sensitive_features=data.sensitive_features)
    >>> report = report_of_model(
    ...     clf.model_, data.X, data.y, sensitive_features=data.sensitive_features
    ... )
    >>> report.points[0].main.within
    True
    >>> render_report(report)[:15]
    '<!DOCTYPE html>'
    """
    (first,) = read_parts(
        {part or TRAIN: (X, y, sensitive_features, sample_weight)},
        [model],
        missing_groups=missing_groups,
    )
    if part is None and not _is_training_data(model, first):
        first = replace(first, name=GIVEN)
    if others and first.name in others:
        raise ValueError(
            f"two parts are called {first.name!r}; give the first another name"
        )
    more = read_parts(others or {}, [model], missing_groups=missing_groups)
    certificate = model.certificate
    point = Point(
        model=model,
        epsilon=None if certificate is None else certificate.epsilon,
        max_complexity=None if certificate is None else certificate.max_complexity,
    )
    return make_report(
        [point],
        [first, *more],
        constraint=constraint,
        about=with_defaults(about, **_settings(model.asked)),
        **resolved(rows, Features.of(X)),
    )


def _is_training_data(model: RuleSetModel, part: Part) -> bool:
    """Say whether a part has the counts that were recorded in training, if any were."""
    recorded = model.groups
    if not recorded:
        return True
    counts = part.people.counts(model.rule_set.accepts(part.people.table))
    if len(counts) == 1 or len(recorded) == 1:  # without groups, compare everybody
        return total(counts.values()) == total(recorded.values())
    return recorded == counts


def _settings(asked: Asked) -> dict[str, Any]:
    """Say what a model records about its fit; nothing about what it does not."""
    settings = {}
    if asked.thresholds is not None and asked.n_thresholds is not None:
        most = asked.n_thresholds
        settings["cut points"] = {
            "quantile": f"quantiles of each number, at most {most}",
            "tree": f"where a tree would cut each number, at most {most}",
            "given": "given by hand",
        }.get(asked.thresholds, asked.thresholds)
    if asked.time_limit is not None:
        settings["time limit"] = f"{asked.time_limit:g} s"
    if asked.work_limit is not None:
        settings["work limit"] = f"{asked.work_limit:g} units of work"
    return {
        "excluded": asked.exclude,
        "seed": asked.random_state,
        "settings": settings,
    }


def read_parts(
    data: Mapping[str, Data],
    models: Sequence[RuleSetModel],
    *,
    missing_groups: str = "raise",
) -> list[Part]:
    """Read tables, labels and groups by the name of their part."""
    return [
        Part.read(
            name,
            *values[:3],
            sample_weight=values[3] if len(values) > 3 else None,
            models=models,
            missing_groups=missing_groups,
        )
        for name, values in data.items()
    ]


def make_report(
    points: Sequence[Point],
    parts: Sequence[Part],
    *,
    chosen: int = 0,
    constraint: Constraint | None = None,
    about: About | None = None,
    **rows: Unpack[RowOptions],
) -> Report:
    """Count everything about some points, with the same labels, on some parts of data.

    The last part speaks for the points, and its rows are shown. The constraint is that
    of each model by default; about and rows are as in :func:`report_of_model`.
    """
    named = {part.name: part for part in parts}
    if not named:
        raise ValueError("a report needs at least one part of data")
    if len(named) < len(parts):
        raise ValueError(f"parts need different names: {[p.name for p in parts]}")
    if not points:
        raise ValueError("a report needs at least one point")
    if not 0 <= chosen < len(points):
        raise ValueError(f"chosen={chosen} is no position in {len(points)} points")
    if len({point.model.labels for point in points}) > 1:
        raise ValueError("the points predict different labels; make a report of each")
    models = [point.model for point in points]
    first = _criterion(constraint, points[chosen])
    return Report(
        points=tuple(_point_result(p, named, constraint) for p in points),
        chosen=chosen,
        constraint=None if first is None else first.name,
        data=tuple(part.summary(models[chosen]) for part in parts),
        shown=sample_rows(parts[-1], models, **rows),
        about=About() if about is None else about,
        versions=versions(),
    )


def versions() -> dict[str, str]:
    """Return the versions of the software that the numbers depend on."""
    found = {"Python": platform.python_version()}
    for name in _SOFTWARE:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # pragma: no cover
            found[name] = "unknown"
    return found


def _criterion(constraint: Constraint | None, point: Point) -> Criterion | None:
    """Return the criterion of a point; None if there is none, or nobody knows it."""
    if constraint is None:
        return point.model.criterion
    if constraint == "none":
        return None
    if is_criterion(constraint):
        return constraint
    if not takes_epsilon(constraint):
        return criterion_of(constraint)
    if point.epsilon is None:
        raise ValueError(
            "a constraint was given, but no epsilon is known: the model has no "
            "certificate; pass a criterion such as EqualizedOdds(0.05)"
        )
    return criterion_of(constraint, point.epsilon)


def _point_result(
    point: Point, parts: Mapping[str, Part], constraint: Constraint | None
) -> PointResult:
    criterion, rule_set = _criterion(constraint, point), point.model.rule_set
    certificate, recorded = point.model.certificate, point.model.groups
    known = () if tuple(recorded) == (EVERYBODY,) else point.model.group_names
    results: dict[str, PartResult] = {}
    rules: dict[str, tuple[RuleResult, ...]] = {}
    loss: int | None = None
    same: list[str] = []
    is_held_out_given = False
    for name, part in parts.items():
        people = part.people
        coverage = people.coverage(rule_set)
        counts = people.counts(rule_set.turned(coverage.any))
        is_meant = rule_set.turned(people.is_positive)
        results[name] = people.result(
            name,
            point.model,
            rule_set.turned(coverage.any),
            criterion,
            trained=known,
        )
        rules[name] = rule_results(coverage, is_meant, people.groups)
        is_held_out_given |= point.model.held_out == counts
        if recorded == counts:
            same.append(name)
            counts_people = people.parts == 1
            if certificate is not None and certificate.costs is None and counts_people:
                loss = coverage.loss(is_meant, certificate.loss)
    if recorded and not same:
        trained = recorded_result(point.model, RECORDED, criterion)
        results = {RECORDED: trained, **results}
    if point.model.held_out and not is_held_out_given:
        apart = recorded_result(point.model, KEPT_APART, criterion, held_out=True)
        results = {**results, KEPT_APART: apart}
    if (
        loss is not None
        and certificate is not None
        and certificate.rates != "proxy"
        and loss < certificate.lower_bound - 1e-6
    ):
        loss = None  # other data with the same counts
    learned_from = (TRAIN, RECORDED, *(() if TRAIN in parts else same))
    return PointResult(point, certificate, loss, results, rules, learned_from)


def with_defaults(about: About | None, **defaults: Any) -> About:
    """Fill the empty entries of an :class:`About`."""
    given = About() if about is None else about
    empty = {
        name: value
        for name, value in defaults.items()
        if getattr(given, name) in ("", {}, None)
    }
    return replace(given, **empty)
