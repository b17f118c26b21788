"""Text decided and written in one pass, where every row is as the model knows it.

Looking at all rows first and writing them then reads a file twice. Here they are
written at once, into a new file, by a query that ends at the first row about which
something is to be told; the file is then of no use, and the careful way begins. How
many rows got the positive label is counted from the ends of the lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from faircg.tables.decide import Counted
from faircg.tables.write import copy_text, separator_of, text_labels

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from faircg.tables.decide import Decisions
    from faircg.tables.write import Wanted

PLAIN: Final = re.compile(r"[0-9A-Za-z_.+-]+")
"""Labels that are written as they are, without quotes."""
BLOCK: Final = 1 << 20


def write_at_once(
    decisions: Decisions, wanted: Wanted, output: str, to: Path
) -> Counted | None:
    """Write a table and the decisions about it; None if the careful way is needed.

    That way also finds the words for whatever went wrong here.
    """
    import duckdb

    labels = text_labels(decisions)
    is_plain = all(map(PLAIN.fullmatch, labels)) and len({*labels}) == 2
    if not is_plain or wanted.keep == () or output.lower().endswith(".gz"):
        return None
    label = decisions.label(*labels)
    guarded = f"CASE WHEN {decisions.is_odd} THEN error('odd') ELSE {label} END"
    try:
        n_rows = copy_text(decisions, wanted, output, to, guarded)
    except duckdb.InterruptException:
        raise
    except duckdb.Error:
        return None
    separator = separator_of(decisions.source, output)
    no, yes = _count_ends(to, [f"{separator}{text}\n".encode() for text in labels])
    # Each line ends with one of the two; a value with a line end may hold one as well.
    if not n_rows or no + yes != n_rows:
        return None
    return Counted(n_rows, yes, {})


def _count_ends(path: Path, ends: Sequence[bytes]) -> list[int]:
    """Count how often each of some texts, of which none holds another, is in a file."""
    counts, longest = [0] * len(ends), max(map(len, ends))
    last = b""
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            block = last + block
            for k, end in enumerate(ends):
                counts[k] += block.count(end) - last.count(end)
            last = block[-longest + 1 :]
    return counts
