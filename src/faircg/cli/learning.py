"""``fit``, and what it shares with ``frontier``: people read, an estimator made."""

# ruff: noqa: D301 (the help needs "\b" as one character)

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircg.cli import column_options as col
from faircg.cli import columns, exits, files, notes, remembered, show
from faircg.cli import group_options as grp
from faircg.cli import limit_options as lim
from faircg.cli import options as opt
from faircg.cli.addresses import is_address
from faircg.cli.constraints import named as constraint_named
from faircg.cli.estimators import apart, make_estimator
from faircg.cli.keeping import where_to_write
from faircg.cli.lazy import taking
from faircg.cli.progress import bar, following, note
from faircg.cli.written import Written
from faircg.tables.names import STANDARD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from faircg.classifier import FairRuleSetClassifier
    from faircg.cli.from_database import TableTraining
    from faircg.cli.named_table import NamedTable
    from faircg.grouping import Grouping
    from faircg.model import RuleSetModel
    from faircg.policy_price import PolicyPrice


@dataclass(frozen=True, kw_only=True)
class LearningOptions(opt.PeopleOptions):
    """What ``fit`` and ``frontier`` are both asked."""

    constraint: opt.Constraint = None
    max_conditions: opt.MaxConditions = None
    rates: opt.Rates = "auto"
    positive: opt.Positive = None
    rules_for: opt.RulesFor = "rarer"
    cost_false_positive: opt.CostFalsePositive = 1.0
    cost_false_negative: opt.CostFalseNegative = 1.0
    costs: opt.Costs = None
    exclude: opt.Exclude = None
    keep: col.Keep = None
    use_sensitive: col.UseSensitive = False
    increasing: opt.Increasing = None
    decreasing: opt.Decreasing = None
    not_together: opt.NotTogether = None
    category: opt.Category = None
    thresholds: opt.Thresholds = "auto"
    n_thresholds: opt.NThresholds = 10
    warm_start: opt.WarmStart = "forest"
    pricing: opt.Pricing = "exact"
    missing_groups: opt.MissingGroups = "raise"
    groups: grp.Groups = None
    within: grp.Within = None
    bins: grp.Bins = None
    min_group_size: grp.MinGroupSize = 0
    small_groups: opt.SmallGroups = "raise"
    time_limit: lim.TimeLimit = None
    work_limit: lim.WorkLimit = None
    memory_limit: lim.MemoryLimit = None
    seed: opt.Seed = 0
    jobs: opt.Jobs = -1

    @property
    def named_constraint(self) -> str | None:
        """What was asked for, in one line."""
        return constraint_named(self.constraint)

    @property
    def seconds(self) -> float | None:
        """Seconds for each fit; None if only work is limited."""
        return self.time_limit

    @property
    def grouping(self) -> Grouping:
        """How sensitive columns make groups."""
        return grp.grouping_of(
            self.groups,
            self.within,
            self.bins,
            self.min_group_size,
            self.small_groups,
        )


@dataclass(frozen=True, kw_only=True)
class FitOptions(LearningOptions):
    """What ``fit`` is asked besides."""

    output: Annotated[Path, typer.Option("--output", "-o", help="Model file (JSON).")]
    epsilon: opt.Epsilon = None
    max_complexity: opt.MaxComplexity = 20
    objective: opt.Objective = "hamming"
    price: opt.Price = False
    holdout: Annotated[float, remembered.HOLDOUT] = 0.0
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="File of each round: a killed fit goes on from there."),
    ] = None
    force: col.Force = False
    table: col.DatabaseTable = None
    schema: col.Schema = None
    verbose: Annotated[bool, typer.Option("--verbose", help="Report every round.")] = (
        False
    )


