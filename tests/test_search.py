import json
import logging
import pickle
from fractions import Fraction
from itertools import pairwise

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from faircg import Condition, FairRuleSetClassifier, FairRuleSetClassifierCV, Rule
from faircg import folds as folds_module
from faircg.binarize import ConditionBinarizer
from faircg.colgen.engine import solve
from faircg.colgen.pricing import ExactPricer
from faircg.datasets import load_compas
from faircg.exceptions import FairCGError
from faircg.fairness import EqualityOfOpportunity, EqualizedOdds, exact
from faircg.grid import Grid
from faircg.table import read_table

OPPORTUNITY = "equality_of_opportunity"
ODDS = "equalized_odds"
SMALL = {
    "epsilons": (0.05, 1.0),
    "complexities": (3, 6),
    "fine_epsilons": (0.02, 0.05, 1.0),
    "cv": 3,
}
FIT = {
    "constraint": OPPORTUNITY,
    "max_conditions": 2,
    "n_thresholds": 4,
    "warm_start_rules": None,
    "time_limit": 60,
}
N_COARSE, N_FINE = 4, 6


def make_people(n=240, seed=0):
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


X, Y, GROUPS = make_people()


def make_search(**parameters):
    """Put parameters of both kinds where they belong."""
    own = FairRuleSetClassifierCV().get_params(deep=False)
    parameters = {**SMALL, **FIT, **parameters}
    inner = {name: parameters.pop(name) for name in {*parameters} - {*own}}
    parameters.setdefault("estimator", FairRuleSetClassifier(**inner))
    return FairRuleSetClassifierCV(**parameters)


def search(X=X, y=Y, groups=GROUPS, weights=None, **parameters):
    """Search a small grid under equality of opportunity."""
    return make_search(**parameters).fit(
        X, y, sensitive_features=groups, sample_weight=weights
    )


def parts(y=Y, n_splits=3):
    """Return the folds that the search makes of an integer."""
    splitter = StratifiedKFold(n_splits, shuffle=True, random_state=0)
    return list(splitter.split(np.zeros((len(y), 1)), y))


def gaps(y, covered, groups, labels):
    """Recount the difference between groups of the covered share of each label."""
    for label in labels:
        rates = []
        for group in sorted(set(groups)):
            chosen = (np.asarray(groups) == group) & (y == label)
            rates.append(Fraction(int(covered[chosen].sum()), int(chosen.sum())))
        yield max(rates) - min(rates)


def without_seconds(frame):
    return frame.drop(columns="seconds")


@pytest.fixture(scope="module")
def found():
    """Search once what several tests look at."""
    return search()


@pytest.fixture
def solved(monkeypatch):
    """Count the cells that the engine solves."""
    calls = []

    def counted(problem, rules, pricer, **options):
        calls.append(type(pricer).__name__)
        return solve(problem, rules, pricer, **options)

    monkeypatch.setattr(folds_module, "solve", counted)
    return calls


# Cells


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


# The frontier and the choice


def test_the_frontier_has_no_dominated_point(found):
    """Along the frontier each step to a larger gap buys accuracy."""
    frontier = found.frontier_
    for left, right in pairwise(frontier.to_dict("records")):
        assert left["pooled_gap"] < right["pooled_gap"]
        assert left["test_accuracy"] < right["test_accuracy"]


def test_the_frontier_beats_every_point_left_out(found):
    """For each cell of the grid the frontier has one at least as good, pooled."""
    names = sorted(set(GROUPS))
    for (_, _), rows in found.cv_results_.groupby(["epsilon", "max_complexity"]):
        rates = []
        for name in names:
            missed = rows[f"test_false_negatives: {name}"].sum()
            hit = rows[f"test_true_positives: {name}"].sum()
            assert missed + hit == ((name == GROUPS) & (Y == 1)).sum()
            rates.append(missed / (missed + hit))
        frontier = found.frontier_
        better = (frontier["pooled_gap"] <= abs(rates[0] - rates[1]) + 1e-12) & (
            frontier["test_accuracy"] >= rows["test_accuracy"].mean() - 1e-12
        )
        assert better.any()


