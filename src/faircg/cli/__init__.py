"""The command line: ``faircg demo | fit | predict | datasets``.

Heavy imports happen inside the commands, so that ``--help`` answers at once. Bad input
ends with one clear line and exit code 2, and no file is half written.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from faircg.classifier import FairRuleSetClassifier

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="faircg",
    help="Learn short IF-rules that obey a bound on the difference between groups, "
    "with a certificate of how far from the best possible they can be.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Constraint(StrEnum):
    """Criteria that can be named on the command line."""

    none = "none"
    equality_of_opportunity = "equality_of_opportunity"
    equalized_odds = "equalized_odds"


class Pricing(StrEnum):
    """Ways to search rules."""

    exact = "exact"
    ip = "ip"
    ip_dash = "ip_dash"
    greedy = "greedy"
    sampled = "sampled"


class Thresholds(StrEnum):
    """Ways to choose cut points of numeric columns."""

    quantile = "quantile"
    tree = "tree"


def main() -> None:
    """Run a command; turn errors of the user's input into one line."""
    from faircg.exceptions import FairCGError

    try:
        app()
    except (ValueError, TypeError, OSError, FairCGError, ImportError) as error:
        text = " ".join(str(error).split()) or type(error).__name__
        print(f"faircg: error: {text}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        print("faircg: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


@app.callback(invoke_without_command=True)
def _about(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = (
        False
    ),
) -> None:
    if version:
        from faircg import __version__

        print(__version__)
        raise typer.Exit


@app.command()
def demo(
    directory: Annotated[
        Path, typer.Option("--directory", help="Where model and report are written.")
    ] = Path(),
) -> None:
    """Fit COMPAS under equality of opportunity and show everything.

    Uses the embedded data: epsilon 0.05, complexity at most 15. Writes
    faircg-demo-model.json and faircg-demo-report.txt.

    Example: faircg demo
    """
    import numpy as np

    from faircg.classifier import FairRuleSetClassifier
    from faircg.datasets import load_compas

    _must_be_directory(directory)
    data = load_compas()
    clf = FairRuleSetClassifier(
        constraint="equality_of_opportunity",
        epsilon=0.05,
        max_complexity=15,
        pos_label=data.positive_label,
        n_jobs=-1,
        on_interrupt="return",
    )
    labels = np.where(data.y == 1, data.positive_label, "no new offence")
    with _progress("COMPAS: 5,278 people, 7 features"):
        clf.fit(data.X, labels, sensitive_features=data.sensitive_features)
    console = _console(record=True)
    _show(console, clf, sensitive=["race"])
    from faircg.model import write_text

    model, report = (
        directory / f"faircg-demo-{name}" for name in ("model.json", "report.txt")
    )
    clf.model_.save(model)
    write_text(report, console.export_text())
    print(f"\nWrote {model} and {report}.")
    _finish(clf)


@app.command()
def fit(
    data: Annotated[Path, typer.Argument(help="CSV file with a header line.")],
    target: Annotated[str, typer.Option(help="Column to predict; two values.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file (JSON).")],
    sensitive: Annotated[
        list[str] | None,
        typer.Option(help="Column of the groups; give it again to combine columns."),
    ] = None,
    constraint: Annotated[
        Constraint, typer.Option(help="What must be close between groups.")
    ] = Constraint.none,
    epsilon: Annotated[
        float, typer.Option(help="Largest allowed gap between any two groups.")
    ] = 0.05,
    max_complexity: Annotated[
        int, typer.Option(help="Sum over rules of 1 + number of conditions.")
    ] = 20,
    max_conditions: Annotated[
        int | None, typer.Option(help="Conditions per rule.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="Value of the target that rules predict.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="Column that rules may not test.")
    ] = None,
    category: Annotated[
        list[str] | None,
        typer.Option(help="Column of number codes that are names, not quantities."),
    ] = None,
    thresholds: Annotated[
        Thresholds, typer.Option(help="How numeric columns are cut.")
    ] = Thresholds.quantile,
    pricing: Annotated[Pricing, typer.Option(help="How rules are searched.")] = (
        Pricing.exact
    ),
    time_limit: Annotated[float, typer.Option(help="Seconds for the whole fit.")] = (
        300.0
    ),
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores.")] = -1,
    verbose: Annotated[bool, typer.Option(help="Report every round.")] = False,
) -> None:
    """Learn a rule set from a CSV file.

    Example: faircg fit adult.csv --target income --positive ">50K" --sensitive sex
    --constraint equality_of_opportunity --epsilon 0.05 -o model.json
    """
    from faircg.classifier import FairRuleSetClassifier

    _must_be_directory(output.parent)
    groups = list(sensitive or [])
    if constraint is not Constraint.none and not groups:
        raise ValueError(
            f"--constraint {constraint.value} compares groups; name their column with "
            "--sensitive"
        )
    frame = _read_csv(data, category or [])
    _must_have(frame, data, [target, *groups, *(exclude or []), *(category or [])])
    features = frame.drop(columns=[target])
    labels, pos_label = _labels(frame, target, positive)
    clf = FairRuleSetClassifier(
        constraint=None if constraint is Constraint.none else constraint.value,
        epsilon=epsilon,
        max_complexity=max_complexity,
        max_conditions=max_conditions,
        thresholds=thresholds.value,
        pricing=pricing.value,
        exclude=tuple(exclude or ()),
        time_limit=time_limit,
        random_state=seed,
        n_jobs=jobs,
        verbose=int(verbose),
        pos_label=pos_label,
        on_interrupt="return",
    )
    with _progress(f"{data.name}: {len(frame):,} rows, {features.shape[1]} features"):
        clf.fit(
            features,
            labels,
            sensitive_features=frame[groups] if groups else None,
        )
    clf.model_.save(output)
    _show(_console(), clf, sensitive=groups)
    print(f"\nWrote {output}.")
    _finish(clf)


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="Model file written by fit.")],
    data: Annotated[Path, typer.Argument(help="CSV file with a header line.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="CSV file to write.")],
    column: Annotated[str, typer.Option(help="Name of the new column.")] = "prediction",
    strict: Annotated[
        bool, typer.Option(help="Refuse categories never seen in training.")
    ] = False,
) -> None:
    """Add predictions to a CSV file; the sensitive column is not needed.

    Example: faircg predict model.json people.csv -o decisions.csv
    """
    from faircg.model import RuleSetModel, write_text

    _must_be_directory(output.parent)
    _must_exist(model)
    rules = RuleSetModel.load(model)
    names = [f.name for f in rules.features if f.kind == "category"]
    frame = _read_csv(data, names)
    if column in frame.columns:
        raise ValueError(
            f"{data} already has a column {column!r}; choose another with --column"
        )
    frame[column] = rules.predict(frame, strict=strict)
    write_text(output, frame.to_csv(index=False, lineterminator="\n"))
    covered = int((frame[column] == rules.labels[1]).sum())
    print(f"Wrote {output}: {covered:,} of {len(frame):,} rows are {rules.labels[1]}.")


@app.command()
def datasets(
    name: Annotated[
        str | None, typer.Argument(help="adult, compas or default; none lists them.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it as CSV.")
    ] = None,
) -> None:
    """List the embedded data sets, describe one, or write it as CSV.

    Example: faircg datasets compas -o compas.csv
    """
    from faircg.datasets import DATASETS

    if name is None:
        for key, load in DATASETS.items():
            data = load()
            print(f"{key:8} {len(data.X):6,} x {data.X.shape[1]:2}  {data.y.name}")
        return
    if name not in DATASETS:
        raise ValueError(f"no data set {name!r}; there are {', '.join(DATASETS)}")
    data = DATASETS[name]()
    if output is None:
        print(data.description)
        return
    from faircg.model import write_text

    _must_be_directory(output.parent)
    table = data.X.assign(**{str(data.y.name): data.y})
    write_text(output, table.to_csv(index=False, lineterminator="\n"))
    print(f"Wrote {output}: {len(table):,} rows; the target is {data.y.name!r}.")


def _read_csv(path: Path, text_columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    _must_exist(path)
    try:
        frame = pd.read_csv(path, dtype=dict.fromkeys(text_columns, str))
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as e:
        raise ValueError(f"{path} is not a CSV file that can be read: {e}") from None
    if frame.empty:
        raise ValueError(f"{path} has no rows")
    return frame


def _must_exist(path: Path) -> None:
    if not path.is_file():
        raise ValueError(f"there is no file {path}")


def _must_be_directory(path: Path) -> None:
    if not path.is_dir():
        raise ValueError(f"there is no directory {path}")


def _must_have(frame: pd.DataFrame, path: Path, columns: list[str]) -> None:
    absent = [column for column in columns if column not in frame.columns]
    if absent:
        raise ValueError(
            f"{path} has no column {absent[0]!r}; it has {', '.join(frame.columns)}"
        )


def _labels(frame: pd.DataFrame, target: str, positive: str | None) -> tuple[Any, Any]:
    """Return the target, and the value of it whose text the user gave."""
    labels = frame[target]
    if labels.isna().any():
        rows = labels.index[labels.isna()]
        raise ValueError(
            f"the target {target!r} is missing in {len(rows)} rows (first: {rows[0]})"
        )
    if positive is None:
        return labels.to_numpy(), None
    values = {str(value): value for value in labels.unique().tolist()}
    if positive not in values:
        raise ValueError(
            f"{positive!r} is not a value of {target!r}; it has "
            f"{', '.join(sorted(values)[:5])}"
        )
    return labels.to_numpy(), values[positive]


@contextmanager
def _progress(title: str) -> Iterator[None]:
    """Show the latest message of the engine while it works."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    package = logging.getLogger("faircg")
    before = package.level
    with console.status(escape(title)) as status:

        class Handler(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                status.update(escape(f"{title} | {record.getMessage()}"))

        handler = Handler(level=logging.INFO)
        package.addHandler(handler)
        package.setLevel(logging.INFO)
        try:
            yield
        finally:
            package.removeHandler(handler)
            package.setLevel(before)


def _console(*, record: bool = False) -> Console:
    from rich.console import Console

    width = None if sys.stdout.isatty() else 100
    return Console(width=width, record=record, highlight=False)


def _show(console: Console, clf: FairRuleSetClassifier, sensitive: list[str]) -> None:
    """Print rules, groups, accuracy, complexity and certificate."""
    from rich.markup import escape
    from rich.table import Table

    from faircg._kernel import HAS_NATIVE

    certificate, groups = clf.certificate_, clf.fairness_.groups
    console.print(escape(str(clf.rule_set_)), style="bold")
    console.print()
    table = Table("group", "people", "positives", "negatives", box=None, pad_edge=False)
    for name in ("true positive rate", "false positive rate", "selected"):
        table.add_column(name, justify="right")
    for column in table.columns[1:4]:
        column.justify = "right"
    for name, counts in groups.items():
        table.add_row(
            escape(name),
            f"{counts.total:,}",
            f"{counts.positives:,}",
            f"{counts.negatives:,}",
            f"{counts.true_positives:,} ({counts.true_positive_rate:.1%})",
            f"{counts.false_positives:,} ({counts.false_positive_rate:.1%})",
            f"{counts.selection_rate:.1%}",
        )
    console.print(table)
    console.print()
    total = sum(counts.total for counts in groups.values())
    right = sum(c.true_positives + c.true_negatives for c in groups.values())
    console.print(
        f"accuracy {right / total:.2%} ({right:,} of {total:,}) on the training data"
        f" | complexity {clf.rule_set_.complexity} of {certificate.max_complexity}"
    )
    for name, gap in clf.fairness_.gaps.items():
        console.print(
            f"gap of the {name} between groups: {gap:.4f}, allowed "
            f"{clf.fairness_.allowed[name]:g}: satisfies the constraint on this data"
        )
    console.print(f"certificate: {certificate}")
    if certificate.lp_proven:
        console.print(
            f"linear relaxation over all rules: {certificate.lp_value:.3f} (proven)"
        )
    console.print(
        "shown above: of all rule sets seen that satisfy the constraint, the one with "
        "the fewest wrong predictions"
    )
    console.print(f"{certificate.seconds:.1f} s, status: {certificate.status}")
    tested = sorted(set(sensitive) & set(clf.rule_set_.features))
    if tested:
        console.print(
            f"note: the rules test {', '.join(tested)}, which also defines the groups; "
            "exclude it to forbid that"
        )
    if not HAS_NATIVE:
        console.print(
            "note: running without the native kernel (no C++ compiler when faircg was "
            "installed): the proofs are the same, the search is slower"
        )


def _finish(clf: FairRuleSetClassifier) -> None:
    if clf.certificate_.status == "interrupted":
        raise typer.Exit(INTERRUPTED)
