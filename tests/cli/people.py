"""An awkward table, and how a command ended."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

YEARS, JOB = 'years "in service"', "job, title"
ASKED = (
    "--target",
    "hired",
    "--positive",
    "yes",
    "--sensitive",
    "town",
    "--max-complexity",
    6,
    "--max-conditions",
    2,
    "--exclude",
    "town",
    "--jobs",
    1,
    "--quiet",
)
FIT = (*ASKED, "--constraint", "equality_of_opportunity", "--epsilon", 0.1)


@dataclass
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def words(self) -> str:
        """All that was printed, on one line."""
        return " ".join((self.out + " " + self.err).split())


def awkward(n: int = 240, seed: int = 1) -> pd.DataFrame:
    """Return a table with awkward names, missing values and three groups."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            YEARS: rng.integers(0, 30, n).astype(float),
            JOB: rng.choice(["cook", "head of sales", 'näh"erin', "a,b"], n),
            "member": rng.random(n) < 0.5,
            "Größe": rng.normal(170, 10, n).round(1),
            "town": rng.choice(["A", "B", "C"], n),
        }
    )
    score = frame[YEARS] / 30 + 0.3 * frame["member"] + rng.normal(0, 0.2, n)
    frame["hired"] = np.where(score > 0.65, "yes", "no")
    frame.loc[::17, YEARS] = np.nan
    frame.loc[::23, JOB] = None
    return frame
