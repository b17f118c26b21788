"""What is simpler than the rules, and people who were kept apart, as printed text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from faircg.printable import spoken_value

if TYPE_CHECKING:
    from rich.console import Console

    from faircg.evaluate import PartResult, Reference


def show_only(out: Console, part: PartResult) -> None:
    """Say first that everybody gets the same label, if that is so."""
    if part.only is not None:
        out.print(
            f"The rule set predicts {spoken_value(part.only)} for everybody here: it "
            "tells nobody apart.",
            style="bold",
        )


def show_references(out: Console, part: PartResult) -> None:
    """Print how often something simpler is right."""
    if part.references:
        out.print(f"for comparison: {'; '.join(map(_words, part.references))}")


def _words(reference: Reference) -> str:
    right = reference.accuracy
    gap = "" if reference.gap is None else f", gap {reference.gap:.4f}"
    share = "nobody" if right.value is None else f"{right.value:.2%}"
    return f"{reference.name} {share} ({right.count:,} of {right.size:,}{gap})"


def reference_values(part: PartResult) -> list[dict[str, Any]]:
    """Return what is simpler as JSON values."""
    return [
        {
            "name": reference.name,
            "right": reference.accuracy.count,
            "people": reference.accuracy.size,
            "accuracy": reference.accuracy.value,
            "gap": reference.gap,
        }
        for reference in part.references
    ]
