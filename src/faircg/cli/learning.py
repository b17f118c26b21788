"""Commands that learn: ``fit`` and ``frontier``."""

# ruff: noqa: D301 (the help needs "\b" as one character)

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from faircg.cli import exits, files, notes, show
from faircg.cli import options as opt
from faircg.cli.progress import following, note, watching
from faircg.cli.reports import about, held_out, need_report, save_report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from faircg.classifier import FairRuleSetClassifier
    from faircg.cli.named_table import NamedTable
    from faircg.search import FairRuleSetClassifierCV

SHOWN: Final = {
    "epsilon": "g",
    "max_complexity": "g",
    "test_accuracy": ".2%",
    "test_accuracy_std": ".2%",
    "pooled_gap": ".4f",
    "complexity": ".1f",
}
"""Columns of the frontier that are printed, and how."""


def fit(
    data: opt.Data,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file (JSON).")],
    target: opt.Target = None,
    sensitive: opt.Sensitive = None,
    weight: opt.Weight = None,
    constraint: opt.ConstraintOption = opt.Constraint.none,
    epsilon: opt.Epsilon = 0.05,
    max_complexity: opt.MaxComplexity = 20,
    max_conditions: opt.MaxConditions = None,
    positive: opt.Positive = None,
    exclude: opt.Exclude = None,
    category: opt.Category = None,
    thresholds: opt.ThresholdsOption = opt.Thresholds.quantile,
    n_thresholds: opt.NThresholds = 10,
    warm_start: opt.WarmStartOption = opt.WarmStart.forest,
    objective: Annotated[
        opt.Objective, typer.Option(help="Loss that the integer program minimises.")
    ] = opt.Objective.hamming,
    pricing: opt.PricingOption = opt.Pricing.exact,
    missing_groups: opt.MissingGroupsOption = opt.MissingGroups.refuse,
    time_limit: opt.TimeLimit = 300.0,
    seed: opt.Seed = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores.")] = -1,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Report every round.")
    ] = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    config: opt.Config = None,
) -> None:
    """Learn a rule set, and write it as a model file.

    Rules may test every column but the target, so --exclude names and numbers of
    people, and the sensitive column if it must not be used. Ctrl-C keeps the best rule
    set so far.

    \b
    Example:
      faircg fit compas --constraint equality_of_opportunity \\
        --epsilon 0.05 --max-complexity 10 -o model.json
    """
    from faircg.classifier import FairRuleSetClassifier

    files.check_output(output)
    people, column, groups = _read(data, target, sensitive, exclude, category, weight)
    _must_have_groups(constraint, groups)
    features = people.frame.drop(columns=[column])
    labels, pos_label = files.labels_of(people, column, positive)
    notes.tell_weight(people, weight, quiet=quiet)
    notes.tell(
        people,
        column,
        groups,
        labels=labels,
        pos_label=pos_label,
        exclude=exclude,
        category=category,
        missing_groups=missing_groups.value,
        quiet=quiet,
    )
    clf = FairRuleSetClassifier(
        constraint=None if constraint is opt.Constraint.none else constraint.value,
        epsilon=epsilon,
        max_complexity=max_complexity,
        max_conditions=max_conditions,
        objective=objective.value,
        thresholds=thresholds.value,
        n_thresholds=n_thresholds,
        warm_start_rules=_warm_start(warm_start),
        pricing=pricing.value,
        exclude=tuple(dict.fromkeys(exclude or ())),
        time_limit=time_limit,
        random_state=seed,
        n_jobs=jobs,
        verbose=int(verbose),
        pos_label=pos_label,
        missing_groups=missing_groups.value,
        on_interrupt="return",
    )
    title = f"{people.name}: {len(features):,} rows, {features.shape[1]} features"
    with following(title, quiet=quiet or verbose):
        clf.fit(
            features,
            labels,
            sensitive_features=people.groups(groups),
            sample_weight=people.weights,
        )
    clf.model_.save(output)
    if as_json:
        typer.echo(files.to_json({"model": str(output), **show.fit_values(clf)}))
    else:
        show.show_fit(show.console(), clf, groups)
        typer.echo(f"\n{show.wrote([output])}")
    finish(clf)


