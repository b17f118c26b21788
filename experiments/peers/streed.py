"""Optimal decision trees under a fairness constraint: STreeD (2023)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pystreed import STreeDClassifier, STreeDGroupFairnessClassifier

from experiments.peers.base import BasePeer, check_share, columns_up_to_negation

if TYPE_CHECKING:
    from faircg.groups import Groups
    from faircg.typing import FloatMatrix, FloatVector, IntVector

_COLUMN_OF_THE_GROUP = 0


class OptimalTreePeer(BasePeer):
    """The most accurate tree of a depth whose true positive rates differ little.

    Van der Linden, de Weerdt and Demirovic, "Necessary and Sufficient Conditions for
    Optimal Decision Trees using Dynamic Programming" (2023), by the package pystreed:
    dynamic programming over all trees, with equality of opportunity on the training
    data as a constraint. It does not know equalized odds. The tree never splits on the
    group itself unless a condition of ``X`` tests it.

    With deciles as conditions, one fit takes, without and with the constraint:

    ========  =======  ========================================
    data      depth 2  depth 3
    ========  =======  ========================================
    compas    0.01 s   0.05 s and 2 s
    adult     0.2 s    more than 100 s with the constraint
    default   0.6 s    more than 100 s with the constraint
    ========  =======  ========================================

    so the default depth is 2. At its time limit the search gives the best tree so far,
    which then depends on the machine; see ``is_proven_``.

    Parameters
    ----------
    criterion
        ``None`` or ``"equality_of_opportunity"``.
    epsilon
        Largest gap of the true positive rates on the training data.
    max_depth
        Largest depth.
    time_limit
        Seconds.

    Attributes
    ----------
    is_proven_
        Whether the search ended before its time limit, so that no tree is better.
    text_
        The tree; features are columns of ``X``.
    """

    is_readable: ClassVar[bool] = True
    supported: ClassVar[tuple[str | None, ...]] = (None, "equality_of_opportunity")

    def __init__(
        self,
        *,
        criterion: str | None = "equality_of_opportunity",
        epsilon: float = 0.05,
        max_depth: int = 2,
        time_limit: float = 60.0,
    ) -> None:
        self.criterion = criterion
        self.epsilon = epsilon
        self.max_depth = max_depth
        self.time_limit = time_limit

    def _fit(self, X: FloatMatrix, y: IntVector, groups: Groups) -> None:
        check_share("epsilon", self.epsilon)
        if not ((X == 0) | (X == 1)).all():
            raise ValueError(
                "optimal trees need conditions: every value of X must be 0 or 1, see "
                "faircg.binarize.ConditionBinarizer"
            )
        if self.criterion is not None and len(groups.names) != 2:
            raise ValueError(
                f"optimal trees compare two groups, not {len(groups.names)}; merge "
                "some of them"
            )
        self.columns_ = columns_up_to_negation(X)
        if self.criterion is None:
            self.model_ = STreeDClassifier(
                "accuracy", max_depth=self.max_depth, time_limit=self.time_limit
            )
        else:
            self.model_ = STreeDGroupFairnessClassifier(
                "equality-of-opportunity",
                sensitive_feature=_COLUMN_OF_THE_GROUP,
                discrimination_limit=self.epsilon,
                max_depth=self.max_depth,
                time_limit=self.time_limit,
            )
        with warnings.catch_warnings():
            # An infeasible search only warns; we raise below.
            warnings.filterwarnings("ignore", message="No feasible tree found")
            self.model_.fit(self._design(X, groups.codes), y)
        if not self.model_.is_fitted():
            raise RuntimeError(
                f"no tree of depth {self.max_depth} was found in {self.time_limit} "
                "seconds; allow more time or a larger epsilon"
            )
        self.is_proven_ = bool(self.model_.fit_result.is_optimal())

    @property
    def text_(self) -> str:
        """The tree; features are columns of ``X``."""
        first = _COLUMN_OF_THE_GROUP + 1 if self.criterion else 0
        return _tree_text(self.model_.get_tree(), [0] * first + [*self.columns_], 0)

    def _probability(self, X: FloatMatrix, codes: IntVector | None) -> FloatVector:
        # The tree never asks for the group, so any value does.
        return self.model_.predict(self._design(X, np.zeros(len(X), dtype=np.int64)))

    def _design(self, X: FloatMatrix, codes: IntVector) -> IntVector:
        chosen = X[:, self.columns_]
        if self.criterion is not None:
            chosen = np.column_stack([codes, chosen])
        return chosen.astype(np.intc)


def _tree_text(node: Any, columns: list[int], depth: int) -> str:
    pad = "    " * depth
    if node.is_leaf_node():
        return f"{pad}predict {int(node.label)}\n"
    return (
        f"{pad}if column {columns[node.feature]}:\n"
        + _tree_text(node.right_child, columns, depth + 1)
        + f"{pad}else:\n"
        + _tree_text(node.left_child, columns, depth + 1)
    )