def test_without_a_target_the_most_accurate_point_is_fitted_on_all_data(found):
    """The last fit is the plain classifier at the chosen point."""
    best = found.frontier_.sort_values("test_accuracy").iloc[-1]
    assert found.best_epsilon_ == best["epsilon"]
    assert found.best_complexity_ == best["max_complexity"]
    plain = FairRuleSetClassifier(
        **FIT,
        epsilon=found.best_epsilon_,
        max_complexity=found.best_complexity_,
    ).fit(X, Y, sensitive_features=GROUPS)
    assert found.rule_set_ == plain.rule_set_ == found.best_estimator_.rule_set_
    assert found.fairness_ == plain.fairness_
    assert found.certificate_.objective == plain.certificate_.objective
    np.testing.assert_array_equal(found.predict(X), plain.predict(X))
    assert found.score(X, Y) == plain.score(X, Y)


def test_a_wanted_gap(found):
    """The most accurate point within the wanted gap is chosen."""
    middle = found.frontier_["pooled_gap"].iloc[len(found.frontier_) // 2]
    chosen = search(target_gap=float(middle))
    allowed = found.frontier_[found.frontier_["pooled_gap"] <= middle]
    best = allowed.sort_values("test_accuracy").iloc[-1]
    point = (chosen.best_epsilon_, chosen.best_complexity_)
    assert point == (best["epsilon"], best["max_complexity"])
    assert chosen.fairness_.gap <= chosen.best_epsilon_


def test_a_wanted_accuracy(found):
    """The point of smallest gap with the wanted accuracy is chosen."""
    wanted = float(found.frontier_["test_accuracy"].iloc[0])
    chosen = search(target_accuracy=wanted)
    first = found.frontier_.iloc[0]
    point = (chosen.best_epsilon_, chosen.best_complexity_)
    assert point == (first["epsilon"], first["max_complexity"])


def test_a_target_that_no_point_meets():
    """The message says what is possible, and the results can be looked at."""
    model = make_search(fine_epsilons=(1.0,), target_gap=1e-4)
    with pytest.raises(FairCGError, match=r"gap of at most 0\.0001; the smallest is"):
        model.fit(X, Y, sensitive_features=GROUPS)
    assert len(model.frontier_)
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(FairCGError, match=r"accuracy of 1; the highest is 0\.\d+, at"):
        search(target_accuracy=1.0)


def test_without_a_constraint_only_complexity_is_searched():
    """There is one epsilon, groups are not needed, and gaps are zero."""
    found = search(constraint=None, groups=None)
    assert len(found.cv_results_) == 3 * len(SMALL["complexities"])
    assert set(found.cv_results_["epsilon"]) == {1.0}
    assert (found.cv_results_["train_gap"] == 0).all()
    assert len(found.frontier_) == 1
    assert found.best_estimator_.constraint is None


def test_a_criterion_of_my_own(found):
    """A class, a function or an object makes the criterion from each epsilon."""
    few = {"complexities": (3,), "cv": 2}
    mine = search(constraint=lambda e: EqualizedOdds(e, epsilon_negatives=1.0), **few)
    criterion = mine.best_estimator_.constraint(mine.best_epsilon_)
    assert criterion == EqualizedOdds(mine.best_epsilon_, epsilon_negatives=1.0)
    given = search(constraint=EqualizedOdds(0.3, epsilon_negatives=1.0), **few)
    assert given.best_estimator_.constraint == criterion
    pd.testing.assert_frame_equal(given.frontier_, mine.frontier_)
    for same in (EqualityOfOpportunity, EqualityOfOpportunity(0.5)):
        pd.testing.assert_frame_equal(
            search(constraint=same).frontier_, found.frontier_
        )


def test_a_group_absent_from_a_test_part():
    """The fold's gap is unknown; the pooled gap is not."""
    few = np.array(["f"] * 8 + ["m"] * 232)
    order = np.arange(240) % 2
    y = np.where(np.arange(240) < 8, order, Y)
    splits = [
        (np.r_[0:4, 8:160], np.r_[4:8, 160:240]),
        (np.r_[0:8, 80:240], np.r_[8:80]),
    ]
    found = search(y=y, groups=few, cv=splits)
    by_fold = found.cv_results_.groupby("fold")["test_gap"]
    assert by_fold.apply(lambda gap: gap.isna().all()).tolist() == [False, True]
    assert found.frontier_["pooled_gap"].notna().all()


def test_a_group_absent_from_every_test_part():
    """Every gap is unknown, and the most accurate point is left; it was an error.

    It came after the whole search, and the search was lost.
    """
    groups = np.array(["f"] * 80 + ["m"] * 160)
    found = search(groups=groups, cv=[(np.r_[0:160], np.r_[160:240])])
    assert found.cv_results_["test_gap"].isna().all()
    (point,) = found.frontier_.itertuples()
    assert np.isnan(point.pooled_gap)
    assert point.test_accuracy == found.cv_results_["test_accuracy"].max()
    assert found.best_epsilon_ == point.epsilon
    with pytest.raises(FairCGError, match="no point has a pooled test gap"):
        search(groups=groups, cv=[(np.r_[0:160], np.r_[160:240])], target_gap=0.5)


def test_a_group_that_weighs_nothing_is_not_there():
    """The estimator fitted it, and its search said that it has no positive sample."""
    groups = np.where(np.arange(240) < 12, "nobody", GROUPS)
    weights = (np.arange(240) >= 12).astype(int)
    grid = {"complexities": (3,), "epsilons": (0.1,), "fine_epsilons": (0.1,)}
    splits = [(np.arange(0, 240, 2), np.arange(1, 240, 2))]
    weighted = search(groups=groups, weights=weights, cv=splits, **grid)
    assert list(weighted.fairness_.groups) == ["f", "m"]
    rest = [(np.arange(0, 228, 2), np.arange(1, 228, 2))]
    without = search(X[12:], Y[12:], GROUPS[12:], cv=rest, **grid)
    pd.testing.assert_frame_equal(
        without_seconds(weighted.cv_results_), without_seconds(without.cv_results_)
    )


# Resuming, parallel work, messages


def test_a_stopped_search_goes_on_where_it_was(tmp_path, solved):
    """Only a cell whose file is gone is solved again, with the same answer."""
    first = search(cache=tmp_path / "cells")
    files = sorted((tmp_path / "cells").iterdir())
    assert len(solved) == len(files)
    assert 3 * N_COARSE < len(solved) < 3 * (N_COARSE + N_FINE), "some were proven"
    for phase in ("I-", "II-"):
        solved.clear()
        [gone, *_] = [file for file in files if file.name.startswith(phase)]
        before = {file: file.stat().st_mtime_ns for file in files}
        text = json.loads(gone.read_text())
        gone.unlink()
        again = search(cache=str(tmp_path / "cells"))
        assert len(solved) == 1
        assert sorted((tmp_path / "cells").iterdir()) == files
        assert [f for f in files if f.stat().st_mtime_ns != before[f]] == [gone]
        assert {**json.loads(gone.read_text()), "seconds": 0} == {**text, "seconds": 0}
        pd.testing.assert_frame_equal(
            without_seconds(again.cv_results_), without_seconds(first.cv_results_)
        )


def test_a_search_that_is_interrupted_keeps_its_cells(found, tmp_path, monkeypatch):
    """Whatever was finished before Ctrl-C is not solved again."""
    calls = []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return solve(*arguments, **options)

    monkeypatch.setattr(folds_module, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search(cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 5
    resumed = search(cache=tmp_path)
    assert len(calls) - 1 == len(list(tmp_path.iterdir()))
    pd.testing.assert_frame_equal(resumed.frontier_, found.frontier_)


def test_a_finer_grid_costs_its_new_cells(tmp_path, solved):
    """Phase I is reused, and so is every cell of phase II that is known."""
    search(cache=tmp_path)
    solved.clear()
    search(cache=tmp_path, fine_epsilons=(*SMALL["fine_epsilons"], 0.1))
    assert 0 < len(solved) <= 3 * len(SMALL["complexities"])


def test_a_heuristic_pricer_leaves_phase_two_to_the_integer_master(solved):
    """Only exact pricing is fast enough to go on generating on the fine grid."""
    search(pricing="greedy")
    assert solved.count("GreedyPricer") == 3 * N_COARSE
    assert solved.count("PoolOnly") == len(solved) - 3 * N_COARSE


def test_only_what_is_proven_is_not_solved_again(solved):
    """A point of both grids was called answered by its own cell of phase I.

    Without exact pricing nothing is proven, so that phase II, which chooses from the
    rules of all cells, never ran there; and every row was called cut short.
    """
    grid = {"complexities": (3,), "fine_epsilons": SMALL["epsilons"], "cv": 2}
    found = search(pricing="greedy", refit=False, **grid)
    assert (found.cv_results_["lower_bound"] == 0).all()
    assert solved == 2 * (2 * ["GreedyPricer"] + 2 * ["PoolOnly"])
    assert found.cv_results_["is_finished"].all()
    solved.clear()
    search(refit=False, **grid)
    assert solved == 4 * ["ExactPricer"]


def test_exact_pricing_proves_every_point_of_the_fine_grid(found):
    """Whatever the fold's cells lend each other, the bounds meet the losses."""
    results = found.cv_results_
    assert (results["lower_bound"] == results["best_hamming_loss"]).all()


def test_exactness_is_a_property_of_the_pricer(found):
    """The string "exact" was compared with: an object of the same pricer did less."""
    by_object = search(pricing=ExactPricer())
    pd.testing.assert_frame_equal(
        without_seconds(by_object.cv_results_), without_seconds(found.cv_results_)
    )
    deepening = {"max_conditions": None, "max_complexity": 6, "constraint": None}
    fits = [
        FairRuleSetClassifier(**{**FIT, **deepening, "pricing": pricing}).fit(X, Y)
        for pricing in ("exact", ExactPricer(), Unsaid())
    ]
    assert len({record.max_conditions for record in fits[0].history_}) > 1
    kept = [json.loads(fit.model_.to_json()) for fit in fits]
    for model in kept:
        del model["certificate"]["seconds"]
    assert kept[0] == kept[1]
    assert {record.max_conditions for record in fits[2].history_} == {5}


class Unsaid:
    """A pricer that does not say whether it is exact."""

    def price(self, *arguments):
        """Search as the exact one."""
        return ExactPricer().price(*arguments)


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


@pytest.mark.parametrize(
    "seed",
    [pytest.param(s, marks=[pytest.mark.long] if s >= 8 else []) for s in range(100)],
)
def test_integer_weights_are_repetitions(seed):
    """A sample of weight k is k samples, where the splits keep its copies together."""
    X, y, groups = make_people(60, seed=seed)
    rng = np.random.default_rng(seed)
    weights, fold = rng.integers(0, 4, len(y)), rng.integers(0, 2, len(y))
    for stratum in {*zip(groups, y, strict=True)}:  # everybody is in both folds
        members = np.flatnonzero((groups == stratum[0]) & (y == stratum[1]))
        fold[members[:2]], weights[members[:2]] = (0, 1), (1, 2)
    rows = np.repeat(np.arange(len(y)), weights)

    def splits(fold):
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in (0, 1)]

    grid = {"complexities": (3,), "epsilons": (0.1,), "fine_epsilons": (0.1,)}
    grid |= {"thresholds": {"age": [30, 40], "pay": [0.0]}, "max_conditions": 1}
    grid["warm_start_rules"] = None
    weighted = search(X, y, groups, weights, cv=splits(fold), **grid)
    repeated = search(
        X.iloc[rows], y[rows], groups.iloc[rows], cv=splits(fold[rows]), **grid
    )
    pd.testing.assert_frame_equal(
        without_seconds(weighted.cv_results_), without_seconds(repeated.cv_results_)
    )
    pd.testing.assert_frame_equal(weighted.frontier_, repeated.frontier_)
    assert weighted.rule_set_ == repeated.rule_set_
    assert weighted.fairness_ == repeated.fairness_
    counts = [
        name
        for name in weighted.cv_results_
        if name.startswith("test_") and ":" in name
    ]
    assert weighted.cv_results_[counts].to_numpy().sum() == weights.sum()


def test_a_test_part_that_nobody_counts_in():
    """A fold without any weight has no accuracy: an error, not a NaN."""
    splits = [(np.arange(160), np.arange(160, 240))]
    with pytest.raises(ValueError, match="test part of fold 0 has nobody who counts"):
        search(weights=(np.arange(240) < 160).astype(int), cv=splits)


def test_without_refitting_only_the_tables_are_made(found):
    """No last fit on all data: nothing to predict with."""
    tables = search(refit=False)
    pd.testing.assert_frame_equal(tables.frontier_, found.frontier_)
    assert tables.best_epsilon_ == found.best_epsilon_
    with pytest.raises(NotFittedError):
        tables.predict(X)


@pytest.mark.parametrize("changed", [{"refit": False}, {"target_accuracy": 1.0}])
def test_nothing_is_left_of_an_earlier_fit(found, changed):
    """A search fitted again without refitting predicted with its old rule set."""
    again = pickle.loads(pickle.dumps(found)).set_params(**changed)
    try:
        again.fit(X, Y[::-1], sensitive_features=GROUPS)
    except FairCGError:
        assert "target_accuracy" in changed
    for name in ("best_estimator_", "rule_set_", "certificate_", "fairness_"):
        assert hasattr(found, name)
        assert not hasattr(again, name)
    with pytest.raises(NotFittedError):
        again.predict(X)


@pytest.mark.parametrize(
    "changed", [{"random_state": 1}, {"n_thresholds": 5}, {"time_limit": 61}]
)
def test_other_settings_do_not_reuse_cells(tmp_path, solved, changed):
    """A cell answers one question only."""
    one = {"fine_epsilons": (0.05,), "complexities": (3,), "cache": tmp_path}
    search(**one)
    n_files = len(list(tmp_path.iterdir()))
    solved.clear()
    search(**one, **changed)
    assert len(solved) == len(list(tmp_path.iterdir())) - n_files > 0


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"rules": 3}', None], ids=lambda text: f"{text!r}"
)
def test_a_broken_cell_is_replaced(tmp_path, solved, caplog, text):
    """A file that is no cell is not believed."""
    one = {"fine_epsilons": (0.02,), "complexities": (3,), "cache": tmp_path}
    search(**one)
    file = sorted(tmp_path.iterdir())[0]
    kept = json.loads(file.read_text())
    if text is None:
        text = json.dumps({**kept, "best": [[0, 10_000]]})
    file.write_text(text)
    solved.clear()
    with caplog.at_level(logging.WARNING):
        search(**one)
    assert len(solved) == 1
    assert "is replaced" in caplog.text
    assert {**json.loads(file.read_text()), "seconds": 0} == {**kept, "seconds": 0}


