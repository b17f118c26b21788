"""What the shell offers when somebody presses Tab."""

from __future__ import annotations

from pathlib import Path

from faircg.cli.files import EMBEDDED
from faircg.tables.names import ENDS


def complete_data(incomplete: str) -> list[str]:
    """Return the embedded data sets, tables and directories that begin like this."""
    start = Path(incomplete)
    folder = start if incomplete.endswith("/") else start.parent
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        entries = []
    found = [name for name in EMBEDDED if name.startswith(incomplete)]
    for entry in entries:
        text = str(entry) + "/" * entry.is_dir()
        if incomplete.startswith("./"):
            text = f"./{text}"
        is_table = text.lower().endswith(sum(ENDS.values(), ()))
        if text.startswith(incomplete) and (entry.is_dir() or is_table):
            found.append(text)
    return found
