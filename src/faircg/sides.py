"""Sides: rules for the positive label, for the negative one, or the better of both.

Each search is for rules of one label. Where either will do, both are searched, in half
of the time each, and the rule set that makes fewer wrong predictions is kept; what is
then said of all rule sets must hold for those of either label.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from faircg.colgen.certificate import relative_gap
from faircg.colgen.checkpoint import Checkpoint
from faircg.colgen.engine import solve
from faircg.colgen.events import in_units
from faircg.colgen.options import SearchOptions
from faircg.exceptions import FairCGError, InfeasibleConstraintError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from faircg.colgen.certificate import Certificate, CertificateStatus
    from faircg.colgen.engine import Solution
    from faircg.colgen.events import OnEvent
    from faircg.colgen.select import Candidate
    from faircg.colgen.stop import Deadline
    from faircg.labelled import LabelledTable
    from faircg.question import Question
    from faircg.rules import Condition
    from faircg.typing import Conditions, RulesFor

Found = TypeVar("Found")

_SHORTEST: Final[tuple[CertificateStatus, ...]] = (
    "interrupted",
    "time_limit",
    "work_limit",
    "feasible",
    "optimal",
)
"""How a search ended, the least complete first."""
_BOUNDS: Final = (
    "lp_value",
    "errors_lower_bound",
    "any_classifier_errors",
    "cost_lower_bound",
    "any_classifier_cost",
)
"""Values that must hold for both labels."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What was found for one label, and the conditions of its rules."""

    rules_for: RulesFor
    conditions: tuple[Condition, ...]
    solution: Solution
    left_out: tuple[str, ...] = ()


def learn(
    question: Question, data: LabelledTable, deadline: Deadline, on_event: OnEvent
) -> Side:
    """Search rules for the label that is asked for, or for both labels."""
    sides = question.sides()
    shares = [1 / (len(sides) - number) for number in range(len(sides))]
    found = each_that_has_one(
        partial(_learn_one, side, data, deadline, share, on_event)
        for side, share in zip(sides, shares, strict=True)
    )
    kept = found[best_of([side.solution.returned for side in found])]
    certificates = [side.solution.certificate for side in found]
    proven = joint_certificate(kept.solution.certificate, certificates)
    if proven.status in ("optimal", "feasible"):
        for checkpoint in filter(None, map(checkpoint_of, sides)):
            checkpoint.remove()
    if len(found) < len(sides):
        proven = without_bounds(proven)
    left_out = {*data.left_out, *(name for side in found for name in side.left_out)}
    if left_out:
        tested = set(data.features.names) - set(data.features.excluded)
        proven = _of_fewer(proven, len(left_out), len(tested))
    return replace(kept, solution=replace(kept.solution, certificate=proven))


def _of_fewer(
    certificate: Certificate, n_left_out: int, n_features: int
) -> Certificate:
    """Return a certificate of a search in which time was too short for all features.

    Rule sets that test the others may be better: it claims nothing about them.
    """
    told = without_bounds(certificate)
    status: CertificateStatus = "time_limit"
    if told.status == "interrupted":
        status = "interrupted"
    words = f"not all conditions of {n_left_out:,} of {n_features:,} features were made"
    depths = words if told.depths is None else f"{told.depths}; {words}"
    return replace(told, status=status, depths=f"{depths}, as time was short")


def each_that_has_one(searches: Iterable[Callable[[], Found]]) -> list[Found]:
    """Return what searches find; one without a rule set is left out, unless all are.

    Where the empty rule set is not allowed, rules for one label may not do.
    """
    found, errors = [], []
    for search in searches:
        try:
            found.append(search())
        except FairCGError as error:
            if type(error) not in (FairCGError, InfeasibleConstraintError):
                raise
            errors.append(error)
    if not found:
        # What is not proven of one label is not proven of both.
        raise min(errors, key=lambda e: isinstance(e, InfeasibleConstraintError))
    return found


def without_bounds(certificate: Certificate) -> Certificate:
    """Return a certificate that claims nothing about other rule sets."""
    status = certificate.status
    unknown: dict[str, Any] = dict.fromkeys(_BOUNDS)
    return replace(
        certificate,
        status="feasible" if status == "optimal" else status,
        lower_bound=0.0,
        gap=relative_gap(certificate.objective, 0.0),
        proven_optimal=False,
        lp_proven=False,
        **unknown,
    )


def _learn_one(
    question: Question,
    data: LabelledTable,
    deadline: Deadline,
    share: float,
    on_event: OnEvent,
) -> Side:
    """Search rules for one label, in a share of the time that is left."""
    deadline = deadline.within(share * deadline.remaining())
    binarizer, problem = question.prepare(data, deadline)
    depths = question.depths(binarizer)
    checkpoint = checkpoint_of(question)
    rules: Collection[Conditions] = ()
    if checkpoint is None or not checkpoint.exists:
        rules = question.first_rules(
            problem,
            binarizer,
            max_conditions=depths[-1],
            deadline=deadline,
            known_only=bool(data.left_out or binarizer.left_out_),
        )
    options = SearchOptions(
        question.pricer(),
        depths,
        deadline,
        rules=rules,
        pricing_seconds=question.pricing_time_limit,
        patience=question.patience,
        threads=question.threads,
        seed=question.seed,
        on_event=lambda event: on_event(in_units(event, problem.units)),
        checkpoint=checkpoint,
    )
    told = solve(problem, options).in_units(problem.units)
    return Side(question.side, binarizer.conditions_, told, binarizer.left_out_)


def checkpoint_of(question: Question) -> Checkpoint | None:
    """Return the checkpoint of a search for one label, if one is asked for."""
    if question.checkpoint is None:
        return None
    return Checkpoint(question.checkpoint, f"rules from {question.warm_start_rules}")


def best_of(candidates: Sequence[Candidate]) -> int:
    """Return the position of the rule set with the fewest wrong predictions.

    Of equally good ones it is the simplest, then the first.
    """
    keys = [(c.recount.zero_one_loss, c.recount.complexity) for c in candidates]
    return keys.index(min(keys))


def joint_certificate(kept: Certificate, every: Sequence[Certificate]) -> Certificate:
    """Return what holds for the rule sets of all searches; ``kept`` is of one."""
    if len(every) == 1:
        return kept
    objective = min(c.objective for c in every)
    lower_bound = min(c.lower_bound for c in every)
    is_proven = lower_bound >= objective
    return replace(
        kept,
        status="optimal"
        if is_proven
        else min((c.status for c in every), key=_SHORTEST.index),
        objective=objective,
        lower_bound=lower_bound,
        gap=relative_gap(objective, lower_bound),
        proven_optimal=is_proven,
        lp_proven=all(c.lp_proven for c in every),
        max_conditions=min(c.max_conditions for c in every),
        depths=min(every, key=lambda c: c.max_conditions).depths,
        rates="proxy" if any(c.rates == "proxy" for c in every) else "exact",
        seconds=sum(c.seconds or 0.0 for c in every),
        **{name: _least(name, every) for name in _BOUNDS},
    )


def _least(name: str, every: Sequence[Certificate]) -> Any:
    """Return the least of the bounds of this name; None if one is not known."""
    bounds = [getattr(c, name) for c in every]
    return None if None in bounds else min(bounds)
