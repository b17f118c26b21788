"""Commands that need no data: ``datasets`` and ``demo``."""

# ruff: noqa: D301 (the help needs "\b" as one character)

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircg.cli import files, show
from faircg.cli import options as opt
from faircg.cli.learning import finish
from faircg.cli.progress import following
from faircg.tables.names import STANDARD, kind_of

if TYPE_CHECKING:
    from faircg.datasets import Dataset
    from faircg.model import RuleSetModel


def datasets(
    name: Annotated[
        str | None, typer.Argument(help="adult, compas or default; none lists them.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write it as CSV or Parquet; - prints."),
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """List the embedded data sets, describe one, or write it as a file.

    \b
    Example:
      faircg datasets compas -o compas.csv
    """
    from faircg.datasets import DATASETS

    if name is None:
        if output is not None:
            raise ValueError(f"which data set? there are {', '.join(DATASETS)}")
        found = [_values(load()) for load in DATASETS.values()]
        if as_json:
            typer.echo(files.to_json(found))
            return
        for entry in found:
            typer.echo(
                f"{entry['name']:8} {entry['rows']:6,} x {entry['features']:2}  target "
                f"{entry['target']}, groups by {entry['sensitive']}"
            )
        return
    if name not in DATASETS:
        raise ValueError(f"no data set {name!r}; there are {', '.join(DATASETS)}")
    files.check_output(output)
    data = DATASETS[name]()
    if output is None:
        typer.echo(files.to_json(_values(data)) if as_json else data.description)
        return
    table = data.X.assign(**{str(data.y.name): data.y})
    if kind_of(str(output)) == "parquet":
        from faircg.tables.source import connection
        from faircg.whole_files import replacement

        with replacement(output) as new:
            connection().from_df(table).to_parquet(str(new))
    elif str(output) != STANDARD and output.suffix.lower() != ".csv":
        raise ValueError(f"{output}: give it a name that ends in .csv or .parquet")
    else:
        files.save(output, table.to_csv(index=False, lineterminator="\n"))
    if str(output) == STANDARD:
        return
    if as_json:
        typer.echo(files.to_json({"output": str(output), **_values(data)}))
        return
    typer.echo(f"Wrote {output}: {len(table):,} rows; the target is {data.y.name!r}.")


def _values(data: Any) -> dict[str, Any]:
    return {
        "name": data.name,
        "rows": len(data.X),
        "features": data.X.shape[1],
        "target": str(data.y.name),
        "positives": int(data.y.sum()),
        "positive_label": data.positive_label,
        "sensitive": str(data.sensitive_features.name),
        "description": data.description,
    }


def demo(
    directory: Annotated[
        Path, typer.Option("--directory", help="Where model and reports are written.")
    ] = Path(),
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Fit COMPAS under equality of opportunity and show everything.

    Uses the embedded data: epsilon 0.1, complexity at most 15. No rule may test race,
    which defines the groups, and more priors or a high score may only count towards
    reoffending. Writes faircg-demo-model.json, faircg-demo-report.txt and, with the
    extra "report", faircg-demo-report.html.

    \b
    Example:
      faircg demo
    """
    import numpy as np

    from faircg.classifier import FairRuleSetClassifier
    from faircg.datasets import load_compas

    model, text, page = (
        directory / f"faircg-demo-{name}"
        for name in ("model.json", "report.txt", "report.html")
    )
    for path in (model, text, page):
        files.check_output(path)
    data = load_compas()
    negative = "no new offence"
    clf = FairRuleSetClassifier(
        constraint="equality_of_opportunity",
        epsilon=0.1,
        max_complexity=15,
        exclude=[str(data.sensitive_features.name)],
        monotone={"priors": "increasing", "high_score": "increasing"},
        pos_label=data.positive_label,
        n_jobs=-1,
        on_interrupt="return",
    )
    labels = np.where(data.y == 1, data.positive_label, negative)
    n_rows, n_features = data.X.shape
    title = f"COMPAS: {n_rows:,} people, {n_features} features"
    with following(title, quiet=quiet) as callbacks:
        clf.set_params(callbacks=callbacks)
        clf.fit(data.X, labels, sensitive_features=data.sensitive_features)
    import io

    out = show.console(record=True)
    if as_json:
        out.file = io.StringIO()
    show.show_fit(out, clf, sensitive=["race"])
    clf.model_.save(model)
    files.save(text, out.export_text())
    written = [model, text]
    if find_spec("jinja2") is not None:
        files.save(page, _demo_page(clf.model_, data, labels))
        written.append(page)
    if as_json:
        values = {"written": [str(p) for p in written], **show.fit_values(clf)}
        typer.echo(files.to_json(values))
    else:
        typer.echo(f"\n{show.wrote(written)}")
        if page not in written:
            typer.echo(
                "For the HTML report install the extra: pip install 'faircg[report]'"
            )
    finish(clf)


def _demo_page(model: RuleSetModel, data: Dataset, labels: Any) -> str:
    from faircg.report import About, render_report, report_of_model

    made = report_of_model(
        model,
        data.X,
        labels,
        sensitive_features=data.sensitive_features,
        about=About(
            title="COMPAS: who is charged again within two years",
            data_name="COMPAS",
            data_description=data.description,
            target=str(data.y.name),
            sensitive=(str(data.sensitive_features.name),),
            seed=0,
        ),
    )
    return render_report(made)
