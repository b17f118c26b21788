"""People who do not exist, with noisy labels and groups that matter."""

from fractions import Fraction

import numpy as np
import pandas as pd


def make_people(n, seed=0):
    """Make up people, noisy labels and groups that matter."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "job": rng.choice(["cook", "nurse", "clerk"], n),
            "member": rng.random(n) < 0.5,
            "pay": rng.normal(size=n).round(2),
        }
    )
    groups = pd.Series(rng.choice(["f", "m"], n), name="sex")
    label = (X["age"] > 40) & X["member"] | (X["job"] == "cook") & (groups == "m")
    label ^= rng.random(n) < 0.1
    return X, label.astype(int).to_numpy(), groups


def gap(y, covered, groups, label=1):
    """Recount the largest difference of a group's share of covered people."""
    rates = []
    for group in sorted(set(groups)):
        chosen = (np.asarray(groups) == group) & (y == label)
        rates.append(Fraction(int(covered[chosen].sum()), int(chosen.sum())))
    return max(rates) - min(rates)
