"""Rules from trees: a warm start for column generation (paper, section 4).

Trees are grown on the merged rows with their counts as weights. Every path from the
root to a leaf where positives outnumber negatives becomes a rule; a path that goes left
at a condition takes the condition's negation. Conditions that another one on the path
implies, or that change nothing on the data, are removed.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from faircg._kernel import count
from faircg.colgen.stop import OutOfTimeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from faircg._kernel import ConditionBits
    from faircg.colgen.problem import Problem
    from faircg.colgen.stop import Deadline
    from faircg.typing import BoolMatrix, BoolVector, Conditions, FloatVector, IntVector

N_TREES = 50
"""Trees of each forest; fewer where there are few rows, one for two of them."""
BATCH = 5
"""Trees grown between two looks at the clock."""
TREE_WORDS = 2_000_000
"""Work of a tree beside that of reading the rows, in words of bits."""
MOST_DEPTH = 6
MOST_ROWS = 20_000
"""Larger data are mined on a sample of so many rows: rules are only candidates."""
MOST_CELLS: Final = 50_000_000
"""Rows times conditions of it: texts can give tens of thousands of conditions."""
CELLS_PER_SECOND: Final = 20_000_000
"""Of them there is time for so many in each second; until a tree, no clock is heard."""
MOST_PEOPLE = 100_000
"""Of more people so many are drawn for fairlearn, which takes no weights."""


def mine_tree(
    problem: Problem, max_conditions: int, seed: int, deadline: Deadline
) -> set[Conditions]:
    """Grow single trees of every depth, with and without balanced classes."""
    from sklearn.tree import DecisionTreeClassifier

    found: set[Conditions] = set()
    if deadline.is_set():
        return found
    rows, labels, weights = _samples(problem, seed, deadline)
    for depth in range(1, min(max_conditions, MOST_DEPTH) + 1):
        for class_weight in (None, "balanced"):
            if deadline.is_set():
                return found
            deadline.spend(rows.size)
            tree = DecisionTreeClassifier(
                max_depth=depth, class_weight=class_weight, random_state=seed
            )
            tree.fit(rows, labels, sample_weight=weights)
            found |= _rules(problem, [tree])
    return found


def mine_forest(
    problem: Problem, max_conditions: int, seed: int, deadline: Deadline
) -> set[Conditions]:
    """Grow random forests, with and without balanced classes.

    Tree by tree: on few rows scikit-learn's forest prepares a tree for five times as
    long as it grows it, and what it draws for each depends on its version.
    """
    from sklearn import config_context
    from sklearn.tree import DecisionTreeClassifier

    found: set[Conditions] = set()
    if deadline.is_set():
        return found
    rows, labels, weights = _samples(problem, seed, deadline)
    numbers, shares = rows.astype(np.float32), weights / weights.sum()
    for is_balanced in (False, True):
        for batch in range(ceil(min(N_TREES, problem.n_rows / 2) / BATCH)):
            if deadline.is_set():
                return found
            deadline.spend(BATCH * (TREE_WORDS + rows.size // 4))
            with config_context(skip_parameter_validation=True, assume_finite=True):
                trees = [
                    DecisionTreeClassifier(
                        max_depth=min(max_conditions, MOST_DEPTH),
                        max_features="sqrt",
                        random_state=number,
                    ).fit(
                        numbers,
                        labels,
                        sample_weight=_bootstrap(shares, labels, number, is_balanced),
                        check_input=False,
                    )
                    for number in _numbers(seed + batch, BATCH)
                ]
            found |= _rules(problem, trees)
    return found


def _numbers(seed: int, n_trees: int) -> list[int]:
    """Return a seed for each tree of a forest."""
    rng = np.random.RandomState(seed)
    return [rng.randint(np.iinfo(np.int32).max) for _ in range(n_trees)]


def _bootstrap(
    shares: FloatVector, labels: BoolVector, seed: int, is_balanced: bool
) -> FloatVector:
    """Draw as many rows as there are, by their shares; say how much each counts."""
    n_rows = len(shares)
    drawn = np.random.RandomState(seed).choice(n_rows, n_rows, p=shares)
    times = np.bincount(drawn, minlength=n_rows).astype(float)
    if is_balanced:
        by_label = np.bincount(labels[drawn], minlength=2)
        times *= (n_rows / (np.count_nonzero(by_label) * np.maximum(by_label, 1)))[
            labels.astype(int)
        ]
    return times


def mine_fair_tree(
    problem: Problem, max_conditions: int, seed: int, deadline: Deadline
) -> set[Conditions]:
    """Grow the trees of fairlearn's exponentiated gradient, as many as time allows."""
    try:
        from fairlearn.reductions import (
            EqualizedOdds,
            ExponentiatedGradient,
            TruePositiveRateParity,
        )
    except ImportError:
        raise ImportError(
            "warm_start_rules='fair_tree' needs fairlearn: "
            "pip install 'faircg[fair-trees]'"
        ) from None
    from sklearn.tree import DecisionTreeClassifier

    grown: list[Any] = []

    class KeptTree(DecisionTreeClassifier):  # type: ignore[misc]
        """A tree that is kept even if the others come too late."""

        def fit(self, *people: Any, **weights: Any) -> Any:
            deadline.spend(rows.size)
            grown.append(super().fit(*people, **weights))
            return self

    found: set[Conditions] = set()
    if deadline.is_set():
        return found
    rows, labels, groups = _drawn(problem, seed, deadline)
    if labels.all() or not labels.any():
        return found  # too few were drawn, and fairlearn needs both
    epsilon = None if problem.criterion is None else problem.criterion.epsilon
    bound = 0.5 if epsilon is None else float(epsilon)
    moment = EqualizedOdds if problem.rate_rows.uses_hit else TruePositiveRateParity

    class TimedMoment(moment):  # type: ignore[misc, valid-type]
        """A moment that is asked for the weights of each round until the deadline."""

        def signed_weights(self, *multipliers: Any) -> Any:
            deadline.check()
            return super().signed_weights(*multipliers)

    for depth in (3, 5):
        tree = KeptTree(max_depth=min(depth, max_conditions), random_state=seed)
        reduction = ExponentiatedGradient(
            tree, TimedMoment(difference_bound=max(bound, 1e-3)), max_iter=20
        )
        grown.clear()
        try:
            reduction.fit(rows.astype(float), labels, sensitive_features=groups)
        except OutOfTimeError:
            return found | _rules(problem, grown)
        trees = [t for t in reduction.predictors_ if hasattr(t, "tree_")]
        found |= _rules(problem, trees)
    return found


