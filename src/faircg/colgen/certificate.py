"""Certificate: what was proven about the rule set, and about which problem."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from faircg.colgen.problem import Objective, Problem

CertificateStatus: TypeAlias = Literal[
    "optimal", "feasible", "time_limit", "interrupted"
]


@dataclass(frozen=True, slots=True)
class Certificate:
    """How far from the best possible rule set the answer can be.

    The bound speaks of one problem only: the loss, criterion, epsilon, limits and data
    named here.

    Attributes
    ----------
    status
        ``"optimal"`` with a proof; ``"feasible"`` when everything was done and a gap
        remains; ``"time_limit"`` or ``"interrupted"`` when the work was cut short.
    loss
        The loss that was minimised: ``"hamming"`` or ``"zero_one"``.
    objective
        Lowest loss of a feasible rule set found.
    lower_bound
        No feasible rule set of rules with at most ``max_conditions`` conditions has a
        lower loss.
    gap
        ``(objective - lower_bound) / objective``; zero when the objective is.
    lp_value
        Value of the last linear master; equal to its optimum if ``lp_proven``.
    lp_proven
        Whether the linear master over all rules is solved.
    proven_optimal
        Whether no feasible rule set has a lower loss than ``objective``.
    max_conditions, max_complexity
        Limits that the bound refers to.
    constraint, epsilon
        The criterion and its bound; None without one.
    rates
        ``"exact"`` when the bounded problem counts true rates; ``"proxy"`` when it
        also holds the paper's false positive rows, which count a negative once for
        each rule that covers it. The rule set returned satisfies the true rates.
    returned_loss
        The loss of the rule set returned, which makes the fewest wrong predictions of
        all seen; it may be above ``objective``.
    data
        Fingerprint of the binarised data that the certificate is about.
    seconds
        Duration of the whole fit.
    """

    status: CertificateStatus
    loss: Objective
    objective: float
    lower_bound: float
    gap: float
    lp_value: float
    lp_proven: bool
    proven_optimal: bool
    max_conditions: int
    max_complexity: int
    constraint: str | None
    epsilon: float | None
    rates: Literal["exact", "proxy"]
    returned_loss: float
    data: str
    seconds: float

    @property
    def above_best(self) -> float:
        """How far the objective can be above the best possible, as a share of that."""
        if self.objective <= self.lower_bound:
            return 0.0
        if self.lower_bound <= 0:
            return math.inf
        return (self.objective - self.lower_bound) / self.lower_bound

    def __str__(self) -> str:
        loss = "Hamming loss" if self.loss == "hamming" else "0-1 loss"
        scope = (
            f"complexity at most {self.max_complexity}, at most "
            f"{self.max_conditions} conditions per rule"
        )
        if self.constraint is not None:
            proxy = ", proxy rows" if self.rates == "proxy" else ""
            scope += f", {self.constraint} within {self.epsilon:g}{proxy}"
        if self.proven_optimal:
            text = (
                f"a {loss} of {self.objective:.0f} is proven optimal: no rule set "
                f"does better ({scope})"
            )
        elif self.lower_bound <= 0:
            text = (
                f"the lowest {loss} found is {self.objective:.0f}; no bound was proven "
                f"({scope})"
            )
        else:
            text = (
                f"the lowest {loss} found is {self.objective:.0f}; no rule set does "
                f"better than {self.lower_bound:.0f}, so it is at most "
                f"{self.above_best:.2%} above the best possible ({scope})"
            )
        if self.returned_loss == self.objective:
            return text
        return (
            f"{text}; the rule set returned has {self.returned_loss:.0f}: of those "
            "seen, it makes the fewest wrong predictions"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain JSON values."""
        return asdict(self)


def relative_gap(objective: float, lower_bound: float) -> float:
    """Return the share of the objective that is unproven.

    Examples
    --------
    >>> relative_gap(200.0, 199.0), relative_gap(0.0, 0.0)
    (0.005, 0.0)
    """
    if objective <= lower_bound:
        return 0.0
    return (objective - lower_bound) / objective


def fingerprint(problem: Problem) -> str:
    """Return a short hash of the merged data.

    It does not depend on the order of samples.
    """
    digest = hashlib.sha256()
    for array in (
        problem.bits.bits,
        problem.bits.family,
        problem.positives,
        problem.negatives,
    ):
        digest.update(repr(array.shape).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]
