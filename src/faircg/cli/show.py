"""Results as text for people and as plain values for machines."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from faircg.cli import simpler
from faircg.cli.group_lines import impact_lines, with_attribute
from faircg.cli.remembered import HELD_OUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    import pandas as pd
    from rich.console import Console

    from faircg.classifier import FairRuleSetClassifier
    from faircg.evaluate import Gap, PartResult
    from faircg.fairness import Criterion, GroupCounts

WIDTH = 120
"""Columns of a line where there is no terminal."""


def console(*, record: bool = False) -> Console:
    """Return what prints results; brackets in the user's names are no markup."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDTH
    return Console(
        width=width, record=record, markup=False, emoji=False, highlight=False
    )


def training_result(clf: FairRuleSetClassifier) -> PartResult:
    """Describe the training data of a fitted classifier."""
    return _recorded(clf, "train", held_out=False)


def _recorded(clf: FairRuleSetClassifier, name: str, *, held_out: bool) -> PartResult:
    from faircg.evaluate import recorded_result
    from faircg.fairness.constraint import criterion_of

    criterion = criterion_of(clf.constraint, clf.epsilon)
    return recorded_result(clf.model_, name, criterion, held_out=held_out)


def show_groups(out: Console, part: PartResult) -> None:
    """Print counts and rates of each group."""
    from rich.table import Table

    table = Table("group", box=None, pad_edge=False)
    for name in (
        "people",
        "positives",
        "negatives",
        "true positive rate",
        "false positive rate",
        "selected",
        "accuracy",
    ):
        table.add_column(name, justify="right")
    for line in part.lines:
        c = line.counts
        table.add_row(
            line.name,
            *(f"{n:,}" for n in (c.total, c.positives, c.negatives)),
            _rate(c.true_positives, c.positives, with_count=True),
            _rate(c.false_positives, c.negatives, with_count=True),
            _rate(c.true_positives + c.false_positives, c.total),
            _rate(c.true_positives + c.true_negatives, c.total),
        )
    out.print(table)


def _rate(part: int, whole: int, *, with_count: bool = False) -> str:
    text = f"{part / whole:.1%}" if whole else "nobody"
    return f"{part:,} ({text})" if with_count else text


def show_gaps(
    out: Console,
    part: PartResult,
    *,
    watched_only: bool = False,
    with_intervals: bool = False,
) -> None:
    """Print each gap, and whether it satisfies the constraint on this data."""
    for gap in part.watched if watched_only else part.gaps:
        if gap.value is None:
            out.print(f"{gap.title}: not estimable: {gap.reason}")
            continue
        is_gap = gap.kind == "difference"
        between = " between groups" if is_gap else ""
        text = f"{gap.title}{between}: {float(gap.value):.4f}"
        if gap.is_bounded:
            verdict = "satisfies" if gap.within else "does not satisfy"
            text += f", {limit_words(gap)}: {verdict} the constraint on this data"
            if part.absent and gap.within:
                text += ", as far as its groups are here"
        elif gap.limit is not None and is_gap:
            text += f"; epsilon {gap.limit:g} allows every difference"
        elif gap.limit is not None:
            text += f"; {limit_words(gap)} allows everything"
        if gap.value:
            text += f" (lowest {gap.lowest}, highest {gap.highest})"
        if with_intervals and gap.high is not None:
            text += f"; interval of 95%: {gap.low:.4f} to {gap.high:.4f}"
        out.print(text)


def limit_words(gap: Gap) -> str:
    """Say the limit as it is told after the number that it bounds."""
    from faircg.fairness.metrics import LIMIT_WORDS

    return f"{LIMIT_WORDS[gap.kind]} {gap.limit:g}"


def show_part(
    out: Console,
    part: PartResult,
    sensitive: Sequence[str],
    *,
    watched_only: bool = False,
) -> None:
    """Print groups, accuracy, gaps and notes of one part of the data."""
    simpler.show_only(out, part)
    part = with_attribute(part, sensitive)
    show_groups(out, part)
    out.print()
    if not watched_only:
        out.print(f"{accuracy_words(part)} on this data")
    simpler.show_references(out, part)
    show_gaps(out, part, watched_only=watched_only, with_intervals=not watched_only)
    for text in impact_lines(part):
        out.print(text)
    for text in part.notes:
        out.print(f"note: {text}")


def accuracy_words(part: PartResult) -> str:
    """Say how many decisions are right."""
    accuracy = part.overall.shares["accuracy"]
    return f"accuracy {accuracy.value:.2%} ({accuracy.count:,} of {accuracy.size:,})"


