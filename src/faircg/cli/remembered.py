"""What a model file remembers of its data: which columns, and who was kept apart.

The split is made again from the same rows, share and seed; that it is the same is
checked by the training counts that the file holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import typer

from faircg.cli import options as opt
from faircg.cli.progress import note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircg.cli.from_database import TableTraining
    from faircg.cli.learning import Training
    from faircg.cli.named_table import NamedTable
    from faircg.model import RuleSetModel
    from faircg.typing import BoolVector

HELD_OUT: Final = "held out"
"""Name of the part that a fit kept apart."""


def columns(
    model: RuleSetModel,
    people: NamedTable,
    target: str | None,
    sensitive: Sequence[str] | None,
) -> tuple[str, list[str]]:
    """Return the columns of label and groups: those given, or those of the fit.

    What a model file remembers counts only if the table has it.
    """
    have, asked = {str(name) for name in people.frame.columns}, model.asked
    if target is None and asked.target in have:
        target = asked.target
    if not sensitive and asked.sensitive and have.issuperset(asked.sensitive):
        sensitive = asked.sensitive
    return people.target(target), people.sensitive(sensitive, model.stratum)


def kept_apart(
    people: NamedTable, target: str, groups: Sequence[str], share: float, seed: int
) -> BoolVector:
    """Choose rows at random, the same share of each label in each group.

    Of people of one label in one group somebody always stays.
    """
    import numpy as np

    frame = people.frame[[target, *groups]].astype(str)
    cells = frame.groupby(list(frame.columns), sort=True).ngroup().to_numpy()
    order = np.lexsort((np.random.default_rng(seed).random(len(cells)), cells))
    steps = np.floor(np.arange(len(cells) + 1) * share + 0.5)
    chosen = np.zeros(len(cells), dtype=bool)
    chosen[order] = np.diff(steps) > 0
    stay = np.bincount(cells, ~chosen)
    first = order[np.flatnonzero(np.diff(cells[order], prepend=-1))]
    chosen[first[stay == 0]] = False
    return chosen


def split(training: Training, share: float, seed: int) -> tuple[Training, NamedTable]:
    """Keep some people apart from those to learn from."""
    people = training.people
    chosen = kept_apart(people, training.target, training.groups, share, seed)
    apart = people.take(chosen)
    if apart.frame.empty:
        raise ValueError(f"--holdout {share:g} of {len(chosen):,} rows is nobody")
    note(
        f"{len(apart.frame):,} of {len(chosen):,} rows are kept apart, the same share "
        "of each label in each group; the rules are learned from the others"
    )
    return replace(training, people=people.take(~chosen)), apart


def remembering(
    model: RuleSetModel,
    training: Training | TableTraining,
    apart: NamedTable | None = None,
    *,
    share: float = 0.0,
    missing_groups: str = "raise",
) -> RuleSetModel:
    """Return the model with the columns of its data, and what it does to others."""
    from faircg.evaluate import People

    asked = replace(
        model.asked,
        target=training.target,
        sensitive=tuple(training.groups),
        holdout=share or None,
    )
    model = replace(model, asked=asked)
    if apart is None:
        return model
    people = People.read(
        **apart.parts(training.target, training.groups),
        models=[model],
        missing_groups=missing_groups,
    )
    simple = model.baseline
    if simple is not None and people.by_tree is not None:
        simple = replace(simple, held_out=people.counts(people.by_tree))
    counts = people.counts(model.accepts(people.table))
    return replace(model, held_out=counts, baseline=simple)


def parts(
    model: RuleSetModel, people: NamedTable, target: str, groups: Sequence[str]
) -> tuple[NamedTable, NamedTable] | None:
    """Divide people as the fit did: those learned from, and those kept apart.

    None if nobody was kept apart, or these are other people.
    """
    asked = model.asked
    if asked.holdout is None or asked.random_state is None or not model.held_out:
        return None
    if (target, tuple(groups)) != (asked.target, asked.sensitive):
        return None
    share, seed = asked.holdout, asked.random_state
    chosen = kept_apart(people, target, groups, share, seed)
    learned, apart = people.take(~chosen), people.take(chosen)
    is_same = all(
        _counts(model, part, target, groups) == known
        for part, known in ((learned, model.groups), (apart, model.held_out))
    )
    return (learned, apart) if is_same else None


def _counts(
    model: RuleSetModel, people: NamedTable, target: str, groups: Sequence[str]
) -> Any:
    """Count decisions; None if these people have other groups or labels."""
    from faircg.evaluate import People

    try:
        read = People.read(
            **people.parts(target, groups), models=[model], missing_groups="group"
        )
    except ValueError:
        return None
    return read.counts(model.rule_set.accepts(read.table))


def _share(value: Any) -> float:
    """Read the share of people to keep apart."""
    share = opt.share("--holdout", "%g %%")(value)
    if share >= 1:
        raise opt.OptionValueError("--holdout: somebody must be left to learn from")
    return share


HOLDOUT: Final = typer.Option(
    help="Share of the people to keep apart and to measure on, such as 0.25; 0 keeps "
    "nobody apart.",
    parser=_share,
    metavar="<float>",
)