def test_folds_in_parallel_give_the_same_frames(found, tmp_path):
    """Two folds at a time change nothing."""
    both = search(n_jobs=2, cache=tmp_path)
    pd.testing.assert_frame_equal(
        without_seconds(both.cv_results_), without_seconds(found.cv_results_)
    )
    pd.testing.assert_frame_equal(both.frontier_, found.frontier_)
    assert both.rule_set_ == found.rule_set_


def test_any_backend_of_joblib_will_do(found):
    """Folds go through joblib alone, so its other backends work (Dask, Ray, ...)."""
    with joblib.parallel_config("threading", n_jobs=2):
        threaded = search(refit=False)
    pd.testing.assert_frame_equal(threaded.frontier_, found.frontier_)


def test_progress_is_shown_on_request(capsys):
    """Each cell says where it is and what it found."""
    one = {"fine_epsilons": (0.05,), "complexities": (3,)}
    search(**one)
    assert capsys.readouterr().err == ""
    search(**one, verbose=1)
    quiet = capsys.readouterr().err
    assert "fold 0, phase I, epsilon 0.05, complexity 3: loss" in quiet
    assert "round 1" not in quiet
    search(**one, verbose=2)
    assert "round 1" in capsys.readouterr().err


def test_first_rules_are_mined_on_each_training_part(found):
    """A warm start changes the way, not the proven losses."""
    warm = search(warm_start_rules="tree").cv_results_
    cold = found.cv_results_
    coarse = warm["epsilon"].isin(SMALL["epsilons"])
    assert (warm["best_hamming_loss"] == cold["best_hamming_loss"])[coarse].all()