def frontier(
    data: opt.Data,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Report to write (HTML).")
    ] = None,
    target: opt.Target = None,
    sensitive: opt.Sensitive = None,
    weight: opt.Weight = None,
    constraint: opt.ConstraintOption = opt.Constraint.equality_of_opportunity,
    epsilon: opt.Epsilons = None,
    max_complexity: opt.MaxComplexities = None,
    folds: opt.Folds = 5,
    target_gap: opt.TargetGap = None,
    target_accuracy: opt.TargetAccuracy = None,
    table: Annotated[
        Path | None, typer.Option("--csv", help="Write the frontier as CSV.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Write every fold and point as CSV.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="Write the chosen rule set as a model file.")
    ] = None,
    max_conditions: opt.MaxConditions = None,
    positive: opt.Positive = None,
    exclude: opt.Exclude = None,
    category: opt.Category = None,
    thresholds: opt.ThresholdsOption = opt.Thresholds.quantile,
    n_thresholds: opt.NThresholds = 10,
    warm_start: opt.WarmStartOption = opt.WarmStart.forest,
    pricing: opt.PricingOption = opt.Pricing.exact,
    missing_groups: opt.MissingGroupsOption = opt.MissingGroups.refuse,
    time_limit: opt.CellTimeLimit = 4.0,
    cache: Annotated[
        Path | None,
        typer.Option(help="Directory of finished cells: a search stopped goes on."),
    ] = None,
    validation: opt.Validation = None,
    test: opt.Test = None,
    rows: opt.Rows = 0,
    title: opt.Title = "",
    owner: opt.Owner = "",
    intended_use: opt.IntendedUse = "",
    out_of_scope: opt.OutOfScope = "",
    date: opt.Date = "",
    seed: opt.Seed = 0,
    jobs: Annotated[int, typer.Option(help="Folds at a time; -1 for all cores.")] = -1,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    config: opt.Config = None,
) -> None:
    """Show what a smaller gap costs in accuracy, by cross-validation.

    Tries every epsilon with every limit on complexity (by default 0, 0.01, 0.05, 0.1,
    0.15, 0.2 and 1, with 5 and 15), prints the points that no other beats in both
    accuracy and gap, and fits the chosen one on all data. With -o each of them is
    fitted, and a report is written to choose from.

    \b
    Example:
      faircg frontier compas --epsilon 0.02 --epsilon 0.1 \\
        --max-complexity 5 --folds 3 -o frontier.html
    """
    from faircg.classifier import FairRuleSetClassifier
    from faircg.exceptions import FairCGError
    from faircg.search import FairRuleSetClassifierCV

    for path in (output, table, results, model):
        files.check_output(path)
    if output is not None:
        need_report()
    people, column, groups = _read(data, target, sensitive, exclude, category, weight)
    _must_have_groups(constraint, groups)
    features = people.frame.drop(columns=[column])
    labels, pos_label = files.labels_of(people, column, positive)
    others = held_out(
        {"validation": validation, "test": test},
        lambda name: files.read_people(name, category or ()),
        column,
        groups,
        weight,
    )
    if others and output is None:
        raise ValueError("--validation and --test are shown in a report; give it -o")
    notes.tell_weight(people, weight, quiet=quiet)
    notes.tell(
        people,
        column,
        groups,
        labels=labels,
        pos_label=pos_label,
        exclude=exclude,
        category=category,
        missing_groups=missing_groups.value,
        quiet=quiet,
    )
    with _directory(cache) as kept:
        search = FairRuleSetClassifierCV(
            FairRuleSetClassifier(
                constraint=(
                    None if constraint is opt.Constraint.none else constraint.value
                ),
                max_conditions=max_conditions,
                pricing=pricing.value,
                warm_start_rules=_warm_start(warm_start),
                thresholds=thresholds.value,
                n_thresholds=n_thresholds,
                exclude=tuple(dict.fromkeys(exclude or ())),
                time_limit=time_limit,
                random_state=seed,
                n_jobs=jobs,
                pos_label=pos_label,
                missing_groups=missing_groups.value,
            ),
            epsilons=tuple(epsilon or (0.01, 0.1, 1.0)),
            fine_epsilons=tuple(epsilon) if epsilon else None,
            complexities=tuple(max_complexity or (5, 15)),
            cv=folds,
            target_gap=target_gap,
            target_accuracy=target_accuracy,
            cache=kept,
            n_jobs=jobs,
            random_state=seed,
        )
        n_cells = len(search.epsilons) * len(search.complexities) * folds
        if constraint is opt.Constraint.none:
            n_cells = len(search.complexities) * folds
        heading = f"{people.name}: {len(features):,} rows, {folds} folds"
        missed = None
        try:
            with watching(kept, n_cells, heading, quiet=quiet):
                search.fit(
                    features,
                    labels,
                    sensitive_features=people.groups(groups),
                    sample_weight=people.weights,
                )
        except FairCGError as error:
            if type(error) is not FairCGError:
                raise
            missed = error  # the grid is done, and no point of it is good enough
    written: list[Path] = []
    if table is not None:
        _save_csv(table, search.frontier_, written)
    if results is not None:
        _save_csv(results, search.cv_results_, written)
    if missed is not None:
        _show_frontier(search, as_json=as_json, written=written)
        raise exits.TargetNotMetError(missed)
    if model is not None:
        search.best_estimator_.model_.save(model)
        written.append(model)
    if output is not None:
        from faircg.report import render_report, report_of_search

        with following(heading, quiet=quiet):
            made = report_of_search(
                search,
                features,
                labels,
                sensitive_features=people.groups(groups),
                sample_weight=people.weights,
                about=about(
                    people,
                    column,
                    groups,
                    title=title,
                    date=date,
                    owner=owner,
                    intended_use=intended_use,
                    out_of_scope=out_of_scope,
                ),
                others=others,
                n_rows=rows,
            )
        save_report(output, render_report(made))
        written.append(output)
    if not bool(search.cv_results_["is_finished"].all()):
        cut = int((~search.cv_results_["is_finished"]).sum())
        note(
            f"{cut} of {len(search.cv_results_)} cells were cut short by the time "
            f"limit of {time_limit:g} s; their points may be better than shown",
            quiet=quiet,
        )
    _show_frontier(search, as_json=as_json, written=written)


