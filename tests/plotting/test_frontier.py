"""FrontierDisplay draws the points of the search, recounted."""

import numpy as np
import pandas as pd
import pytest

from faircg import EqualityOfOpportunity
from faircg.plotting import FrontierDisplay


def naive_points(search):
    """Accuracy and pooled gap of each point, from the people in ``cv_results_``."""
    points = {}
    for _, row in search.cv_results_.iterrows():
        entry = points.setdefault((row["epsilon"], row["max_complexity"]), [])
        entry.append(row)
    found = {}
    for key, rows in points.items():
        rates = []
        for group in ("African-American", "Caucasian"):
            missed = sum(row[f"test_false_negatives: {group}"] for row in rows)
            hits = sum(row[f"test_true_positives: {group}"] for row in rows)
            rates.append(missed / (missed + hits))
        accuracy = sum(row["test_accuracy"] for row in rows) / len(rows)
        found[key] = (abs(rates[0] - rates[1]), accuracy)
    return found


def drawn(display):
    """Positions of all marks."""
    marks = [m for pair in display.scatters_.values() for m in pair]
    return np.vstack([np.asarray(m.get_offsets()) for m in marks])


def test_every_point_is_drawn_where_its_people_put_it(search, ax):
    display = FrontierDisplay.from_estimator(search, ax=ax)
    expected = naive_points(search)
    assert len(expected) == 6
    assert sorted(drawn(display).tolist()) == pytest.approx(
        np.array(sorted(map(list, expected.values()))), abs=1e-12
    )
    for limit, (off, on) in display.scatters_.items():
        here = [key for key in expected if key[1] == limit]
        assert len(off.get_offsets()) + len(on.get_offsets()) == len(here)


def test_the_line_is_the_frontier_of_the_search(search, ax):
    """The search and the plot mark the same points."""
    display = FrontierDisplay.from_estimator(search, ax=ax)
    frontier = search.frontier_
    expected = frontier[["pooled_gap", "test_accuracy"]].to_numpy()
    assert display.line_.get_xydata() == pytest.approx(expected)
    marked = display.points[display.points["on_frontier"]]
    assert marked[["epsilon", "max_complexity"]].to_numpy().tolist() == (
        frontier[["epsilon", "max_complexity"]].to_numpy().tolist()
    )
    on = np.vstack([pair[1].get_offsets() for pair in display.scatters_.values()])
    assert sorted(on.tolist()) == sorted(expected.tolist())


def test_nobody_beats_a_point_of_the_frontier_and_somebody_every_other(search, ax):
    """The definition, point by point."""
    points = FrontierDisplay.from_estimator(search, ax=ax).points
    for _, p in points.iterrows():
        at_least = points[
            (points["pooled_gap"] <= p["pooled_gap"])
            & (points["test_accuracy"] >= p["test_accuracy"])
        ]
        better = at_least[
            (at_least["pooled_gap"] < p["pooled_gap"])
            | (at_least["test_accuracy"] > p["test_accuracy"])
        ]
        if p["on_frontier"]:
            assert better.empty
        else:
            assert len(at_least) > 1


def test_the_chosen_point_has_a_ring_and_its_numbers(search, ax):
    display = FrontierDisplay.from_estimator(search, ax=ax)
    row = search.frontier_.set_index(["epsilon", "max_complexity"]).loc[
        (search.best_epsilon_, search.best_complexity_)
    ]
    assert display.chosen_.get_xydata().tolist() == [
        [row["pooled_gap"], row["test_accuracy"]]
    ]
    title = ax.get_title(loc="left")
    assert f"accuracy {row['test_accuracy']:.2%}, gap {row['pooled_gap']:.4f}" in title
    assert f"epsilon {search.best_epsilon_:g}" in title
    assert "equality of opportunity" in ax.get_xlabel()


def test_results_read_from_a_file_draw_the_same(search, ax, tmp_path):
    """The table survives CSV, and a criterion may be given as a class."""
    search.cv_results_.drop(columns="rule_set").to_csv(tmp_path / "cv.csv")
    again = FrontierDisplay.from_cv_results(
        pd.read_csv(tmp_path / "cv.csv"), constraint=EqualityOfOpportunity, ax=ax
    )
    expected = FrontierDisplay.from_estimator(search, ax=ax)
    pd.testing.assert_frame_equal(again.points, expected.points)
    assert again.chosen_ is None


def test_without_a_constraint_no_epsilon_is_written(search, ax):
    """Gaps are zero then, and epsilon means nothing."""
    display = FrontierDisplay.from_cv_results(
        search.cv_results_, constraint=None, chosen=(1.0, 7), ax=ax
    )
    assert (display.points["pooled_gap"] == 0).all()
    assert "epsilon" not in ax.get_title(loc="left")
    assert not [text for text in ax.texts if text.get_text() == "1"]


def test_wrong_tables_and_points_are_errors(search, ax):
    with pytest.raises(ValueError, match="no table cv_results_"):
        FrontierDisplay.from_cv_results(
            pd.DataFrame({"epsilon": [1]}), constraint=None, ax=ax
        )
    with pytest.raises(ValueError, match="no point has epsilon and complexity"):
        FrontierDisplay.from_cv_results(
            search.cv_results_, constraint=None, chosen=(0.3, 7), ax=ax
        )
