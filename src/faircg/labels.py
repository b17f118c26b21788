"""Labels: two classes, and which of them is positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from faircg.told_apart import check_kinds, check_texts, check_unmasked

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from faircg.typing import BoolVector, Value


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The labels of the training data: two classes, sorted.

    ``positive`` is the position in ``classes`` of the positive label.
    """

    classes: NDArray[Any]
    is_positive: BoolVector
    positive: int


def read_labels(y: ArrayLike, n_rows: int, pos_label: Any = None) -> Labels:
    """Check labels; an error names what was found.

    The positive label is the larger one by default.

    Examples
    --------
    >>> labels = read_labels(["yes", "no", "yes"], 3)
    >>> labels.classes[labels.positive], labels.is_positive
    (np.str_('yes'), array([ True, False,  True]))
    """
    import pandas as pd

    check_unmasked(y=y)
    if getattr(getattr(y, "dtype", None), "kind", "O") == "O":
        # As they are: NumPy makes texts of a mixture, and forgets a NUL at their end.
        given = np.asarray(y, dtype=object).ravel()
        given = given[~np.asarray(pd.isna(given), dtype=bool)]
        check_texts("y", given)
        check_kinds("y", given)
    labels = column_or_1d(y, warn=True)
    missing = np.flatnonzero(pd.isna(labels))
    if labels.dtype.kind == "O" and len(missing):
        raise ValueError(
            f"Input y contains NaN: {len(missing)} labels are missing (first row: "
            f"{missing[0]})"
        )
    if labels.dtype.kind in "mMS":
        raise ValueError(
            f"y holds {labels.dtype}; labels must be text, numbers or booleans"
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        bad = np.flatnonzero(~np.isfinite(labels))
        raise ValueError(
            f"Input y contains NaN or infinity in {len(bad)} rows (first: {bad[0]})"
        )
    if len(labels) != n_rows:
        raise ValueError(
            f"X has {n_rows} rows and y has {len(labels)}: found input variables with "
            "inconsistent numbers of samples"
        )
    check_classification_targets(labels)
    classes = np.unique(labels)
    if len(classes) == 1:
        raise ValueError(
            f"y has only one class, {plain(classes[0])!r}; two classes are needed"
        )
    if len(classes) > 2:
        kind = type_of_target(labels, input_name="y")
        raise ValueError(
            f"Only binary classification is supported. The type of the target is "
            f"{kind}. y has {len(classes)} classes: {_some(classes)}"
        )
    if pos_label is not None and pos_label not in classes.tolist():
        raise ValueError(
            f"pos_label={pos_label!r} is not a label; y has {_some(classes)}"
        )
    positive = int(pos_label is None or bool(classes[1] == pos_label))
    return Labels(classes, labels == classes[positive], positive)


def read_truth(y: ArrayLike, labels: tuple[Value, Value], n_rows: int) -> BoolVector:
    """Say which people have the positive label; labels may differ from text in type.

    Examples
    --------
    >>> read_truth(["1", "0"], (0, 1), 2)
    array([ True, False])
    """
    found = plain_labels(y, n_rows)
    negative, positive = labels
    by_text = {str(negative): False, str(positive): True}
    answers = []
    for row, label in enumerate(found):
        if label in (positive, negative):
            answers.append(bool(label == positive))
        elif str(label) in by_text:
            answers.append(by_text[str(label)])
        else:
            raise ValueError(
                f"y has the label {label!r} (row {row}); the model knows "
                f"{negative!r} and {positive!r}"
            )
    return np.array(answers, dtype=bool)


def plain_labels(y: ArrayLike, n_rows: int) -> list[Any]:
    """Return labels as Python values; an error unless there is one for each row."""
    found = [plain(label) for label in np.asarray(y).ravel()]
    if len(found) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y has {len(found)} labels")
    return found


def plain(label: Any) -> Any:
    """Return a label as a Python value."""
    return label.item() if isinstance(label, np.generic) else label


def _some(values: NDArray[Any], most: int = 5) -> str:
    shown = [plain(value) for value in values[:most]]
    return f"{shown}" if len(values) <= most else f"{shown} and more"
