"""The plain tree that every rule set is compared with."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from faircg import plain_tree
from faircg.exceptions import ModelFormatError
from faircg.plain_tree import PlainTree
from faircg.table import read_table


def people(n=400, seed=0):
    """Return a table of every kind of column with missing values, and labels."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": rng.normal(30, 9, n).round(1),
            "huge": rng.choice([-1e300, 0.0, 1e300], n),
            "job": rng.choice(["cook", "nurse", "smith"], n),
            "member": pd.array(rng.random(n) < 0.5, dtype="boolean"),
        }
    )
    score = frame["income"] / 9 + 2 * (frame["job"] == "cook") + rng.normal(0, 1, n)
    for name in ("income", "job", "member"):
        frame.loc[rng.random(n) < 0.1, name] = None
    return read_table(frame), np.array(score > 4)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_scikit_learns_tree(seed):
    """Numbers without missing values: the same decisions as scikit-learn's own."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)).round(2)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 0.5, 300) > 0
    weights = rng.integers(1, 4, 300)
    expected = DecisionTreeClassifier(max_depth=4, random_state=0).fit(
        X, y, sample_weight=weights
    )
    table = read_table(X)
    found = PlainTree.learn(table, y, weights)
    assert (found.accepts(table) == expected.predict(X)).all()
    other = rng.normal(size=(500, 4)).round(2)
    same = found.accepts(read_table(other)) == expected.predict(other)
    assert same.mean() > 0.97  # a cut may be elsewhere between two people


def test_it_takes_any_column_and_travels_as_json():
    """Missing values, categories and numbers beyond single precision."""
    table, labels = people()
    tree = PlainTree.learn(table, labels, np.ones(len(labels), dtype=np.int64))
    assert (tree.accepts(table) == labels).mean() > 0.8
    again = PlainTree.from_dict(tree.to_dict())
    assert again == tree
    assert {f.name for f in tree.features} <= {"income", "huge", "job", "member"}


def test_a_tree_of_one_label_is_that_label():
    """Nothing to learn: the more frequent label, and no feature is needed."""
    table, labels = people(20)
    everybody = np.ones(20, dtype=np.int64)
    assert PlainTree.learn(table, labels | True, everybody) == PlainTree(True, ())
    assert not PlainTree(False, ()).accepts(table).any()


def leaf(depth):
    """Return a tree of so many conditions one below another, as JSON."""
    if not depth:
        return True
    condition = {"feature": "age", "operator": "<=", "value": 3}
    return {"condition": condition, "yes": leaf(depth - 1), "no": False}


@pytest.mark.parametrize(
    ("root", "kind"), [(leaf(5), "numeric"), (leaf(1), "category"), (3, "numeric")]
)
def test_what_is_no_plain_tree_is_refused(root, kind):
    """Too deep, a number asked of a category, or something else."""
    features = [{"name": "age", "kind": kind, "categories": []}]
    with pytest.raises((ModelFormatError, ValueError)):
        PlainTree.from_dict({"root": root, "features": features})
    PlainTree.from_dict(
        {"root": leaf(4), "features": [{**features[0], "kind": "numeric"}]}
    )


def test_a_wide_table_is_learned_from_fewer_rows(monkeypatch):
    """On 5,000 rows of 3,000 numbers it took longer than the whole time limit."""
    monkeypatch.setattr(plain_tree, "MOST_VALUES", 60)
    column = np.arange(40.0)
    table = read_table(pd.DataFrame({"a": column, "b": column, "c": column}))
    weights, told = np.ones(40, dtype=np.int64), np.arange(40) % 2 == 0
    # Of twenty rows every second is left: all of them have the same label.
    assert PlainTree.learn(table, told, weights) == PlainTree(True, ())


def test_with_little_time_it_is_learned_from_fewer_values(monkeypatch):
    """On 5,000 rows of 3,000 numbers, limit 1 s, it alone was 0.8 s late.

    First there are fewer rows, and then fewer features too; without any time one is
    left. With as much time as usual nothing is left out.
    """
    monkeypatch.setattr(plain_tree, "VALUES_PER_SECOND", 30_000)
    seen = []
    monkeypatch.setattr(
        DecisionTreeClassifier,
        "fit",
        lambda self, values, *_, _fit=DecisionTreeClassifier.fit, **given: (
            seen.append(values.shape) or _fit(self, values, *_, **given)
        ),
    )
    table = read_table(np.random.default_rng(0).normal(size=(1_000, 12)))
    labels, weights = table["x0"].values > 0, np.ones(1_000, dtype=np.int64)
    whole = PlainTree.learn(table, labels, weights)
    assert PlainTree.learn(table, labels, weights, seconds=1.0) == whole
    for seconds in (0.2, 0.02, 0.0):
        tree = PlainTree.learn(table, labels, weights, seconds=seconds)
        assert (tree.accepts(table) == labels).mean() > 0.9
    assert seen == [(1_000, 12), (1_000, 12), (500, 12), (100, 6), (100, 1)]