def test_rules_of_my_own_start_every_fold(monkeypatch):
    """Given rules are used in each fold, even if they can be read only once."""
    starts = []

    def seen(problem, rules, pricer, **options):
        starts.append(set(rules))
        return solve(problem, rules, pricer, **options)

    monkeypatch.setattr(folds_module, "solve", seen)
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


def test_rules_of_my_own_start_the_folds_that_have_their_conditions(monkeypatch):
    """A fold cuts numbers elsewhere: its first cell raised, and there was no search."""
    starts = []

    def seen(problem, rules, pricer, **options):
        starts.append(list(rules))
        return solve(problem, rules, pricer, **options)

    monkeypatch.setattr(folds_module, "solve", seen)
    whole = ConditionBinarizer(n_thresholds=4).fit(X).conditions_
    numeric = Rule((next(c for c in whole if c.feature == "pay"),))
    alike = Rule((Condition("job", "=", "cook"),))
    grid = {"complexities": (3,), "epsilons": (1.0,), "fine_epsilons": (1.0,)}
    search(warm_start_rules=[numeric, alike], **grid)
    assert [len(start) for start in starts] == [1, 1, 1]


# A scikit-learn estimator


def test_parameters_survive_cloning():
    """Cloning keeps every parameter, fitted or not."""
    inner = FairRuleSetClassifier(constraint=ODDS, max_conditions=3)
    model = FairRuleSetClassifierCV(inner, cv=4, target_gap=0.1, cache="x")
    model.set_params(estimator__max_conditions=4, estimator__objective="zero_one")
    assert (inner.max_conditions, inner.objective) == (4, "zero_one")
    copied = clone(model)
    assert copied.estimator is not inner
    before, after = model.get_params(), copied.get_params()
    assert before.pop("estimator").get_params() == after.pop("estimator").get_params()
    assert before == after
    assert after["estimator__constraint"] == ODDS
    defaults = FairRuleSetClassifierCV().get_params()
    assert defaults["epsilons"] == (0.01, 0.1, 1.0)
    assert defaults["complexities"] == (5, 15, 30)
    assert defaults["cv"] == 10


