"""Every number in a report equals what a loop over people counts."""

from fractions import Fraction

from faircg.fairness import GroupCounts


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
            assert len(counts) == len(rules) + 1
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
