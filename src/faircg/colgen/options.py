"""How a problem is searched: all that the engine is told beside the problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from faircg.colgen.events import OnEvent, ignore

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from faircg.colgen.checkpoint import Checkpoint
    from faircg.colgen.pricing.base import Pricer
    from faircg.colgen.stop import Deadline
    from faircg.typing import Conditions


@dataclass(frozen=True, slots=True, eq=False)
class SearchOptions:
    """Where a search begins, what it may use, and whom it tells.

    Rules may have at most as many conditions as ``depths`` says, step by step; the
    search begins with ``rules``. ``known`` rule sets, such as those of a tighter
    question, are judged first; ``known_bound`` is a lower bound for all rules of the
    last depth, such as that of a looser question. The answer does not depend on
    ``threads``. Going deeper ends early where it does not pay, unless ``patience``, the
    time limit in seconds, is infinite. With ``counts_errors`` a search by another loss
    ends with a look at wrong predictions. Each round is kept in the ``checkpoint``.
    """

    pricer: Pricer
    depths: Sequence[int]
    deadline: Deadline
    rules: Collection[Conditions] = ()
    known: Collection[Sequence[Conditions]] = ()
    known_bound: float = 0.0
    pricing_seconds: float = np.inf
    patience: float = np.inf
    threads: int = 1
    seed: int = 0
    counts_errors: bool = True
    on_event: OnEvent = ignore
    checkpoint: Checkpoint | None = None

    @property
    def hurries(self) -> bool:
        """Whether to go only as deep as it pays, and prove what takes little work."""
        return self.patience < np.inf and len(self.depths) > 1

    @property
    def is_exact(self) -> bool:
        """Whether the pricer is exact; one that does not say so is not."""
        return bool(getattr(self.pricer, "is_exact", False))

    def elsewhere(self) -> SearchOptions:
        """Return the same for another question, of which nothing is known."""
        return replace(
            self, known=(), known_bound=0.0, on_event=ignore, checkpoint=None
        )
