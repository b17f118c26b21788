"""Where records come from: one module for each kind of work, each with ``tasks``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.sources import grid, masters, mining, peers, samples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.protocol import Protocol
    from experiments.tasks import Task

MODULES = {
    "samples": samples,
    "grid": grid,
    "peers": peers,
    "mining": mining,
    "masters": masters,
}


def all_tasks(protocol: Protocol, only: Sequence[str] = ()) -> list[Task]:
    """Return the tasks of a protocol, of all sources or of some."""
    return [
        task
        for name, module in MODULES.items()
        if not only or name in only
        for task in module.tasks(protocol)
    ]
