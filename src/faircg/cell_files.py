"""Finished cells of a search as files, so that one that was stopped goes on.

A file is named by all that its answer depends on (data, rules it starts from, question,
settings), so it is either the right answer or not looked at.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from faircg.grid import SolvedCell
from faircg.whole_files import write_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CellFiles:
    """The directory of a search, where files are kept; None keeps nothing."""

    folder: Path | None
    n_conditions: int
    """Conditions that rules may test, to check what is read."""

    def get(
        self, phase: str, key: object, compute: Callable[[], SolvedCell]
    ) -> tuple[SolvedCell, bool]:
        """Return a cell, and whether it was kept; one that was not is computed."""
        if self.folder is None:
            return compute(), False
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:32]
        file = self.folder / f"{phase}-{digest}.json"
        cell = self._read(file)
        if cell is not None:
            return cell, True
        cell = compute()
        write_text(file, cell.to_json())
        return cell, False

    def _read(self, file: Path) -> SolvedCell | None:
        if not file.exists():
            return None
        try:
            text = file.read_text(encoding="utf-8")
            return SolvedCell.from_json(text, self.n_conditions)
        except (ValueError, TypeError):
            logger.warning("%s is not a cell of this search; it is replaced", file)
            return None
