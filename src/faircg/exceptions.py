"""The errors and warnings that faircg raises beyond Python's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction


class FairCGError(Exception):
    """Base of the errors that belong to faircg alone."""


class ModelFormatError(FairCGError, ValueError):
    """A model file is not one that this version of faircg can read."""


class CheckpointError(FairCGError, ValueError):
    """A checkpoint cannot be used: it is damaged, or of another question."""


class ExportError(FairCGError, ValueError):
    """A model cannot be written in a format without changing what it means."""


class InfeasibleConstraintError(FairCGError, ValueError):
    """No rule set within the limits satisfies the constraint.

    ``loosen_by`` says how much easier every limit would have to be for a rule set that
    was found then; None if that is not known.
    """

    def __init__(self, message: str, loosen_by: Fraction | None = None) -> None:
        super().__init__(message)
        self.loosen_by = loosen_by


class MemoryLimitError(FairCGError, MemoryError):
    """A table needs more memory than a fit may take."""


class SolverError(FairCGError, RuntimeError):
    """The solver failed, or its answer did not survive the recount."""


class SensitiveFeatureWarning(UserWarning):
    """Rules test a feature that also defines the groups."""


class UnseenCategoryWarning(UserWarning):
    """A table to predict holds categories that the training data did not."""
