"""Finds the compiled kernel, or says that NumPy has to do.

The environment variable ``FAIRCG_KERNEL`` chooses: ``numpy`` ignores the compiled
module; ``portable``, ``bmi2`` or ``avx512`` name the machine instructions to use
instead of the best there are. The results are the same.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def _find() -> ModuleType | None:
    choice = os.environ.get("FAIRCG_KERNEL", "")
    if choice == "numpy":
        return None
    try:
        from faircg._kernel import _native
    except ImportError:
        return None
    known = _native.available_instructions()
    if choice and choice not in known:
        raise ValueError(
            f"FAIRCG_KERNEL is {choice!r}; this machine has "
            f"{', '.join(['numpy', *known])}: set it to one of them, or not at all"
        )
    if choice:
        _native.use_instructions(choice)
    return _native


compiled: ModuleType | None = _find()
"""The compiled module, or None."""

HAS_NATIVE: bool = compiled is not None
"""Whether searches run compiled; without, NumPy gives the same answers, slower."""
