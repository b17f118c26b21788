"""GroupRatesDisplay draws what a naive recount gives."""

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.linear_model import LogisticRegression

from faircg.evaluate.shares import RATES
from faircg.fairness import GroupCounts
from faircg.plotting import GroupRatesDisplay


def naive(rate, y, predicted):
    """Count and size of a rate, one person at a time."""
    wanted = {
        "true positive rate": (lambda t, p: p, lambda t, p: t),
        "false negative rate": (lambda t, p: not p, lambda t, p: t),
        "false positive rate": (lambda t, p: p, lambda t, p: not t),
        "true negative rate": (lambda t, p: not p, lambda t, p: not t),
        "selection rate": (lambda t, p: p, lambda t, p: True),
        "accuracy": (lambda t, p: t == p, lambda t, p: True),
        "precision": (lambda t, p: t, lambda t, p: p),
    }
    is_counted, is_inside = wanted[rate]
    inside = [(t, p) for t, p in zip(y, predicted, strict=True) if is_inside(t, p)]
    return sum(bool(is_counted(t, p)) for t, p in inside), len(inside)


def clopper_pearson(count, size, confidence):
    """Return the interval by its formula with beta quantiles."""
    tail = (1 - confidence) / 2
    low = beta.ppf(tail, count, size - count + 1) if count else 0.0
    high = beta.ppf(1 - tail, count + 1, size - count) if count < size else 1.0
    return low, high


@pytest.mark.parametrize("rate", RATES)
def test_marks_and_intervals_are_those_of_a_recount(clf, compas, ax, rate):
    """Each mark is the share, each bar the exact interval, each label the people."""
    display = GroupRatesDisplay.from_estimator(
        clf,
        compas.X,
        compas.y,
        sensitive_features=compas.groups,
        rates=[rate],
        confidence=0.9,
        ax=ax,
    )
    predicted = clf.predict(compas.X).astype(bool)
    y = compas.y.to_numpy().astype(bool)
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    shares = []
    for number, group in enumerate(sorted(set(compas.groups)), 1):
        members = (compas.groups == group).to_numpy()
        count, size = naive(rate, y[members], predicted[members])
        shares.append(count / size)
        point, caps, [bar] = display.intervals_[rate, group]
        assert point.get_xydata().tolist() == [[count / size, number]]
        low, high = clopper_pearson(count, size, 0.9)
        [ends] = bar.get_segments()
        assert ends[:, 0] == pytest.approx([low, high], abs=1e-9)
        assert [cap.get_xdata()[0] for cap in caps] == pytest.approx([low, high])
        assert labels[number] == f"{group}: {count / size:.1%} ({count:,} of {size:,})"
    gap = max(shares) - min(shares)
    assert float(display.gaps_[rate]) == pytest.approx(gap, abs=1e-12)
    assert f"largest difference {gap:.4f}" in labels[0]
    assert "90%" in ax.get_xlabel()


def test_without_data_the_training_counts_are_drawn(clf, compas, ax):
    """``fairness_`` holds them, and the bound stands beside the rate it is about."""
    display = GroupRatesDisplay.from_estimator(clf, ax=ax)
    assert display.counts == dict(clf.fairness_.groups)
    assert float(display.gaps_["true positive rate"]) == clf.fairness_.gap
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert "at most 0.05 allowed in training" in labels[0]
    assert not any("allowed" in label for label in labels[1:])
    assert "training data" in ax.get_title(loc="left")
    on_data = GroupRatesDisplay.from_estimator(
        clf, compas.X, compas.y, sensitive_features=compas.groups, ax=ax
    )
    assert on_data.counts == display.counts


def test_a_group_without_anybody_to_count_is_named_and_not_drawn(ax):
    """A rate of nobody is not 0 %: it is not estimable."""
    counts = {"few": GroupCounts(0, 0, 1, 2), "many": GroupCounts(30, 10, 5, 45)}
    display = GroupRatesDisplay(counts, rates=["true positive rate"]).plot(ax)
    assert list(display.intervals_) == [("true positive rate", "many")]
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels[1] == "few: not estimable (0 of 0)"
    assert "largest difference not estimable" in labels[0]
    assert display.gaps_["true positive rate"] is None
    assert display.values_["true positive rate", "few"].value is None


def test_groups_differ_in_shape_and_not_in_colour_alone(ax):
    """Seven groups can be told apart in grey."""
    counts = {f"group {k}": GroupCounts(3 + k, 9, 2, 8) for k in range(7)}
    display = GroupRatesDisplay(counts, rates=["accuracy"]).plot(ax)
    shapes = {bars[0].get_marker() for bars in display.intervals_.values()}
    colours = {bars[0].get_color() for bars in display.intervals_.values()}
    assert len(shapes) == len(colours) == 7


def test_any_classifier_and_any_labels(compas, ax):
    """A logistic regression on text labels is drawn by the same counts."""
    X = compas.X[["priors"]]
    y = np.where(compas.y == 1, "again", "not again")
    other = LogisticRegression().fit(X, y)
    display = GroupRatesDisplay.from_estimator(
        other,
        X,
        y,
        sensitive_features=compas.groups,
        pos_label="again",
        rates=["selection rate"],
        ax=ax,
    )
    selected = other.predict(X) == "again"
    for (_, group), value in display.values_.items():
        assert value.count == int(selected[compas.groups == group].sum())
    default = GroupRatesDisplay.from_estimator(
        other, X, y, sensitive_features=compas.groups, ax=ax
    )
    assert default.counts != display.counts  # classes_[1] is "not again"
    with pytest.raises(ValueError, match="keeps no counts of its training data"):
        GroupRatesDisplay.from_estimator(other)


def test_wrong_arguments_say_what_to_do(clf, compas):
    with pytest.raises(ValueError, match="no rate 'fairness'; use some of"):
        GroupRatesDisplay(clf.fairness_.groups, rates=["fairness"])
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        GroupRatesDisplay(clf.fairness_.groups, confidence=95)
    with pytest.raises(ValueError, match="at least one rate and one group"):
        GroupRatesDisplay({})
    with pytest.raises(ValueError, match="pass y and sensitive_features as well"):
        GroupRatesDisplay.from_estimator(clf, compas.X)
    with pytest.raises(ValueError, match="X has 2 rows and sensitive_features has 1"):
        GroupRatesDisplay.from_predictions([0, 1], [0, 1], sensitive_features=["a"])
