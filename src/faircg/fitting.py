"""Messages of a fit."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def messages(verbose: int, name: str = "faircg") -> Iterator[None]:
    """Let messages of a logger through, as far as ``verbose`` asks for them."""
    if not verbose:
        yield
        return
    source = logging.getLogger(name)
    before, handler = source.level, logging.StreamHandler()
    source.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    source.addHandler(handler)
    try:
        yield
    finally:
        source.removeHandler(handler)
        source.setLevel(before)
