"""Random models with awkward values, and tables of rows that sit on their edges."""

import math
import struct

import numpy as np
import pandas as pd
import pyarrow as pa

from certificates import certificate
from faircg.fairness import GroupCounts
from faircg.features import NumericRange
from faircg.model import Asked, Feature, RuleSetModel
from faircg.model_entries import Baseline
from faircg.plain_tree import Node, PlainTree
from faircg.rule_scores import RuleScores
from faircg.rules import Condition, Rule, RuleSet

NUMBERS = [
    0.0,
    -0.0,
    0.1,
    0.1 + 0.2,
    1 / 3,
    1.0,
    -1.5,
    25,
    40.5,
    1e15,
    1e22,
    1e23,
    123456789.12345679,
    float(2**53),
    2**53 + 1,
    -(2**53) - 1,
    2**63 - 1,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    6.93224820010971e-297,
    1e-300,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    float(np.float32(0.1)),
]
TEXTS = [
    "cook",
    "Cook",
    "cook ",
    " cook",
    "",
    " ",
    "1",
    "1.0",
    "01",
    "NaN",
    "None",
    "NULL",
    "true",
    "o'hara",
    'say "hi"',
    "back\\slash",
    "back\\",
    "line\nbreak",
    "tab\t",
    "größe",
    "gro\u0308ße",
    "\u05d0\u05d1",
    "😀",
    "--",
    "%s",
    "{x}",
    "__SQLGLOT__LBREAK__",
]
NAMES = [
    "age",
    "hours per week",
    "o'hara",
    'na"me',
    "tick`",
    "brack]et",
    "semi;colon--",
    "größe",
    "label",
    "rule",
    "n1",
    "c0",
    "prediction",
    "t",
    "select",
    "x0",
    "row",
    "x.y",
    "a\\b",
    "line\nbreak",
    "%s",
]
LABELS = [
    (0, 1),
    (1, 0),
    ("no", "yes"),
    (False, True),
    (True, False),
    (-1.5, 0.1),
    ("o'k\\", 'n"o\n'),
    (-(2**63), 2**63 - 1),
    ("", " "),
    (2, 0.5),
]
COLUMNS = ["number", "whole", "member", "text", "code", "share"]


def any_number(rng):
    """Return an awkward number, or random bits."""
    if rng.random() < 0.6:
        return rng.choice(NUMBERS)
    while not math.isfinite(
        number := struct.unpack("d", rng.getrandbits(64).to_bytes(8))[0]
    ):
        pass
    return number if rng.random() < 0.5 else round(rng.uniform(-99, 99), 3)


def conditions_of(name, column, rng, values):
    """Return conditions on a column, of every operator that fits."""
    yield Condition(name, "is missing")
    yield Condition(name, "is present")
    if column in ("number", "whole"):
        for cut in values:
            yield Condition(name, rng.choice(["<=", ">"]), cut)
    elif column == "member":
        for value in (True, False, 1, 0.0, 0.5, "yes"):
            yield Condition(name, rng.choice(["=", "!="]), value)
    else:
        for value in values:
            yield Condition(name, rng.choice(["=", "!="]), value)


def some_values(column, rng):
    """Return what rules compare a column with."""
    match column:
        case "number" | "whole":
            return [any_number(rng) for _ in range(6)]
        case "text":
            return rng.sample(TEXTS, 6)
        case "code":
            return rng.sample(range(-5, 20), 6)
        case "share":
            return [-0.0, *(round(rng.uniform(-1, 1), 3) for _ in range(4)), 3]
    return [True, False]


