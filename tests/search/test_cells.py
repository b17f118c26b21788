"""What one cell of the grid finds, recounted."""

import numpy as np
import pytest

from faircg import Condition, FairRuleSetClassifier, Rule
from faircg.binarize import ConditionBinarizer
from faircg.datasets import load_compas
from faircg.fairness import exact
from faircg.table import read_table
from search.small import (
    FIT,
    GROUPS,
    N_FINE,
    ODDS,
    OPPORTUNITY,
    SMALL,
    X,
    Y,
    gaps,
    make_search,
    parts,
    search,
)


@pytest.fixture(scope="module")
def on_compas():
    """Search a part of COMPAS under both criteria."""
    data = load_compas()
    X, y, groups = data.X[:450], np.asarray(data.y[:450]), data.sensitive_features[:450]
    return {
        constraint: (search(X, y, groups, constraint=constraint), X, y, groups)
        for constraint in (OPPORTUNITY, ODDS)
    }


@pytest.mark.parametrize("constraint", [OPPORTUNITY, ODDS])
def test_every_cell_is_recounted_from_its_rule_set(on_compas, constraint):
    """Accuracy, gaps and counts are those of the printed rules on each part."""
    found, X, y, groups = on_compas[constraint]
    labels = (1,) if constraint == OPPORTUNITY else (1, 0)
    folds = parts(y)
    assert len(found.cv_results_) == len(folds) * N_FINE
    for row in found.cv_results_.to_dict("records"):
        for part, rows in zip(("train", "test"), folds[row["fold"]], strict=True):
            covered = row["rule_set"].covers(read_table(X.iloc[rows]))
            g = np.asarray(groups)[rows]
            gap = max(gaps(y[rows], covered, g, labels))
            assert row[f"{part}_gap"] == float(gap)
            assert row[f"{part}_accuracy"] == pytest.approx((covered == y[rows]).mean())
            if part == "train":
                assert gap <= exact(row["epsilon"])
            else:
                for name in sorted(set(g)):
                    missed = (g == name) & (y[rows] == 1) & ~covered
                    assert row[f"test_false_negatives: {name}"] == missed.sum()
        assert row["rule_set"].complexity == row["complexity"] <= row["max_complexity"]
        assert row["n_rules"] == len(row["rule_set"].rules)


@pytest.mark.parametrize("constraint", [OPPORTUNITY, ODDS])
def test_allowing_more_never_costs_anything(on_compas, constraint):
    """A larger epsilon or complexity never raises a fold's training loss."""
    results = on_compas[constraint][0].cv_results_
    axes = ("epsilon", "max_complexity")
    for fixed, moving in (axes, axes[::-1]):
        for _, rows in results.groupby(["fold", fixed]):
            rows = rows.sort_values(moving)
            assert rows["train_accuracy"].is_monotonic_increasing
            assert rows["best_hamming_loss"].is_monotonic_decreasing
            assert rows["lower_bound"].is_monotonic_decreasing


@pytest.mark.parametrize("constraint", [OPPORTUNITY, ODDS])
def test_bounds_hold(on_compas, constraint):
    """No cell is better than its bound, and proven cells of phase I meet it."""
    results = on_compas[constraint][0].cv_results_
    assert (results["lower_bound"] > 0).all()
    assert (results["lower_bound"] <= results["best_hamming_loss"]).all()
    loosest = results[results["epsilon"] == 1.0]
    assert (loosest["lower_bound"] == loosest["best_hamming_loss"]).all()
    assert results["is_finished"].all()


def test_a_cell_is_what_one_fit_on_the_fold_finds(found):
    """At a point of the coarse grid phase I is the classifier itself."""
    for number, (train, _) in enumerate(parts()):
        clf = FairRuleSetClassifier(
            **FIT,
            epsilon=0.05,
            max_complexity=6,
        ).fit(X.iloc[train], Y[train], sensitive_features=GROUPS.iloc[train])
        row = found.cv_results_.query(
            f"fold == {number} and epsilon == 0.05 and max_complexity == 6"
        ).iloc[0]
        assert clf.certificate_.proven_optimal
        assert row["best_hamming_loss"] == clf.certificate_.objective
        assert row["train_accuracy"] >= clf.score(X.iloc[train], Y[train])


def test_conditions_come_from_the_training_part_only():
    """A value that only test rows have is in no rule's cut points."""
    splits = [(np.arange(0, 160), np.arange(160, 240))]
    other = X.copy()
    other.loc[160:, "pay"] += 1000.0
    same = search(cv=splits).cv_results_["rule_set"]
    assert same.tolist() == search(other, cv=splits).cv_results_["rule_set"].tolist()


def test_every_parameter_of_the_estimator_counts():
    """Three parameters were lost on the way to the cells and to the last fit."""
    few = {"complexities": (6,), "fine_epsilons": None}
    given = make_search(
        objective="zero_one",
        pricing_time_limit=7.0,
        strict=True,
        on_interrupt="return",
        **few,
    )
    found = given.fit(X, Y, sensitive_features=GROUPS)
    best = found.best_estimator_
    assert (best.objective, best.pricing_time_limit) == ("zero_one", 7.0)
    assert (best.strict, best.on_interrupt) == (True, "return")
    assert found.certificate_.loss == "zero_one"
    results = found.cv_results_
    assert not [name for name in results if "hamming" in name]
    assert (results["lower_bound"] <= results["best_zero_one_loss"]).all()
    assert (results["best_zero_one_loss"] == results["train_zero_one_loss"]).all()
    for row in results.to_dict("records"):
        train, _ = parts()[row["fold"]]
        clf = found.estimator_at(row["epsilon"], 6).fit(
            X.iloc[train], Y[train], sensitive_features=GROUPS.iloc[train]
        )
        assert clf.certificate_.proven_optimal
        assert row["best_zero_one_loss"] == clf.certificate_.objective
    assert not hasattr(given.estimator, "rule_set_"), "the one given is not fitted"


def test_first_rules_are_mined_on_each_training_part(found):
    """A warm start changes the way, not the proven losses."""
    warm = search(warm_start_rules="tree").cv_results_
    cold = found.cv_results_
    coarse = warm["epsilon"].isin(SMALL["epsilons"])
    assert (warm["best_hamming_loss"] == cold["best_hamming_loss"])[coarse].all()


def test_rules_of_my_own_start_every_fold(starts):
    """Given rules are used in each fold, even if they can be read only once."""
    mine = Rule((Condition("age", ">", 40.0), Condition("member", "=", True)))
    found = search(
        warm_start_rules=iter([mine]),
        thresholds={"age": [40.0], "pay": [0.0]},
        complexities=(3,),
        fine_epsilons=(1.0,),
    )
    first_cells = [start for start in starts if len(start) == 1]
    assert len(first_cells) >= 3
    assert mine in found.rule_set_.rules


def test_rules_of_my_own_start_the_folds_that_have_their_conditions(starts):
    """A fold cuts numbers elsewhere: its first cell raised, and there was no search."""
    whole = ConditionBinarizer(thresholds="quantile", n_thresholds=4).fit(X).conditions_
    numeric = Rule((next(c for c in whole if c.feature == "pay"),))
    alike = Rule((Condition("job", "=", "cook"),))
    grid = {"complexities": (3,), "epsilons": (1.0,), "fine_epsilons": (1.0,)}
    search(warm_start_rules=[numeric, alike], **grid)
    assert [len(start) for start in starts] == [1, 1, 1]
