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
    data as a constraint. It does not know equalized odds. The package seldom splits on
    the group itself, but it may.

    With deciles as conditions, a fit takes without and with the constraint (CPU):

    ========  =================  ===========================================
    data      depth 2            depth 3
    ========  =================  ===========================================
    compas    0.01 s and 0.02 s  0.02 s and 1 to 13 s
    adult     0.6 s and 0.8 s    constrained, not done after 20 s per search
    default   0.7 s and 1.5 s    not measured
    ========  =================  ===========================================

    so the default depth is 2. At its time limit the search gives the best tree so far,
    which then depends on the machine; see ``is_complete_``. A constrained fit is
    two searches, because which group counts as the first changes the package's answer:
    on compas by three points of accuracy at epsilon 0.05 and depth 2.

    Parameters
    ----------
    criterion
        ``None`` or ``"equality_of_opportunity"``.
    epsilon
        Largest gap of the true positive rates on the training data.
    max_depth
        Largest depth.
    time_limit
        Seconds for each search.

    Attributes
    ----------
    is_complete_
        Whether the search ended before its time limit.
    uses_group_
        Whether the tree tests the group.
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
            model = STreeDClassifier(
                "accuracy", max_depth=self.max_depth, time_limit=self.time_limit
            )
            found = [self._search(model, X, y, groups.codes, flip=False)]
        else:
            # With the two groups swapped the package finds other trees, and calls both
            # answers optimal; so take the better one.
            found = [
                self._search(self._constrained(), X, y, groups.codes, flip=flip)
                for flip in (False, True)
            ]
        trees = [tree for tree in found if tree is not None]
        if not trees:
            raise RuntimeError(
                f"no tree of depth {self.max_depth} was found in {self.time_limit} "
                "seconds; allow more time or a larger epsilon"
            )
        _, self.flip_, self.model_ = max(trees, key=lambda tree: tree[0])
        self.is_complete_ = bool(self.model_.fit_result.is_optimal())
        self.uses_group_ = self.criterion is not None and _tests_column(
            self.model_.get_tree(), _COLUMN_OF_THE_GROUP
        )

    @property
    def needs_groups(self) -> bool:  # type: ignore[override]
        """Whether the tree asks for the group; known after ``fit``."""
        return bool(getattr(self, "uses_group_", self.criterion is not None))

    def _constrained(self) -> STreeDGroupFairnessClassifier:
        return STreeDGroupFairnessClassifier(
            "equality-of-opportunity",
            sensitive_feature=_COLUMN_OF_THE_GROUP,
            discrimination_limit=self.epsilon,
            max_depth=self.max_depth,
            time_limit=self.time_limit,
        )

    def _search(
        self, model: Any, X: FloatMatrix, y: IntVector, codes: IntVector, *, flip: bool
    ) -> tuple[float, bool, Any] | None:
        """Return accuracy, coding and model; nothing if no tree keeps to epsilon."""
        design = self._design(X, codes, flip=flip)
        with warnings.catch_warnings():
            # An infeasible search only warns; the caller raises if both fail.
            warnings.filterwarnings("ignore", message="No feasible tree found")
            model.fit(design, y)
        if not model.is_fitted():
            return None
        predicted = np.asarray(model.predict(design))
        if self.criterion is not None:
            rates = [predicted[(y == 1) & (codes == code)].mean() for code in (0, 1)]
            if abs(rates[0] - rates[1]) > self.epsilon + 1e-9:
                return None
        return float((predicted == y).mean()), flip, model

    @property
    def text_(self) -> str:
        """The tree; features are columns of ``X``."""
        names = [f"column {column}" for column in self.columns_]
        if self.criterion is not None:
            names.insert(_COLUMN_OF_THE_GROUP, f"group {self.groups_[1 - self.flip_]}")
        return _tree_text(self.model_.get_tree(), names, 0)

    def _probability(self, X: FloatMatrix, codes: IntVector | None) -> FloatVector:
        if codes is None:  # the tree does not ask for the group, so any value does
            codes = np.zeros(len(X), dtype=np.int64)
        design = self._design(X, codes, flip=self.flip_)
        return np.asarray(self.model_.predict(design), dtype=np.float64)

    def _design(self, X: FloatMatrix, codes: IntVector, *, flip: bool) -> IntVector:
        chosen = X[:, self.columns_]
        if self.criterion is not None:
            chosen = np.column_stack([1 - codes if flip else codes, chosen])
        return chosen.astype(np.intc)


def _tests_column(node: Any, column: int) -> bool:
    if node.is_leaf_node():
        return False
    return (
        node.feature == column
        or _tests_column(node.left_child, column)
        or _tests_column(node.right_child, column)
    )


def _tree_text(node: Any, names: list[str], depth: int) -> str:
    pad = "    " * depth
    if node.is_leaf_node():
        return f"{pad}predict {int(node.label)}\n"
    return (
        f"{pad}if {names[node.feature]}:\n"
        + _tree_text(node.right_child, names, depth + 1)
        + f"{pad}else:\n"
        + _tree_text(node.left_child, names, depth + 1)
    )