def _show_frontier(
    search: FairRuleSetClassifierCV, *, as_json: bool, written: Sequence[Path]
) -> None:
    """Print the frontier, and the rule set of the chosen point."""
    from rich.markup import escape

    best = getattr(search, "best_estimator_", None)
    if as_json:
        values: dict[str, Any] = {
            "frontier": search.frontier_.to_dict("records"),
            "chosen": None,
            "written": [str(path) for path in written],
        }
        if best is not None:
            values["chosen"] = {
                "epsilon": search.best_epsilon_,
                "max_complexity": search.best_complexity_,
                **show.fit_values(best),
            }
        typer.echo(files.to_json(values))
        return
    out = show.console()
    columns = [c for c in SHOWN if c in search.frontier_.columns]
    if search.constraint_ is None:
        columns = [c for c in columns if c not in ("epsilon", "pooled_gap")]
    show.show_table(out, search.frontier_[columns], SHOWN)
    n_folds = int(search.cv_results_["fold"].nunique())
    out.print(
        f"test_accuracy: mean over {n_folds} folds; pooled_gap: gap of the test counts "
        "of all folds added up"
    )
    if best is not None:
        chosen = f"complexity at most {search.best_complexity_}"
        if search.constraint_ is not None:
            chosen = f"epsilon {search.best_epsilon_:g}, {chosen}"
        if search.target_gap is None and search.target_accuracy is None:
            chosen += ", for its accuracy alone (--target-gap chooses by the gap)"
        out.print(f"\nchosen: {chosen}; fitted on all data:")
        out.print(escape(str(search.rule_set_)), style="bold")
        show.show_gaps(out, show.training_result(best), watched_only=True)
        out.print(escape(f"certificate: {search.certificate_}"))
    if written:
        typer.echo(f"\n{show.wrote(written)}")


def finish(clf: FairRuleSetClassifier) -> None:
    """End a command whose fit was interrupted as such."""
    if clf.certificate_.status == "interrupted":
        raise typer.Exit(exits.INTERRUPTED)


def _read(
    data: str,
    target: str | None,
    sensitive: Sequence[str] | None,
    exclude: Sequence[str] | None,
    category: Sequence[str] | None,
    weight: str | None = None,
) -> tuple[NamedTable, str, list[str]]:
    people = files.read_people(data, category or ()).weighted(weight)
    column, groups = people.target(target), people.sensitive(sensitive)
    people.must_have([*(exclude or ()), *(category or ())])
    return people, column, groups


def _must_have_groups(constraint: opt.Constraint, groups: Sequence[str]) -> None:
    if constraint is not opt.Constraint.none and not groups:
        raise ValueError(
            f"--constraint {constraint.value} compares groups; name their column with "
            "--sensitive"
        )


def _warm_start(given: opt.WarmStart) -> str | None:
    return None if given is opt.WarmStart.none else given.value


def _save_csv(path: Path, frame: Any, written: list[Path]) -> None:
    files.save(path, frame.to_csv(index=False, lineterminator="\n"))
    written.append(path)


@contextmanager
def _directory(given: Path | None) -> Iterator[Path]:
    """Return where cells are kept: for good, or as long as the search lasts."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="faircg-") as name:
        yield Path(name)
