"""Growth: time and peak memory of reducing, the linear proof and the end of a fit.

Adult is repeated with one value of each copied row taken from another row, so that rows
stay different; or repeated as it is, in a database; or wide tables are made up. Each
case runs in a process of its own, so that its memory is its own. One alone:

    python -m benchmarks.growth perturbed 10          (or just 10)
    python -m benchmarks.growth repeated 50000000
    python -m benchmarks.growth wide 5000x3000
    python -m benchmarks.growth predicted 10000000
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.isolated import isolated, peak_megabytes
from benchmarks.predict import rules_on_adult
from faircg.datasets import load_adult
from faircg.tables.at_once import write_at_once
from faircg.tables.decide import Decisions
from faircg.tables.source import open_source
from faircg.tables.write import Wanted

if TYPE_CHECKING:
    import pandas as pd

    from faircg import FairRuleSetClassifier
    from faircg.colgen.events import Event

PERTURBED = (1, 3, 10, 31)
"""How many times Adult's 32,561 rows; the last is a million."""
REPEATED = (10_000_000, 50_000_000)
WIDE = ((5_000, 3_000), (300_000, 200))
PREDICTED = (1_000_000, 10_000_000)
SECONDS = 600.0


def growth(*, quick: bool = False) -> list[dict[str, Any]]:
    """Measure all cases, or the smaller ones."""
    cases = [("perturbed", str(factor)) for factor in PERTURBED[: 2 if quick else None]]
    cases += [("repeated", str(rows)) for rows in REPEATED[: 1 if quick else None]]
    if not quick:
        cases += [("wide", f"{rows}x{columns}") for rows, columns in WIDE]
    cases += [("predicted", str(rows)) for rows in PREDICTED[: 1 if quick else None]]
    return [isolated("benchmarks.growth", *case) for case in cases]


def perturbed(factor: int, *, seed: int = 0) -> pd.DataFrame:
    """Return Adult and copies of it in which one value of each row is another's."""
    import pandas as pd

    data = load_adult()
    frame = data.X.assign(income=data.y)
    rng = np.random.default_rng(seed)
    copies = [frame]
    for _ in range(factor - 1):
        donor = rng.integers(len(frame), size=len(frame))
        changed = rng.integers(data.X.shape[1], size=len(frame))
        copy = {
            name: np.where(changed == j, frame[name].to_numpy()[donor], frame[name])
            for j, name in enumerate(data.X)
        }
        copies.append(pd.DataFrame({**copy, "income": frame["income"]}))
    return pd.concat(copies, ignore_index=True)


def made_up(n_rows: int, n_columns: int, *, seed: int = 0) -> pd.DataFrame:
    """Return a table of answers, three of which decide, and a group."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    answers = rng.random((n_rows, n_columns)) < 0.3
    y = (answers[:, 0] & answers[:, 1]) | answers[:, 2] | (rng.random(n_rows) < 0.05)
    frame = pd.DataFrame(answers, columns=[f"q{j}" for j in range(n_columns)])
    return frame.assign(sex=rng.choice(["f", "m"], n_rows), income=y.astype(int))


class _Times:
    """When a fit has done what: seconds since it began, and the memory until then."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.told: dict[str, float] = {}

    def tell(self, event: Event) -> None:
        """Note the first moments of a kind."""
        from faircg.colgen.events import DepthDone, FitBegun

        for kind, name in ((FitBegun, "reduced"), (DepthDone, "lp")):
            if isinstance(event, kind) and f"{name}_seconds" not in self.told:
                self.told[f"{name}_seconds"] = time.perf_counter() - self.start
                self.told[f"{name}_megabytes"] = peak_megabytes()


def _measure(kind: str, size: str) -> dict[str, Any]:
    import duckdb

    from faircg import FairRuleSetClassifier

    times = _Times()
    clf = FairRuleSetClassifier(
        constraint="equality_of_opportunity",
        epsilon=0.05,
        max_complexity=20 if kind == "perturbed" else 10,
        max_conditions=3 if kind == "perturbed" else 2,
        time_limit=SECONDS,
        n_jobs=2,
        callbacks=[times.tell],
    )
    table: Any
    if kind == "wide":
        table = made_up(*map(int, size.split("x")))
    else:
        table = adult = perturbed(int(size) if kind == "perturbed" else 1)
    if kind == "repeated":
        often = -(-int(size) // len(adult))
        table = duckdb.sql(f"SELECT * FROM adult CROSS JOIN range({often}) AS t(k)")
    features = [name for name in table.columns if name not in ("income", "sex", "k")]
    before = peak_megabytes()
    times.start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit_table(table, target="income", sensitive="sex", features=features)
    seconds = time.perf_counter() - times.start
    return {
        "table": f"{kind} {size}",
        "rows": sum(group.total for group in clf.model_.groups.values()),
        "megabytes_before": before,
        **times.told,
        **_proven(clf),
        "seconds": seconds,
        "peak_megabytes": peak_megabytes(),
    }


def _proven(clf: FairRuleSetClassifier) -> dict[str, Any]:
    certificate = clf.certificate_
    return {
        "lp_proven": certificate.lp_proven,
        "gap": certificate.gap,
        "status": certificate.status,
    }


def _predicted(size: str) -> dict[str, Any]:
    """Decide about rows drawn from Adult, from one CSV file into another."""
    with tempfile.TemporaryDirectory() as directory:
        data, out = Path(directory) / "people.csv", Path(directory) / "out.csv"
        adult = load_adult().X
        header, _, rows = adult.to_csv(index=False).partition("\n")
        with data.open("w", encoding="utf-8") as file:
            file.write(f"{header}\n")
            file.writelines(rows for _ in range(-(-int(size) // len(adult))))
        before, start = peak_megabytes(), time.perf_counter()
        decisions = Decisions(rules_on_adult(adult), open_source(str(data)))
        counted = write_at_once(decisions, Wanted("prediction"), str(out), out)
        assert counted is not None, "each of these rows is as the model knows it"
        return {
            "table": f"predicted {size}",
            "rows": counted.rows,
            "megabytes_before": before,
            "seconds": time.perf_counter() - start,
            "peak_megabytes": peak_megabytes(),
        }


def main(*case: str) -> dict[str, Any]:
    """Measure one case; a number alone is how many times Adult's perturbed rows."""
    kind, size = case if len(case) == 2 else ("perturbed", *case)
    return _predicted(size) if kind == "predicted" else _measure(kind, size)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