Miner: TypeAlias = "Callable[[Problem, int, int, Deadline], set[Conditions]]"
MINERS: Final[Mapping[str, Miner]] = {
    "tree": mine_tree,
    "forest": mine_forest,
    "fair_tree": mine_fair_tree,
}
"""Miners by the name that users ask for them with."""


def _samples(
    problem: Problem, seed: int, deadline: Deadline
) -> tuple[BoolMatrix, BoolVector, IntVector]:
    """Return rows twice, as positives and as negatives, with their counts."""
    row, labels, weights, _ = _people(problem, by_group=False)
    most = _most_rows(problem, MOST_ROWS, deadline)
    if len(row) > most:
        rng = np.random.default_rng(seed)
        part = np.sort(rng.choice(len(row), size=most, replace=False))
        row, labels, weights = row[part], labels[part], weights[part]
    return problem.rows_at(row), labels, weights


def _drawn(
    problem: Problem, seed: int, deadline: Deadline
) -> tuple[BoolMatrix, BoolVector, IntVector]:
    """Return rows, labels and groups of people one by one, of too many some."""
    row, labels, weights, groups = _people(problem)
    most = _most_rows(problem, MOST_PEOPLE, deadline)
    if weights.sum() > most:
        rng, shares = np.random.default_rng(seed), weights / weights.sum()
        weights = rng.multinomial(most, shares)
    people = np.repeat(np.arange(len(row)), weights)
    return problem.rows_at(row[people]), labels[people], groups[people]


def _most_rows(problem: Problem, most: int, deadline: Deadline) -> int:
    """Say how many rows there is time and room for: all of them on most data."""
    cells = min(MOST_CELLS, CELLS_PER_SECOND * deadline.by_the_clock().remaining())
    return min(most, max(1, int(cells / problem.bits.n_conditions)))


def _people(
    problem: Problem, *, by_group: bool = True
) -> tuple[IntVector, BoolVector, IntVector, IntVector]:
    """Return rows, labels, numbers of people and groups."""
    parts = []
    for label, counts in ((True, problem.positives), (False, problem.negatives)):
        people = counts if by_group else counts.sum(axis=0, keepdims=True)
        group, row = np.nonzero(people)
        parts.append((row, np.full(len(row), label), people[group, row], group))
    row, labels, weights, groups = (
        np.concatenate(part) for part in zip(*parts, strict=True)
    )
    return row, labels, weights, groups


def _rules(problem: Problem, trees: list[Any]) -> set[Conditions]:
    negation = negations(problem.bits)
    paths = {path for tree in trees for path in _positive_paths(tree, negation)}
    return {shortened(problem.bits, path) for path in paths if path}


def _positive_paths(tree: Any, negation: IntVector) -> Iterator[Conditions]:
    """Walk from the root to each leaf where the positive class is predicted."""
    if list(tree.classes_) != [0, 1]:
        return  # grown on one class only
    nodes = tree.tree_
    left, right = nodes.children_left.tolist(), nodes.children_right.tolist()
    negatives, positives = nodes.value[:, 0].T.tolist()
    features = nodes.feature.tolist()
    stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while stack:
        node, path = stack.pop()
        if left[node] == right[node]:
            if positives[node] > negatives[node]:
                yield tuple(sorted({j for j in path if j >= 0}))
            continue
        j = features[node]
        stack.append((left[node], (*path, int(negation[j]))))
        stack.append((right[node], (*path, j)))


def negations(bits: ConditionBits) -> IntVector:
    """Return the condition that holds exactly where each one does not, or -1."""
    everyone = np.zeros(bits.n_words * 64, dtype=np.uint8)
    everyone[: bits.n_rows] = 1
    mask = np.packbits(everyone, bitorder="little").view(np.uint64)
    number = {column.tobytes(): j for j, column in reversed([*enumerate(bits.bits)])}
    flipped = bits.bits ^ mask
    return np.array([number.get(column.tobytes(), -1) for column in flipped])


def shortened(bits: ConditionBits, rule: Conditions) -> Conditions:
    """Drop conditions that do not change the coverage, the widest first.

    Examples
    --------
    >>> from faircg._kernel import ConditionBits
    >>> at_most_1_at_most_2 = np.array([[True, True], [False, True], [False, False]])
    >>> bits = ConditionBits.from_matrix(at_most_1_at_most_2, family=[0, 0])
    >>> shortened(bits, (0, 1))
    (0,)
    """
    own = bits.bits[list(rule)]
    covered = np.bitwise_and.reduce(own, axis=0)
    widths = count(own)
    kept = np.ones(len(rule), dtype=bool)
    for place in sorted(range(len(rule)), key=lambda k: (-widths[k], rule[k])):
        kept[place] = False
        if not kept.any() or (np.bitwise_and.reduce(own[kept]) != covered).any():
            kept[place] = True
    return tuple(j for j, stays in zip(rule, kept, strict=True) if stays)
