"""Where an interrupted fit writes its model: never over a better one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircg.exceptions import ModelFormatError

if TYPE_CHECKING:
    from pathlib import Path

    from faircg.model import RuleSetModel


def where_to_write(
    model: RuleSetModel, output: Path, *, force: bool
) -> tuple[Path, str]:
    """Return the file for a model, and why it is not the one asked for, if so.

    A fit that ended by itself writes where it was told to. One that was interrupted
    replaces a file only if that is a model for the same question (labels, groups with
    as many people of each label, constraint, epsilon and costs) which is no better; it
    is written beside any other file.
    """
    certificate = model.certificate
    was_cut = certificate is not None and certificate.status == "interrupted"
    if force or not was_cut or not output.is_file():
        return output, ""
    reason = _worse_than(model, output)
    if not reason:
        return output, ""
    beside = output.with_suffix(f".interrupted{output.suffix}")
    return beside, f"{output} {reason}: it stays as it is; --force replaces it"


def _worse_than(model: RuleSetModel, output: Path) -> str:
    """Say why a file should stay; nothing if the model is at least as good."""
    from faircg.model import RuleSetModel

    try:
        known = RuleSetModel.load(output)
    except ModelFormatError:
        return "is no model"
    if _question(known) != _question(model):
        return "answers another question"
    before, now = _loss(known), _loss(model)
    if before >= now:
        return ""
    what = "wrong predictions"
    if model.certificate is not None and model.certificate.cost is not None:
        what = "what wrong predictions cost"
    return (
        f"is better than what was found until the interrupt ({what}: {before:,.12g}"
        f" there, {now:,.12g} now)"
    )


def _question(model: RuleSetModel) -> tuple[object, ...]:
    """Return what two models must share to be compared: who is judged, and by what."""
    made, asked = model.certificate, model.asked
    return (
        model.labels,
        {name: (c.positives, c.negatives) for name, c in model.groups.items()},
        None if made is None else (made.constraint, made.epsilon),
        model.rates,
        (asked.cost_false_positive, asked.cost_false_negative, asked.costs_by_row),
    )


def _loss(model: RuleSetModel) -> float:
    """Return what wrong predictions cost, or how many there are."""
    if model.certificate is not None and model.certificate.cost is not None:
        return model.certificate.cost
    counts = model.groups.values()
    return float(sum(c.false_negatives + c.false_positives for c in counts))
