"""``frontier``: what a smaller gap costs, by cross-validation."""

# ruff: noqa: D301 (the help needs "\b" as one character)

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from faircg.cli import exits, files, remembered, reports, show
from faircg.cli import limit_options as lim
from faircg.cli import options as opt
from faircg.cli.constraints import named
from faircg.cli.estimators import make_estimator
from faircg.cli.lazy import taking
from faircg.cli.learning import LearningOptions, read_training
from faircg.cli.progress import following, note
from faircg.limits import limit_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.cli.learning import Training
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
CELL_SECONDS: Final = 4.0
"""Seconds for one cell where nothing else is asked for."""


@dataclass(frozen=True, kw_only=True)
class FrontierOptions(reports.ReportOptions, LearningOptions):
    """What ``frontier`` is asked."""

    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Report to write (HTML).")
    ] = None
    epsilon: opt.Epsilons = None
    max_complexity: opt.MaxComplexities = None
    folds: opt.Folds = 5
    target_gap: opt.TargetGap = None
    target_accuracy: opt.TargetAccuracy = None
    table: Annotated[
        Path | None, typer.Option("--csv", help="Write the frontier as CSV.")
    ] = None
    results: Annotated[
        Path | None, typer.Option(help="Write every fold and point as CSV.")
    ] = None
    model: Annotated[
        Path | None, typer.Option(help="Write the chosen rule set as a model file.")
    ] = None
    cache: Annotated[
        Path | None,
        typer.Option(help="Directory of finished cells: a search stopped goes on."),
    ] = None
    constraint: opt.Constraint = None
    time_limit: lim.CellTimeLimit = None

    @property
    def named_constraint(self) -> str | None:
        """What was asked for, in one line: equality of opportunity by default."""
        return named(self.constraint or ["equality_of_opportunity"])

    @property
    def seconds(self) -> float | None:
        """Seconds for each cell; None if only work is limited."""
        is_default = self.time_limit is None and self.work_limit is None
        return CELL_SECONDS if is_default else self.time_limit


@taking(FrontierOptions)
def frontier(asked: FrontierOptions) -> None:
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
    for path in (asked.output, asked.table, asked.results, asked.model):
        files.check_output(path)
    if asked.output is not None:
        reports.need_report()
    if asked.id_column is not None:  # it names people, so that no rule tests it
        named_by = [*(asked.exclude or ()), asked.id_column]
        asked = replace(asked, exclude=named_by)
    training = read_training(asked)
    others = reports.held_out(
        asked,
        lambda name: training.read_alike(name, asked),
        training.target,
        training.groups,
    )
    if others and asked.output is None:
        raise ValueError("--validation and --test are shown in a report; give it -o")
    title = f"{training.title}, {asked.folds} folds"
    with following(title, quiet=asked.quiet) as callbacks:
        search = _make_search(asked, training).set_params(callbacks=callbacks)
        missed = _fit(search, training)
        written = _write(asked, search, training)
        if missed is None and asked.output is not None:
            page = _report(asked, search, training, others)
            reports.save_report(asked.output, page)
            written.append(asked.output)
    if missed is None:
        _note_cut_cells(asked, search)
    _show_frontier(search, as_json=asked.as_json, written=written)
    if missed is not None:
        raise exits.TargetNotMetError(missed)


def _make_search(asked: FrontierOptions, training: Training) -> FairRuleSetClassifierCV:
    from faircg.search import FairRuleSetClassifierCV

    return FairRuleSetClassifierCV(
        make_estimator(asked, training),
        epsilons=tuple(asked.epsilon or (0.01, 0.1, 1.0)),
        fine_epsilons=tuple(asked.epsilon) if asked.epsilon else None,
        complexities=tuple(asked.max_complexity or (5, 15)),
        cv=asked.folds,
        target_gap=asked.target_gap,
        target_accuracy=asked.target_accuracy,
        cache=asked.cache,
        n_jobs=asked.jobs,
        random_state=asked.seed,
    )


def _fit(search: FairRuleSetClassifierCV, training: Training) -> Exception | None:
    """Search; return the error if the grid is done, but no point is good enough."""
    from faircg.exceptions import FairCGError

    try:
        search.fit(**training.to_fit)
    except FairCGError as error:
        if type(error) is not FairCGError:
            raise
        return error
    return None


def _write(
    asked: FrontierOptions, search: FairRuleSetClassifierCV, training: Training
) -> list[Path]:
    """Write the tables and the model that were asked for, if there is one."""
    written = []
    for path, frame in (
        (asked.table, search.frontier_),
        (asked.results, search.cv_results_),
    ):
        if path is not None:
            files.save(path, frame.to_csv(index=False, lineterminator="\n"))
            written.append(path)
    if asked.model is not None and hasattr(search, "best_estimator_"):
        model = training.written.recorded(search.best_estimator_.model_)
        model = remembered.remembering(model, training)
        model.save(asked.model)
        written.append(asked.model)
    return written


def _report(
    asked: FrontierOptions,
    search: FairRuleSetClassifierCV,
    training: Training,
    others: dict[str, NamedTable],
) -> str:
    from faircg.report import render_report, report_of_search

    report = report_of_search(
        search,
        **training.to_fit,
        about=reports.about(asked, training.people, training.target, training.groups),
        others=reports.as_data(others, training.target, training.groups),
        **reports.names_of_rows(asked, training.people, others),
        n_rows=asked.rows,
    )
    return render_report(report)


def _note_cut_cells(asked: FrontierOptions, search: FairRuleSetClassifierCV) -> None:
    is_finished = search.cv_results_["is_finished"].astype(bool)
    if not is_finished.all():
        note(
            f"{int((~is_finished).sum())} of {len(is_finished)} cells were cut short "
            f"by the limit of {limit_words(asked.seconds, asked.work_limit)}; their "
            "points may be better than shown"
        )


def _show_frontier(
    search: FairRuleSetClassifierCV, *, as_json: bool, written: Sequence[Path]
) -> None:
    """Print the frontier, and the rule set of the chosen point."""
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
        out.print(str(search.rule_set_), style="bold")
        show.show_gaps(out, show.training_result(best), watched_only=True)
        out.print(f"certificate: {search.certificate_}")
    if written:
        typer.echo(f"\n{show.wrote(written)}")
