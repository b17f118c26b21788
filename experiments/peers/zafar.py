"""Logistic regression with covariance constraints: Zafar et al. (2017).

The proxy of a false negative rate is how far the missed positives of a group lie on
the wrong side of the boundary. Its covariance with the group is a difference of convex
functions of the weights, so the program is solved by the convex-concave procedure.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import cvxpy as cp
import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpstrf
from scipy.special import expit

from experiments.peers.base import BasePeer, n_rates

if TYPE_CHECKING:
    from faircg.groups import Groups
    from faircg.typing import FloatMatrix, FloatVector, IntVector

_SMOOTHING = (1e-1, 1e-2, 1e-3)
"""Width of the rounded kink of a hinge, in units of the margin; from coarse to fine."""

_TAU_MAX = 1e8
"""The slack's price grows no further than this, as in DCCP."""


class ZafarPeer(BasePeer):
    r"""Logistic regression without disparate mistreatment.

    Zafar, Valera, Gomez Rodriguez and Gummadi, "Fairness Beyond Disparate Treatment
    and Disparate Impact: Learning Classification without Disparate Mistreatment"
    (2017), equations 9 to 13:

    .. math::
        \min_w \tfrac1N \sum_i \log(1 + e^{-y_i w^T x_i}) \quad\text{such that}\quad
        \Bigl|\tfrac1N \sum_i (z_i - \bar z) \min(0, y_i w^T x_i)\Bigr| \le c

    with the sum over the positives for false negatives (equality of opportunity), and
    once more over the negatives for false positives (equalized odds). Means and
    :math:`\bar z` are taken among the people summed over, as in the authors' published
    program: only then does zero covariance mean equal average distances in both
    groups. Of more than two groups each is compared with all others.

    The procedure is that of Shen, Diamond, Gu and Boyd, "Disciplined Convex-Concave
    Programming" (2016), algorithm 3.1: the concave part of each constraint is replaced
    by its tangent, and slack costs ``tau``, which grows by ``mu`` each round. It starts
    from the unconstrained weights.

    Parameters
    ----------
    criterion
        ``None`` is plain logistic regression.
    covariance
        Bound on the covariance as a share of what the unconstrained classifier has, as
        the authors do it: 1 allows all of it, 0 none. ``None`` is no constraint.
    tau, mu
        First price of slack and its growth. The paper uses tau 5 on adult, 20 on compas
        and 0.5 on default, and mu 1.2.
    ridge
        Weight of half the squared weights in the mean loss; tiny, so that a condition
        met by people of one label only does not get an infinite weight.
    max_iter, tolerance
        The procedure ends when a round changes the cost by less than ``tolerance``, or
        after ``max_iter`` rounds.
    solver
        ``"direct"`` solves each convex program by Newton steps on rounded hinges, fast
        for tens of thousands of rows; ``"dccp"`` hands the program to the dccp package,
        which was only run on small data here.

    Attributes
    ----------
    weights_, intercept_
        The linear score; 1 is predicted where it is at least 0.
    n_rounds_
        Rounds of the procedure ("direct" only).
    covariances_
        Covariance of each constraint on the training data: rates, then groups.
    bounds_
        What was allowed for them.
    """

    def __init__(
        self,
        *,
        criterion: str | None = "equality_of_opportunity",
        covariance: float | None = 0.1,
        tau: float = 5.0,
        mu: float = 1.2,
        ridge: float = 1e-7,
        max_iter: int = 50,
        tolerance: float = 1e-5,
        solver: str = "direct",
    ) -> None:
        self.criterion = criterion
        self.covariance = covariance
        self.tau = tau
        self.mu = mu
        self.ridge = ridge
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.solver = solver

    def _fit(self, X: FloatMatrix, y: IntVector, groups: Groups) -> None:
        self._check_parameters()
        columns = independent_columns(X)
        data = merged_rows(X[:, columns], y, groups.codes)
        loss = _Loss(data, self.ridge)
        weights = _newton(loss, np.zeros(data.design.shape[1]))
        slopes = covariance_slopes(data, self.criterion, len(groups.names))
        self.n_rounds_ = 0
        if self.covariance is None or self.criterion is None:
            self.bounds_ = np.full(len(slopes), np.inf)
        else:
            scale = np.abs(covariances(slopes, data, weights))
            self.bounds_ = self.covariance * scale
            if self.solver == "dccp":
                weights = self._solve_by_dccp(data, slopes, weights)
            else:
                weights = self._solve(loss, slopes, weights, scale)
        self.covariances_ = covariances(slopes, data, weights)
        self.weights_ = np.zeros(X.shape[1])
        self.weights_[columns] = weights[1:]
        self.intercept_ = float(weights[0])

    def _probability(self, X: FloatMatrix, codes: IntVector | None) -> FloatVector:
        return (X @ self.weights_ + self.intercept_ >= 0).astype(np.float64)

    def _check_parameters(self) -> None:
        if self.covariance is not None and not self.covariance >= 0:
            raise ValueError(f"covariance must be at least 0, not {self.covariance!r}")
        if not (self.tau > 0 and self.mu >= 1 and self.ridge >= 0):
            raise ValueError(
                "tau must be positive, mu at least 1 and ridge at least 0, not "
                f"tau={self.tau!r}, mu={self.mu!r}, ridge={self.ridge!r}"
            )
        if self.solver not in ("direct", "dccp"):
            raise ValueError(f"solver={self.solver!r} is not known; use direct or dccp")

    def _solve(
        self,
        loss: _Loss,
        slopes: FloatMatrix,
        weights: FloatVector,
        scale: FloatVector,
    ) -> FloatVector:
        """Run the convex-concave procedure with our own convex solver."""
        # |covariance| <= c is two constraints; each is a sum of hinges with weights of
        # both signs.
        hinge_weights = np.vstack([slopes, -slopes])
        bounds = np.tile(self.bounds_, 2)
        scales = np.tile(np.maximum(scale, 1e-9), 2)
        cost, tau = np.inf, self.tau
        for round_ in range(1, self.max_iter + 1):
            self.n_rounds_ = round_
            tangents = _tangents(hinge_weights, loss.data, weights)
            # Later rounds start next to their answer and need no coarse rounding.
            for width in _SMOOTHING if round_ == 1 else _SMOOTHING[-1:]:
                program = _Penalised(
                    loss,
                    np.maximum(hinge_weights, 0.0),
                    tangents,
                    bounds,
                    tau,
                    width=width,
                    sharpness=scales * width * 0.1,
                )
                weights = _newton(program, weights)
            slack = np.maximum(
                0.0, hinge_weights @ _hinge(loss.data, weights) - bounds
            ).sum()
            previous, cost = cost, loss.value(weights) + float(tau * slack)
            if abs(previous - cost) <= self.tolerance:
                break
            tau = min(tau * self.mu, _TAU_MAX)
        return weights

    def _solve_by_dccp(
        self, data: MergedRows, slopes: FloatMatrix, start: FloatVector
    ) -> FloatVector:
        """Hand the program, as it is written, to the dccp package."""
        import dccp  # noqa: F401  (registers the method with cvxpy)

        w = cp.Variable(len(start), value=start)
        margins = cp.multiply(data.signs, data.design @ w)
        cost = data.share @ cp.logistic(-margins)
        cost += self.ridge / 2 * cp.sum_squares(w[1:])
        constraints = []
        for slope, bound in zip(slopes, self.bounds_, strict=True):
            more, less = np.maximum(slope, 0), np.maximum(-slope, 0)
            wrong = cp.pos(-margins)
            constraints += [
                more @ wrong <= less @ wrong + bound,
                less @ wrong <= more @ wrong + bound,
            ]
        problem = cp.Problem(cp.Minimize(cost), constraints)
        with warnings.catch_warnings():
            # Remarks of cvxpy about accuracy and sparse values; the answer is checked.
            warnings.simplefilter("ignore")
            problem.solve(
                method="dccp",
                tau_ini=self.tau,
                mu=self.mu,
                max_iter=self.max_iter,
                ep=self.tolerance,
                solver=cp.CLARABEL,
            )
        if w.value is None:
            raise RuntimeError(f"dccp found no weights: {problem.status}")
        return np.asarray(w.value, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class MergedRows:
    """People with the same columns, label and group, as one row with a count."""

    design: FloatMatrix  # first column 1, for the intercept
    signs: FloatVector  # label as -1 or +1
    codes: IntVector
    counts: FloatVector

    @property
    def share(self) -> FloatVector:
        """Share of all people in each row."""
        share: FloatVector = self.counts / self.counts.sum()
        return share


def merged_rows(X: FloatMatrix, y: IntVector, codes: IntVector) -> MergedRows:
    """Merge equal people; sums over people become weighted sums over rows."""
    keys = np.ascontiguousarray(np.column_stack([X, y, codes]) + 0.0)  # no -0.0
    raw = keys.view(np.dtype((np.void, keys.itemsize * keys.shape[1])))[:, 0]
    _, first, counts = np.unique(raw, return_index=True, return_counts=True)
    design = np.column_stack([np.ones(len(first)), X[first]])
    signs = np.where(y[first] == 1, 1.0, -1.0)
    return MergedRows(design, signs, codes[first], counts.astype(np.float64))


def independent_columns(X: FloatMatrix) -> IntVector:
    """Choose columns that, with a constant, span all of them.

    A condition and its negation sum to a constant, and so do the values of a category;
    without a penalty, leaving them out changes no prediction.
    """
    centred = X - X.mean(axis=0)
    gram = centred.T @ centred
    size = np.sqrt(np.diag(gram))
    constant = size <= 1e-9 * np.sqrt(len(X))
    size[constant] = 1.0
    gram[constant] = gram[:, constant] = 0.0
    _, order, rank, _ = dpstrf(gram / np.outer(size, size), tol=1e-8)
    return np.sort(order[:rank] - 1)


def covariance_slopes(
    data: MergedRows, criterion: str | None, n_groups: int
) -> FloatMatrix:
    """Return the factor of each row's min(0, margin) in each covariance.

    One covariance per rate and group; one group is enough where there are two.
    """
    slopes = []
    for sign in (1.0, -1.0)[: n_rates(criterion)]:
        inside = np.where(data.signs == sign, data.counts, 0.0)
        share = inside / inside.sum()
        for group in range(n_groups if n_groups > 2 else 1):
            member = data.codes == group
            slopes.append(share * (member - share @ member))
    return np.array(slopes).reshape(-1, len(data.signs))


def covariances(
    slopes: FloatMatrix, data: MergedRows, weights: FloatVector
) -> FloatVector:
    """Return the covariance of group and distance of the errors, per constraint."""
    return slopes @ -_hinge(data, weights)


def _hinge(data: MergedRows, weights: FloatVector) -> FloatVector:
    return np.maximum(0.0, -data.signs * (data.design @ weights))


def _tangents(
    hinge_weights: FloatMatrix, data: MergedRows, weights: FloatVector
) -> FloatMatrix:
    """Return the slope in w of the hinges with negative weight, at these weights.

    A hinge passes through the origin on both sides, so its tangent has no constant.
    """
    wrong = data.signs * (data.design @ weights) < 0
    factors = np.minimum(hinge_weights, 0.0) * np.where(wrong, -data.signs, 0.0)
    return factors @ data.design


class _Convex(Protocol):
    """A smooth convex function of the weights."""

    def value(self, w: FloatVector) -> float: ...

    def gradient(self, w: FloatVector) -> FloatVector: ...

    def hessian(self, w: FloatVector) -> FloatMatrix: ...


@dataclass(slots=True, eq=False)
class _Loss:
    """Mean logistic loss and a small ridge."""

    data: MergedRows
    ridge: float
    _curved: tuple[FloatVector, FloatMatrix] | None = field(default=None, init=False)

    def value(self, w: FloatVector) -> float:
        losses = np.logaddexp(0.0, -self._margins(w))
        return float(self.data.share @ losses + self._penalty(w) @ w**2 / 2)

    def gradient(self, w: FloatVector) -> FloatVector:
        data = self.data
        pull = data.share * expit(-self._margins(w)) * data.signs
        gradient: FloatVector = self._penalty(w) * w - pull @ data.design
        return gradient

    def hessian(self, w: FloatVector) -> FloatMatrix:
        """Return the Hessian here, or one where no margin differs by a tenth.

        Most of a round moves the margins by much less, and this matrix is what most
        of its time goes into.
        """
        margins = self._margins(w)
        if self._curved is not None:
            at, curvature = self._curved
            if np.abs(margins - at).max() <= 0.1:
                return curvature
        wrong = expit(-margins)
        curvature = _gram(self.data.design, self.data.share * wrong * (1 - wrong))
        curvature = curvature + np.diag(self._penalty(w))
        self._curved = margins, curvature
        return curvature

    def _margins(self, w: FloatVector) -> FloatVector:
        return self.data.signs * (self.data.design @ w)

    def _penalty(self, w: FloatVector) -> FloatVector:
        penalty = np.full(len(w), self.ridge)
        penalty[0] = 0.0  # the intercept is free
        return penalty


@dataclass(frozen=True, slots=True, eq=False)
class _Penalised:
    """Loss, and tau times the slack of the convexified constraints.

    Each hinge is rounded from above, so that what obeys the rounded constraint obeys
    the true one; the slack's own kink has the width ``sharpness``.
    """

    loss: _Loss
    hinge_weights: FloatMatrix
    tangents: FloatMatrix
    bounds: FloatVector
    tau: float
    width: float
    sharpness: FloatVector

    def value(self, w: FloatVector) -> float:
        slack = self.sharpness * np.logaddexp(0.0, self._excess(w) / self.sharpness)
        return self.loss.value(w) + float(self.tau * slack.sum())

    def gradient(self, w: FloatVector) -> FloatVector:
        price = self.tau * expit(self._excess(w) / self.sharpness)
        gradient: FloatVector = self.loss.gradient(w) + price @ self._rows(w)
        return gradient

    def hessian(self, w: FloatVector) -> FloatMatrix:
        relative = self._excess(w) / self.sharpness
        price = self.tau * expit(relative)
        slope = expit(self._scaled(w))
        bend = price @ self.hinge_weights * slope * (1 - slope) / self.width
        near = bend > 1e-9 * bend.max()  # few hinges are close to their kink
        rows = self._rows(w)
        sharp = price * expit(-relative) / self.sharpness
        hessian: FloatMatrix = (
            self.loss.hessian(w)
            + _gram(self.loss.data.design[near], bend[near])
            + (rows.T * sharp) @ rows
        )
        return hessian

    def _scaled(self, w: FloatVector) -> FloatVector:
        data = self.loss.data
        return -data.signs * (data.design @ w) / self.width

    def _excess(self, w: FloatVector) -> FloatVector:
        hinge = self.width * np.logaddexp(0.0, self._scaled(w))
        return self.hinge_weights @ hinge + self.tangents @ w - self.bounds

    def _rows(self, w: FloatVector) -> FloatMatrix:
        """Return the gradient of each convexified constraint."""
        data = self.loss.data
        slope = -data.signs * expit(self._scaled(w))
        rows: FloatMatrix = (self.hinge_weights * slope) @ data.design + self.tangents
        return rows


def _gram(design: FloatMatrix, factors: FloatVector) -> FloatMatrix:
    scaled = design * np.sqrt(factors)[:, None]
    gram: FloatMatrix = scaled.T @ scaled
    return gram


def _newton(function: _Convex, start: FloatVector, max_steps: int = 100) -> FloatVector:
    """Minimise a smooth convex function by Newton steps, halved until they descend."""
    w, value = start, function.value(start)
    for _ in range(max_steps):
        gradient, hessian = function.gradient(w), function.hessian(w)
        # Keeps the factorisation alive where columns are almost dependent.
        jitter = 1e-12 * np.trace(hessian) / len(w)
        factor = cho_factor(hessian + jitter * np.eye(len(w)))
        step = -cho_solve(factor, gradient)
        decrement = -gradient @ step
        if decrement <= 1e-10:
            break
        length = 1.0
        while (trial := function.value(w + length * step)) > (
            value - 1e-4 * length * decrement
        ):
            length /= 2
            if length < 1e-8:  # rounding errors exceed what is left to gain
                return w
        w, value = w + length * step, trial
    return w
