"""From records to files: CSV, Markdown, figures, provenance, and the results page."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from experiments.frames import frame_of
from experiments.layout import save_figure, styled
from experiments.protocol import N_SPLITS, SEED
from experiments.reports import REPORTS
from experiments.sources import MODULES
from experiments.tasks import progress, records_of
from faircg.whole_files import write_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from experiments.protocol import Protocol
    from experiments.tasks import Task

PACKAGES = (
    "faircg",
    "highspy",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "fairlearn",
    "lightgbm",
    "cvxpy",
    "pystreed",
    "matplotlib",
    "joblib",
)


def write_records(protocol: Protocol, tasks: Sequence[Task], folder: Path) -> None:
    """Write what finished tasks found: records as CSV, predictions, provenance."""
    folder.mkdir(parents=True, exist_ok=True)
    predictions: dict[str, NDArray[np.uint8]] = {}
    for source, records in records_of(tasks, folder).items():
        frame, packed = frame_of(records)
        frame.to_csv(folder / f"{source}.csv", index=False, float_format="%.10g")
        predictions.update({f"{source}_{data}": rows for data, rows in packed.items()})
    np.savez_compressed(folder / "predictions.npz", **predictions)  # type: ignore[arg-type]
    record = provenance(protocol, tasks, folder)
    write_text(folder / "provenance.json", json.dumps(record, indent=1) + "\n")


def render(folder: Path, page: Path) -> None:
    """Write every table and figure, and the page, from the CSV files."""
    frames = {name: read_frame(folder / f"{name}.csv") for name in MODULES}
    record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    for name in ("tables", "figures"):
        (folder / name).mkdir(exist_ok=True)
    sections = []
    for report in REPORTS:
        results = report.results(frames)
        results.to_csv(folder / f"{report.NAME}.csv", index=False, float_format="%.10g")
        tables = report.tables(results)
        for name, text in tables.items():
            write_text(folder / "tables" / f"{name}.md", text)
        with styled():
            figures = report.figures(results)
            for name, figure in figures.items():
                save_figure(figure, folder / "figures", name)
        sections.append((report.TITLE, report.words(results), tables, list(figures)))
    write_text(page, _page(record, sections, _from(page, folder)))


def read_frame(file: Path) -> pd.DataFrame:
    """Read the records of one source."""
    frame = pd.read_csv(file)
    if "setting" in frame:
        frame["setting"] = frame["setting"].fillna("")
    return frame


def _from(page: Path, folder: Path) -> Path:
    return Path(os.path.relpath(folder, page.parent))


def provenance(
    protocol: Protocol, tasks: Sequence[Task], folder: Path
) -> dict[str, Any]:
    """Say what was run, with what, on what."""
    state = progress(tasks, folder)
    return {
        "command": f"python -m experiments {protocol.name}",
        "protocol": _plain(asdict(protocol)),
        "tasks_done": f"{state.n_done} of {state.n_tasks}",
        "hours_of_work": round(state.seconds_done / 3600, 2),
        "seed": SEED,
        "folds": f"the first ones of StratifiedKFold({N_SPLITS}, shuffle=True, "
        f"random_state={SEED})",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
        "commit": _commit(),
        "cores": os.cpu_count(),
        "memory_gib": round(
            os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        ),
        "system": platform.system(),
    }


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _commit() -> str | None:
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _page(
    record: Mapping[str, Any],
    sections: Sequence[tuple[str, str, Mapping[str, str], list[str]]],
    folder: Path,
) -> str:
    """Put the results page together."""
    protocol = record["protocol"]
    folds = ", ".join(
        f"{name} {part['folds']} (mined rules and masters: {part['few_folds']})"
        for name, part in protocol["data"].items()
    )
    lines = [
        "# Results",
        "",
        "Every table and figure of Lawless and Günlük's experiments, made anew with "
        "faircg, beside the paper's numbers and the peers', on the same folds. This "
        f"page is written by `{record['command']}` from the CSV files beside the "
        "figures; nothing on it is typed. A number in parentheses is a standard "
        "deviation over folds. Gaps and accuracies are counted from predictions.",
        "",
        f"Protocol *{protocol['name']}*, {record['tasks_done']} tasks, "
        f"{record['hours_of_work']} hours of work for one core on a machine with "
        f"{record['cores']} cores and {record['memory_gib']} GiB; seed "
        f"{record['seed']}; folds: {folds}, {record['folds']}. Python "
        f"{record['python']}; "
        + ", ".join(f"{name} {number}" for name, number in record["versions"].items())
        + ".",
        "",
        "A time limit cuts some searches short, so another machine can end with other "
        "rule sets there; cells that ended by proof come out the same. The limits of "
        "this protocol (complexity, conditions per rule, seconds) and a part of the "
        "peers' settings were settled after first results on some of these folds were "
        "seen, so they are not independent of the test parts.",
        "",
    ]
    for title, words, tables, figures in sections:
        lines += [f"## {title}", "", words, ""]
        for name in figures:
            place = folder / "figures" / f"{name}.svg"
            lines += [f"![{title}]({place.as_posix()})", ""]
        for text in tables.values():
            lines += [text.rstrip(), ""]
    return "\n".join(lines).rstrip() + "\n"