def test_the_default_fine_grid_has_more_epsilons():
    """By default phase II adds epsilons; whoever gives others gets just those."""
    grid = Grid.of(epsilons=(0.01, 0.1, 1.0), complexities=(5,))
    assert {e for e, _ in grid.coarse} == {0.01, 0.1, 1.0}
    assert {e for e, _ in grid.fine} == {0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 1.0}
    found = search(epsilons=(0.3, 1.0), fine_epsilons=None, complexities=(3,))
    assert set(found.cv_results_["epsilon"]) == {0.3, 1.0}
    finer = search(fine_complexities=(2, 4), fine_epsilons=(1.0,))
    assert set(finer.cv_results_["max_complexity"]) == {2, 4}


def test_any_splitter_will_do(found):
    """A splitter, or the splits themselves, take the place of a number."""
    by_hand = search(cv=parts())
    pd.testing.assert_frame_equal(by_hand.frontier_, found.frontier_)
    assert search(cv=KFold(2)).cv_results_["fold"].nunique() == 2


def test_a_fitted_search_travels(found):
    """Pickling keeps predictions and frames."""
    other = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(other.predict(X), found.predict(X))
    pd.testing.assert_frame_equal(other.frontier_, found.frontier_)


def test_groups_are_routed_through_a_pipeline(found):
    """Metadata routing hands the sensitive features to the search."""
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_search()
        model.set_fit_request(sensitive_features=True)
        pipeline = make_pipeline(FunctionTransformer(), model)
        pipeline.fit(X, Y, sensitive_features=GROUPS)
    assert pipeline[-1].rule_set_ == found.rule_set_