def random_model(rng):
    """Return a model, and the kind of column of each feature."""
    columns = {
        name: column
        for name, column in zip(
            rng.sample(NAMES, 6), rng.sample(COLUMNS, 6), strict=True
        )
        if rng.random() < 0.85
    } or {"age": "number"}
    pool, features = [], []
    kinds = {"number": "numeric", "whole": "numeric", "member": "boolean"}
    for name, column in columns.items():
        values = some_values(column, rng)
        pool += conditions_of(name, column, rng, values)
        kind = kinds.get(column, "category")
        seen = tuple(values[:4]) if kind == "category" else ()
        features.append(Feature(name, kind, seen))
    rules = [
        Rule(tuple(rng.sample(pool, min(len(pool), rng.randint(1, 3)))))
        for _ in range(rng.randint(1, 5))
    ]
    rules_for = rng.choice(["positive", "negative"])
    model = RuleSetModel(
        RuleSet(tuple(rules), label="yes", rules_for=rules_for),
        tuple(features),
        rng.choice(LABELS),
        certificate=rng.choice(
            [None, certificate(), certificate(lp_value=None, constraint=None)]
        ),
        groups={"a": GroupCounts(3, 0, 1, 2), "b|": GroupCounts(0, 0, 0, 1)},
        ranges={
            feature.name: NumericRange(-1.5, rng.choice([-1.5, 0.0, 1e300]), False)
            for feature in features
            if feature.kind == "numeric" and rng.random() < 0.7
        },
        asked=rng.choice(
            [
                Asked(),
                Asked(("race", "b|"), "quantile", 10, 300.0, 0),
                Asked(exclude=(), time_limit=0.5, target="b|", holdout=0.25),
                Asked(increasing=("a", "b|"), not_together=(("a", "b|"), ("c", "d"))),
            ]
        ),
        **records(rng, pool, features, set(rules)),
    )
    return model, columns


def records(rng, pool, features, rules):
    """Return what a fit may record of held-out people, a tree and scores."""
    if rng.random() < 0.3:
        return {}
    counts = {"a": GroupCounts(1, 2, 0, 2)}
    node = Node(
        rng.choice(pool), rng.random() < 0.5, Node(rng.choice(pool), True, False)
    )
    return {
        "held_out": rng.choice([{}, counts]),
        "baseline": Baseline(PlainTree(node, tuple(features)), counts, counts),
        "scores": RuleScores((5,) * (len(rules) + 1), (3,) * (len(rules) + 1)),
    }


def random_columns(model, columns, rng, n_rows):
    """Return lists of values per feature, many on the edges of the conditions."""
    tested = {name: [] for name in columns}
    for rule in model.rule_set:
        for condition in rule.conditions:
            tested[condition.feature].append(condition.value)
    return {
        name: [
            None if rng.random() < 0.15 else any_value(column, tested[name], rng)
            for _ in range(n_rows)
        ]
        for name, column in columns.items()
    }


def any_value(column, tested, rng):
    near = [v for v in tested if v is not None]
    match column:
        case "number":
            if near and rng.random() < 0.7:
                cut = float(rng.choice(near))
                step = rng.choice([0, math.inf, -math.inf])
                value = cut if step == 0 else math.nextafter(cut, step)
                return value if math.isfinite(value) else cut
            return math.nan if rng.random() < 0.1 else float(any_number(rng))
        case "whole":
            wholes = [int(v) for v in near if abs(v) < 2**62]
            base = rng.choice([*wholes, 0, 2**53, -(2**53), 2**62])
            return base + rng.randint(-2, 2)
        case "member":
            return rng.random() < 0.5
        case "text":
            return rng.choice(TEXTS)
        case "code":
            return rng.choice([*range(-6, 22), 2**53 + 1, 2**62])
    return rng.choice([*map(float, near), -0.0, 0.0, 3.0, 0.5, 1e300])


def as_frame(columns, data):
    """Return the rows as a pandas frame."""
    frame = {}
    for name, column in columns.items():
        values = data[name]
        match column:
            case "number":
                frame[name] = pd.Series(values, dtype="float64")
            case "whole":
                frame[name] = pd.array(values, dtype="Int64")
            case "member":
                frame[name] = pd.array(values, dtype="boolean")
            case "text":
                frame[name] = pd.Series(values, dtype=object)
            case _:
                frame[name] = pd.Categorical(values)
    return pd.DataFrame(frame)


TYPES = {
    "number": pa.float64(),
    "whole": pa.int64(),
    "member": pa.bool_(),
    "text": pa.string(),
    "code": pa.int64(),
    "share": pa.float64(),
}


def as_arrow(columns, data):
    """Return the rows as an Arrow table, which tells NaN from null."""
    arrays = [pa.array(data[n], type=TYPES[c]) for n, c in columns.items()]
    return pa.Table.from_arrays(arrays, names=list(columns))


def as_tensors(columns, data, missing_text):
    """Return the rows as arrays for an ONNX graph."""
    tensors = {}
    for name, column in columns.items():
        if column == "text":
            texts = [missing_text if v is None else v for v in data[name]]
            tensors[name] = np.array(texts, dtype=object)
        else:
            floats = [math.nan if v is None else float(v) for v in data[name]]
            tensors[name] = np.array(floats)
    return tensors
