"""Write golden models: run by the commits that the README names, and not again."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from faircg import FairRuleSetClassifier, RuleSetModel

HERE = Path(__file__).parent
LABELS = {
    "numbers": [0, 1],
    "opportunity": ["refuse", "grant"],
    "odds": [False, True],
    "excluded": ["no", "yes"],
    "tree": [-1, 1],
    "given": [1.0, 2.0],
    "time_limit": ["low", "high"],
    "empty": [0, 1],
    "array": ["b", "a"],
    "names": ['the "first"', "zweite, größer"],
    "marginal": ["no", "yes"],
}
QUESTIONS = {
    "numbers": {"max_complexity": 8},
    "opportunity": {"constraint": "equality_of_opportunity", "epsilon": 0.1},
    "odds": {
        "constraint": "equalized_odds",
        "epsilon": 0.2,
        "objective": "zero_one",
        "max_complexity": 10,
        "max_conditions": 2,
    },
    "excluded": {
        "constraint": "equality_of_opportunity",
        "exclude": ["race", "sex"],
        "max_complexity": 6,
    },
    "tree": {"thresholds": "tree", "n_thresholds": 4, "objective": "zero_one"},
    "given": {
        "thresholds": {"income": [25.5, 40.25], "age": [30, 50]},
        "n_thresholds": 5,
        "pricing": "greedy",
        "random_state": 7,
    },
    "time_limit": {"time_limit": 0.3, "max_complexity": 30, "random_state": None},
    "empty": {"max_complexity": 0, "constraint": "equalized_odds", "epsilon": 0.0},
    "array": {"max_complexity": 9, "pos_label": "a"},
    "names": {
        "constraint": "equality_of_opportunity",
        "epsilon": 0.25,
        "missing_groups": "group",
        "max_complexity": 14,
    },
    "marginal": {
        "constraint": "equalized_odds",
        "epsilon": 0.25,
        "groups": "marginal",
        "rules_for": "negative",
        "cost_false_positive": 2,
        "exclude": ["race", "sex"],
        "max_complexity": 10,
    },
}


def people(seed, n=60):
    """Return a table with numbers, booleans, categories and missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "income": rng.normal(35, 12, n).round(2),
            "debts": rng.poisson(1.2, n).astype(float),
            "member": rng.random(n) < 0.5,
            "job": rng.choice(["cook", "nurse", "head of sales", "clerk"], n),
            "race": rng.choice(["A", "B"], n),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    frame.loc[rng.random(n) < 0.15, "income"] = np.nan
    frame.loc[rng.random(n) < 0.10, "debts"] = np.nan
    frame.loc[rng.random(n) < 0.10, "job"] = None
    score = (
        (frame["income"].fillna(20) > 32) * 1.0
        + (frame["debts"].fillna(3) <= 1) * 0.8
        + (frame["job"] == "nurse") * 0.7
        + frame["member"] * 0.4
        + (frame["race"] == "A") * 0.4
        + rng.normal(0, 0.5, n)
    )
    return frame, (score > 1.5).to_numpy()


def command(*arguments):
    """Return what the command line prints."""
    run = ["faircg", *map(str, arguments)]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout


def make(seed, name):
    """Write a model, a table, and what the model says about the table."""
    X, is_positive = people(seed)
    y = np.array(LABELS[name])[is_positive.astype(int)]
    groups = X["race"]
    if name == "names":
        X = X.rename(columns={"income": 'in"come, €', "job": "job?\ttitle"})
        groups = X[["race", "sex"]].mask(X["age"] > 62)
    if name == "marginal":
        groups = X[["race", "sex"]]
    if name == "array":
        X = X[["age", "income", "debts", "member"]].astype(float)
        X.columns = [f"x{j}" for j in range(4)]
    clf = FairRuleSetClassifier(**QUESTIONS[name])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        clf.fit(X.to_numpy() if name == "array" else X, y, sensitive_features=groups)
    assert bool(told) == (name == "time_limit"), told
    assert bool(len(clf.rule_set_)) == (name != "empty")
    # The table to decide about is another one, with categories never seen before.
    new = X.sample(frac=1, random_state=seed).reset_index(drop=True)
    column = "job?\ttitle" if name == "names" else "job"
    if column in new:
        new.loc[[3, 17], column] = "smith"
    new["label"] = y[X.sample(frac=1, random_state=seed).index]
    if name in ("names", "marginal"):
        shown = groups.sample(frac=1, random_state=seed).reset_index(drop=True)
        new["group_1"], new["group_2"] = shown["race"], shown["sex"]
    elif name == "array":
        new["group_1"] = groups.sample(frac=1, random_state=seed).to_numpy()
    else:
        new["group_1"] = new["race"]
    model, table = HERE / f"{name}.model.json", HERE / f"{name}.csv"
    clf.model_.save(model)
    new.to_csv(table, index=False, lineterminator="\n")
    out = HERE / "out.csv"
    command("predict", model, table, "-o", out, "--only", "-q")
    printed = pd.read_csv(out, dtype=str)["prediction"].tolist()
    out.unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predicted = RuleSetModel.load(model).predict(new).tolist()
    assert [str(label) for label in predicted] == printed
    evaluated = [model, table, "--target", "label", "--sensitive", "group_1"]
    if name == "names":
        evaluated += ["--sensitive", "group_2", "--missing-groups", "group"]
    if name == "marginal":
        evaluated += ["--sensitive", "group_2"]
    told = {
        "predictions": predicted,
        "explain": json.loads(
            command(
                "explain", model, table, "--limit", 20, "--direction", "both", "--json"
            )
        ),
        "evaluate": json.loads(command("evaluate", *evaluated, "--json")),
    }
    for key in ("model", "data"):  # where the files happened to be
        del told["evaluate"][key]
    for entry in told["explain"]:
        entry["fired"] = [rule["text"] for rule in entry["fired"]]
        entry["closest"] = [near["rule"]["text"] for near in entry["closest"]]
        del entry["text"], entry["values"]
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    (HERE / f"{name}.expected.json").write_text(text + "\n", encoding="utf-8")
    print(name, clf.certificate_.status, clf.rule_set_, sep="\n")  # noqa: T201


if __name__ == "__main__":
    for seed, name in enumerate(QUESTIONS):
        if name in sys.argv[1:]:
            make(seed, name)
