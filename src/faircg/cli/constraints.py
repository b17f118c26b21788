"""Constraints as they are given on the command line: again and again, in one line."""

from __future__ import annotations

from faircg.cli.options import OptionValueError


def joined(constraints: list[str] | None) -> str | None:
    """Return what was asked for in one line; nothing if nothing was.

    Examples
    --------
    >>> joined(["equalized_odds", "precision_floor=0.7"]), joined(["none"])
    ('equalized_odds & precision_floor=0.7', 'none')
    """
    given = list(dict.fromkeys(constraints or ()))
    if len(given) > 1 and "none" in given:
        raise OptionValueError("--constraint none was given beside another one")
    return " & ".join(given) or None


def named(constraints: list[str] | None) -> str | None:
    """Return the constraint in one line; None for none."""
    text = joined(constraints)
    return None if text == "none" else text
