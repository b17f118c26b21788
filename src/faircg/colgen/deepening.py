"""Going deeper: rules of two conditions, then of three, and so on, while it pays.

Longer rules are more to search, and learn the training data by heart. So a fit that was
not told how many conditions a rule may have stops by itself: when another condition
lowers the best possible loss by no more than chance does, or when to search it is more
work than the time limit allows for. Both depend on the question, not on the clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, inf, sqrt
from typing import TYPE_CHECKING, Final

from faircg.colgen.events import DepthBegun, DepthDone, RoundDone
from faircg.colgen.improving import improve
from faircg.colgen.loop import Generation, Standing, generate, rounds_up
from faircg.printable import plural

if TYPE_CHECKING:
    from faircg.colgen.events import Event, Round
    from faircg.colgen.options import SearchOptions
    from faircg.colgen.pool import Pool
    from faircg.colgen.select import Selection
    from faircg.colgen.stop import Deadline

PAYS: Final = 0.01
"""Least share of the linear master's value that another condition must take off."""
NOISE: Final = 0.5
"""How much that must be, in standard deviations of the number of wrong people."""
WORK_PER_SECOND: Final = 5e7
"""Words of bits of all rules there are, for each second of the time limit.

A pricing looks at few of the rules and there are many pricings: measured.
"""
STEP_KICKS: Final = 5
"""Kicks without success of the local search after each step."""


@dataclass(frozen=True, slots=True)
class Step:
    """How the search over rules of so many conditions went.

    ``gain`` is the share by which its last condition lowered the best possible loss.
    """

    max_conditions: int
    is_searched: bool
    seconds: float
    gain: float


@dataclass(frozen=True, slots=True, eq=False)
class Deepened:
    """How far the search went.

    ``generation`` is the deepest step that paid and whose linear master is solved, or
    else the first; ``last`` is that too, or the one that time has cut.
    """

    generation: Generation
    last: Generation
    steps: tuple[Step, ...]
    history: tuple[Round, ...]

    @property
    def cut_at(self) -> int | None:
        """The depth that was begun and not solved, beyond one that was."""
        step = self.steps[-1]
        is_cut = not step.is_searched and step is not self.steps[0]
        return step.max_conditions if is_cut else None

    def words(self, deepest: int, is_proven: bool) -> str:
        """Say what was done; rules of up to ``deepest`` conditions were allowed."""
        depth = self.generation.max_conditions
        text = f"rules of up to {plural(depth, 'condition')}: "
        text += "proven" if is_proven else "a gap remains"
        longer = [step for step in self.steps if step.max_conditions > depth]
        if self.cut_at is not None:
            return f"{text}; {self.cut_at} conditions: stopped"
        if longer:
            gain = f"the best possible loss is {longer[-1].gain:.1%} lower"
            return (
                f"{text}; {longer[-1].max_conditions} conditions: {gain}, not worth it"
            )
        return text if depth >= deepest else f"{text}; longer rules: not searched"


@dataclass(frozen=True, slots=True, eq=False)
class Paused:
    """A search in the midst of a depth, after some round: all to go on from there."""

    generation: Generation | None
    last: Generation | None
    steps: tuple[Step, ...]
    history: tuple[Round, ...]
    at: Standing

    @property
    def cut_at(self) -> int:
        """The depth to go on with."""
        return self.at.max_conditions


def deepen(
    pool: Pool,
    selection: Selection,
    options: SearchOptions,
    deadline: Deadline,
    started: float,
    before: Deepened | Paused | None = None,
) -> Deepened:
    """Generate rules depth by depth; or go on where the time was up ``before``.

    After each step a short local search looks for a better rule set among all rules
    found so far, so that a deeper step never makes the answer worse.
    """
    history = [] if before is None else [*before.history]
    steps = [] if before is None else [*before.steps]

    def tell(event: Event) -> None:
        if isinstance(event, RoundDone):
            history.append(event.round)
        options.on_event(event)

    kept, last, first = None, None, 0
    if before is not None:
        kept, last, first = before.generation, before.last, before.cut_at or 0
    resumed = before.at if isinstance(before, Paused) else None

    def keep(at: Standing) -> None:
        if (file := options.checkpoint) is not None:
            file.write(pool, selection, Paused(kept, last, (*steps,), (*history,), at))

    for depth in (depth for depth in options.depths if depth >= first):
        is_next = kept is not None and depth > first
        if is_next and not _is_affordable(pool, options, depth):
            break
        began = deadline.clock()
        tell(DepthBegun(depth))
        step = generate(
            pool.problem,
            pool,
            options.pricer,
            max_conditions=depth,
            deadline=deadline,
            pricing_seconds=options.pricing_seconds,
            first_round=len(history) + 1,
            started=started,
            on_event=tell,
            resumed=resumed if depth == first else None,
            keep=keep,
        )
        tell(DepthDone(depth, step.lower_bound, step.is_proven))
        gain = 1.0 if kept is None or not kept.is_searched else _gain(kept, step)
        steps.append(Step(depth, step.is_searched, deadline.clock() - began, gain))
        if step.is_searched and gain < _least_gain(selection, options):
            break
        if kept is None or step.is_searched:
            kept = step
        if last is None or step.master is not None:
            last = step
        if deadline.is_set():
            break
        if depth < options.depths[-1]:
            _improve(pool, step, selection, options)
    if kept is None or last is None:
        raise ValueError("at least one depth is needed")
    return Deepened(kept, last, tuple(steps), tuple(history))


def _gain(before: Generation, after: Generation) -> float:
    """Return the share by which another condition lowered the linear master."""
    if before.master is None or after.master is None or before.master.value <= 0:
        return 0.0
    return 1.0 - after.master.value / before.master.value


def _least_gain(selection: Selection, options: SearchOptions) -> float:
    """Return the gain that is worth another condition; any, if nobody is in a hurry."""
    if not options.hurries:
        return -inf
    wrong = selection.problem.units.people_of(selection.errors)
    return max(PAYS, NOISE / sqrt(max(wrong, 1.0)))


def _is_affordable(pool: Pool, options: SearchOptions, depth: int) -> bool:
    """Say whether rules of so many conditions can be searched in time."""
    bits = pool.problem.bits
    work = comb(bits.n_conditions, depth) * bits.n_words
    return work <= WORK_PER_SECOND * options.patience


def _improve(
    pool: Pool, step: Generation, selection: Selection, options: SearchOptions
) -> None:
    """Look for a better rule set, as far as the bound says that there may be one."""
    goal = rounds_up(step.lower_bound)
    if goal < selection.objective:
        improve(
            pool,
            step,
            selection,
            options.deadline,
            options.seed,
            pool.problem.objective,
            [selection.objective_winner],
            kicks=STEP_KICKS,
            good_enough=goal,
        )