@taking(FitOptions)
def fit(asked: FitOptions) -> None:
    """Learn a rule set, and write it as a model file.

    Rules may test every column but the target, the sensitive ones (unless
    --use-sensitive), and those that look like identifiers, dates or the answer itself
    (unless --keep). Ctrl-C keeps the best rule set so far, and never replaces a better
    model file.

    \b
    Example:
      faircg fit compas --constraint equality_of_opportunity \\
        --epsilon 0.05 --max-complexity 10 -o model.json
    """
    files.check_output(asked.output)
    if str(asked.output) == STANDARD:
        raise ValueError("a model is written into a file; give -o a name, not -")
    if asked.epsilon is not None:
        _must_bound(asked.named_constraint, asked.epsilon)
    with _training(asked) as (training, apart):
        clf = _learned(asked, training)
    clf.model_ = model = remembered.remembering(
        training.written.recorded(clf.model_),
        training,
        apart,
        share=asked.holdout,
        missing_groups=asked.missing_groups,
    )
    written, why = where_to_write(model, asked.output, force=asked.force)
    _save(model, written)
    prices = []
    if asked.price and isinstance(training, Training):
        prices = _prices(clf, training.to_fit, quiet=asked.quiet)
    if asked.as_json:
        values = {"model": str(written), **show.fit_values(clf)}
        if asked.price:
            values["prices"] = [asdict(price) for price in prices]
        typer.echo(files.to_json(values))
    else:
        out = show.console()
        show.show_fit(out, clf, training.groups)
        for price in prices:
            out.print(f"price: {price}")
        typer.echo(f"\n{show.wrote([written])}")
    if why:
        typer.echo(f"faircg: {why}", err=True)
    finish(clf)


@contextmanager
def _training(
    asked: FitOptions,
) -> Iterator[tuple[Training | TableTraining, NamedTable | None]]:
    """Return the people to learn from, and those kept apart, if any are."""
    if is_address(asked.data):
        from faircg.cli.from_database import table_training

        with table_training(asked) as there:
            yield there, None
        return
    if asked.table is not None or asked.schema is not None:
        raise ValueError("--table and --schema are for a database, as postgres://...")
    training = read_training(asked)
    if asked.holdout:
        yield remembered.split(training, asked.holdout, asked.seed)
    else:
        yield training, None


def _learned(
    asked: FitOptions, training: Training | TableTraining
) -> FairRuleSetClassifier:
    """Learn from people, wherever they are."""
    clf = make_estimator(asked, training)
    clf.set_params(
        epsilon=asked.epsilon,
        max_complexity=asked.max_complexity,
        objective=asked.objective,
        verbose=int(asked.verbose),
        on_interrupt="return",
        checkpoint=asked.checkpoint,
    )
    if asked.checkpoint is not None and asked.checkpoint.exists():
        note(f"going on from the checkpoint {str(asked.checkpoint)!r}")
    title = f"{training.title}, {len(training.features)} features"
    with following(title, quiet=asked.quiet or asked.verbose) as callbacks:
        training.fit(clf.set_params(callbacks=callbacks))
    return clf


def _save(model: RuleSetModel, path: Path) -> None:
    """Write a model; where that cannot be done any more, print it."""
    try:
        model.save(path)
    except OSError as error:
        typer.echo(model.to_json())
        raise ValueError(
            f"{path} cannot be written ({error.strerror}); the model is printed instead"
        ) from None


def _must_bound(constraint: str | None, epsilon: float) -> None:
    """Refuse an epsilon that bounds nothing."""
    if constraint is None:
        from faircg.fairness import CRITERIA

        raise ValueError(
            f"--epsilon {epsilon:g} is an allowed gap, and no --constraint says of "
            f"what; give one of {', '.join(CRITERIA)}"
        )


def _prices(
    clf: FairRuleSetClassifier, people: dict[str, Any], *, quiet: bool
) -> list[PolicyPrice]:
    """Fit again without each part of the policy."""
    from faircg.policy_price import price_of_policy

    with bar("price of the policy", quiet=quiet):
        return list(price_of_policy(clf, **people))


