"""Every number in a report equals what a loop over people counts."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest

from faircg.fairness import EqualityOfOpportunity, EqualizedOdds, GroupCounts
from faircg.report.counting import gap_interval, part_result, share


def naive(result, data):
    """Count the four cells of each group, one person at a time."""
    X, y, groups = data
    cells = {}
    model = result.point.model
    decisions = model.covers(X)
    for decision, label, group in zip(decisions, y, groups, strict=True):
        cell = cells.setdefault(group, {(d, t): 0 for d in (0, 1) for t in (0, 1)})
        cell[int(decision), int(label)] += 1
    return cells


def test_confusion_counts_equal_a_naive_recount(report, halves):
    """For each point, part and group."""
    for result in report.points:
        for name, data in halves.items():
            cells = naive(result, data)
            part = result.parts[name]
            assert {g.name for g in part.groups} == set(cells)
            for group in part.groups:
                cell, c = cells[group.name], group.counts
                assert c == GroupCounts(cell[1, 1], cell[0, 1], cell[1, 0], cell[0, 0])
                rates = {
                    "false negative rate": (cell[0, 1], cell[0, 1] + cell[1, 1]),
                    "false positive rate": (cell[1, 0], cell[1, 0] + cell[0, 0]),
                    "selection rate": (cell[1, 0] + cell[1, 1], sum(cell.values())),
                    "accuracy": (cell[0, 0] + cell[1, 1], sum(cell.values())),
                    "precision": (cell[1, 1], cell[1, 0] + cell[1, 1]),
                }
                for rate, pair in rates.items():
                    found = group.shares[rate]
                    assert (found.count, found.size) == pair
            assert part.overall.counts.total == len(data[1])


def test_gaps_equal_a_naive_recount(report, halves):
    """The bounded gap is the difference of fractions, and so is its verdict."""
    for result in report.points:
        for name, data in halves.items():
            rates = [
                Fraction(cell[0, 1], cell[0, 1] + cell[1, 1])
                for cell in naive(result, data).values()
            ]
            (gap,) = result.parts[name].bounded
            assert gap.value == max(rates) - min(rates)
            epsilon = Fraction(str(result.point.epsilon))
            assert gap.within is (gap.value <= epsilon)
            assert result.parts[name].within is gap.within


def test_rule_counts_equal_a_naive_recount(report, halves):
    """Covered, precise, only by this rule, and of which group."""
    for result in report.points:
        rules = result.point.model.rule_set.rules
        for name, (X, y, groups) in halves.items():
            counts = result.rules[name]
            assert [entry.rule for entry in counts] == [*rules, None]
            met = []
            for person in X.to_dict("records"):
                met.append([_meets(rule, person) for rule in rules])
            for k, entry in enumerate(counts[:-1]):
                rows = [i for i, row in enumerate(met) if row[k]]
                assert entry.covered.count == len(rows)
                assert entry.precision.count == sum(int(y.iloc[i]) for i in rows)
                assert entry.only_this == sum(sum(met[i]) == 1 for i in rows)
                for group, found in entry.groups.items():
                    assert found.count == sum(groups.iloc[i] == group for i in rows)
            assert counts[-1].covered.count == sum(any(row) for row in met)


def _meets(rule, person):
    tests = {
        ">": lambda a, b: a > b,
        "<=": lambda a, b: a <= b,
        "=": lambda a, b: a == b,
    }
    return all(tests[c.operator](person[c.feature], c.value) for c in rule.conditions)


def test_intervals_equal_those_of_scipy():
    """Clopper-Pearson, at the edges too."""
    rng = np.random.default_rng(0)
    pairs = [(0, 1), (1, 1), (0, 50), (50, 50), (16300, 32561)]
    pairs += [
        (int(rng.integers(0, n + 1)), n) for n in rng.integers(1, 400, 40).tolist()
    ]
    for count, size in pairs:
        for level in (0.95, 0.975):
            ours = share(count, size, level)
            theirs = binomtest(count, size).proportion_ci(level, method="exact")
            assert ours.low == pytest.approx(theirs.low, abs=1e-9)
            assert ours.high == pytest.approx(theirs.high, abs=1e-9)


def test_a_share_of_nobody_is_no_number():
    """Zero of zero is neither zero nor one; everything is possible."""
    nobody = share(0, 0)
    assert (nobody.value, nobody.low, nobody.high) == (None, 0.0, 1.0)


def test_the_interval_of_a_gap_covers_the_true_gap():
    """Of 400 simulated samples of three groups at least 95 in 100 cover it."""
    rng = np.random.default_rng(1)
    truth, sizes = np.array([0.3, 0.36, 0.42]), np.array([80, 200, 500])
    covered = 0
    for _ in range(400):
        counts = rng.binomial(sizes, truth)
        low, high = gap_interval(
            list(zip(counts.tolist(), sizes.tolist(), strict=True))
        )
        covered += low <= 0.12 <= high
    assert covered >= 380


def test_a_group_without_positives_is_said_to_be_not_estimable():
    """It must not vanish and look like a gap of zero."""
    counts = {"a": GroupCounts(3, 1, 2, 4), "b": GroupCounts(0, 0, 2, 4)}
    part = part_result("test", counts, EqualityOfOpportunity(0.05))
    (gap,) = part.bounded
    assert gap.value is None
    assert part.within is None
    assert "group 'b' has no positive sample" in gap.reason


def test_equalized_odds_needs_both_gaps():
    """One gap within and one beyond is beyond."""
    counts = {"a": GroupCounts(50, 50, 10, 90), "b": GroupCounts(50, 50, 30, 70)}
    part = part_result("test", counts, EqualizedOdds(0.1))
    assert [(g.rate, g.within) for g in part.bounded] == [
        ("false negative rate", True),
        ("false positive rate", False),
    ]
    assert part.within is False
    assert part.widest.rate == "false positive rate"
