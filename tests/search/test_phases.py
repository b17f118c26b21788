"""Which cells are solved: a finer grid after a coarse one, with any pricer."""

import pandas as pd

from faircg import FairRuleSetClassifier
from faircg.colgen.pricing import ExactPricer
from faircg.grid import Grid
from search.small import (
    FIT,
    N_COARSE,
    SMALL,
    X,
    Y,
    search,
    without_seconds,
)


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
    kept = [fit.model_.to_json() for fit in fits]
    assert kept[0] == kept[1]
    assert {record.max_conditions for record in fits[2].history_} == {5}


class Unsaid:
    """A pricer that does not say whether it is exact."""

    def price(self, *arguments):
        """Search as the exact one."""
        return ExactPricer().price(*arguments)


def test_the_default_fine_grid_has_more_epsilons():
    """By default phase II adds epsilons; whoever gives others gets just those."""
    grid = Grid.of(epsilons=(0.01, 0.1, 1.0), complexities=(5,))
    assert {e for e, _ in grid.coarse} == {0.01, 0.1, 1.0}
    assert {e for e, _ in grid.fine} == {0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 1.0}
    found = search(epsilons=(0.3, 1.0), fine_epsilons=None, complexities=(3,))
    assert set(found.cv_results_["epsilon"]) == {0.3, 1.0}
    finer = search(fine_complexities=(2, 4), fine_epsilons=(1.0,))
    assert set(finer.cv_results_["max_complexity"]) == {2, 4}
