"""People to reduce, and the model file of a fit."""

import json

import numpy as np
import pandas as pd

from faircg import FairRuleSetClassifier

ASKED = {
    "auto": {},
    "quantile": {"thresholds": "quantile", "n_thresholds": 4},
    "tree": {"thresholds": "tree"},
    "given": {"thresholds": {"age": [30, 45, 99], "rate": [0.05]}},
    "negative": {"rules_for": "negative", "class_weight": "balanced"},
}


def people(seed, n_rows=120):
    """Numbers, whole and not, texts, booleans and answers, some of them missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 70, n_rows)
    job = rng.choice(["cook", "nurse", "clerk", "other"], n_rows)
    rate = rng.normal(size=n_rows).round(2)
    member = rng.random(n_rows) < 0.5
    asks = rng.integers(0, 2, n_rows).astype(float)
    y = (age > 40) ^ (job == "nurse") ^ (rng.random(n_rows) < 0.2)
    frame = pd.DataFrame(
        {"age": age, "job": job, "rate": rate, "member": member, "asks": asks}
    )
    frame.loc[rng.random(n_rows) < 0.1, "rate"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "job"] = None
    groups = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n_rows),
            "born": rng.integers(1950, 2000, n_rows),
        }
    )
    return frame, np.where(y, "yes", "no"), groups


def asked(**parameters):
    """Return a classifier whose fit takes little time."""
    return FairRuleSetClassifier(
        **{
            "constraint": "equality_of_opportunity",
            "epsilon": 0.2,
            "max_complexity": 4,
            "max_conditions": 2,
            "warm_start_rules": "tree",
            "groups": {"sex": None},
            "time_limit": 900,
            **parameters,
        }
    )


def text_of(classifier):
    """Return the model file of a fit, without how long it took."""
    entry = classifier.model_.to_dict()
    return json.dumps(entry)
