"""Categories that the training data did not have: some are news, most are a mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from faircg.typing import Value

FEWEST_VALUES: Final = 20
"""Values from which on most of them being new is no chance."""


def mostly_unseen(count: int, n_values: int) -> bool:
    """Say whether so many values are new that they must be written in another way.

    Of a few values that may be by chance.

    Examples
    --------
    >>> mostly_unseen(600, 1_000), mostly_unseen(400, 1_000), mostly_unseen(3, 3)
    (True, False, False)
    """
    return n_values >= FEWEST_VALUES and 2 * count > n_values


def unseen_words(name: str, count: int, example: Value) -> str:
    """Say that a feature holds categories that the model never met.

    Examples
    --------
    >>> print(unseen_words("job", 1, "smith"))  # doctest: +ELLIPSIS
    feature 'job': 1 row holds a category never seen in training ('smith'); ...
    """
    found, such, rows = f"{count:,} rows hold categories", "for example ", "them"
    if count == 1:
        found, such, rows = "1 row holds a category", "", "it"
    return (
        f"feature {name!r}: {found} never seen in training ({such}{example!r}); "
        f"'=' is false and '!=' is true for {rows}"
    )
