"""Certificate: what was proven about the rule set, and about which problem."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from faircg.notebook import folded_html
from faircg.printable import number, percent, plural, shown
from faircg.typing import Objective  # noqa: TC001 (model files are read by these types)

if TYPE_CHECKING:
    from faircg.colgen.costs import Units

CertificateStatus: TypeAlias = Literal[
    "optimal", "feasible", "work_limit", "time_limit", "interrupted"
]


@dataclass(frozen=True, slots=True)
class Certificate:
    """How far from the best possible rule set the answer can be.

    The bound speaks of one problem only: the loss, criterion, epsilon, limits and data
    named here.

    Attributes
    ----------
    status
        ``"optimal"`` with a proof for rules of ``max_conditions`` conditions: as many
        as were asked for, or as a fit that was not told found worth it; ``"feasible"``
        when all was done and a gap remains; ``"work_limit"``, ``"time_limit"`` or
        ``"interrupted"`` when it was cut short, be it that on longer rules.
    loss, objective
        The loss that was minimised, and the lowest of a feasible rule set found.
    lower_bound
        No feasible rule set of rules with at most ``max_conditions`` conditions has a
        lower loss; if that is the objective, the answer is ``proven_optimal``.
    gap
        ``(objective - lower_bound) / objective``; zero when the objective is.
    lp_value, lp_proven
        Value of the last linear master, None if none was solved, and whether it is the
        optimum over all rules.
    max_conditions, max_complexity, constraint, epsilon
        What the bound refers to; the last two are None without a criterion.
    rates
        ``"exact"`` when the bounded problem counts true rates; ``"proxy"`` when it
        also holds the paper's false positive rows, which count a negative once for
        each rule that covers it. The rule set returned satisfies the true rates.
    returned_loss
        The loss of the rule set returned, which makes the fewest wrong predictions of
        all seen; it may be above ``objective``.
    data, seconds
        Fingerprint of the binarised data, and duration of the search for rules, which
        no model file records: files of the same fit are equal.
    errors, errors_lower_bound
        Wrong predictions of the rule set returned, and how few no rule set within the
        same limits can have; None where nobody counted them.
    any_classifier_errors
        No classifier whatever that sees the same conditions, and satisfies the
        constraint, makes fewer wrong predictions: the rest is the price of simplicity.
    costs
        What the losses count, in words, if wrong predictions do not cost one each.
    cost, cost_lower_bound, any_classifier_cost
        Then what the wrong predictions cost, and the same bounds on that.
    depths
        Of how many conditions rules were searched, in words; None if that was asked.
    """

    status: CertificateStatus
    loss: Objective
    objective: float
    lower_bound: float
    gap: float
    lp_value: float | None
    lp_proven: bool
    proven_optimal: bool
    max_conditions: int
    max_complexity: int
    constraint: str | None
    epsilon: float | None
    rates: Literal["exact", "proxy"]
    returned_loss: float
    data: str
    seconds: float | None = field(default=None, compare=False)
    errors: int | None = None
    errors_lower_bound: int | None = None
    any_classifier_errors: int | None = None
    costs: str | None = None
    cost: float | None = None
    cost_lower_bound: float | None = None
    any_classifier_cost: float | None = None
    depths: str | None = None

    @property
    def is_cut_short(self) -> bool:
        """Whether the search was stopped before all was done."""
        return self.status in ("work_limit", "time_limit", "interrupted")

    @property
    def above_best(self) -> float:
        """How far the objective can be above the best possible, as a share of that."""
        return _above(self.objective, self.lower_bound)

    @property
    def fewest_errors_proven(self) -> bool:
        """Whether no rule set makes fewer, or cheaper, wrong predictions."""
        made = self._made
        return made is not None and made.amount == made.at_least

    @property
    def _made(self) -> _Errors | None:
        """What the wrong predictions count: their cost, if they have any; or people."""
        if self.cost is not None:
            least, simple = self.cost_lower_bound, self.any_classifier_cost
            people = "wrong predictions"
            if self.errors is not None:
                people = plural(self.errors, "wrong prediction")
            return _Errors(
                self.cost,
                least or 0.0,
                simple or 0.0,
                words=f"{people} that cost {number(self.cost)}",
                less="costs less",
                unit="",
                does="costs",
            )
        if self.errors is not None:
            return _Errors(
                self.errors,
                self.errors_lower_bound or 0,
                self.any_classifier_errors or 0,
                words=plural(self.errors, "wrong prediction"),
                less="makes fewer",
                unit=" wrong predictions",
                does="makes",
            )
        return None

    @property
    def loss_name(self) -> str:
        """What people call the loss."""
        return "Hamming loss" if self.loss == "hamming" else "0-1 loss"

    @property
    def headline(self) -> str:
        """What was proven, in a few words."""
        loss = f"{self.objective:,.12g}"
        if self.proven_optimal:
            return f"Proven optimal: no rule set{self._within} has a loss below {loss}"
        if self.lower_bound <= 0:
            return f"Loss {loss}, no bound proven"
        return f"Loss {loss}, at most {self.above_best:.2%} above the best possible"

    def __str__(self) -> str:
        text = self.summary
        if self._made is not None and self.loss != "zero_one":
            text += f". Details: {self.details}"
        return text if self.depths is None else f"{text}. Searched: {self.depths}"

    @property
    def summary(self) -> str:
        """What was proven about wrong predictions; about the loss, if not counted."""
        made, scope = self._made, self._scope
        if made is None:
            return self.details
        if self.fewest_errors_proven:
            text = f"{made.words}, proven optimal: no rule set {made.less} ({scope})"
        elif made.at_least <= 0:
            text = f"{made.words}; no bound was proven ({scope})"
        else:
            above = _above(made.amount, made.at_least)
            near = f", so this one is at most {above:.2%} above the best possible"
            if above > 1:  # a share of many times the best says nothing
                near = "; how near this one is to the best possible is not known"
            at_least = number(made.at_least)
            text = (
                f"{made.words}; no rule set {made.less} than {at_least}{near} ({scope})"
            )
        if 0 < made.simple < made.amount:
            text += (
                f"; no classifier on these conditions {made.less} than "
                f"{number(made.simple)}"
            )
        return text

    @property
    def _scope(self) -> str:
        scope = (
            f"complexity at most {self.max_complexity}, at most "
            f"{self.max_conditions} conditions per rule"
        )
        if self.constraint is not None:
            within = "" if self.epsilon is None else f" within {self.epsilon:g}"
            scope += f", {self.constraint}{within}"
        return scope if self.costs is None else f"{scope}; {self.costs}"

    @property
    def _within(self) -> str:
        """Of which rule sets the bound on the loss speaks."""
        return " within the proxy" if self.rates == "proxy" else ""

    @property
    def details(self) -> str:
        """What was proven about the loss that was searched."""
        loss, scope, within = self.loss_name, self._scope, self._within
        if self.proven_optimal:
            text = (
                f"a {loss} of {self.objective:.12g} is proven optimal: no rule set"
                f"{within} does better ({scope})"
            )
        elif self.lower_bound <= 0:
            text = (
                f"the lowest {loss} found{within} is {self.objective:.12g}; no bound "
                f"was proven ({scope})"
            )
        else:
            text = (
                f"the lowest {loss} found{within} is {self.objective:.12g}; no rule "
                f"set{within} does better than {self.lower_bound:.12g}, so it is at "
                f"most {self.above_best:.2%} above the best possible ({scope})"
            )
        if self.returned_loss == self.objective:
            return text
        outside = f", not{within}" if self.returned_loss < self.objective else ""
        returned = f"{self.returned_loss:.12g}{outside}"
        text += f"; the rule set returned has {returned}: of those seen, "
        if self.costs is not None:
            return f"{text}its wrong predictions cost the least"
        return f"{text}it makes the fewest wrong predictions"

    def in_units(self, units: Units) -> Certificate:
        """Return the same in the units of the user, who may have given costs.

        Wrong predictions that do not cost one each count by their costs, and parts of
        people are no people.
        """
        losses = ("objective", "lower_bound", "lp_value", "returned_loss")
        costs = ("cost", "cost_lower_bound", "any_classifier_cost")
        known = {
            name: getattr(self, name)
            for name in (*losses, *costs)
            if getattr(self, name) is not None
        }
        changed: dict[str, Any] = {n: units.loss_of(v) for n, v in known.items()}
        if units.people != 1:
            changed |= {"errors": None}
        return replace(self, **changed, costs=units.words)

    def _repr_html_(self) -> str:
        details = "" if self._made is None or self.loss == "zero_one" else self.details
        return folded_html(self.summary, details)

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Errors:
    """How much the wrong predictions come to, with two bounds, and how to say it.

    ``at_least`` bounds every rule set, ``simple`` every classifier.
    """

    amount: float
    at_least: float
    simple: float
    words: str
    less: str
    unit: str
    does: str


def certificate_words(certificate: Certificate | None, loss: float | None) -> str:
    """Say what was proven, and how far this very rule set can be from the best.

    ``loss`` is that of the rule set shown; None if the training data are not at hand.
    """
    if certificate is None:
        return "The model carries no certificate: nothing is known about better ones."
    text = _error_words(certificate)
    if certificate.loss != "zero_one" or not text:
        details = _proof_words(certificate, loss)
        text = f"{text} Details: {details}" if text else details
    if certificate.is_cut_short:
        text += f" The search was {status_words(certificate)}."
    return text


def _limits_words(c: Certificate, kind: str) -> str:
    """Say which rule sets are meant; ``kind`` is how the constraint is counted."""
    scope = (
        f"No rule set of complexity at most {number(c.max_complexity)} with at most "
        f"{plural(c.max_conditions, 'condition')} per rule"
    )
    if c.constraint is not None and (kind or c.epsilon is None or c.epsilon < 1):
        spoken = c.constraint.replace("_", " ")
        within = "" if c.epsilon is None else f" within {number(c.epsilon)}"
        scope += f" that keeps {spoken}{within}{kind}"
    return scope


def _error_words(c: Certificate) -> str:
    """Say what was proven about wrong predictions; nothing if nobody counted them."""
    made = c._made  # noqa: SLF001 (the same concept)
    if made is None:
        return ""
    if made.at_least <= 0:
        text = (
            f"This rule set makes {made.words} on the training data. No bound was "
            "proven: better rule sets may exist."
        )
    else:
        text = (
            f"{_limits_words(c, '')} {made.less} than {number(made.at_least)}"
            f"{made.unit} on the training data. "
        )
        above = _above(made.amount, made.at_least)
        near = percent(above, 1 if above >= 0.001 else 2)
        text += (
            f"This one {made.does} exactly that: none is better."
            if c.fewest_errors_proven
            else f"This one {made.does} {number(made.amount)}, within {near} of it."
        )
    if 0 < made.simple < made.amount:
        such = "" if c.constraint is None else " that satisfies the constraint"
        text += (
            f" No classifier whatever on these conditions{such} {made.less} than "
            f"{number(made.simple)}."
        )
    return text if c.costs is None else f"{text} ({c.costs[:1].upper()}{c.costs[1:]}.)"


def _proof_words(c: Certificate, loss: float | None) -> str:
    name = c.loss_name
    scope = _limits_words(c, " (as the search counts)" if c.rates == "proxy" else "")
    if c.lower_bound <= 0:
        return (
            f"No bound was proven: better rule sets may exist. The lowest {name} found "
            f"on the training data is {number(min(c.objective, c.returned_loss))}."
        )
    bound = number(round(c.lower_bound, 3))
    text = f"{scope} has a {name} below {bound} on the training data."
    if loss is None:
        loss = c.returned_loss
    if loss < c.lower_bound - 1e-6 and c.rates != "proxy":
        return f"{text} This one is recorded with {number(loss)}, which contradicts it."
    if loss < c.lower_bound - 1e-6:
        return (
            f"{text} This one has {number(loss)}: it satisfies the constraint itself, "
            "but not as the search counts, so that the bound does not speak about it."
        )
    if loss <= c.lower_bound + 1e-6:
        return f"{text} This one has exactly that: none is better."
    above = (loss - c.lower_bound) / c.lower_bound
    near = percent(above, 1 if above >= 0.001 else 2)
    text = f"{text} This one has {number(loss)}, within {near} of it"
    if c.objective < loss - 1e-6:
        better = "it makes fewer wrong decisions"
        if c.costs is not None:
            better = "its wrong decisions cost less"
        text += (
            f"; another found has {number(c.objective)}, and this one was preferred "
            f"because {better}"
        )
    return f"{text}."


def status_words(certificate: Certificate | None) -> str:
    """Say how the search ended."""
    if certificate is None:
        return "not recorded"
    if certificate.status == "feasible" and certificate.fewest_errors_proven:
        return "finished; no rule set makes fewer wrong predictions: that is proven"
    return {
        "optimal": "finished; the lowest loss possible is proven, and the certificate "
        "says how near the rule set shown is to it",
        "feasible": "finished; the distance to the bound remains open",
        "work_limit": "stopped by its work limit; the best rule set so far was kept",
        "time_limit": "stopped by its time limit; the best rule set so far was kept",
        "interrupted": "interrupted; the best rule set so far was kept",
    }.get(certificate.status, shown(certificate.status))


def _above(found: float, bound: float) -> float:
    """Return how far a loss can be above the best possible, as a share of that."""
    if found <= bound:
        return 0.0
    return math.inf if bound <= 0 else (found - bound) / bound


def relative_gap(objective: float, lower_bound: float) -> float:
    """Return the share of the objective that is unproven."""
    if objective <= lower_bound:
        return 0.0
    return (objective - lower_bound) / objective
