import sys

import numpy as np
import pytest

from faircg import mining
from faircg.colgen.problem import Problem
from faircg.colgen.stop import Deadline
from faircg.fairness import EqualityOfOpportunity, EqualizedOdds
from faircg.mining import MINERS, mine_tree, negations, shortened

FAIRLEARN = pytest.mark.filterwarnings(  # fairlearn writes to a Series in an old way
    "ignore:Setting a:DeprecationWarning"
)


def make_problem(seed=0, n_samples=300, criterion=None, weight=1):
    """Six independent conditions and their negations, a noisy OR of two ANDs."""
    rng = np.random.default_rng(seed)
    base = rng.random((n_samples, 6)) < 0.5
    label = (base[:, 0] & base[:, 1]) | (base[:, 2] & ~base[:, 3])
    label ^= rng.random(n_samples) < 0.1
    return Problem.merge(
        np.hstack([base, ~base]),
        label,
        families=np.arange(12, dtype=np.int32),
        group_codes=rng.integers(0, 2, n_samples),
        group_names=("a", "b"),
        weights=np.full(n_samples, weight),
        criterion=criterion,
        max_complexity=10,
    )


@pytest.mark.parametrize("name", ["tree", "forest", "fair_tree"])
@FAIRLEARN
def test_with_little_time_fewer_people_are_looked_at(name, monkeypatch):
    """Until the first tree no clock is heard: six unique texts were 0.7 s late of 1 s.

    As many rows are taken as there is time for, and at least one.
    """
    if name == "fair_tree":
        pytest.importorskip("fairlearn")
    taken, rows_at = [], Problem.rows_at
    monkeypatch.setattr(
        Problem, "rows_at", lambda self, r: taken.append(len(r)) or rows_at(self, r)
    )
    problem, miner = make_problem(n_samples=300), MINERS[name]
    monkeypatch.setattr(mining, "CELLS_PER_SECOND", 100 * problem.bits.n_conditions)
    for seconds in (60.0, 0.2, 1e-6):
        # The clock stands, so that trees are grown whatever the machine.
        miner(problem, 2, 0, Deadline(seconds, clock=lambda: 0.0))
    everybody, some, one = taken
    assert everybody > 20 == some
    assert one == 1


def test_every_condition_finds_its_negation():
    """A left turn in a tree becomes the opposite condition."""
    problem = make_problem()
    assert negations(problem.bits).tolist() == [*range(6, 12), *range(6)]


def test_a_condition_without_negation_is_left_out():
    """Where the opposite is no condition of the table, there is none to use."""
    rows = np.array([[True, False], [True, True], [False, True]])
    problem = Problem.merge(
        rows,
        np.array([True, False, True]),
        families=np.arange(2, dtype=np.int32),
        max_complexity=4,
    )
    assert negations(problem.bits).tolist() == [-1, -1]


def test_conditions_that_change_nothing_are_removed_from_a_path():
    """Of "age <= 30 and age <= 40" only the first is needed."""
    problem = make_problem()
    for rule in [(0, 1), (0, 1, 2), (0,)]:
        kept = shortened(problem.bits, rule)
        assert set(kept) <= set(rule)
        assert (problem.bits.cover([kept]) == problem.bits.cover([rule])).all()
    nested = np.arange(4)[:, np.newaxis] <= np.arange(3)
    chain = Problem.merge(
        nested,
        np.array([True, False, True, False]),
        families=np.zeros(3, dtype=np.int32),
        max_complexity=4,
    )
    assert shortened(chain.bits, (0, 1, 2)) == (0,)


@FAIRLEARN
@pytest.mark.parametrize("miner", MINERS)
@pytest.mark.parametrize("max_conditions", [1, 3])
def test_mined_rules_are_rules_of_the_problem(miner, max_conditions):
    """Every mined rule has known conditions, not too many, and covers somebody."""
    problem = make_problem(criterion=EqualityOfOpportunity(0.1))
    rules = MINERS[miner](problem, max_conditions, 0, Deadline())
    assert rules
    for rule in rules:
        assert 1 <= len(rule) <= max_conditions
        assert rule == tuple(sorted(set(rule)))
        assert all(0 <= j < 12 for j in rule)
    assert problem.bits.cover(sorted(rules)).any(axis=1).all()


def test_a_tree_finds_the_rules_that_made_the_labels():
    """The two conjunctions behind noisy labels are among the mined rules."""
    rules = mine_tree(make_problem(n_samples=2_000), 3, 0, Deadline())
    assert any({0, 1} <= set(rule) for rule in rules)
    assert any({2, 9} <= set(rule) for rule in rules)


@FAIRLEARN
@pytest.mark.parametrize("miner", MINERS)
def test_the_same_seed_mines_the_same_rules(miner):
    """Mining is reproducible."""
    problem = make_problem(criterion=EqualizedOdds(0.1))
    assert MINERS[miner](problem, 2, 3, Deadline()) == MINERS[miner](
        problem, 2, 3, Deadline()
    )


@FAIRLEARN
@pytest.mark.parametrize("miner", MINERS)
def test_survey_weights_need_no_more_memory(miner, monkeypatch):
    """Fair trees were grown on a row for each person, and these are 3 * 10 ** 14."""
    monkeypatch.setattr(mining, "MOST_PEOPLE", 1_000)
    rules = MINERS[miner](
        make_problem(criterion=EqualizedOdds(0.1), weight=10**12), 3, 0, Deadline()
    )
    assert any({0, 1} <= set(rule) for rule in rules)


def test_fair_trees_without_fairlearn_say_what_to_install(monkeypatch):
    """The optional extra is named in the error."""
    monkeypatch.setitem(sys.modules, "fairlearn.reductions", None)
    with pytest.raises(ImportError, match=r"pip install 'faircg\[fair-trees\]'"):
        MINERS["fair_tree"](make_problem(), 2, 0, Deadline())