class Handmade:
    """A criterion that is no dataclass, so that its epsilon cannot be replaced."""

    name, epsilon = OPPORTUNITY, 0.1

    def rates(self):
        """Compare the same rates."""
        return EqualityOfOpportunity(0.1).rates()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"constraint": "equality"}, "'equality' is not known; use one of"),
        ({"constraint": 3}, "'constraint' parameter"),
        ({"constraint": Handmade()}, "pass its class, or a function"),
        ({"constraint": float}, "neither the name of a criterion, nor a criterion"),
        ({"estimator": LogisticRegression()}, "'estimator' parameter"),
        ({"time_limit": -1}, "'time_limit' parameter of FairRuleSetClassifier must"),
        ({"groups": None}, "compares groups; pass sensitive_features"),
        ({"groups": GROUPS[:9]}, "X has 240 rows and sensitive_features has 9"),
        ({"epsilons": ()}, "epsilons must be a list of numbers .* it is empty"),
        ({"epsilons": (-0.1,)}, r"epsilons must be .* from 0 to 1; found -0\.1"),
        ({"epsilons": (0.1, 5.0)}, r"epsilons must be .* from 0 to 1; found 5\.0"),
        ({"fine_epsilons": (2,)}, "fine_epsilons must be .* from 0 to 1; found 2"),
        ({"fine_epsilons": ["a"]}, "fine_epsilons must be .* found 'a'"),
        ({"complexities": (2.5,)}, r"complexities must be .*whole.* found 2\.5"),
        ({"fine_complexities": (-1,)}, "fine_complexities must be .* found -1"),
        ({"cv": 1}, "'cv' parameter"),
        ({"cv": "many"}, "Expected `cv` as an integer"),
        ({"target_gap": -1}, "'target_gap' parameter"),
        ({"target_gap": 0.1, "target_accuracy": 0.6}, "choose one of them"),
        ({"warm_start_rules": "wood"}, "warm_start_rules='wood' is not known"),
        ({"pricing": "guess"}, "pricing='guess' is not known"),
        ({"cv": [(np.flatnonzero(Y), np.arange(9))]}, "fold 0 has only one class"),
    ],
)
def test_what_is_wrong_is_said_plainly(parameters, message):
    """Errors name the parameter and what would be right."""
    with pytest.raises(ValueError, match=message):
        search(**parameters)


def test_predicting_needs_a_fit():
    """An unfitted search says so."""
    with pytest.raises(NotFittedError):
        FairRuleSetClassifierCV().predict(X)


@parametrize_with_checks(
    [
        FairRuleSetClassifierCV(
            FairRuleSetClassifier(
                max_conditions=1, n_thresholds=3, warm_start_rules=None, time_limit=20
            ),
            complexities=(2, 3),
            cv=2,
        )
    ]
)
def test_scikit_learns_own_checks_pass(estimator, check):
    """The search keeps every promise of scikit-learn."""
    check(estimator)