def finish(clf: FairRuleSetClassifier) -> None:
    """End a command whose fit was interrupted as such."""
    if clf.certificate_.status == "interrupted":
        raise typer.Exit(exits.INTERRUPTED)


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """The people that a command learns from, and which columns are what.

    Rules may not test those to ``exclude``; texts that are ``written`` numbers were
    read as such.
    """

    people: NamedTable
    target: str
    groups: list[str]
    pos_label: Any
    exclude: tuple[str, ...]
    written: Written

    @property
    def title(self) -> str:
        """Name and number of rows."""
        return f"{self.people.name}: {len(self.people.frame):,} rows"

    @property
    def features(self) -> list[str]:
        """The columns that rules might test, those to exclude among them."""
        return [str(c) for c in self.people.frame.columns if c != self.target]

    def fit(self, clf: FairRuleSetClassifier) -> None:
        """Learn from these people."""
        clf.fit(**self.to_fit)

    @property
    def to_fit(self) -> dict[str, Any]:
        """The arguments of ``fit``."""
        parts = self.people.parts(self.target, self.groups)
        return {**parts, "costs": self.people.costs}

    def read_alike(self, name: str, asked: LearningOptions) -> NamedTable:
        """Read other people as these were read."""
        texts = [*(asked.category or ()), *self.written.decimals]
        people = files.read_people(name, texts, asked.reading)
        return replace(people, frame=self.written.read(people.frame))


def read_training(asked: LearningOptions) -> Training:
    """Read the data that the options of a command name, and say what may surprise."""
    people = files.read_people(
        asked.data,
        asked.category or (),
        asked.reading,
        coded=isinstance(asked, FitOptions),
    )
    target, groups = roles(asked, people)
    people = people.weighted(asked.weight).costing(asked.costs)
    labels, pos_label = files.labels_of(people, target, asked.positive)
    if pos_label is None:
        notes.tell_positive(people, target, labels)
    exclude = dict.fromkeys(asked.exclude or ())
    if not asked.use_sensitive:
        exclude |= dict.fromkeys(people.sensitive(asked.sensitive))
    people, written = _usable(asked, people, target, groups, exclude)
    columns.check_left(people.frame.columns, exclude, target)
    training = Training(people, target, groups, pos_label, tuple(exclude), written)
    notes.tell(asked, training, labels)
    return training


def roles(asked: LearningOptions, people: NamedTable) -> tuple[str, list[str]]:
    """Return the columns of label and groups; all columns that are named are there."""
    from faircg.fairness.constraint import criterion_at

    target = people.target(asked.target)
    groups = people.sensitive(asked.sensitive, asked.within)
    _check_roles(asked, target, groups)
    amounts = [name for name in (asked.weight, asked.costs) if name is not None]
    people.must_have(amounts)
    features = people.frame.iloc[:0].drop(columns=amounts)
    replace(people, frame=features).must_have([*(asked.exclude or ()), *named(asked)])
    constraint = asked.named_constraint
    criterion_at(constraint, 1.0)  # an unknown name is told first
    if constraint is not None and not groups:
        raise ValueError(
            f"--constraint {constraint} compares groups; name their column with "
            "--sensitive"
        )
    return target, groups


def named(asked: LearningOptions) -> list[str]:
    """Return the columns that rules may test because the user names them."""
    some = (asked.keep, asked.category, asked.increasing, asked.decreasing)
    return [name for names in (*some, *apart(asked)) for name in names or ()]


def _usable(
    asked: LearningOptions,
    people: NamedTable,
    target: str,
    groups: list[str],
    exclude: Collection[str],
) -> tuple[NamedTable, Written]:
    """Read texts that are numbers, and take away what should be no rule."""
    if people.dataset is not None:
        return people, Written()
    written = columns.written_in(
        people, {target, *groups, *exclude, *(asked.category or ())}
    )
    people = replace(people, frame=written.read(people.frame))
    left = columns.without_suspects(
        people, target, groups, named=named(asked), unused=exclude
    )
    return left, written


def _check_roles(asked: LearningOptions, target: str, groups: list[str]) -> None:
    """Refuse a weight, cost or target that shall be something else as well."""
    columns: dict[str, set[str | None]] = {
        "--weight": {asked.weight} - {None},
        "--costs": {asked.costs} - {None},
        "--target": {target},
        "--sensitive": set(groups),
        "--exclude": set(asked.exclude or ()),
        "--keep": set(asked.keep or ()),
    }
    for one, other in combinations(columns, 2):
        both = columns[one] & columns[other]
        if both and one != "--sensitive":
            raise ValueError(f"{both.pop()!r} cannot be both {one} and {other}")