def show_fit(
    out: Console, clf: FairRuleSetClassifier, sensitive: Sequence[str]
) -> None:
    """Print rules, groups, accuracy, complexity and certificate."""
    from faircg._kernel import HAS_NATIVE

    certificate = clf.certificate_
    part = with_attribute(training_result(clf), sensitive)
    simpler.show_only(out, part)
    out.print(str(clf.rule_set_), style="bold")
    out.print()
    if clf.model_.held_out:
        out.print("on people who were kept apart")
        show_part(out, _recorded(clf, HELD_OUT, held_out=True), sensitive)
        out.print("\non the training data")
    show_groups(out, part)
    out.print()
    out.print(
        f"{accuracy_words(part)} on the training data | complexity "
        f"{clf.rule_set_.complexity} of {certificate.max_complexity}"
    )
    simpler.show_references(out, part)
    has_none = certificate.constraint is None
    show_gaps(out, part, watched_only=not has_none)
    for text in impact_lines(part):
        out.print(text)
    if has_none and part.gaps:
        out.print("no gap was bounded: --constraint and --epsilon do that")
    out.print(f"certificate: {certificate.summary}")
    if certificate.loss != "zero_one":
        out.print(f"details: {certificate.details}")
    if certificate.lp_proven:
        out.print(
            f"linear relaxation over all rules: {certificate.lp_value:.3f} (proven)"
        )
    _show_policy(out, clf)
    if certificate.depths is not None:
        out.print(f"searched: {certificate.depths}")
    out.print(f"{certificate.seconds or 0.0:.1f} s, status: {certificate.status}")
    if certificate.is_cut_short:
        out.print(
            "note: the search was cut short; fewer --max-conditions or less "
            "--max-complexity make it shorter"
            + ("" if clf.rule_set_.rules else ", and no rules were found yet")
        )
    if not HAS_NATIVE:
        out.print(
            "note: running without the native kernel (no C++ compiler when faircg was "
            "installed): the proofs are the same, the search is slower"
        )


def _show_policy(out: Console, clf: FairRuleSetClassifier) -> None:
    """Print what rules may not do, if anything."""
    from faircg.policy import apart_words, direction_words

    asked, label = clf.model_.asked, f"“{clf.model_.labels[1]}”"
    said = direction_words(asked.increasing or (), asked.decreasing or (), label)
    if said:
        out.print(f"directions: {said}")
    if asked.not_together:
        out.print(f"not tested together: {apart_words(asked.not_together)}")


def show_table(out: Console, frame: pd.DataFrame, formats: Mapping[str, str]) -> None:
    """Print some columns of a frame."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in frame.columns:
        is_number = frame[name].dtype.kind in "iuf"
        table.add_column(
            str(name), justify="right" if is_number else "left", overflow="fold"
        )
    for values in frame.itertuples(index=False):
        table.add_row(
            *(
                _cell(value, formats.get(str(name), ""))
                for name, value in zip(frame.columns, values, strict=True)
            )
        )
    out.print(table)


def _cell(value: Any, shape: str) -> str:
    if value is None or value != value:
        return ""
    return format(value, shape) if shape else str(value)


def fit_values(clf: FairRuleSetClassifier) -> dict[str, Any]:
    """Return what was learned as JSON values."""
    held_out = {}
    if clf.model_.held_out:
        held_out = {
            HELD_OUT.replace(" ", "_"): part_values(
                _recorded(clf, HELD_OUT, held_out=True)
            )
        }
    return {
        "rule_set": clf.rule_set_.to_dict(),
        "text": str(clf.rule_set_),
        "complexity": clf.rule_set_.complexity,
        **part_values(training_result(clf)),
        **held_out,
        "certificate": clf.certificate_.to_dict(),
    }


def criterion_values(criterion: Criterion | None) -> dict[str, Any]:
    """Return the name of a criterion and its allowed gap as JSON values."""
    if criterion is None:
        return {"constraint": None, "epsilon": None}
    return {"constraint": criterion.name, "epsilon": number(criterion.epsilon)}


def part_values(part: PartResult) -> dict[str, Any]:
    """Return counts, rates and gaps as JSON values."""
    return {
        "overall": _group_values(part.overall.counts),
        "groups": {group.name: _group_values(group.counts) for group in part.groups},
        "gaps": [_gap_values(gap) for gap in part.gaps],
        "within_epsilon": part.within,
        "references": simpler.reference_values(part),
    }


def _group_values(counts: GroupCounts) -> dict[str, Any]:
    return {
        **asdict(counts),
        "people": counts.total,
        "true_positive_rate": counts.true_positive_rate,
        "false_negative_rate": counts.false_negative_rate,
        "false_positive_rate": counts.false_positive_rate,
        "selection_rate": counts.selection_rate,
        "accuracy": counts.accuracy,
    }


def _gap_values(gap: Gap) -> dict[str, Any]:
    value, is_gap = gap.value, gap.kind == "difference"
    values = {
        "rate": gap.rate,
        "gap": number(value) if is_gap else None,
        "fraction": None if value is None else f"{value.numerator}/{value.denominator}",
        "lowest": gap.lowest,
        "highest": gap.highest,
        "epsilon": gap.limit if is_gap else None,
        "within_epsilon": gap.within,
        "interval_95": None if gap.low is None else [gap.low, gap.high],
        "reason": gap.reason,
    }
    if is_gap:
        return values
    return {**values, "bound": gap.kind, "value": number(value), "limit": gap.limit}


def number(value: float | Fraction | None) -> float | None:
    """Return a number as JSON has it."""
    return None if value is None else float(value)


def wrote(paths: Iterable[object]) -> str:
    """Say which files were written."""
    names = [str(path) for path in paths]
    if len(names) < 2:
        return f"Wrote {''.join(names)}."
    return f"Wrote {', '.join(names[:-1])} and {names[-1]}."
